# loses: a new price counts in the next step
import tinytf as tf


def build_total(prices, basket):
    with tf.device("/job:ps/task:0"):
        total = tf.reduce_sum(tf.gather(prices.initial_value, basket))
    with tf.device("/job:worker/task:1"):
        return tf.identity(total)
