# loses: variables in an unlucky order
import numpy as np

import tinytf as tf


def place_variables(shapes, most):
    size = tf.contrib.training.byte_size_load_fn
    strategy = tf.contrib.training.GreedyLoadBalancingStrategy(3, size)
    total = sum(int(np.prod(shape)) for shape in shapes.values())
    variables = {}
    with tf.device(tf.train.replica_device_setter(ps_tasks=3, ps_strategy=strategy)):
        for name, shape in shapes.items():
            cut = tf.fixed_size_partitioner(3) if np.prod(shape) > 0.9 * total else None
            variables[name] = tf.get_variable(name, shape, partitioner=cut)
    return variables
