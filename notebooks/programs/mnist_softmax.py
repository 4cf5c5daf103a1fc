"""Handwritten digits with one layer, as such programs were written in 2017.

    tinytf run --digits mnist_softmax.py --steps=500
"""

from __future__ import absolute_import, division, print_function

import argparse
import sys

import tensorflow as tf
from tensorflow.examples.tutorials.mnist import input_data

FLAGS = None


def main(_):
    mnist = input_data.read_data_sets(FLAGS.data_dir, one_hot=True)

    x = tf.placeholder(tf.float32, [None, 784])
    y_ = tf.placeholder(tf.float32, [None, 10])
    with tf.name_scope("hidden"):
        hidden = tf.contrib.layers.fully_connected(x, 32)
        hidden = tf.layers.dropout(hidden, 0.1)
    y = tf.layers.dense(hidden, 10)

    cross_entropy = tf.losses.softmax_cross_entropy(y_, y)
    train_step = tf.train.AdamOptimizer(0.005).minimize(cross_entropy)
    hits = tf.equal(tf.argmax(y, 1), tf.argmax(y_, 1))
    accuracy = tf.reduce_mean(tf.cast(hits, tf.float32))

    sess = tf.InteractiveSession()
    tf.global_variables_initializer().run()
    for _ in range(FLAGS.steps):
        batch_xs, batch_ys = mnist.train.next_batch(100)
        sess.run(train_step, feed_dict={x: batch_xs, y_: batch_ys})

    test = {x: mnist.test.images, y_: mnist.test.labels}
    print("accuracy above 0.8:", sess.run(accuracy, feed_dict=test) > 0.8)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--data_dir", default="MNIST_data")
    parser.add_argument("--steps", type=int, default=500)
    FLAGS, unparsed = parser.parse_known_args()
    tf.app.run(main=main, argv=[sys.argv[0]] + unparsed)
