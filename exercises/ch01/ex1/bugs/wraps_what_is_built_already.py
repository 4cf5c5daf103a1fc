# loses: every run that computes expensive adds exactly 1 to count
import tinytf as tf


def build_graph():
    x = tf.placeholder(tf.float32, [None])
    count = tf.Variable(0)
    cheap = 2 * x
    product = x * x
    with tf.control_dependencies([tf.assign_add(count, 1)]):
        expensive = product
    return x, cheap, expensive, count
