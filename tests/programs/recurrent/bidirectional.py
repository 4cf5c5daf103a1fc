"""Reading both ways, static and dynamic, outputs concatenated, for a classifier."""

import numpy as np
import tensorflow as tf

timesteps, num_input, num_hidden = 5, 3, 4
rows = np.random.RandomState(0).rand(6, timesteps, num_input).astype(np.float32)
labels = np.eye(2, dtype=np.float32)[[0, 1, 0, 1, 1, 0]]
tf.set_random_seed(3)
X = tf.placeholder("float", [None, timesteps, num_input])
lstm_fw_cell = tf.nn.rnn_cell.BasicLSTMCell(num_hidden, forget_bias=1.0)
lstm_bw_cell = tf.nn.rnn_cell.BasicLSTMCell(num_hidden, forget_bias=1.0)
x = tf.unstack(X, timesteps, 1)
outputs, _, _ = tf.nn.static_bidirectional_rnn(lstm_fw_cell, lstm_bw_cell, x, dtype=tf.float32)
logits = tf.layers.dense(outputs[-1], 2)
loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits))
train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
with tf.variable_scope("dynamic"):
    both, states = tf.nn.bidirectional_dynamic_rnn(
        tf.nn.rnn_cell.GRUCell(2),
        tf.nn.rnn_cell.GRUCell(2),
        X,
        sequence_length=[5, 4, 3, 2, 1, 5],
        dtype=tf.float32,
    )
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(30):
        sess.run(train, {X: rows})
    print("%.2f" % sess.run(loss, {X: rows}), len(outputs), outputs[0].shape)
    joined = sess.run(tf.concat(both, 2), {X: rows})
    print(joined.shape, np.round(joined[4, :2], 3) + 0.0)
print([v.name for v in tf.trainable_variables() if "dynamic" not in v.name])
