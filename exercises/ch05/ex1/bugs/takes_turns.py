# loses: variables that need not be cut: bytes count, not variables
import tinytf as tf


def place_variables(shapes, most):
    with tf.device(tf.train.replica_device_setter(ps_tasks=3)):
        return {name: tf.get_variable(name, shape) for name, shape in shapes.items()}
