"""Convolutions along time: tf.layers.conv1d, pooling, and tf.nn.conv1d, on a wave."""

import numpy as np
import tensorflow as tf

t = np.linspace(0, 4 * np.pi, 32)
x = tf.constant(np.stack([np.sin(t), np.cos(2 * t)])[..., None].astype(np.float32))
tf.set_random_seed(2)
conv = tf.layers.conv1d(x, filters=3, kernel_size=5, strides=2, padding="same", activation=tf.tanh)
pooled = tf.layers.max_pooling1d(conv, 2, 2)
averaged = tf.layers.average_pooling1d(conv, 4, 4)
smooth = tf.nn.conv1d(x, tf.ones([3, 1, 1]) / 3.0, stride=1, padding="VALID")
features = tf.layers.flatten(pooled)
out = tf.layers.dense(features, 2, use_bias=False)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(conv.shape, pooled.shape, averaged.shape, smooth.shape, features.shape)
    print(np.round(sess.run(pooled)[0, :3], 3))
    print(np.round(sess.run(smooth)[0, :4, 0], 3), np.round(sess.run(out), 3))
print([v.name for v in tf.trainable_variables()])
