# loses: a run that fetches only cheap leaves count alone
import tinytf as tf


def build_graph():
    x = tf.placeholder(tf.float32, [None])
    count = tf.Variable(0)
    with tf.control_dependencies([tf.assign_add(count, 1)]):
        cheap = 2 * x
        expensive = x * x
    return x, cheap, expensive, count
