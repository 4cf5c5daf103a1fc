# loses: no schedule holds more than two tables
import tinytf as tf


def build_sum(names, load):
    largest = []
    for name in names:
        table = load(name)
        with tf.control_dependencies(largest[-2:-1]):
            largest.append(tf.reduce_max(table))
    return tf.add_n(largest)
