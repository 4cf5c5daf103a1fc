"""raw_rnn: the loop is a function that decides what goes in, and when to stop."""

import numpy as np
import tensorflow as tf

max_time, batch_size, input_depth, num_units = 4, 2, 3, 5
rows = np.random.RandomState(0).rand(max_time, batch_size, input_depth).astype(np.float32)
tf.set_random_seed(4)
inputs = tf.constant(rows)
sequence_length = tf.constant([4, 2])
inputs_ta = tf.TensorArray(dtype=tf.float32, size=max_time).unstack(inputs)
cell = tf.nn.rnn_cell.LSTMCell(num_units)


def loop_fn(time, cell_output, cell_state, loop_state):
    emit_output = cell_output
    next_cell_state = cell.zero_state(batch_size, tf.float32) if cell_output is None else cell_state
    elements_finished = time >= sequence_length
    finished = tf.reduce_all(elements_finished)
    next_input = tf.cond(
        finished,
        lambda: tf.zeros([batch_size, input_depth], dtype=tf.float32),
        lambda: inputs_ta.read(time),
    )
    return elements_finished, next_input, next_cell_state, emit_output, None


outputs_ta, final_state, _ = tf.nn.raw_rnn(cell, loop_fn)
outputs = outputs_ta.stack()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(np.round(sess.run(outputs)[:, 1, :2], 3) + 0.0)
    print(np.round(sess.run(final_state).h[0], 3))
