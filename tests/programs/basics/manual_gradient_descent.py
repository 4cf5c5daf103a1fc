"""Linear regression in closed form and by gradient descent, on fixed data."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(42)
m, n = 200, 4
X = rng.randn(m, n).astype(np.float32)
y = (X @ [[1.0], [-2.0], [0.5], [3.0]] + 4.0 + 0.1 * rng.randn(m, 1)).astype(np.float32)
X_plus_bias = np.c_[np.ones((m, 1), np.float32), X]

X_ = tf.constant(X_plus_bias, dtype=tf.float32, name="X")
y_ = tf.constant(y, dtype=tf.float32, name="y")
XT = tf.transpose(X_)
theta = tf.matmul(tf.matmul(tf.matrix_inverse(tf.matmul(XT, X_)), XT), y_)
with tf.Session() as sess:
    print(np.round(theta.eval().ravel(), 2))

tf.reset_default_graph()
learning_rate = 0.1
X_ = tf.constant(X_plus_bias, dtype=tf.float32, name="X")
y_ = tf.constant(y, dtype=tf.float32, name="y")
theta = tf.Variable(tf.random_uniform([n + 1, 1], -1.0, 1.0, seed=42), name="theta")
y_pred = tf.matmul(X_, theta, name="predictions")
error = y_pred - y_
mse = tf.reduce_mean(tf.square(error), name="mse")
gradients = 2 / m * tf.matmul(tf.transpose(X_), error)
training_op = tf.assign(theta, theta - learning_rate * gradients)
init = tf.global_variables_initializer()
with tf.Session() as sess:
    sess.run(init)
    for epoch in range(60):
        if epoch % 20 == 0:
            print("Epoch", epoch, "MSE = %.3f" % mse.eval())
        sess.run(training_op)
    print("Best theta:", np.round(theta.eval().ravel(), 2))
