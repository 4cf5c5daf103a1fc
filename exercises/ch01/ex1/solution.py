import tinytf as tf


def build_graph():
    x = tf.placeholder(tf.float32, [None], name="x")
    count = tf.Variable(0, name="count", trainable=False)
    cheap = tf.multiply(2.0, x, name="cheap")
    # What is built inside runs only after the addition; what is not fetched runs not at all.
    with tf.control_dependencies([tf.assign_add(count, 1)]):
        expensive = tf.multiply(x, x, name="expensive")
    return x, cheap, expensive, count
