# loses: the score is the sum of the squares of the chosen rows
import tinytf as tf


def build_graph():
    with tf.device("/cpu:0"):
        rows = tf.placeholder(tf.int32, [None])
        table = tf.Variable(tf.ones([10000, 64]))
        chosen = tf.slice(table, [0, 0], [10, 64])
    with tf.device("/gpu:0"):
        score = tf.reduce_sum(tf.square(chosen))
    return rows, table, score
