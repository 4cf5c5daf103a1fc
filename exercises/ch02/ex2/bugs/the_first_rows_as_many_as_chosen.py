# loses hidden: it is the chosen rows that count, each as often as it is chosen
import tinytf as tf


def build_graph():
    with tf.device("/cpu:0"):
        rows = tf.placeholder(tf.int32, [None])
        table = tf.Variable(tf.ones([10000, 64]))
        chosen = tf.slice(table, [0, 0], [tf.size(rows), 64])
    with tf.device("/gpu:0"):
        score = tf.reduce_sum(tf.square(chosen))
    return rows, table, score
