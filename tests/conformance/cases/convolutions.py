"""Convolutions of sequences and volumes, of each channel by itself, dilated ones; dilation."""

import numpy as np

from tests.conformance.cases.convolution import FLOATS, image, varied
from tests.conformance.registry import Program, case
from tests.conformance.values import fed

ONCE, TWICE = [1, 1, 1, 1], [1, 2, 2, 1]


def coarse(tf, *shape, dtype="float32"):
    return tf.constant(np.round(varied(*shape) * 4), dtype)


# Sequences ----------------------------------------------------------------------------------------


@case("Conv2D", "ExpandDims", "Squeeze", each=[(1, "VALID"), (2, "SAME"), ([1, 3, 1], "SAME")])
def conv1d(tf, stride, padding):
    x, w = image(tf, 2, 7, 3), image(tf, 2, 3, 4)
    y = tf.nn.conv1d(x, w, stride, padding)
    named = tf.nn.conv1d(input=x, filters=w, stride=1, padding=padding, dilations=2, name="named")
    return [y, named, tf.gradients(y * y, [x, w])]


@case("Conv2DBackpropInput", "ConcatV2")
def conv1d_transpose(tf):
    x, w = image(tf, 2, 3, 4), image(tf, 2, 5, 4)
    shape, feed = fed(tf, [2, 6, 5], "int32", [3])
    known = tf.nn.conv1d_transpose(x, w, [2, 6, 5], 2)
    other = tf.nn.conv1d_transpose(x, w, shape, strides=[2], padding="VALID", name="named")
    return Program([known, other], feed=feed)


@case("Conv2D", error="`data_format` must be 'NWC' or 'NCW'. Received: data_format=NDHWC")
def conv1d_of_another_format(tf):
    return tf.nn.conv1d(image(tf, 2, 7, 3), image(tf, 2, 3, 4), 1, "SAME", data_format="NDHWC")


# Volumes ------------------------------------------------------------------------------------------

VOLUMES = [
    ([1] * 5, "SAME"),
    ([1] * 5, "VALID"),
    ([1, 2, 1, 3, 1], "SAME"),
    ([1, 3, 2, 1, 1], "VALID"),
]


@case("Conv3D", "Conv3DBackpropInputV2", "Conv3DBackpropFilterV2", each=VOLUMES, atol=1e-4)
def conv3d(tf, strides, padding):
    x, w = image(tf, 2, 4, 5, 4, 3), image(tf, 2, 3, 2, 3, 4)
    y = tf.nn.conv3d(x, w, strides, padding)
    return [y, tf.gradients(y * y, [x, w])]


@case("Conv3DBackpropInputV2", "Conv3DBackpropFilterV2", graph="types")
def second_gradients_of_conv3d(tf):
    x, w = image(tf, 1, 4, 3, 3, 2), image(tf, 2, 2, 2, 2, 3)
    y = tf.nn.conv3d(x, w, [1, 2, 1, 1, 1], "SAME")
    first = tf.gradients(y * y, [x, w])
    return tf.gradients([first[0] * first[0], first[1] * first[1]], [x, w])


@case(
    "Conv3D", "Conv3DBackpropInputV2", "Conv3DBackpropFilterV2", each=FLOATS, rtol=2e-2, atol=2e-2
)
def conv3d_of_other_types(tf, dtype):
    x, w = coarse(tf, 1, 3, 3, 3, 2, dtype=dtype), coarse(tf, 2, 2, 2, 2, 3, dtype=dtype)
    y = tf.nn.conv3d(x, w, [1] * 5, "VALID", name="named")
    return [y, tf.gradients(y, [x, w])]


@case("Conv3DBackpropInputV2", each=["int32", "int64"])
def conv3d_transpose(tf, dtype):
    x, w = image(tf, 1, 2, 3, 2, 4), image(tf, 2, 2, 1, 5, 4)
    sizes = tf.constant([1, 4, 6, 4, 5], dtype)
    named = tf.nn.conv3d_transpose(x, filters=w, output_shape=sizes, strides=[2], name="named")
    return [tf.nn.conv3d_transpose(x, w, sizes, 2, "VALID"), named]


@case("Conv3DBackpropFilterV2")
def conv3d_backprop_filter(tf):
    x, dy = image(tf, 1, 3, 3, 3, 2), image(tf, 1, 2, 2, 2, 3)
    return tf.nn.conv3d_backprop_filter_v2(x, [2, 2, 2, 2, 3], dy, [1] * 5, "VALID")


@case("Conv3D", each=[None, [None, 3, None, 3, 2], [None] * 5])
def static_shapes_of_conv3d(tf, shape):
    x, feed = fed(tf, varied(1, 3, 3, 3, 2), shape=shape)
    w = image(tf, 2, 2, 2, 2, 3)
    results = [tf.nn.conv3d(x, w, [1] * 5, "VALID"), tf.nn.conv3d(x, w, [1, 2, 2, 2, 1], "SAME")]
    return Program(results, feed=feed)


WRONG_VOLUMES = {
    "rank": {"x": (3, 3, 3, 2)},
    "filter": {"w": (2, 2, 2, 3)},
    "depth": {"w": (2, 2, 2, 3, 3)},
    "groups": {"w": (2, 2, 2, 1, 4)},
    "strides": {"strides": [1] * 6},
    "few": {"strides": [1] * 4},
    "stride": {"strides": [1, 0, 1, 1, 1]},
    "batch": {"strides": [2, 1, 1, 1, 1]},
    "dilations": {"dilations": [1, 1, 1]},
    "size": {"x": (1, 1, 3, 3, 2)},
    "padding": {"padding": "FULL"},
}


@case("Conv3D", error="", each=WRONG_VOLUMES)
def conv3d_that_is_wrong(tf, what):
    given = {"x": (1, 3, 3, 3, 2), "w": (2, 2, 2, 2, 3), **WRONG_VOLUMES[what]}
    x, w = tf.ones(given.pop("x")), tf.ones(given.pop("w"))
    return tf.nn.conv3d(x, w, **{"strides": [1] * 5, "padding": "VALID", **given})


# Each channel by itself ---------------------------------------------------------------------------

DEPTHWISE = [
    (ONCE, "SAME", 1),
    (ONCE, "VALID", 3),
    (TWICE, "SAME", 2),
    (TWICE, "VALID", 1),
    ([1, 3, 3, 1], "SAME", 2),
    (ONCE, [[0, 0], [1, 2], [0, 1], [0, 0]], 2),
]


@case(
    "DepthwiseConv2dNative",
    "DepthwiseConv2dNativeBackpropInput",
    "DepthwiseConv2dNativeBackpropFilter",
    each=DEPTHWISE,
)
def depthwise_conv2d_native(tf, strides, padding, outputs):
    x, w = image(tf, 2, 7, 6, 3), image(tf, 3, 2, 3, outputs)
    y = tf.nn.depthwise_conv2d_native(x, w, strides, padding)
    return [y, tf.gradients(y * y, [x, w])]


@case("DepthwiseConv2dNativeBackpropInput", graph="types")
def second_gradients_of_depthwise_conv2d(tf):
    x, w = image(tf, 1, 4, 5, 3), image(tf, 2, 2, 3, 2)
    y = tf.nn.depthwise_conv2d_native(x, w, TWICE, "SAME")
    first = tf.gradients(y * y, [x, w])
    return tf.gradients([first[0] * first[0], first[1] * first[1]], [x, w])


@case("DepthwiseConv2dNative", each=FLOATS, rtol=2e-2, atol=2e-2)
def depthwise_conv2d_of_other_types(tf, dtype):
    x, w = coarse(tf, 1, 4, 4, 3, dtype=dtype), coarse(tf, 2, 2, 3, 2, dtype=dtype)
    y = tf.nn.depthwise_conv2d_native(x, w, ONCE, "VALID", name="named")
    return [y, tf.gradients(y, [x, w])]


@case("DepthwiseConv2dNativeBackpropInput", "DepthwiseConv2dNativeBackpropFilter")
def depthwise_backprop(tf):
    x, w, dy = image(tf, 2, 4, 4, 3), image(tf, 2, 2, 3, 2), image(tf, 2, 3, 3, 6)
    of_input = tf.nn.depthwise_conv2d_native_backprop_input
    of_filter = tf.nn.depthwise_conv2d_backprop_filter
    return [
        of_input([2, 4, 4, 3], w, dy, ONCE, "VALID", name="named"),
        of_filter(x, [2, 2, 3, 2], dy, ONCE, "VALID"),
    ]


@case("SpaceToBatchND", each=[([2, 2], "SAME"), ([1, 3], "VALID"), (None, "SAME")])
def depthwise_conv2d(tf, rate, padding):
    x, w = image(tf, 2, 7, 6, 3), image(tf, 3, 2, 3, 2)
    y = tf.nn.depthwise_conv2d(x, w, ONCE, padding, rate)
    other, feed = fed(tf, varied(1, 5, 6, 3), shape=[None, None, None, 3])
    named = tf.nn.depthwise_conv2d(other, w, ONCE, padding, name="n", dilations=[2, 1])
    return Program([y, named, tf.gradients(y * y, [x, w])], feed=feed)


@case("DepthwiseConv2dNative", "Conv2D", each=[(TWICE, None), (ONCE, [2, 3])])
def separable_conv2d(tf, strides, rate):
    x, w, p = image(tf, 1, 6, 7, 3), image(tf, 2, 3, 3, 2), image(tf, 1, 1, 6, 4)
    y = tf.nn.separable_conv2d(x, w, p, strides, "SAME", rate)
    named = tf.nn.separable_conv2d(x, w, p, ONCE, "VALID", name="named")
    return [y, named, tf.gradients(y * y, [x, w, p])]


WRONG_CHANNELS = {
    "depth": {"w": (2, 2, 3, 1)},
    "rank": {"x": (4, 4, 2)},
    "filter": {"w": (2, 2, 2)},
    "strides": {"strides": [1, 1, 1]},
    "stride": {"strides": [1, 0, 0, 1]},
    "batch": {"strides": [2, 1, 1, 1]},
    "size": {"x": (1, 1, 4, 2)},
    "pairs": {"padding": [[0, 0], [1, 1]]},
}


@case("DepthwiseConv2dNative", error="", each=WRONG_CHANNELS)
def depthwise_conv2d_that_is_wrong(tf, what):
    given = {"x": (1, 4, 4, 2), "w": (2, 2, 2, 1), **WRONG_CHANNELS[what]}
    x, w = tf.ones(given.pop("x")), tf.ones(given.pop("w"))
    return tf.nn.depthwise_conv2d_native(x, w, **{"strides": ONCE, "padding": "VALID", **given})


@case("Conv2D", error="", each=[(1, 1, 3, 4), (2, 1, 2, 4), (2, 4)])
def separable_conv2d_that_is_wrong(tf, *shape):
    x, w = tf.ones([1, 4, 4, 2]), tf.ones([2, 2, 2, 1])
    return tf.nn.separable_conv2d(x, w, tf.ones(shape), ONCE, "VALID")


# Dilated, and of any rank -------------------------------------------------------------------------

RANKS = [
    (1, None, None, "SAME"),
    (1, [2], None, "VALID"),
    (1, None, [2], "SAME"),
    (2, [1, 2], None, "SAME"),
    (2, None, [2, 3], "VALID"),
    (2, None, [2, 1], "SAME"),
    (3, [2, 1, 1], None, "SAME"),
    (3, None, [2, 1, 2], "SAME"),
]


@case("Conv2D", "Conv3D", "SpaceToBatchND", each=RANKS, atol=1e-4)
def convolution(tf, rank, strides, rate, padding):
    x, w = image(tf, 2, *[7, 6, 5][:rank], 3), image(tf, *[3, 2, 2][:rank], 3, 4)
    y = tf.nn.convolution(x, w, padding, strides, rate)
    named = tf.nn.convolution(x, w, padding, dilation_rate=rate, name="named")
    return [y, named, tf.gradients(y * y, [x, w])]


@case("SpaceToBatchND", each=["SAME", "VALID"])
def dilated_convolution_of_unknown_sizes(tf, padding):
    x, feed = fed(tf, varied(1, 6, 7, 3).astype("f"), shape=[None, None, None, 3])
    y = tf.nn.convolution(x, varied(3, 2, 3, 4).astype("f"), padding, dilations=[2, 3])
    return Program(y, feed=feed)


@case("SpaceToBatchND", "BatchToSpaceND", each=[(1, "SAME"), (2, "SAME"), (3, "VALID")])
def atrous_conv2d(tf, rate, padding):
    x, w = image(tf, 2, 7, 8, 3), image(tf, 3, 2, 3, 4)
    y = tf.nn.atrous_conv2d(x, w, rate, padding)
    return [y, tf.gradients(y * y, [x, w])]


@case("Conv2DBackpropInput", each=[(1, "SAME"), (2, "SAME"), (3, "VALID")])
def atrous_conv2d_transpose(tf, rate, padding):
    size = 6 if padding == "SAME" else 9
    x, w = image(tf, 1, 6, 6, 4), image(tf, 2, 2, 3, 4)
    shape, feed = fed(tf, [1, size, size, 3], "int32", [4])
    known = tf.nn.atrous_conv2d_transpose(x, w, [1, size, size, 3], rate, padding)
    other = tf.nn.atrous_conv2d_transpose(x, w, shape, rate, padding, name="named")
    return Program([known, other], feed=feed)


@case("Conv2DBackpropInput", "Conv3DBackpropInputV2", each=[1, 2, 3])
def conv_transpose(tf, rank):
    x, w = image(tf, 1, *[2] * rank, 4), image(tf, *[2] * rank, 3, 4)
    return tf.nn.conv_transpose(x, w, [1, *[4] * rank, 3], 2)


@case("SpaceToBatchND", each=[[1, 2], [2]])
def with_space_to_batch(tf, dims):
    def windows(x, count, padding):
        return tf.nn.conv2d(x, image(tf, 2, 2, 3, 4), 1, padding)

    rate, feed = fed(tf, [2] * len(dims), "int32", [len(dims)])
    how = {"filter_shape": [2] * len(dims), "spatial_dims": dims}
    x = image(tf, 1, 6, 7, 3)
    results = [
        tf.nn.with_space_to_batch(x, [3] * len(dims), "SAME", windows, **how),
        tf.nn.with_space_to_batch(x, rate, "VALID", windows, **how),
    ]
    return Program(results, feed=feed)


WRONG_RATES = {
    "both": {"strides": [2, 1], "dilation_rate": [1, 2]},
    "rate": {"dilation_rate": [0, 2]},
    "length": {"dilation_rate": [2, 2, 2]},
    "channels": {"dilation_rate": [2, 2], "w": (2, 2, 4, 1)},
    "padding": {"dilation_rate": [2, 2], "padding": "FULL"},
    "rank": {"w": (2, 2, 2, 2, 2, 3)},
}


@case("Conv2D", error="", each=WRONG_RATES)
def convolution_that_is_wrong(tf, what):
    given = {"w": (2, 2, 3, 1), "padding": "VALID", **WRONG_RATES[what]}
    return tf.nn.convolution(tf.ones([1, 4, 4, 3]), tf.ones(given.pop("w")), **given)


WRONG_ATROUS = {
    "value": ((2, 2, 3, 3), (1, 4, 4, 3), 2, "SAME"),
    "shape": ((2, 2, 3, 2), (1, 4, 4, 4), 2, "SAME"),
    "rate": ((2, 2, 3, 2), (1, 4, 4, 3), 0, "SAME"),
    "sizes": ((2, 2, 3, 2), (4, 4, 3), 2, "SAME"),
    "padding": ((2, 2, 3, 2), (1, 4, 4, 3), 2, "FULL"),
}


@case("Conv2DBackpropInput", error="", each=WRONG_ATROUS)
def atrous_conv2d_transpose_that_is_wrong(tf, what):
    filter, shape, rate, padding = WRONG_ATROUS[what]
    return tf.nn.atrous_conv2d_transpose(
        tf.ones([1, 4, 4, 2]), tf.ones(filter), list(shape), rate, padding
    )


# Grey dilation and erosion ------------------------------------------------------------------------

GREY = [(ONCE, ONCE, "SAME"), (TWICE, ONCE, "SAME"), (ONCE, [1, 2, 1, 1], "VALID")]


@case("Dilation2D", "Dilation2DBackpropInput", "Dilation2DBackpropFilter", each=GREY)
def dilation2d(tf, strides, rates, padding):
    x, w = coarse(tf, 2, 5, 6, 3), coarse(tf, 2, 3, 3)
    y = tf.nn.dilation2d(x, w, strides, rates, padding)
    return [y, tf.gradients(y * y, [x, w])]


@case("Dilation2D", "ReverseV2", "Neg", each=GREY)
def erosion2d(tf, strides, rates, padding):
    x, w = coarse(tf, 2, 5, 6, 3), coarse(tf, 2, 3, 3)
    y = tf.nn.erosion2d(x, w, strides, rates, padding)
    named = tf.nn.erosion2d(x, w, ONCE, ONCE, padding, name="named")
    return [y, named, tf.gradients(y * y, [x, w])]


@case("Dilation2D", each=["float16", "bfloat16", "float64", "uint8", "int8", "int64", "uint16"])
def dilation2d_of_other_types(tf, dtype):
    x, w = np.abs(np.round(varied(1, 4, 4, 2) * 9)), np.abs(np.round(varied(2, 2, 2) * 3))
    return tf.nn.dilation2d(
        tf.constant(x, dtype),
        filters=tf.constant(w, dtype),
        strides=ONCE,
        dilations=ONCE,
        padding="SAME",
    )


WRONG_GREY = {
    "depth": {"w": (2, 2, 3)},
    "rank": {"x": (4, 4, 2)},
    "filter": {"w": (2, 2, 2, 1)},
    "strides": {"strides": [1] * 5},
    "rates": {"rates": [1] * 5},
    "stride": {"strides": [1, 0, 1, 1]},
    "batch": {"strides": [2, 1, 1, 1]},
    "channels": {"rates": [1, 1, 1, 2]},
    "size": {"x": (1, 1, 4, 2), "w": (3, 2, 2)},
}


@case("Dilation2D", error="", each=WRONG_GREY)
def dilation2d_that_is_wrong(tf, what):
    given = {"x": (1, 4, 4, 2), "w": (2, 2, 2), **WRONG_GREY[what]}
    x, w = tf.ones(given.pop("x")), tf.ones(given.pop("w"))
    how = {"strides": ONCE, "rates": ONCE, "padding": "VALID", **given}
    return tf.nn.dilation2d(x, w, **how)
