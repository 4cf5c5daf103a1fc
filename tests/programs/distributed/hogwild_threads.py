"""Hogwild: threads of one session that update one variable without any lock."""

import threading

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(0)
X = rng.randn(200, 3).astype(np.float32)
y = (X @ [[0.5], [-1.0], [2.0]]).astype(np.float32)
xs, ys = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [None, 1])
w = tf.Variable(tf.zeros([3, 1]))
steps = tf.Variable(0, use_resource=True, trainable=False)
loss = tf.reduce_mean(tf.square(tf.matmul(xs, w) - ys))
train = tf.train.GradientDescentOptimizer(0.05, use_locking=False).minimize(loss, steps)


def work(sess, number):
    for i in range(40):
        rows = slice(50 * number, 50 * number + 50)
        sess.run(train, {xs: X[rows], ys: y[rows]})


with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    threads = [threading.Thread(target=work, args=(sess, i)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    print(np.round(sess.run(w).ravel(), 1), sess.run(steps) == 160)
