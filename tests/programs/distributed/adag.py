"""Gradients accumulated over a window, normalised by its length, and applied by the chief."""

import numpy as np
import tensorflow as tf

window = 4
rng = np.random.RandomState(1)
X = rng.randn(window, 20, 2).astype(np.float32)
y = (X @ np.float32([[1.0], [4.0]])).astype(np.float32)
xs, ys = tf.placeholder(tf.float32, [20, 2]), tf.placeholder(tf.float32, [20, 1])
w = tf.Variable(tf.zeros([2, 1]), name="w")
global_step = tf.train.get_or_create_global_step()
optimizer = tf.train.AdagradOptimizer(1.0)
loss = tf.reduce_mean(tf.square(tf.matmul(xs, w) - ys))
((grad, var),) = optimizer.compute_gradients(loss)
accumulator = tf.ConditionalAccumulator(tf.float32, shape=[2, 1], shared_name="grads")
push = accumulator.apply_grad(grad, local_step=tf.cast(global_step, tf.int64))
update = optimizer.apply_gradients([(accumulator.take_grad(window), var)], global_step)
server = tf.train.Server.create_local_server()
with tf.Session(server.target) as sess:
    sess.run(tf.global_variables_initializer())
    for round_ in range(6):
        for i in range(window):
            sess.run(push, {xs: X[i], ys: y[i]})
        print(sess.run(accumulator.num_accumulated()), end=" ")
        sess.run(update)
    print(np.round(sess.run(w).ravel(), 2), sess.run(global_step))
    sess.run(push, {xs: X[0], ys: y[0]})
    print(sess.run(accumulator.num_accumulated()))
