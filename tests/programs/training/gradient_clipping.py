"""Gradients clipped by value, by norm, and by their common norm."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(4)
rows = (10 * rng.randn(40, 5)).astype(np.float32)
target = (rows @ rng.randn(5, 1) * 3).astype(np.float32)
w = tf.Variable(tf.ones([5, 1]), name="w")
b = tf.Variable(0.0, name="b")
loss = tf.reduce_mean(tf.square(tf.matmul(rows, w) + b - target))
optimizer = tf.train.GradientDescentOptimizer(0.1)
grads_and_vars = optimizer.compute_gradients(loss)
by_value = [(tf.clip_by_value(grad, -1.0, 1.0), var) for grad, var in grads_and_vars]
by_norm = [(tf.clip_by_norm(grad, 2.0), var) for grad, var in grads_and_vars]
grads, norm = tf.clip_by_global_norm([grad for grad, _ in grads_and_vars], 5.0)
trains = {
    "value": optimizer.apply_gradients(by_value),
    "norm": optimizer.apply_gradients(by_norm),
    "global norm": optimizer.apply_gradients(zip(grads, [w, b])),
}
with tf.Session() as sess:
    for name, train in trains.items():
        sess.run(tf.global_variables_initializer())
        print(name, "norm before %.0f" % sess.run(norm), end=" ")
        for _ in range(10):
            sess.run(train)
        print(np.round(sess.run(w).ravel(), 2) + 0.0, "loss %.0f" % sess.run(loss))
    print("%.3f" % sess.run(tf.global_norm(grads)))
