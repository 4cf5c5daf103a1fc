import tinytf as tf


def build_graph():
    with tf.device("/cpu:0"):
        rows = tf.placeholder(tf.int32, [None], name="rows")
        table = tf.Variable(tf.ones([10000, 64]), name="table")
        # Chosen where the table is: what crosses is ten rows, not ten thousand.
        chosen = tf.gather(table, rows, name="chosen")
    with tf.device("/gpu:0"):
        score = tf.reduce_sum(tf.square(chosen), name="score")
    return rows, table, score
