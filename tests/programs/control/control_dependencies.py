"""The order of side effects: control dependencies, groups, and tuples."""

import tensorflow as tf

x = tf.Variable(1.0)
with tf.control_dependencies([tf.assign(x, 5.0)]):
    after = tf.identity(x.read_value())
assign_then_add = tf.assign_add(tf.assign(x, 2.0), 3.0)
grouped = tf.group(x.initializer, name="grouped")
first, second = tf.tuple([tf.constant(1), tf.constant(2)], control_inputs=[tf.assign(x, 9.0)])
a = tf.constant(1.0, name="a")
with tf.control_dependencies([a]):
    b = tf.constant(2.0, name="b")
    with tf.control_dependencies(None):
        c = tf.constant(3.0, name="c")
checked = tf.assert_positive(x, message="has to be positive")
with tf.control_dependencies([checked]):
    safe = tf.sqrt(x)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(after), sess.run(assign_then_add), sess.run(x))
    print(sess.run(grouped), sess.run(first), sess.run(x), grouped.type)
    print([[op.name for op in t.op.control_inputs] for t in (b, c)])
    print(sess.run(safe))
    sess.run(x.assign(-1.0))
    try:
        sess.run(safe)
    except tf.errors.InvalidArgumentError as error:
        print(type(error).__name__, "has to be positive" in str(error))
    print(sess.run(tf.no_op()))
