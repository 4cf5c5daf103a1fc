# loses: squares and sum are computed on GPU 0
import tinytf as tf


def build_graph():
    with tf.device("/cpu:0"):
        rows = tf.placeholder(tf.int32, [None])
        table = tf.Variable(tf.ones([10000, 64]))
        squares = tf.square(tf.gather(table, rows))
    with tf.device("/gpu:0"):
        score = tf.reduce_sum(squares)
    return rows, table, score
