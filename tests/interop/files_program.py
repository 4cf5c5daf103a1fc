"""A real TensorFlow reads our files and writes its own; run with its interpreter.

files_program.py FOLDER: reads FOLDER/ours.meta, ours.pbtxt and the event file in FOLDER/events,
writes theirs.meta, theirs.txt and FOLDER/their_events, and prints what it saw as JSON.
"""

import glob
import json
import os
import sys

import tensorflow.compat.v1 as tf

from tests.interop.files_model import build, slopes

tf.disable_v2_behavior()


def main(folder):
    """Print what TensorFlow saw."""
    seen = {}
    for name in ("ours.meta", "ours.txt"):
        for scope in (None, "s"):
            with tf.Graph().as_default():
                tf.train.import_meta_graph(os.path.join(folder, name), import_scope=scope)
                seen[f"{name} {scope}"] = slopes(tf, scope)
    with tf.Graph().as_default():
        build(tf)
        tf.train.export_meta_graph(os.path.join(folder, "theirs.meta"))
        tf.train.export_meta_graph(os.path.join(folder, "theirs.txt"), as_text=True)
        seen["own"] = slopes(tf, None)
        writer = tf.summary.FileWriter(os.path.join(folder, "their_events"))
        with tf.Session() as session:
            writer.add_summary(session.run(tf.summary.scalar("loss", 0.25)), 7)
        writer.close()
    [path] = glob.glob(os.path.join(folder, "events", "*"))
    seen["events"] = [
        [event.step, value.tag, value.simple_value]
        for event in tf.train.summary_iterator(path)
        for value in event.summary.value
    ]
    print(json.dumps(seen))


main(sys.argv[1])
