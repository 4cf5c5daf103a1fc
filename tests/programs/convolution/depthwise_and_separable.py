"""Depthwise and separable convolutions, functions and layers."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(0)
x = tf.constant(rng.rand(1, 5, 5, 2).astype(np.float32))
depthwise_filter = tf.constant(rng.rand(3, 3, 2, 2).astype(np.float32))
pointwise_filter = tf.constant(rng.rand(1, 1, 4, 3).astype(np.float32))
depthwise = tf.nn.depthwise_conv2d(x, depthwise_filter, [1, 1, 1, 1], "VALID")
separable = tf.nn.separable_conv2d(x, depthwise_filter, pointwise_filter, [1, 2, 2, 1], "SAME")
tf.set_random_seed(4)
layer = tf.layers.separable_conv2d(x, 3, 3, depth_multiplier=2, activation=tf.nn.relu, name="sep")
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(np.round(sess.run(depthwise)[0, 0, 0], 2), depthwise.shape)
    print(np.round(sess.run(separable)[0, 1], 2), separable.shape)
    print(np.round(sess.run(layer)[0, 1, 1], 3))
print([(v.name, v.shape.as_list()) for v in tf.trainable_variables()])
