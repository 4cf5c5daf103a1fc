"""A sum of what is to come, of numbers and of vectors."""

import tensorflow as tf

x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
z = x + y
with tf.Session() as sess:
    print(sess.run(z, feed_dict={x: 3, y: 4.5}))
    print(sess.run(z, feed_dict={x: [1, 3], y: [2, 4]}))
