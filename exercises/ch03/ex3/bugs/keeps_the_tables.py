# loses: no schedule holds more than two tables
import tinytf as tf


def build_sum(names, load):
    tables, largest = [], []
    for name in names:
        with tf.control_dependencies(largest[-2:-1]):
            tables.append(load(name))
        largest.append(tf.reduce_max(tables[-1]))
    return tf.reduce_sum(tf.reduce_max(tf.stack(tables), axis=[1, 2]))
