"""Gradients of a function with a loop of Python, and of everything in between."""

import numpy as np
import tensorflow as tf


def my_func(a, b):
    z = a * 0
    for _ in range(100):
        z = a * tf.cos(z + a) + z * tf.sin(b - z)
    return z


a = tf.Variable(0.2, name="a")
b = tf.Variable(0.3, name="b")
z = my_func(a, b)
grads = tf.gradients(z, [a, b])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print("%.4f" % sess.run(z))
    print(np.round(sess.run(grads), 3))

x = tf.Variable(2.0)
y = 2.0 * (x**3)
w = 3.0 + y**2
(dy, dw) = tf.gradients(w, [x, y], grad_ys=[2.0])
(twice,) = tf.gradients(tf.gradients(y, x)[0], x)
with tf.Session() as sess:
    sess.run(x.initializer)
    print(sess.run([dy, dw, twice]) == [1536.0, 64.0, 24.0])
print(tf.gradients(tf.constant(1.0), x), tf.stop_gradient(y).op.type)
