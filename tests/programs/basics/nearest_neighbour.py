"""Nearest neighbour by the L1 distance, one test row after another."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(3)
centres = rng.rand(3, 8) * 4
labels = rng.randint(3, size=60)
rows = (centres[labels] + 0.4 * rng.randn(60, 8)).astype(np.float32)
Xtr, Ytr, Xte, Yte = rows[:50], np.eye(3)[labels[:50]], rows[50:], np.eye(3)[labels[50:]]

xtr = tf.placeholder("float", [None, 8])
xte = tf.placeholder("float", [8])
distance = tf.reduce_sum(tf.abs(tf.add(xtr, tf.negative(xte))), reduction_indices=1)
pred = tf.argmin(distance, 0)

accuracy = 0.0
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(len(Xte)):
        nn_index = sess.run(pred, feed_dict={xtr: Xtr, xte: Xte[i, :]})
        print("Test", i, "Prediction:", np.argmax(Ytr[nn_index]), "True Class:", np.argmax(Yte[i]))
        if np.argmax(Ytr[nn_index]) == np.argmax(Yte[i]):
            accuracy += 1.0 / len(Xte)
print("Accuracy: %.2f" % accuracy)
