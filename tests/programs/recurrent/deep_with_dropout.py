"""Stacked cells with dropout between them, and a different keep probability in training."""

import numpy as np
import tensorflow as tf

n_steps, n_inputs, n_neurons, n_layers = 4, 2, 6, 3
rng = np.random.RandomState(0)
rows = rng.rand(5, n_steps, n_inputs).astype(np.float32)
tf.set_random_seed(42)
X = tf.placeholder(tf.float32, [None, n_steps, n_inputs])
keep_prob = tf.placeholder_with_default(1.0, shape=())
cells = [tf.nn.rnn_cell.BasicRNNCell(num_units=n_neurons) for _ in range(n_layers)]
cells_drop = [
    tf.nn.rnn_cell.DropoutWrapper(cell, input_keep_prob=keep_prob, seed=7) for cell in cells
]
multi_layer_cell = tf.nn.rnn_cell.MultiRNNCell(cells_drop)
rnn_outputs, states = tf.nn.dynamic_rnn(multi_layer_cell, X, dtype=tf.float32)
print(len(states), rnn_outputs.shape, multi_layer_cell.state_size, multi_layer_cell.output_size)
with tf.Session() as sess:
    tf.global_variables_initializer().run()
    quiet = sess.run(rnn_outputs, {X: rows})
    print(np.round(quiet[0, -1], 3), np.array_equal(quiet, sess.run(rnn_outputs, {X: rows})))
    noisy = sess.run(rnn_outputs, {X: rows, keep_prob: 0.5})
    print(np.array_equal(quiet, noisy), noisy.shape)
print([v.name for v in tf.trainable_variables()])
