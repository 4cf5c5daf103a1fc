"""A TensorFlow program, run by TensorFlow's own interpreter, on the server named as argument.

Prints what it saw as one line of JSON, for test_tf_client_our_server.py.
"""

import json
import sys

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
target = sys.argv[1]
seen = {}


def failure(function):
    """The error that a call raises, as [class, name of its operation, text]."""
    try:
        return ["no error", None, repr(function())]
    except tf.errors.OpError as error:
        return [type(error).__name__, error.op and error.op.name, error.message]


x = tf.placeholder(tf.float32, [None], name="x")
resource = tf.get_variable("resource", initializer=[1.0, 2.0], use_resource=True)
reference = tf.get_variable("reference", initializer=[10.0, 20.0], use_resource=False)
total = resource + reference + x
session = tf.Session(target)
seen["uninitialized"] = failure(lambda: session.run(reference))
session.run(tf.global_variables_initializer())
seen["total"] = session.run(total, {x: [100.0, 200.0]}).tolist()
seen["devices"] = [device.name for device in session.list_devices()]

# The graph grows: ExtendSession.
update = reference.assign_add([1.0, 1.0])
session.run([update.op, resource.assign_sub([1.0, 1.0])])
seen["updated"] = [value.tolist() for value in session.run([reference, resource])]
seen["nested"] = {
    key: value.tolist() for key, value in session.run({"a": total, "b": x}, {x: [0, 1]}).items()
}

# Types, strings, a big one.
for dtype in ("float64", "int8", "uint16", "int64", "bool", "complex64", "float16"):
    value = np.array([[0, 1], [1, 0]]).astype(dtype)
    returned = session.run(tf.identity(tf.constant(value)))
    seen[dtype] = returned.dtype == value.dtype and (returned == value).all().item()
text = tf.placeholder(tf.string, [2])
seen["strings"] = [s.decode() for s in session.run(tf.identity(text), {text: ["", "\u00fcber"]})]
big = tf.placeholder(tf.float32)
seen["big"] = float(session.run(tf.identity(big), {big: np.ones(2 << 20)}).sum())
seen["matmul"] = session.run(tf.matmul([[1.0, 2.0]], [[3.0], [4.0]])).tolist()
seen["loop"] = int(session.run(tf.while_loop(lambda i: i < 10, lambda i: i + 3, [tf.constant(0)])))
seen["cond"] = [
    int(session.run(tf.cond(x[0] > 0, lambda: tf.constant(1), lambda: tf.constant(2)), {x: [v]}))
    for v in (1, -1)
]

# Training.
weights = tf.get_variable("weights", initializer=tf.zeros([2, 1]))
inputs = np.array([[1, 0], [0, 1], [1, 1]], np.float32)
loss = tf.reduce_mean(tf.square(tf.matmul(inputs, weights) - inputs @ [[2.0], [-1.0]]))
step = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
session.run(weights.initializer)
for _ in range(60):
    session.run(step)
seen["loss"] = float(session.run(loss))

# Errors.
seen["not fed"] = failure(lambda: session.run(total))
with tf.Graph().as_default() as apart:  # a graph is placed as a whole: nothing of it would run
    with tf.device("/job:nowhere/task:0"):
        misplaced = tf.constant(1.0, name="misplaced")
seen["misplaced"] = failure(lambda: tf.Session(session.sess_str, graph=apart).run(misplaced))
zero = tf.placeholder(tf.int32, [], name="zero")
divided = tf.floordiv(1, zero, name="divided")
seen["division"] = failure(lambda: session.run(divided, {zero: 0}))
seen["alive"] = session.run(divided, {zero: 1}).tolist()

# The rest of the master's methods.
options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
metadata = tf.RunMetadata()
session.run(total, {x: [0, 0]}, options, metadata)
seen["traced"] = sorted(n.node_name for d in metadata.step_stats.dev_stats for n in d.node_stats)
a, b = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
first, second = a + 1, (a + 1) * b
kept = session.run(tf.get_session_handle(tf.constant([1, 2])))
holder, tensor = tf.get_session_tensor(kept.handle, tf.int32)
seen["kept"] = [kept.eval().tolist(), session.run(tensor * 2, {holder: kept.handle}).tolist()]
kept.delete()
seen["deleted"] = failure(lambda: session.run(tensor, {holder: kept.handle}))

handle = session.partial_run_setup([first, second], [a, b])
seen["partial"] = [
    float(session.partial_run(handle, first, {a: 1})),
    float(session.partial_run(handle, second, {b: 10})),
]
seen["callable"] = float(session.make_callable(first, [a])(5.0))
from tensorflow.core.protobuf import config_pb2  # noqa: E402

raw = config_pb2.CallableOptions(feed=[a.name], fetch=[first.name])
seen["raw callable"] = float(session._make_callable_from_options(raw)(np.float32(6.0))[0])

# Another client sees the same variables, until a reset.
other = tf.Session(target)
seen["shared"] = other.run(reference).tolist()
session.close()
other.close()
tf.Session.reset(target)
seen["after reset"] = failure(lambda: tf.Session(target).run(reference))
print(json.dumps(seen))
