# loses: variables that need not be cut: bytes count, not variables
import numpy as np

import tinytf as tf


def place_variables(shapes, most):
    size = tf.contrib.training.byte_size_load_fn
    strategy = tf.contrib.training.GreedyLoadBalancingStrategy(2, size)
    names = sorted(shapes, key=lambda name: -int(np.prod(shapes[name])))
    with tf.device(tf.train.replica_device_setter(ps_tasks=2, ps_strategy=strategy)):
        return {name: tf.get_variable(name, shapes[name]) for name in names}
