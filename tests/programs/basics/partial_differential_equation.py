"""Raindrops on a pond: the wave equation with a Laplacian made by a convolution."""

import numpy as np
import tensorflow as tf


def make_kernel(a):
    a = np.asarray(a)
    return tf.constant(a.reshape(list(a.shape) + [1, 1]), dtype=1)


def simple_conv(x, k):
    x = tf.expand_dims(tf.expand_dims(x, 0), -1)
    y = tf.nn.depthwise_conv2d(x, k, [1, 1, 1, 1], padding="SAME")
    return y[0, :, :, 0]


def laplace(x):
    return simple_conv(x, make_kernel([[0.5, 1.0, 0.5], [1.0, -6.0, 1.0], [0.5, 1.0, 0.5]]))


N = 12
u_init = np.zeros([N, N], dtype=np.float32)
for a, b, height in ((2, 3, 0.8), (7, 8, -0.5), (9, 1, 0.3)):
    u_init[a, b] = height
sess = tf.InteractiveSession()
eps = tf.placeholder(tf.float32, shape=())
damping = tf.placeholder(tf.float32, shape=())
U = tf.Variable(u_init)
Ut = tf.Variable(np.zeros([N, N], dtype=np.float32))
U_ = U + eps * Ut
Ut_ = Ut + eps * (laplace(U) - damping * Ut)
with tf.control_dependencies([U_, Ut_]):
    step = tf.group(U.assign(U_), Ut.assign(Ut_))
tf.global_variables_initializer().run()
for _ in range(30):
    step.run({eps: 0.1, damping: 0.04})
print(np.round(U.eval()[2:5, 2:6], 3) + 0.0)
sess.close()
