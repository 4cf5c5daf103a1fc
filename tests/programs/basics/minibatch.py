"""Mini-batches drawn by a function of epoch and batch, fed through placeholders."""

import numpy as np
import tensorflow as tf

m, n, batch_size, n_epochs = 100, 2, 20, 8
data = np.random.RandomState(1).rand(m, n + 1).astype(np.float32)
data[:, n] = 3 * data[:, 0] - 2 * data[:, 1] + 1


def fetch_batch(epoch, batch_index, batch_size):
    np.random.seed(epoch * 5 + batch_index)
    indices = np.random.randint(m, size=batch_size)
    return np.c_[np.ones(batch_size), data[indices, :n]], data[indices, n:]


X = tf.placeholder(tf.float32, shape=(None, n + 1), name="X")
y = tf.placeholder(tf.float32, shape=(None, 1), name="y")
theta = tf.Variable(tf.random_uniform([n + 1, 1], -1.0, 1.0, seed=42), name="theta")
mse = tf.reduce_mean(tf.square(tf.matmul(X, theta) - y), name="mse")
training_op = tf.train.GradientDescentOptimizer(learning_rate=0.3).minimize(mse)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for epoch in range(n_epochs):
        for batch_index in range(m // batch_size):
            X_batch, y_batch = fetch_batch(epoch, batch_index, batch_size)
            sess.run(training_op, feed_dict={X: X_batch, y: y_batch})
    print(np.round(theta.eval().ravel(), 3))
print(X.shape, y, sep="\n")
