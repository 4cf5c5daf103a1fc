# loses: x is a placeholder and count is an int32 variable
import tinytf as tf


def build_graph():
    x = tf.placeholder(tf.float32, [None])
    count = tf.Variable(0)
    return x, 2 * x, x * x, tf.assign_add(count, 1)
