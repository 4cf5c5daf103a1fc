# loses: the sum is right
import tinytf as tf


def build_sum(names, load):
    sums = []
    for name in names:
        with tf.control_dependencies(sums[-2:-1]):
            sums.append(tf.reduce_sum(load(name)))
    return tf.add_n(sums)
