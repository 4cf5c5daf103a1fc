"""A step of TensorFlow, recorded: run as a program, it writes trace.json.gz beside it.

    python -m tests.tracing.traced_program

`fetches` builds the same step in tinytf, for the tests that compare.
"""

from __future__ import annotations

import base64
import gzip
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

FILE = Path(__file__).with_name("trace.json.gz")


def build(tf: Any) -> tuple[list[Any], dict[Any, Any], Any]:
    """Fetches, feeds, and the configuration of a session with two processors."""
    x = tf.placeholder(tf.float32, [None, 4], name="x")
    w = tf.Variable(np.ones((4, 3), np.float32), name="w")
    z = tf.nn.relu(tf.matmul(x, w, name="y"), name="z")
    left, _, right = tf.split(z, 3, axis=1, name="parts")
    with tf.device("/cpu:1"):
        u = tf.add(z, tf.square(left, name="square"), name="u")
        t = tf.as_string(u, name="t")
    same = tf.identity(right, name="same")
    count = tf.while_loop(
        lambda i, total: i < 3,
        lambda i, total: (i + 1, tf.add(total, i, name="sum")),
        [tf.constant(0), tf.constant(0)],
        name="loop",
    )[1]
    p = tf.py_func(lambda a: a * 2, [u], tf.float32, name="pyf")
    config = tf.ConfigProto(device_count={"CPU": 2})
    # So that what is recorded is the graph as it was built.
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    return [t, same, count, p], {x: np.ones((2, 4), np.float32)}, config


def trace(tf: Any) -> Any:
    """The metadata of the program's third step."""
    metadata = None
    with tf.Graph().as_default():
        fetches, feeds, config = build(tf)
        with tf.Session(config=config) as sess:
            sess.run(tf.global_variables_initializer())
            for _ in range(3):
                metadata = tf.RunMetadata()
                options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
                sess.run(fetches, feeds, options=options, run_metadata=metadata)
    return metadata


def read() -> tuple[Any, list[dict[str, Any]]]:
    """TensorFlow's `StepStats` of the program, and what its own timeline makes of them."""
    from tinytf.protos import config_pb2

    content = json.loads(gzip.decompress(FILE.read_bytes()))
    metadata = config_pb2.RunMetadata.FromString(base64.b64decode(content["metadata"]))
    return metadata.step_stats, content["events"]


def main() -> int:
    """Record."""
    from tests.oracle.environment import continue_under_tensorflow, write_atomically

    continue_under_tensorflow()
    import tensorflow.compat.v1 as tf
    from tensorflow.python.client import timeline

    tf.disable_v2_behavior()
    metadata = trace(tf)
    serialized = metadata.SerializeToString()  # the timeline writes into the message
    made = timeline.Timeline(metadata.step_stats).generate_chrome_trace_format(show_memory=True)
    content = {
        "metadata": base64.b64encode(serialized).decode(),
        "events": json.loads(made)["traceEvents"],
    }
    text = json.dumps(content, separators=(",", ":"))
    write_atomically(FILE, gzip.compress(text.encode(), mtime=0))
    return 0


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # TensorFlow's Python starts anew
    sys.exit(main())
