"""LSTM, peepholes, forget bias, GRU, layer of cells: names, states, and a gradient's size."""

import numpy as np
import tensorflow as tf

rows = np.random.RandomState(0).rand(2, 5, 3).astype(np.float32)
cells = {
    "basic_lstm": lambda: tf.nn.rnn_cell.BasicLSTMCell(num_units=4, forget_bias=0.5),
    "peephole": lambda: tf.nn.rnn_cell.LSTMCell(num_units=4, use_peepholes=True),
    "projected": lambda: tf.nn.rnn_cell.LSTMCell(num_units=4, num_proj=2, cell_clip=0.5),
    "gru": lambda: tf.nn.rnn_cell.GRUCell(num_units=4),
}
for name, make in cells.items():
    tf.reset_default_graph()
    tf.set_random_seed(1)
    with tf.variable_scope(name):
        outputs, state = tf.nn.dynamic_rnn(make(), tf.constant(rows), dtype=tf.float32)
    loss = tf.reduce_sum(tf.square(outputs))
    norm = tf.global_norm(tf.gradients(loss, tf.trainable_variables()))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        print(name, np.round(sess.run(outputs)[1, -1], 3), "%.3f" % sess.run(norm))
        found = sess.run(state)
        if isinstance(found, tuple):
            print(type(found).__name__, found.c.shape, found.h.shape)
    print([(v.op.name, v.shape.as_list()) for v in tf.trainable_variables()])
