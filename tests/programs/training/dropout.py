"""Dropout in training only: tf.nn.dropout by keep_prob, tf.layers.dropout by rate."""

import numpy as np
import tensorflow as tf

tf.set_random_seed(42)
X = tf.placeholder(tf.float32, [None, 8])
keep_prob = tf.placeholder_with_default(1.0, [])
training = tf.placeholder_with_default(False, shape=(), name="training")
by_hand = tf.nn.dropout(X, keep_prob, seed=1)
layer = tf.layers.dropout(X, 0.5, training=training, seed=2)
whole_rows = tf.nn.dropout(X, 0.5, noise_shape=[2, 1], seed=3)
ones = np.ones((2, 8), np.float32)
with tf.Session() as sess:
    print(sess.run([by_hand, layer], {X: ones})[0].sum())
    print(sess.run(by_hand, {X: ones, keep_prob: 0.5}))
    print(sess.run(layer, {X: ones, training: True}))
    print(sess.run(layer, {X: ones}).sum())
    print([sorted(set(row)) for row in sess.run(whole_rows, {X: ones}).tolist()])
