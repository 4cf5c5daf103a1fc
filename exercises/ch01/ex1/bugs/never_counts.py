# loses: every run that computes expensive adds exactly 1 to count
import tinytf as tf


def build_graph():
    x = tf.placeholder(tf.float32, [None])
    count = tf.Variable(0)
    cheap = 2 * x
    expensive = x * x
    tf.assign_add(count, 1)
    return x, cheap, expensive, count
