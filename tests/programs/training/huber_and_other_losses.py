"""A loss of one's own with tf.cond, and the library's losses beside it."""

import numpy as np
import tensorflow as tf


def huber_loss(labels, predictions, delta=1.0):
    residual = tf.abs(predictions - labels)
    small = lambda: 0.5 * tf.square(residual)
    large = lambda: delta * residual - 0.5 * tf.square(delta)
    return tf.cond(residual < delta, small, large)


X = tf.placeholder(tf.float32, name="X")
Y = tf.placeholder(tf.float32, name="Y")
w = tf.get_variable("weights", initializer=tf.constant(0.0))
b = tf.get_variable("bias", initializer=tf.constant(0.0))
loss = huber_loss(Y, w * X + b)
optimizer = tf.train.GradientDescentOptimizer(learning_rate=0.05).minimize(loss)
data = [(x / 5.0, 2 * x / 5.0 - 1 + (5 if x == 3 else 0)) for x in range(10)]
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(10):
        total = 0
        for x, y in data:
            _, one = sess.run([optimizer, loss], feed_dict={X: x, Y: y})
            total += one
    print("%.3f" % total, np.round(sess.run([w, b]), 3))

    labels = tf.constant([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    logits = tf.constant([[2.0, -1.0], [0.5, 0.5], [-3.0, 1.0]])
    weights = tf.constant([[1.0], [0.0], [2.0]])
    losses = [
        tf.losses.mean_squared_error(labels, logits, weights),
        tf.losses.absolute_difference(labels, logits),
        tf.losses.huber_loss(labels, logits, delta=0.5),
        tf.losses.hinge_loss(labels, logits),
        tf.losses.log_loss(labels, tf.sigmoid(logits)),
        tf.losses.sigmoid_cross_entropy(labels, logits, label_smoothing=0.1),
        tf.losses.softmax_cross_entropy(labels, logits, reduction=tf.losses.Reduction.SUM),
        tf.losses.cosine_distance(
            tf.nn.l2_normalize(labels, 1), tf.nn.l2_normalize(logits, 1), axis=1
        ),
    ]
    print(np.round(sess.run(losses), 3))
    print(len(tf.losses.get_losses()), "%.3f" % sess.run(tf.losses.get_total_loss()))
