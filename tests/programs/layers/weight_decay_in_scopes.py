"""Regularisers and initialisers given to a scope, for all layers within."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(0)
x = rng.randn(20, 4).astype(np.float32)
y = (x[:, :1] > 0).astype(np.float32)
decay = lambda w: 0.01 * tf.nn.l2_loss(w)
with tf.variable_scope("net", regularizer=decay, initializer=tf.constant_initializer(0.2)):
    hidden = tf.layers.dense(x, 3, tf.tanh, name="hidden")
    logits = tf.layers.dense(hidden, 1, name="out", kernel_initializer=tf.ones_initializer())
tf.losses.sigmoid_cross_entropy(y, logits)
total = tf.losses.get_total_loss()
train = tf.train.GradientDescentOptimizer(0.3).minimize(total)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print("%.3f" % sess.run(total))
    for _ in range(20):
        sess.run(train)
    print("%.3f" % sess.run(total), np.round(sess.run("net/out/kernel:0").ravel(), 2))
print(
    [t.name for t in tf.losses.get_regularization_losses()],
    [t.name for t in tf.losses.get_losses()],
)
