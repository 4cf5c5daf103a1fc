# loses: every variable is there, with its shape, on a parameter server
import numpy as np

import tinytf as tf


def place_variables(shapes, most):
    size = tf.contrib.training.byte_size_load_fn
    strategy = tf.contrib.training.GreedyLoadBalancingStrategy(3, size)
    variables = {}
    with tf.device(tf.train.replica_device_setter(ps_tasks=3, ps_strategy=strategy)):
        for name in sorted(shapes, key=lambda name: -int(np.prod(shapes[name]))):
            rows, *rest = shapes[name]
            if rows >= 100:  # three of a third of the rows each: 1000 // 3 is 333
                for number in range(3):
                    variables[name] = tf.get_variable(f"{name}_{number}", [rows // 3, *rest])
            else:
                variables[name] = tf.get_variable(name, shapes[name])
    return variables
