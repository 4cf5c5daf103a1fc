"""A tinytf program on a real TensorFlow's server, whose interpreter is named as argument.

To be run in a network namespace. Prints what it saw as one line of JSON, for
test_our_client_tf_server.py.
"""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np

import tinytf as tf

SERVER = Path(__file__).with_name("tf_server_program.py")


def failure(function):
    """The error that a call raises, as [class, name of its operation, text]."""
    try:
        return ["no error", None, repr(function())]
    except tf.errors.OpError as error:
        return [type(error).__name__, error.op and error.op.name, error.message]


def program(target):
    seen = {}
    x = tf.placeholder(tf.float32, [None], name="x")
    reference = tf.Variable([10.0, 20.0], name="reference", use_resource=False)
    resource = tf.Variable([1.0, 2.0], name="resource", use_resource=True)
    total = tf.add(tf.add(resource, reference), x, name="total")
    session = tf.Session(target)
    seen["uninitialized"] = failure(lambda: session.run(reference))
    session.run(tf.global_variables_initializer())
    seen["total"] = session.run(total, {x: [100.0, 200.0]}).tolist()
    seen["both"] = [value.tolist() for value in session.run([x, total, x], {x: [0, 0]})]
    seen["devices"] = [device.name for device in session.list_devices()]

    update = tf.assign_add(reference, [1.0, 1.0])  # the graph grows: ExtendSession
    session.run([update.op])
    seen["updated"] = session.run(reference).tolist()
    loop = tf.while_loop(lambda i: i < 10, lambda i: i + 3, [tf.constant(0)])
    seen["loop"] = int(session.run(loop))

    for dtype in ("float64", "int8", "uint16", "int64", "bool", "complex64", "float16"):
        value = np.array([[0, 1], [1, 0]]).astype(dtype)
        returned = session.run(tf.identity(tf.constant(value)))
        seen[dtype] = returned.dtype == value.dtype and bool((returned == value).all())
    text = tf.placeholder(tf.string, [2])
    returned = session.run(tf.identity(text), {text: ["", "über"]})
    seen["strings"] = [item.decode() for item in returned]
    big = tf.placeholder(tf.float32)
    seen["big"] = float(session.run(tf.identity(big), {big: np.ones(2 << 20)}).sum())

    zero = tf.placeholder(tf.int32, [], name="zero")
    divided = tf.floordiv(1, zero, name="divided")
    seen["division"] = failure(lambda: session.run(divided, {zero: 0}))
    seen["not fed"] = failure(lambda: session.run(total))
    with tf.device("/job:nowhere/task:0"):
        misplaced = tf.constant(1.0, name="misplaced")
    seen["misplaced"] = failure(lambda: session.run(misplaced))
    # A TensorFlow master places the whole graph, so that node spoils the session: a fresh graph.
    session.close()
    other = tf.Graph()
    with other.as_default(), tf.Session(target) as session:
        shared = tf.Variable([0.0, 0.0], name="reference", use_resource=False)
        seen["shared"] = session.run(shared).tolist()
        a, b = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
        first = tf.add(a, 1.0)
        second = tf.multiply(first, b)
        handle = session.partial_run_setup([first, second], [a, b])
        seen["partial"] = [
            float(session.partial_run(handle, first, {a: 1})),
            float(session.partial_run(handle, second, {b: 10})),
        ]
        metadata = tf.RunMetadata()
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        session.run(first, {a: 1}, options, metadata)
        stats = metadata.step_stats.dev_stats
        seen["traced"] = sorted(node.node_name for d in stats for node in d.node_stats)
        seen["handle"] = failure(lambda: session.run(tf.get_session_handle(first), {a: 1}))
    tf.Session.reset(target)
    with other.as_default(), tf.Session(target) as session:
        seen["after reset"] = failure(lambda: session.run(shared))
    return seen


def main():
    server = subprocess.Popen(
        [sys.argv[1], str(SERVER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        print(json.dumps(program(server.stdout.readline().strip())))
    finally:
        server.kill()
        server.wait()


if __name__ == "__main__":
    main()
