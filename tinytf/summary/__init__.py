"""Event files: what a run writes for TensorBoard, and reading it back.

event_file.py    a file of events, written by a thread of its own
file_writer.py   `tf.summary.FileWriter`: summaries, graphs and run metadata as events
reading.py       `tf.train.summary_iterator`

The operations that make summaries are in `tinytf/ops/summaries.py` and `media_summaries.py`.
"""
