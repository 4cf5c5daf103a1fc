"""Residual and device wrappers, a cell called by hand step by step with shared variables."""

import numpy as np
import tensorflow as tf

tf.set_random_seed(8)
x = tf.constant(np.random.RandomState(0).rand(3, 4).astype(np.float32))
cell = tf.nn.rnn_cell.ResidualWrapper(tf.nn.rnn_cell.GRUCell(4))
placed = tf.nn.rnn_cell.DeviceWrapper(
    tf.nn.rnn_cell.BasicLSTMCell(2, state_is_tuple=True), "/cpu:0"
)
state = cell.zero_state(3, tf.float32)
total = 0.0
for step in range(3):
    with tf.variable_scope("steps", reuse=step > 0):
        out, state = cell(x * (step + 1.0), state)
        total += tf.reduce_mean(out)
placed_out, placed_state = placed(x, placed.zero_state(3, tf.float32))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print("%.4f" % sess.run(total), np.round(sess.run(out)[0], 3))
    print(np.round(sess.run(placed_state.c)[2], 3), placed_out.device)
print([v.name for v in tf.trainable_variables()])
