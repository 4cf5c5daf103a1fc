# loses: the table is a variable of 10000 x 64 ones on the CPU
import tinytf as tf


def build_graph():
    rows = tf.placeholder(tf.int32, [None])
    table = tf.Variable(tf.ones([10000, 64]))
    score = tf.reduce_sum(tf.square(tf.gather(table, rows)))
    return rows, table, score
