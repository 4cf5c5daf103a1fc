"""Penalties on weights: tf.layers' regularisers, and their sum in the loss."""

import numpy as np
import tensorflow as tf


def l1(scale):
    return lambda weights: scale * tf.reduce_sum(tf.abs(weights))


rng = np.random.RandomState(8)
rows = rng.randn(30, 10).astype(np.float32)
target = rows[:, :1] * 2
for scale in (0.0, 0.02):
    tf.reset_default_graph()
    tf.set_random_seed(5)
    hidden = tf.layers.dense(rows, 6, activation=tf.tanh, kernel_regularizer=l1(scale))
    out = tf.layers.dense(hidden, 1, kernel_regularizer=l1(scale), bias_regularizer=l1(scale))
    base_loss = tf.losses.mean_squared_error(target, out)
    reg_losses = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
    loss = tf.add_n([base_loss] + reg_losses, name="loss")
    train = tf.train.AdamOptimizer(0.02).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(60):
            sess.run(train)
        kernels = sess.run(tf.trainable_variables()[0])
        print("%.2f" % sess.run(base_loss), len(reg_losses), (np.abs(kernels) < 0.02).sum() > 5)
        print("%.3f" % sess.run(tf.losses.get_total_loss()), "%.3f" % sess.run(loss))
