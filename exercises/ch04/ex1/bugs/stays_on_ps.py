# loses: it is on worker:1, whoever is the master
import tinytf as tf


def build_total(prices, basket):
    with tf.device("/job:ps/task:0"):
        return tf.reduce_sum(tf.gather(prices, basket))
