# loses: at most 2,000 bytes cross
import tinytf as tf


def build_scores(images, first, second):
    with tf.device("/cpu:0"):
        hidden = tf.nn.relu(tf.matmul(images[0], tf.Variable(first)))
    with tf.device("/cpu:1"):
        return tf.matmul(hidden, tf.Variable(second))
