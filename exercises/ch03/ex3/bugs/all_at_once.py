# loses: no schedule holds more than two tables
import tinytf as tf


def build_sum(names, load):
    return tf.add_n([tf.reduce_max(load(name)) for name in names])
