"""Convolutions and pooling of images.

TensorFlow's CPU kernels take channels last only, and have no gradients of dilated convolutions;
what tinytf adds is in `tests/ops/nn/test_convolution.py`.
"""

import numpy as np

from tests.conformance.registry import Program, case
from tests.conformance.values import fed

FLOATS = ["float16", "bfloat16", "float32", "float64"]


def image(tf, *shape, dtype="float32"):
    return tf.constant(varied(*shape), dtype)


def varied(*shape):
    return np.round(np.cos(np.arange(np.prod(shape)) ** 1.5), 2).reshape(shape)


# Convolution --------------------------------------------------------------------------------------

WAYS = [
    (1, "SAME"),
    (1, "VALID"),
    (2, "SAME"),
    (2, "VALID"),
    ([1, 2, 1, 1], "SAME"),
    ([2, 1], "VALID"),
    ([2], "SAME"),
]


@case("Conv2D", each=WAYS)
def conv2d(tf, strides, padding):
    x, w = image(tf, 2, 5, 6, 3), image(tf, 3, 2, 3, 4)
    return tf.nn.conv2d(x, w, strides, padding)


@case("Conv2D", each=[*FLOATS, "int32"], rtol=2e-2, atol=2e-2)
def conv2d_of_other_types(tf, dtype):
    x, w = (
        tf.constant(np.round(varied(1, 4, 4, 2) * 4), dtype),
        tf.constant(np.round(varied(2, 2, 2, 3) * 4), dtype),
    )
    return tf.nn.conv2d(x, w, 1, "VALID", name="named")


@case("Conv2D", each=["VALID", "SAME"])
def dilated_conv2d(tf, padding):
    x, w = image(tf, 2, 6, 7, 3), image(tf, 3, 2, 3, 4)
    return [
        tf.nn.conv2d(x, w, 1, padding, dilations=2),
        tf.nn.conv2d(x, filters=w, strides=1, padding=padding, dilations=[1, 2, 3, 1]),
    ]


@case("Conv2D")
def conv2d_with_explicit_padding(tf):
    x, w = image(tf, 2, 4, 5, 3), image(tf, 3, 2, 3, 4)
    return tf.nn.conv2d(x, w, [1, 2, 1, 1], [[0, 0], [1, 2], [0, 1], [0, 0]])


@case("Conv2D")
def grouped_conv2d(tf):
    return tf.nn.conv2d(image(tf, 2, 4, 4, 6), image(tf, 2, 2, 3, 4), 1, "VALID")


@case(
    "Conv2D",
    each=[(None, None), ([None, 4, None, 3], None), ([None, None, None, None], [2, 2, 3, 4])],
)
def static_shapes_of_conv2d(tf, shape, filter):
    x, feed = fed(tf, varied(1, 4, 4, 3), shape=shape)
    w, more = fed(tf, varied(2, 2, 3, 4), shape=filter)
    results = [tf.nn.conv2d(x, w, 1, "VALID"), tf.nn.conv2d(x, w, 2, "SAME")]
    return Program(results, feed={**feed, **more})


@case("Conv2DBackpropInput", "Conv2DBackpropFilter", graph="types", each=WAYS[:5])
def gradients_of_conv2d(tf, strides, padding):
    x, w = image(tf, 2, 5, 6, 3), image(tf, 3, 2, 3, 4)
    y = tf.nn.conv2d(x, w, strides, padding)
    return tf.gradients(y * y, [x, w])


@case("Conv2DBackpropInput", "Conv2DBackpropFilter", graph="types")
def gradients_of_explicitly_padded_conv2d(tf):
    x, w = image(tf, 2, 6, 6, 3), image(tf, 3, 2, 3, 4)
    y = tf.nn.conv2d(x, w, 1, [[0, 0], [1, 2], [0, 1], [0, 0]])
    return tf.gradients(y * y, [x, w])


@case("Conv2DBackpropInput", graph="types")
def second_gradients_of_conv2d(tf):
    x, w = image(tf, 2, 5, 5, 3), image(tf, 2, 2, 3, 4)
    y = tf.nn.conv2d(x, w, 2, "SAME")
    first = tf.gradients(y * y, [x, w])
    return tf.gradients([first[0] * first[0], first[1] * first[1]], [x, w])


@case("Conv2DBackpropInput", "Conv2DBackpropFilter")
def conv2d_backprop(tf):
    x, w, dy = image(tf, 2, 5, 5, 3), image(tf, 2, 2, 3, 4), image(tf, 2, 3, 3, 4)
    strides = [1, 2, 2, 1]
    return [
        tf.nn.conv2d_backprop_input([2, 5, 5, 3], w, dy, strides, "SAME", name="named"),
        tf.nn.conv2d_backprop_filter(x, [2, 2, 3, 4], dy, strides, "SAME"),
    ]


@case("Conv2DBackpropInput", each=["SAME", "VALID"])
def conv2d_transpose(tf, padding):
    x, w = image(tf, 2, 3, 3, 4), image(tf, 2, 2, 5, 4)
    shape = [2, 6, 6, 5]
    named = tf.nn.conv2d_transpose(
        input=x,
        filters=w,
        output_shape=tf.constant(shape),
        strides=[2, 2],
        padding=padding,
        name="named",
    )
    return [tf.nn.conv2d_transpose(x, w, shape, 2, padding), named]


@case("Conv2DBackpropInput")
def shape_of_conv2d_transpose_with_a_batch_of_any_size(tf):
    x, feed = fed(tf, varied(2, 3, 3, 4), shape=[None, 3, 3, 4])
    shape = tf.stack([tf.shape(x)[0], 6, 6, 5])
    return Program(tf.nn.conv2d_transpose(x, image(tf, 2, 2, 5, 4), shape, 2), feed=feed)


SMALL = ((1, 4, 4, 2), (2, 2, 2, 3))
WRONG = {
    "rank": ((4, 4, 2), (2, 2, 2, 3), {}, "Shape must be rank 4 but is rank 3"),
    "filter": ((1, 4, 4, 2), (2, 2, 2), {}, "Shape must be rank 4 but is rank 3"),
    "depth": (
        (1, 4, 4, 3),
        (2, 2, 2, 3),
        {},
        "Depth of input (3) is not a multiple of input depth of filter (2)",
    ),
    "groups": (
        (1, 4, 4, 4),
        (2, 2, 2, 3),
        {},
        "Depth of output (3) is not a multiple of the number of groups (2)",
    ),
    "empty": ((1, 4, 4, 0), (2, 2, 0, 3), {}, "Depth of filter must not be 0"),
    "size": (
        (1, 2, 2, 2),
        (3, 3, 2, 3),
        {},
        "Negative dimension size caused by subtracting 3 from 2",
    ),
    "stride": (*SMALL, {"strides": [1, 0, 1, 1]}, "Stride must be > 0, but got 0"),
    "strides": (
        *SMALL,
        {"strides": [1, 2, 3]},
        "strides should be of length 1, 2 or 4. Received: strides=[1, 2, 3] of length 3",
    ),
    "dilation": (*SMALL, {"dilations": [1, 0, 1, 1]}, "Dilation rate must be >= 1, but got 0"),
    "padding": (
        *SMALL,
        {"padding": "FULL"},
        'passed string \'FULL\' not in: "SAME", "VALID", "EXPLICIT".',
    ),
    "explicit": (*SMALL, {"padding": "EXPLICIT"}, "'EXPLICIT' is not a valid value for `padding`."),
    "pairs": (*SMALL, {"padding": [[0, 0]]}, "When padding is a list, it must be of size 4."),
    "pair": (
        *SMALL,
        {"padding": [[0, 0], [1], [0, 0], [0, 0]]},
        "with element at index 1 of size 1",
    ),
    "number": (
        *SMALL,
        {"padding": [[0, 0], 1, [0, 0], [0, 0]]},
        "with element at index 1 of type <class 'int'>",
    ),
}


def wrong(what):
    """A case for one of these mistakes, with its message."""

    @case("Conv2D", error=WRONG[what][3], each=[what])
    def conv2d_that_is_wrong(tf, what):
        x, w, more, _ = WRONG[what]
        return tf.nn.conv2d(tf.ones(x), tf.ones(w), **{"strides": 1, "padding": "VALID", **more})

    return conv2d_that_is_wrong


CONV2D_THAT_IS_WRONG = [wrong(what) for what in WRONG]


@case("Conv2D", error="input depth must be evenly divisible by filter depth: 3 vs 2")
def conv2d_of_other_depths_in_the_run(tf):
    x, w = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    return Program(
        tf.nn.conv2d(x, w, 1, "VALID"), feed={x: np.ones([1, 4, 4, 3]), w: np.ones([2, 2, 2, 3])}
    )


@case("Conv2D")
def conv2d_with_an_empty_filter(tf):
    return tf.nn.conv2d(tf.ones([1, 4, 4, 2]), tf.ones([2, 2, 2, 0]), 1, "VALID")


@case("Conv2D", error="does not yet support strides in the batch and depth dimensions.")
def conv2d_with_strides_over_the_batch(tf):
    return tf.nn.conv2d(tf.ones([2, 4, 4, 2]), tf.ones([2, 2, 2, 3]), [2, 1, 1, 1], "VALID")


@case(
    "Conv2DBackpropInput",
    error="Size of out_backprop doesn't match computed: actual = 4, computed = 3",
)
def conv2d_backprop_of_another_size(tf):
    w, dy = tf.ones([2, 2, 3, 4]), tf.ones([2, 4, 4, 4])
    return tf.nn.conv2d_backprop_input([2, 5, 5, 3], w, dy, [1, 2, 2, 1], "SAME")


# Pooling ------------------------------------------------------------------------------------------

POOLS = [
    (2, 2, "VALID"),
    (3, 2, "SAME"),
    ([3, 2], [1, 2], "SAME"),
    ([1, 2, 3, 1], 1, "VALID"),
    (1, 2, "SAME"),
]


def pooled(tf, name, x, ksize, strides, padding):
    return getattr(tf.nn, name)(x, ksize, strides, padding)


@case("MaxPool", "AvgPool", each=[(n, *p) for n in ("max_pool", "avg_pool") for p in POOLS])
def pooling(tf, name, ksize, strides, padding):
    return pooled(tf, name, image(tf, 2, 5, 6, 3), ksize, strides, padding)


@case("MaxPool", "AvgPool", each=FLOATS)
def pooling_of_other_types(tf, dtype):
    x = image(tf, 2, 5, 6, 3, dtype=dtype)
    return [
        tf.nn.max_pool(x, 2, 2, "VALID", name="named"),
        tf.nn.avg_pool(x, 2, 2, "SAME", name="n"),
    ]


@case("MaxPool", each=["int32", "int64", "uint8", "int8"])
def max_pool_of_integers(tf, dtype):
    x = tf.constant(np.arange(32).reshape(1, 4, 4, 2) % 7, dtype)
    return tf.nn.max_pool2d(x, 3, 2, "SAME")


@case("MaxPool", "AvgPool")
def other_names_of_pooling(tf):
    x = image(tf, 2, 4, 4, 3)
    return [
        tf.nn.max_pool2d(x, 2, 2, "VALID"),
        tf.nn.avg_pool2d(x, 2, 2, "VALID"),
        tf.nn.max_pool(input=x, value=None, ksize=2, strides=2, padding="VALID"),
        tf.nn.max_pool(x, 2, 1, [[0, 0], [1, 0], [0, 1], [0, 0]]),
    ]


@case("MaxPool")
def max_pool_over_channels(tf):
    return tf.nn.max_pool(image(tf, 2, 3, 3, 4), [1, 1, 1, 2], [1, 1, 1, 2], "VALID")


@case("MaxPool", "AvgPool", each=[None, [None] * 4, [None, 4, None, 3]])
def static_shapes_of_pooling(tf, shape):
    x, feed = fed(tf, varied(2, 4, 5, 3), shape=shape)
    results = [tf.nn.max_pool(x, 2, 2, "VALID"), tf.nn.avg_pool(x, 3, 2, "SAME")]
    return Program(results, feed=feed)


@case(
    "MaxPoolGrad",
    "AvgPoolGrad",
    graph="types",
    each=[(n, *p) for n in ("max_pool", "avg_pool") for p in POOLS],
)
def gradients_of_pooling(tf, name, ksize, strides, padding):
    y = pooled(tf, name, x := image(tf, 2, 5, 6, 3), ksize, strides, padding)
    return tf.gradients(y * y, x)


@case("MaxPoolGrad", graph="types")
def gradient_of_max_pool_with_equal_numbers(tf):
    x = tf.ones([1, 4, 4, 1])
    return tf.gradients(tf.nn.max_pool(x, 3, 1, "SAME"), x)


@case("MaxPoolGradGrad", "AvgPoolGrad", graph="types", each=["max_pool", "avg_pool"])
def second_gradients_of_pooling(tf, name):
    x = image(tf, 2, 5, 6, 3)
    y = pooled(tf, name, x, 2, 2, "SAME")
    (first,) = tf.gradients(y * y, x)
    return tf.gradients(first * first, x)


WRONG_POOLS = {
    "size": {"ksize": 5},
    "stride": {"strides": [1, 0, 2, 1]},
    "ksize": {"ksize": [1, 2, 2]},
    "padding": {"padding": "FULL"},
    "rank": {"shape": (4, 4, 1)},
    "batch": {"ksize": [2, 2, 2, 1]},
    "zero": {"ksize": [1, 0, 2, 1]},
}


@case(
    "MaxPool",
    "AvgPool",
    error="",
    each=[(n, w) for n in ("max_pool", "avg_pool") for w in WRONG_POOLS],
)
def pooling_that_is_wrong(tf, name, what):
    given = {
        "shape": (1, 4, 4, 1),
        "ksize": 2,
        "strides": 2,
        "padding": "VALID",
        **WRONG_POOLS[what],
    }
    return getattr(tf.nn, name)(tf.ones(given.pop("shape")), **given)


@case(
    "MaxPool",
    error="tensor_in_shape must have 2 spatial dimensions. 3 0",
    each=["max_pool", "avg_pool"],
)
def pooling_of_another_rank_in_the_run(tf, name):
    x, feed = fed(tf, np.ones([4, 4, 1]))
    return Program(pooled(tf, name, x, 2, 2, "VALID"), feed=feed)


@case(
    "MaxPool",
    error="Negative dimension size caused by subtracting 5 from 4",
    each=["max_pool", "avg_pool"],
)
def pooling_of_windows_that_are_too_large(tf, name):
    return pooled(tf, name, tf.ones([1, 4, 4, 1]), 5, 1, "VALID")


@case("AvgPool", error="not in list of allowed values")
def avg_pool_of_integers(tf):
    return tf.nn.avg_pool(tf.ones([1, 4, 4, 1], tf.int32), 2, 2, "VALID")
