"""A recurrent net of two steps by hand, and the same with static_rnn."""

import numpy as np
import tensorflow as tf

n_inputs, n_neurons = 3, 5
X0_batch = np.array([[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 0, 1]]) / 10.0
X1_batch = np.array([[9, 8, 7], [0, 0, 0], [6, 5, 4], [3, 2, 1]]) / 10.0

tf.set_random_seed(42)
X0 = tf.placeholder(tf.float32, [None, n_inputs])
X1 = tf.placeholder(tf.float32, [None, n_inputs])
Wx = tf.Variable(tf.random_normal(shape=[n_inputs, n_neurons], dtype=tf.float32))
Wy = tf.Variable(tf.random_normal(shape=[n_neurons, n_neurons], dtype=tf.float32))
b = tf.Variable(tf.zeros([1, n_neurons], dtype=tf.float32))
Y0 = tf.tanh(tf.matmul(X0, Wx) + b)
Y1 = tf.tanh(tf.matmul(Y0, Wy) + tf.matmul(X1, Wx) + b)
with tf.Session() as sess:
    tf.global_variables_initializer().run()
    Y0_val, Y1_val = sess.run([Y0, Y1], feed_dict={X0: X0_batch, X1: X1_batch})
print(np.round(Y0_val, 3), np.round(Y1_val, 3), sep="\n")

tf.reset_default_graph()
tf.set_random_seed(42)
X0 = tf.placeholder(tf.float32, [None, n_inputs])
X1 = tf.placeholder(tf.float32, [None, n_inputs])
basic_cell = tf.nn.rnn_cell.BasicRNNCell(num_units=n_neurons)
output_seqs, states = tf.nn.static_rnn(basic_cell, [X0, X1], dtype=tf.float32)
with tf.Session() as sess:
    tf.global_variables_initializer().run()
    Y1_val, last = sess.run([output_seqs[1], states], feed_dict={X0: X0_batch, X1: X1_batch})
print(np.array_equal(Y1_val, last), np.round(Y1_val[0], 3))
print([v.name for v in tf.trainable_variables()], output_seqs[1].name)
