"""Matrices of three sizes, padded with zeros to one."""

import tensorflow as tf

q = tf.PaddingFIFOQueue(capacity=50, dtypes=[tf.float32], shapes=[(None, None)], name="q")
v = tf.placeholder(tf.float32, shape=(None, None))
put = q.enqueue([v])
with tf.Session() as sess:
    for matrix in ([[1, 2], [3, 4], [5, 6]], [[1]], [[7, 8, 9, 5], [6, 7, 8, 9]]):
        sess.run(put, feed_dict={v: matrix})
    print(sess.run(q.dequeue_many(3)))
