"""Names of operations and variables in scopes, opened again and shared."""

import tensorflow as tf

with tf.name_scope("data"):
    x = tf.placeholder(tf.float32, [None, 3], name="x")
with tf.name_scope("layer"):
    w = tf.Variable(tf.ones([3, 2]), name="w")
    out = tf.matmul(x, w, name="out")
with tf.name_scope("layer"):
    w_again = tf.Variable(tf.ones([2, 1]), name="w")
with tf.name_scope("layer/"):
    same = tf.identity(out, name="same")
with tf.variable_scope("shared") as scope:
    v = tf.get_variable("v", [1])
    act = tf.nn.relu(v, name="act")
with tf.variable_scope(scope, reuse=True):
    v_again = tf.get_variable("v", [1])
    act_again = tf.nn.relu(v_again, name="act")
with tf.name_scope("ops"), tf.variable_scope("inner"):
    u = tf.get_variable("u", [1])
    used = u + 1.0
for thing in (x, w, out, w_again, same, v, act, act_again, u, used):
    print(thing.name)
print(v is v_again)
print([op.name for op in tf.get_default_graph().get_operations() if op.type == "Placeholder"])
try:
    with tf.variable_scope("shared"):
        tf.get_variable("v", [1])
except ValueError as error:
    print(str(error).split(",")[0])
