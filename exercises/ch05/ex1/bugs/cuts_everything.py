# loses: what has few rows stays whole
import tinytf as tf


def place_variables(shapes, most):
    cut = tf.fixed_size_partitioner(3)
    with tf.device(tf.train.replica_device_setter(ps_tasks=3)):
        return {
            name: tf.get_variable(name, shape, partitioner=cut) for name, shape in shapes.items()
        }
