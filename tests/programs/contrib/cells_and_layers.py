"""tf.contrib.rnn and the initialisers and regularisers of tf.contrib.layers, as in 2017."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib import rnn

n_steps, n_inputs, n_neurons = 3, 2, 4
rows = np.random.RandomState(0).rand(2, n_steps, n_inputs).astype(np.float32)
tf.set_random_seed(1)
x = tf.unstack(tf.constant(rows), n_steps, 1)
lstm_cell = rnn.BasicLSTMCell(n_neurons, forget_bias=1.0)
outputs, states = rnn.static_rnn(lstm_cell, x, dtype=tf.float32)
w = tf.get_variable(
    "w",
    [n_neurons, 2],
    initializer=tf.contrib.layers.xavier_initializer(),
    regularizer=tf.contrib.layers.l2_regularizer(0.1),
)
logits = tf.matmul(outputs[-1], w)
penalties = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
step = tf.contrib.framework.get_or_create_global_step()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(np.round(sess.run(logits), 3), len(penalties), sess.run(step))
    print(np.round(sess.run(states.h), 3), logits.shape)
    print("%.3f" % sess.run(tf.contrib.layers.l1_regularizer(2.0)(tf.constant([1.0, -3.0]))))
print([v.name for v in tf.trainable_variables()])
