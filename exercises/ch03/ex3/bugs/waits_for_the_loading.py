# loses: no schedule holds more than two tables
import tinytf as tf


def build_sum(names, load):
    tables = []
    for name in names:
        with tf.control_dependencies(tables[-2:-1]):
            tables.append(load(name))
    return tf.add_n([tf.reduce_max(table) for table in tables])
