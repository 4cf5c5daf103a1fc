import numpy as np

import tinytf as tf

SERVERS = 3


def place_variables(shapes, most):
    strategy = tf.contrib.training.GreedyLoadBalancingStrategy(
        SERVERS, tf.contrib.training.byte_size_load_fn
    )
    sizes = {name: int(np.prod(shape)) for name, shape in shapes.items()}
    too_large = most * sum(sizes.values()) / 2
    variables = {}
    with tf.device(tf.train.replica_device_setter(ps_tasks=SERVERS, ps_strategy=strategy)):
        for name in sorted(shapes, key=sizes.get, reverse=True):  # the large ones first
            cut = sizes[name] > too_large and shapes[name][0] >= SERVERS
            partitioner = tf.fixed_size_partitioner(SERVERS) if cut else None
            variables[name] = tf.get_variable(name, shapes[name], partitioner=partitioner)
    return variables
