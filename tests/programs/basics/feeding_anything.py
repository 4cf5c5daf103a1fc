"""A feed may replace any tensor that is feedable, not placeholders alone."""

import tensorflow as tf

a = tf.add(2, 5)
b = tf.multiply(a, 3)
with tf.Session() as sess:
    print(sess.run(b))
    print(sess.run(b, feed_dict={a: 15}))
    print(tf.get_default_graph().is_feedable(a))

x = tf.placeholder(tf.float32, shape=[3])
y = tf.constant([5, 5, 5], tf.float32)
default = tf.placeholder_with_default([1.0, 1.0, 1.0], shape=[3])
z = x + y + default
with tf.Session() as sess:
    print(sess.run(z, {x: [1, 2, 3]}))
    print(sess.run(z, {x: [1, 2, 3], default: [0.5, 0, 0]}))
    for feed in ({}, {x: [1, 2]}):
        try:
            sess.run(z, feed)
        except (tf.errors.InvalidArgumentError, ValueError) as error:
            print(type(error).__name__, "You must feed a value" in str(error))
