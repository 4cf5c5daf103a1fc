"""Layers of tf.contrib.layers: names of their variables, rectified by default, reused by scope."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib.layers import fully_connected

x = tf.placeholder(tf.float32, [None, 3])
ones = tf.ones_initializer()
with tf.name_scope("dnn"):
    hidden = fully_connected(x, 4, weights_initializer=ones, scope="hidden")
    again = fully_connected(x, 4, scope="hidden", reuse=True)
    logits = fully_connected(hidden, 2, activation_fn=None, weights_initializer=ones, scope="out")
unnamed = fully_connected(logits, 1, weights_initializer=ones, biases_initializer=ones)
regular = fully_connected(
    unnamed,
    1,
    scope="last",
    weights_initializer=ones,
    weights_regularizer=tf.contrib.layers.l2_regularizer(0.5),
)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    rows = np.array([[1.0, 2.0, 3.0], [-1.0, -2.0, -3.0]])
    print(
        sess.run(hidden, {x: rows}).tolist(), np.array_equal(*sess.run([hidden, again], {x: rows}))
    )
    print(sess.run(logits, {x: rows}).tolist(), sess.run(regular, {x: rows}).tolist())
    print(sess.run(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)))
print([v.name for v in tf.trainable_variables()])
