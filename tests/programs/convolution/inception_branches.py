"""Branches of several kernels concatenated by channel, with scopes, and a residual sum."""

import numpy as np
import tensorflow as tf


def inception(x, name):
    with tf.variable_scope(name):
        with tf.variable_scope("branch_0"):
            b0 = tf.layers.conv2d(x, 2, 1, activation=tf.nn.relu)
        with tf.variable_scope("branch_1"):
            b1 = tf.layers.conv2d(x, 2, 1, activation=tf.nn.relu)
            b1 = tf.layers.conv2d(b1, 3, 3, padding="same", activation=tf.nn.relu)
        with tf.variable_scope("branch_2"):
            b2 = tf.layers.average_pooling2d(x, 3, 1, padding="same")
        return tf.concat([b0, b1, b2], axis=3)


tf.set_random_seed(9)
x = tf.constant(np.random.RandomState(1).rand(1, 6, 6, 3).astype(np.float32))
first = inception(x, "first")
second = inception(first, "second")
shortcut = tf.layers.conv2d(first, int(second.shape[3]), 1, use_bias=False, name="shortcut")
residual = tf.nn.relu(second + shortcut)
pooled = tf.reduce_mean(residual, [1, 2])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(first.shape, second.shape, np.round(sess.run(pooled)[0, :4], 3))
for v in tf.trainable_variables():
    print(v.name, v.shape.as_list())
