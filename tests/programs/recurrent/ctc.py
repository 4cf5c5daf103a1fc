"""Connectionist temporal classification: loss and gradient of labels without an alignment."""

import numpy as np
import tensorflow as tf

max_time, batch, classes = 5, 2, 4
logits = tf.constant(np.random.RandomState(0).randn(max_time, batch, classes).astype(np.float32))
labels = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [0, 1, 2], [2, 2])
loss = tf.nn.ctc_loss(labels, logits, [5, 3])
slope = tf.gradients(tf.reduce_sum(loss), logits)[0]
decoded, log_probability = tf.nn.ctc_greedy_decoder(logits, [5, 3])
best, _ = tf.nn.ctc_beam_search_decoder(logits, [5, 3], beam_width=4, top_paths=1)
dense = tf.sparse_tensor_to_dense(decoded[0], -1)
with tf.Session() as sess:
    print(np.round(sess.run(loss), 3), np.round(sess.run(slope)[0], 3))
    print(sess.run(dense), np.round(sess.run(log_probability).ravel(), 3))
    print(
        sess.run(tf.edit_distance(tf.cast(decoded[0], tf.int32), labels)), sess.run(best[0]).values
    )
