# loses: the total is right, however often an article is in the basket
import tinytf as tf


def build_total(prices, basket):
    with tf.device("/job:worker/task:0"):
        articles, _ = tf.unique(basket)
    with tf.device("/job:ps/task:0"):
        total = tf.reduce_sum(tf.gather(prices, articles))
    with tf.device("/job:worker/task:1"):
        return tf.identity(total)
