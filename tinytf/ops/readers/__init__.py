"""Readers: files in, records out.

reader_ops.py       the op types
reader_classes.py   `tf.TextLineReader` and the others, as people use them
"""
