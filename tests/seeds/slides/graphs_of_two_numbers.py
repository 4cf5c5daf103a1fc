"""A power of a product; then one in which a product is not needed, and not computed."""

import tensorflow as tf

x, y = 2, 3
power = tf.pow(tf.multiply(x, y), tf.add(x, y))
with tf.Session() as sess:
    print(sess.run(power))

total, product = tf.add(x, y), tf.multiply(x, y)
asked = []
useless = tf.py_func(lambda n: asked.append(n) or n, [tf.multiply(x, total)], tf.int32)
with tf.Session() as sess:
    print(sess.run(tf.pow(total, product)), asked)
    sess.run(useless)
    print(asked)
