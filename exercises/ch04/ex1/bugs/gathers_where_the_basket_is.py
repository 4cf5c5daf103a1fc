# loses: at most 1300 bytes travel
import tinytf as tf


def build_total(prices, basket):
    with tf.device("/job:worker/task:0"):
        total = tf.reduce_sum(tf.gather(prices, basket))
    with tf.device("/job:worker/task:1"):
        return tf.identity(total)
