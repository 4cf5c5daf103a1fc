"""tf.cond, tf.case and tf.where: only the branch that is taken runs."""

import tensorflow as tf

x = tf.placeholder(tf.float32, [])
count = tf.Variable(0, name="count")


def bigger():
    with tf.control_dependencies([tf.assign_add(count, 1)]):
        return x * 10.0


smaller = lambda: tf.negative(x)
branch = tf.cond(x > 1.0, bigger, smaller)
outside = tf.assign_add(count, 100)
chosen = tf.case(
    [(x < 0, lambda: tf.constant("negative")), (x > 10, lambda: tf.constant("large"))],
    default=lambda: tf.constant("ordinary"),
    exclusive=True,
)
slope = tf.gradients(branch, x)[0]
both = tf.cond(x > 0, lambda: (x, {"a": x + 1}), lambda: (x * 2, {"a": x - 1}))
with tf.Session() as sess:
    sess.run(count.initializer)
    for value in (0.5, 2.0, -1.0, 20.0):
        print(sess.run([branch, slope], {x: value}), sess.run(chosen, {x: value}), sess.run(count))
    print(sess.run(both, {x: 3.0}), sess.run(both, {x: -3.0}))
    print(sess.run(tf.where([True, False], [1, 2], [3, 4])))
