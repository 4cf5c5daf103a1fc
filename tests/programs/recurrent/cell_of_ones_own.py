"""A cell written by the user: call, state_size and output_size, used by dynamic_rnn."""

import numpy as np
import tensorflow as tf


class AddingCell(tf.nn.rnn_cell.RNNCell):
    def __init__(self, num_units, reuse=None):
        super(AddingCell, self).__init__(_reuse=reuse)
        self._num_units = num_units

    @property
    def state_size(self):
        return self._num_units

    @property
    def output_size(self):
        return self._num_units

    def call(self, inputs, state):
        gate = tf.layers.dense(inputs, self._num_units, tf.nn.sigmoid, name="gate")
        new = gate * state + (1.0 - gate) * tf.reduce_sum(inputs, 1, keepdims=True)
        return new, new


tf.set_random_seed(0)
rows = np.random.RandomState(1).rand(2, 3, 2).astype(np.float32)
initial = tf.ones([2, 4])
outputs, state = tf.nn.dynamic_rnn(AddingCell(4), tf.constant(rows), initial_state=initial)
slopes = tf.gradients(tf.reduce_sum(outputs), [initial])[0]
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(np.round(sess.run(outputs)[0], 3))
    print(np.round(sess.run(slopes)[1], 3), np.round(sess.run(state)[1], 3))
print([v.name for v in tf.trainable_variables()])
