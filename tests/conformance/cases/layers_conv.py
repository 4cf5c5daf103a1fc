"""`tf.layers`: convolutions; graphs, values and gradients as TensorFlow's, name by name."""

import numpy as np

from tests.conformance.cases.layers import program
from tests.conformance.registry import Program, case


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


@case("Conv3DBackpropInputV2")
def conv3d_transpose_layers(tf):
    x = tf.placeholder(tf.float32, [None, None, 2, 3, 2])
    how = {"strides": (1, 2, 1), "kernel_initializer": fixed(tf)}
    results = [
        tf.layers.conv3d_transpose(image(tf, 1, 2, 2, 3, 2), 3, 2, **how),
        tf.layers.conv3d_transpose(x, 3, 2, padding="same", activation=tf.nn.relu, **how),
    ]
    return program(tf, *results, feed={x: varied(1, 2, 2, 3, 2)})


# Sequences, volumes, each channel by itself -------------------------------------------------------


@case(
    "Conv2D",
    "Squeeze",
    each=[(1, "valid", 1), (2, "same", 1), (1, "same", 3), (2, "causal", 1), (1, "causal", 2)],
)
def conv1d_layers(tf, strides, padding, rate):
    how = {"padding": padding, "kernel_initializer": fixed(tf)}
    y = tf.layers.conv1d(image(tf, 2, 9, 3), 4, 3, strides, dilation_rate=rate, **how)
    return program(tf, y, tf.gradients(y * y, tf.trainable_variables()))


@case("Conv3D", "BiasAdd", each=[(1, "valid", 1), ((2, 1, 2), "same", 1), (1, "same", (1, 2, 1))])
def conv3d_layers(tf, strides, padding, rate):
    how = {"padding": padding, "kernel_initializer": fixed(tf)}
    x = image(tf, 1, 4, 5, 4, 2)
    y = tf.layers.conv3d(x, 3, (2, 3, 2), strides, dilation_rate=rate, **how)
    return program(tf, y, tf.gradients(y, tf.trainable_variables()))


SEPARABLE = [(1, "valid", 1, 1), (2, "same", 1, 2), (1, "same", 2, 1)]


EACH = [(n, *how) for n in (1, 2) for how in SEPARABLE] + [(1, 1, "causal", 2, 1)]


@case("DepthwiseConv2dNative", "Conv2D", each=EACH)
def separable_layers(tf, rank, strides, padding, rate, multiplier):
    function = tf.layers.separable_conv1d if rank == 1 else tf.layers.separable_conv2d
    x = image(tf, 2, *[7, 6][:rank], 3)
    y = function(
        x,
        4,
        3,
        strides,
        padding,
        dilation_rate=rate,
        depth_multiplier=multiplier,
        depthwise_initializer=fixed(tf),
        pointwise_initializer=fixed(tf),
        activation=tf.nn.tanh,
        name="sep",
    )
    return program(tf, y, tf.gradients(y, tf.trainable_variables()))


@case("Conv2D", "DepthwiseConv2dNative", each=["float64", "float16"], rtol=2e-3, atol=2e-2)
def convolutional_layers_of_other_dtypes(tf, dtype):
    x = image(tf, 1, 4, 4, 2, dtype=dtype)
    how = {"depthwise_initializer": fixed(tf), "pointwise_initializer": fixed(tf)}
    results = [tf.layers.separable_conv2d(x, 3, 2, **how)]
    results.append(tf.layers.conv2d(x, 3, 2, kernel_initializer=fixed(tf)))
    return program(tf, *results)


# Names, variables, losses -------------------------------------------------------------------------


@case("Conv2D")
def convolutional_layers_by_name(tf):
    """Scopes, layers called twice, variables that are used again, and resources."""
    x, how = image(tf, 1, 4, 4, 2), {"kernel_initializer": fixed(tf)}
    layer = tf.layers.Conv2D(3, 2, **how)
    results = [layer(x), layer(2 * x), tf.layers.conv2d(x, 3, 2, name="one", **how)]
    results.append(tf.layers.conv2d(x, 3, 2, name="one", reuse=True))
    with tf.variable_scope("outer", use_resource=True):
        results.append(tf.layers.conv2d(x, 3, 2, **how))
        results.append(tf.layers.conv2d_transpose(x, 3, 2, name="two", **how))
    with tf.variable_scope("outer", reuse=True):
        results.append(tf.layers.conv2d_transpose(x, 3, 2, name="two"))
    assert [v.name for v in layer.weights] == ["conv2d/kernel:0", "conv2d/bias:0"]
    return program(tf, *results, layer.kernel.read_value())


@case("L2Loss", "Conv2D", graph="types")
def regularized_convolutions(tf):
    how = {"bias_regularizer": tf.nn.l2_loss, "activity_regularizer": tf.nn.l2_loss}
    x = image(tf, 2, 4, 4, 3)
    y = tf.layers.conv2d(
        x, 4, 2, kernel_initializer=fixed(tf), kernel_regularizer=tf.nn.l2_loss, **how
    )
    z = tf.layers.separable_conv2d(
        x,
        4,
        2,
        depthwise_initializer=fixed(tf),
        pointwise_initializer=fixed(tf),
        depthwise_regularizer=tf.nn.l2_loss,
        pointwise_regularizer=tf.nn.l2_loss,
        **how,
    )
    return program(tf, y, z, tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES))


@case("Assign", "Conv2D")
def constrained_convolutions(tf):
    def clipped(w):
        return tf.clip_by_value(w, -0.5, 0.5)

    how = {"bias_constraint": clipped, "use_bias": True}
    y = tf.layers.separable_conv2d(
        image(tf, 2, 4, 4, 3),
        2,
        2,
        depthwise_initializer=fixed(tf),
        pointwise_initializer=fixed(tf),
        depthwise_constraint=clipped,
        pointwise_constraint=clipped,
        **how,
    )
    train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(y))
    with tf.control_dependencies([train]):
        after = [tf.identity(v.read_value()) for v in tf.trainable_variables()]
    return program(tf, after)


# A network ----------------------------------------------------------------------------------------


@case("Conv2DBackpropFilter", "DepthwiseConv2dNativeBackpropFilter", graph="types", rtol=1e-4)
def a_convolutional_network_in_training(tf):
    """Every loss of 12 steps: convolution, separable one, transposed one, a fully connected end."""
    x = tf.constant(varied(8, 8, 8, 1), tf.float32)
    labels = tf.constant(np.arange(8) % 3)
    h = tf.layers.conv2d(
        x, 4, 3, padding="same", activation=tf.nn.relu, kernel_initializer=scaled(tf)
    )
    h = tf.layers.separable_conv2d(
        h,
        6,
        3,
        strides=2,
        activation=tf.nn.relu,
        depthwise_initializer=scaled(tf),
        pointwise_initializer=scaled(tf),
    )
    h = tf.layers.conv2d_transpose(h, 3, 2, strides=2, kernel_initializer=scaled(tf))
    logits = tf.layers.dense(tf.layers.flatten(h), 3, kernel_initializer=scaled(tf))
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
    setup = [tf.global_variables_initializer()]
    return Program([loss, train], setup=setup, runs=12)


def scaled(tf):
    def initializer(shape, dtype=None, partition_info=None):
        sizes = [int(size) for size in shape]
        return tf.constant(varied(*sizes) / np.sqrt(np.prod(sizes[:-1])), dtype)

    return initializer


# Mistakes -----------------------------------------------------------------------------------------

WRONG = {
    "rank": {"x": (4, 4, 2), "error": "expected min_ndim=4, found ndim=3"},
    "channels": {
        "x": (1, 4, 4, None),
        "error": "The channel dimension of the inputs should be defined",
    },
    "filters": {"filters": 0, "error": "Expected a strictly positive value. Received filters=0"},
    "kernel": {
        "kernel_size": (2, 2, 2),
        "error": "The `kernel_size` argument must be a tuple of 2 integers. Received: (2, 2, 2)",
    },
    "text": {"kernel_size": "ab", "error": "The `kernel_size` argument must be a tuple of 2"},
    "negative": {"strides": -1, "error": "The `strides` argument must be a tuple of 2 integers"},
    "both": {
        "strides": 2,
        "dilation_rate": 2,
        "error": "`strides > 1` not supported in conjunction with `dilation_rate > 1`",
    },
    "padding": {"padding": "same ", "error": "The `padding` argument must be"},
    "causal": {"padding": "causal", "error": "Causal padding is only supported for `Conv1D`"},
    "format": {"data_format": "NHWC", "error": "The `data_format` argument must be one of"},
    "size": {
        "kernel_size": 6,
        "error": "One of the dimensions in the output is <= 0 due to downsampling in conv2d",
    },
}


def wrong(what):
    """A case for one of these mistakes, with its message."""

    @case("Conv2D", error=WRONG[what]["error"], each=[what])
    def conv2d_layers_that_are_wrong(tf, what):
        how = {"x": (1, 4, 4, 2), "filters": 3, "kernel_size": 2, **WRONG[what]}
        del how["error"]
        x = tf.placeholder(tf.float32, how.pop("x"))
        return tf.layers.conv2d(x, how.pop("filters"), how.pop("kernel_size"), **how)

    return conv2d_layers_that_are_wrong


CONV2D_LAYERS_THAT_ARE_WRONG = [wrong(what) for what in WRONG]


@case("Conv2D", error="expected axis -1 of input shape to have value 2")
def a_convolutional_layer_of_two_depths(tf):
    layer = tf.layers.Conv2D(3, 2)
    layer(tf.ones([1, 4, 4, 2]))
    return layer(tf.ones([1, 4, 4, 3]))


@case("Conv2DBackpropInput", error="", each=["conv2d_transpose", "separable_conv2d"])
def layers_of_unknown_channels(tf, name):
    return getattr(tf.layers, name)(tf.placeholder(tf.float32, [1, 4, 4, None]), 3, 2)
