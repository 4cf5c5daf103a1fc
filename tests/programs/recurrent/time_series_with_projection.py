"""A wave predicted a step ahead: dynamic_rnn under a dense layer; then it generates its own."""

import numpy as np
import tensorflow as tf

n_steps, n_neurons = 10, 16


def time_series(t):
    return t * np.sin(t) / 3 + 2 * np.sin(t * 5)


rng = np.random.RandomState(42)


def next_batch(batch_size):
    t0 = rng.rand(batch_size, 1) * (30 - n_steps * 0.1)
    ys = time_series(t0 + np.arange(0.0, n_steps + 1) * 0.1)
    return ys[:, :-1].reshape(-1, n_steps, 1), ys[:, 1:].reshape(-1, n_steps, 1)


tf.set_random_seed(42)
X = tf.placeholder(tf.float32, [None, n_steps, 1])
y = tf.placeholder(tf.float32, [None, n_steps, 1])
cell = tf.nn.rnn_cell.BasicRNNCell(num_units=n_neurons, activation=tf.nn.relu)
rnn_outputs, states = tf.nn.dynamic_rnn(cell, X, dtype=tf.float32)
stacked_outputs = tf.layers.dense(tf.reshape(rnn_outputs, [-1, n_neurons]), 1)
outputs = tf.reshape(stacked_outputs, [-1, n_steps, 1])
loss = tf.reduce_mean(tf.square(outputs - y))
training_op = tf.train.AdamOptimizer(learning_rate=0.02).minimize(loss)
with tf.Session() as sess:
    tf.global_variables_initializer().run()
    for iteration in range(30):
        X_batch, y_batch = next_batch(20)
        sess.run(training_op, feed_dict={X: X_batch, y: y_batch})
        if iteration % 10 == 0:
            print(iteration, "\tMSE: %.1f" % loss.eval(feed_dict={X: X_batch, y: y_batch}))
    sequence = [0.0] * n_steps
    for _ in range(3):
        X_batch = np.array(sequence[-n_steps:]).reshape(1, n_steps, 1)
        sequence.append(float(sess.run(outputs, feed_dict={X: X_batch})[0, -1, 0]))
    print(np.round(sequence[-3:], 2))
