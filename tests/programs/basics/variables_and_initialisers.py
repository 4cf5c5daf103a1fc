"""Variables: initialise some, assign, count, depend on one another."""

import tensorflow as tf

s = tf.Variable(2, name="scalar")
m = tf.Variable([[0, 1], [2, 3]], name="matrix")
w = tf.Variable(tf.zeros([4, 2]), name="big_matrix")
v = tf.get_variable("v", shape=[2], initializer=tf.constant_initializer(0.5))

with tf.Session() as sess:
    sess.run(tf.variables_initializer([s, m]))
    print(sess.run(m))
    print(sess.run(tf.report_uninitialized_variables()))
    try:
        sess.run(w)
    except tf.errors.FailedPreconditionError as error:
        print(type(error).__name__, "big_matrix" in error.message)
    sess.run(w.initializer)
    print(w.eval().shape)

my_var = tf.Variable(2, name="my_var")
my_var_times_two = my_var.assign(2 * my_var)
with tf.Session() as sess:
    sess.run(my_var.initializer)
    print([int(sess.run(my_var_times_two)) for _ in range(4)])
    sess.run(my_var.assign_add(10))
    sess.run(my_var.assign_sub(2))
    print(my_var.eval())

u = tf.Variable(tf.fill([2, 2], 3.0))
double = tf.Variable(u.initialized_value() * 2.0)
with tf.Session() as first, tf.Session() as second:
    first.run(tf.global_variables_initializer())
    second.run(tf.global_variables_initializer())
    print(first.run(double).tolist())
    first.run(u.assign_add(tf.ones([2, 2])))
    print(first.run(u)[0, 0], second.run(u)[0, 0])
print([x.name for x in tf.global_variables()])
