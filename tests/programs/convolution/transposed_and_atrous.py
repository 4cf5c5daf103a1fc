"""Upsampling by transposed convolution, and holes in the kernel, by functions and by layers."""

import numpy as np
import tensorflow as tf

x = tf.constant(np.arange(16, dtype=np.float32).reshape(1, 4, 4, 1))
kernel = tf.constant(np.ones((3, 3, 1, 1), np.float32))
up = tf.nn.conv2d_transpose(x, kernel, output_shape=[1, 8, 8, 1], strides=[1, 2, 2, 1])
holes = tf.nn.atrous_conv2d(x, kernel, rate=2, padding="SAME")
dilated = tf.nn.conv2d(x, kernel, [1, 1, 1, 1], "SAME", dilations=[1, 2, 2, 1])
ones = tf.ones_initializer()
layer = tf.layers.conv2d_transpose(x, 2, 3, strides=2, padding="same", kernel_initializer=ones)
general = tf.nn.convolution(x, kernel, "VALID")
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(up)[0, :3, :3, 0])
    print(np.array_equal(*sess.run([holes, dilated])), sess.run(holes)[0, 0, :, 0])
    print(np.array_equal(sess.run(up)[..., 0], sess.run(layer)[..., 1]), layer.shape, general.shape)
    print(sess.run(tf.gradients(up, x)[0])[0, :, :, 0])
print([v.name for v in tf.trainable_variables()])
