# loses hidden: vectors of other lengths are welcome, and numbers that are not whole
import tinytf as tf


def build_graph():
    x = tf.placeholder(tf.float32, [3])
    count = tf.Variable(0)
    cheap = 2 * x
    with tf.control_dependencies([tf.assign_add(count, 1)]):
        expensive = x * x
    return x, cheap, expensive, count
