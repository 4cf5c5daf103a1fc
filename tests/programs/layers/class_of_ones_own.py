"""A model as a class that makes its layers once and calls them for training and for testing."""

import numpy as np
import tensorflow as tf


class Net(object):
    def __init__(self):
        self.hidden = tf.layers.Dense(6, tf.nn.relu, kernel_initializer=tf.ones_initializer())
        self.dropout = tf.layers.Dropout(0.5, seed=1)
        self.out = tf.layers.Dense(2)

    def __call__(self, x, training):
        x = self.hidden(tf.layers.flatten(x))
        return self.out(self.dropout(x, training=training))


tf.set_random_seed(2)
net = Net()
x = tf.placeholder(tf.float32, [None, 2, 2])
train_logits, test_logits = net(x, True), net(x, False)
variables = net.hidden.variables + net.out.trainable_variables
with tf.Session() as sess:
    sess.run(tf.variables_initializer(variables))
    feed = {x: np.ones((1, 2, 2))}
    a, b = sess.run([test_logits, test_logits * 1.0], feed)
    print(np.array_equal(a, b), np.round(a, 3), sess.run(train_logits, feed).shape)
print([v.name for v in variables], net.hidden.built, net.out.dtype)
