"""dynamic_rnn with sequence lengths: outputs beyond the end are zero, the state stays."""

import numpy as np
import tensorflow as tf

n_steps, n_inputs, n_neurons = 2, 3, 5
tf.set_random_seed(42)
X = tf.placeholder(tf.float32, [None, n_steps, n_inputs])
seq_length = tf.placeholder(tf.int32, [None])
basic_cell = tf.nn.rnn_cell.BasicRNNCell(num_units=n_neurons)
outputs, states = tf.nn.dynamic_rnn(basic_cell, X, dtype=tf.float32, sequence_length=seq_length)
X_batch = np.array([[[0, 1, 2], [9, 8, 7]], [[3, 4, 5], [0, 0, 0]], [[6, 7, 8], [6, 5, 4]]]) / 10.0
seq_length_batch = np.array([2, 1, 2])
with tf.Session() as sess:
    tf.global_variables_initializer().run()
    outputs_val, states_val = sess.run(
        [outputs, states], feed_dict={X: X_batch, seq_length: seq_length_batch}
    )
print(np.round(outputs_val, 3))
print(np.array_equal(states_val[1], outputs_val[1, 0]), outputs.shape, states.shape)
print([(v.name, v.shape.as_list()) for v in tf.trainable_variables()])
