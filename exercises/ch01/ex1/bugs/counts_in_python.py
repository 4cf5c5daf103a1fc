# loses: x is a placeholder and count is an int32 variable
import tinytf as tf


def build_graph():
    x = tf.placeholder(tf.float32, [None])
    count = 0
    cheap = 2 * x
    expensive = x * x
    count += 1
    return x, cheap, expensive, count
