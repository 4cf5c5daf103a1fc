"""A recurrent net that reads an image row by row and says what it saw, from its last state."""

import numpy as np
import tensorflow as tf

n_steps, n_inputs, n_neurons, n_outputs = 6, 4, 12, 2
rng = np.random.RandomState(0)
rows = rng.randn(60, n_steps, n_inputs).astype(np.float32)
labels = (rows[:, :, 0].sum(1) > 0).astype(np.int32)
tf.set_random_seed(42)
X = tf.placeholder(tf.float32, [None, n_steps, n_inputs])
y = tf.placeholder(tf.int32, [None])
with tf.variable_scope("rnn", initializer=tf.variance_scaling_initializer()):
    basic_cell = tf.nn.rnn_cell.BasicRNNCell(num_units=n_neurons, activation=tf.nn.relu)
    outputs, states = tf.nn.dynamic_rnn(basic_cell, X, dtype=tf.float32)
logits = tf.layers.dense(states, n_outputs)
xentropy = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)
loss = tf.reduce_mean(xentropy)
training_op = tf.train.AdamOptimizer(learning_rate=0.01).minimize(loss)
accuracy = tf.reduce_mean(tf.cast(tf.nn.in_top_k(logits, y, 1), tf.float32))
with tf.Session() as sess:
    tf.global_variables_initializer().run()
    for epoch in range(12):
        for i in (0, 20):
            sess.run(training_op, {X: rows[i : i + 20], y: labels[i : i + 20]})
        if epoch % 3 == 2:
            print(epoch, "%.2f" % sess.run(loss, {X: rows[:40], y: labels[:40]}))
    print("%.2f" % accuracy.eval({X: rows[:40], y: labels[:40]}))
print([v.name for v in tf.trainable_variables()])
