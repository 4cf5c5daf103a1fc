# loses: every variable is there, with its shape, on a parameter server
import tinytf as tf


def place_variables(shapes, most):
    with tf.device("/job:ps"):
        return {name: tf.get_variable(name, shape) for name, shape in shapes.items()}
