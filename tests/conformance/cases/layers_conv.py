"""`tf.layers`: convolutions; graphs, values and gradients as TensorFlow's, name by name."""

import numpy as np

from tests.conformance.cases.layers import program
from tests.conformance.registry import case


def varied(*shape):
    return np.round(np.cos(np.arange(np.prod(shape)) ** 1.5), 2).reshape(shape)


def image(tf, *shape, dtype="float32"):
    return tf.constant(varied(*shape), dtype)


def fixed(tf):
    """An initializer whose numbers are the same in both libraries, and all different."""

    def initializer(shape, dtype=None, partition_info=None):
        return tf.constant(varied(*[int(size) for size in shape]), dtype)

    return initializer


# Convolutions -------------------------------------------------------------------------------------


@case("Conv2D", "BiasAdd", each=[(1, "valid"), ((1, 2), "SAME"), ([2, 1], "same")])
def conv2d_layers(tf, strides, padding):
    y = tf.layers.conv2d(
        image(tf, 2, 6, 5, 3), 4, (3, 2), strides, padding, kernel_initializer=fixed(tf)
    )
    return program(tf, y, tf.gradients(y * y, tf.trainable_variables()))


@case("Conv2D", "Conv2DBackpropFilter", each=["relu", "tanh"])
def conv2d_layers_with_activations(tf, activation):
    x = tf.placeholder(tf.float32, [None, None, None, 2])
    y = tf.layers.conv2d(
        x,
        3,
        2,
        activation=getattr(tf.nn, activation),
        kernel_initializer=fixed(tf),
        bias_initializer=tf.ones_initializer(),
        name="named",
    )
    return program(tf, y, tf.gradients(y, tf.trainable_variables()), feed={x: varied(1, 4, 5, 2)})


@case("SpaceToBatchND", "BatchToSpaceND", each=[(2, "same"), ((1, 2), "valid"), ((3, 2), "same")])
def dilated_conv2d_layers(tf, rate, padding):
    x = tf.placeholder(tf.float32, [None, None, 7, 2])
    how = {"kernel_initializer": fixed(tf), "dilation_rate": rate, "padding": padding}
    results = [tf.layers.conv2d(t, 3, 2, **how) for t in (image(tf, 1, 6, 7, 2), x)]
    gradients = tf.gradients(results[0] * results[0], tf.trainable_variables()[:2])
    return program(tf, *results, gradients, feed={x: varied(2, 6, 7, 2)})


# Turned round -------------------------------------------------------------------------------------


@case("Conv2DBackpropInput", each=[(1, "valid"), ((1, 2), "SAME"), ([3, 1], "valid")])
def conv2d_transpose_layers(tf, strides, padding):
    x = tf.placeholder(tf.float32, [None, None, 3, 2])
    how = {"strides": strides, "padding": padding, "kernel_initializer": fixed(tf)}
    y = tf.layers.conv2d_transpose(image(tf, 1, 4, 3, 2), 3, (2, 3), **how)
    more = tf.layers.conv2d_transpose(x, 3, 2, use_bias=False, activation=tf.nn.relu, **how)
    gradients = tf.gradients(y * y, tf.trainable_variables()[:2])
    return program(tf, y, more, gradients, feed={x: varied(2, 2, 3, 2)})
