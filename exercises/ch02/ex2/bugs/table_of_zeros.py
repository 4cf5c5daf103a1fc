# loses: the table is a variable of 10000 x 64 ones on the CPU
import tinytf as tf


def build_graph():
    with tf.device("/cpu:0"):
        rows = tf.placeholder(tf.int32, [None], name="rows")
        table = tf.Variable(tf.zeros([10000, 64]), name="table")
        chosen = tf.gather(table, rows, name="chosen")
    with tf.device("/gpu:0"):
        score = tf.reduce_sum(tf.square(chosen), name="score")
    return rows, table, score
