# loses hidden: other models: bytes count, not rows
import numpy as np

import tinytf as tf


def place_variables(shapes, most):
    size = tf.contrib.training.byte_size_load_fn
    strategy = tf.contrib.training.GreedyLoadBalancingStrategy(3, size)
    variables = {}
    with tf.device(tf.train.replica_device_setter(ps_tasks=3, ps_strategy=strategy)):
        for name in sorted(shapes, key=lambda name: -int(np.prod(shapes[name]))):
            cut = tf.fixed_size_partitioner(3) if shapes[name][0] >= 100 else None
            variables[name] = tf.get_variable(name, shapes[name], partitioner=cut)
    return variables
