"""Files of records, read one record after the other: what readers and `tf.data` have in common.

Each format is a class whose instances are open files: `TextLines`, `FixedLengthRecords`,
`TFRecords`. All work as `RecordFile` says.
"""
