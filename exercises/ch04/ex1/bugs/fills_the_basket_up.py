# loses hidden: another shop, a smaller basket: little travels
import tinytf as tf


def build_total(prices, basket):
    with tf.device("/job:worker/task:0"):
        filled = tf.concat([basket, tf.zeros([300], tf.int32)], 0)[:300]
    with tf.device("/job:ps/task:0"):
        is_there = tf.range(300) < tf.size(basket)
        costs = tf.gather(prices, filled)
        total = tf.reduce_sum(tf.where(is_there, costs, tf.zeros([300])))
    with tf.device("/job:worker/task:1"):
        return tf.identity(total)
