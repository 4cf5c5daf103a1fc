"""Cross entropies side by side: sparse, dense, sigmoid, weighted, and with nce-like sums."""

import numpy as np
import tensorflow as tf

logits = tf.constant([[1.0, 2.0, 3.0], [0.0, 0.0, 5.0]])
labels = tf.constant([2, 0])
dense = tf.one_hot(labels, 3)
sparse = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
full = tf.nn.softmax_cross_entropy_with_logits(labels=dense, logits=logits)
sigmoid = tf.nn.sigmoid_cross_entropy_with_logits(labels=dense, logits=logits)
weighted = tf.nn.weighted_cross_entropy_with_logits(dense, logits, pos_weight=2.0)
class_weights = tf.gather([1.0, 2.0, 3.0], labels)
with tf.Session() as sess:
    print(np.round(sess.run([sparse, full]), 4))
    print(np.round(sess.run(sigmoid), 3), np.round(sess.run(weighted), 3), sep="\n")
    print(np.round(sess.run(tf.gradients(tf.reduce_sum(sparse * class_weights), logits)[0]), 3))
    print(np.round(sess.run(tf.nn.log_softmax(logits)), 3))
    print(sess.run(tf.nn.top_k(logits, 2)).indices, np.round(sess.run(tf.nn.l2_loss(logits)), 2))
