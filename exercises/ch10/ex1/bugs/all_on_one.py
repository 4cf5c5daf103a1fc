# loses: each device has half of the weights and does half of the work
import tinytf as tf


def build_scores(images, first, second):
    with tf.device("/cpu:1"):
        hidden = tf.nn.relu(tf.matmul(images[1], tf.Variable(first)))
        return tf.matmul(hidden, tf.Variable(second))
