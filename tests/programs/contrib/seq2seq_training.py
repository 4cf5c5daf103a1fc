"""A decoder with a TrainingHelper, and the loss of sequences of different lengths."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(0)
inputs = tf.constant(rng.rand(2, 4, 3).astype(np.float32))
lengths = tf.constant([4, 2])
targets = tf.constant([[1, 2, 0, 3], [2, 1, 0, 0]])
cell = tf.contrib.rnn.BasicRNNCell(5)
helper = tf.contrib.seq2seq.TrainingHelper(inputs, lengths)
decoder = tf.contrib.seq2seq.BasicDecoder(cell, helper, cell.zero_state(2, tf.float32))
with tf.variable_scope("decoder", initializer=tf.constant_initializer(0.1)):
    outputs, state, out_lengths = tf.contrib.seq2seq.dynamic_decode(decoder, impute_finished=True)
kernel = tf.constant_initializer(np.arange(20).reshape(5, 4) / 20)
logits = tf.layers.dense(outputs.rnn_output, 4, kernel_initializer=kernel)
mask = tf.sequence_mask(lengths, 4, dtype=tf.float32)
cost = tf.contrib.seq2seq.sequence_loss(logits, targets, mask)
by_step = tf.contrib.seq2seq.sequence_loss(logits, targets, mask, average_across_timesteps=False)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    found = sess.run(outputs.rnn_output)
    print(found.shape, np.abs(found[1, 2:]).max(), sess.run(out_lengths))
    print(np.array_equal(found[0, 3], sess.run(state)[0]), sess.run(outputs.sample_id).shape)
    print("%.4f" % sess.run(cost), np.round(sess.run(by_step), 4))
