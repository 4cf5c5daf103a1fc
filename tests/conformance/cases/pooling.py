"""Pooling of sequences, of volumes, by rank; and where the largest numbers were."""

import numpy as np

from tests.conformance.cases.convolution import image, varied
from tests.conformance.nodes import node
from tests.conformance.registry import Program, case
from tests.conformance.values import fed

BOTH = ["max_pool3d", "avg_pool3d"]
POOLS = [
    (2, 2, "VALID"),
    (2, 1, "SAME"),
    ([1, 2, 3, 1, 1], [1, 2, 1, 3, 1], "SAME"),
    (3, 2, "SAME"),
]


# Volumes ------------------------------------------------------------------------------------------


@case("MaxPool3D", "AvgPool3D", each=[(n, *p) for n in BOTH for p in POOLS])
def pooling_of_volumes(tf, name, ksize, strides, padding):
    return getattr(tf.nn, name)(image(tf, 2, 3, 4, 5, 2), ksize, strides, padding)


@case("MaxPool3D", "AvgPool3D", graph="types", each=BOTH)
def pooling_of_volumes_of_bfloat16(tf, name):
    x = image(tf, 1, 3, 3, 4, 2, dtype="bfloat16")
    y = getattr(tf.nn, name)(x, 2, 2, "SAME", name="named")
    return [y, tf.gradients(y, x)]


@case("MaxPool3DGrad", "AvgPool3DGrad", graph="types", each=[(n, *p) for n in BOTH for p in POOLS])
def gradients_of_pooling_of_volumes(tf, name, ksize, strides, padding):
    x = image(tf, 2, 3, 4, 5, 2)
    y = getattr(tf.nn, name)(x, ksize, strides, padding)
    return tf.gradients(y * y, x)


@case("MaxPool3DGrad")
def gradient_of_max_pool3d_with_equal_numbers(tf):
    x = tf.ones([1, 3, 3, 3, 1])
    return tf.gradients(tf.nn.max_pool3d(x, 2, 1, "SAME"), x)


@case("MaxPool3DGradGrad", "AvgPool3DGrad", graph="types", each=BOTH)
def second_gradients_of_pooling_of_volumes(tf, name):
    x = image(tf, 1, 3, 3, 4, 2)
    (first,) = tf.gradients(getattr(tf.nn, name)(x, 2, 2, "SAME") ** 2, x)
    return tf.gradients(first * x, x)


@case("MaxPool3DGrad", graph="types")
def third_gradients_of_max_pool3d(tf):
    x, z = image(tf, 1, 3, 3, 4, 1), image(tf, 1, 3, 3, 4, 1)
    y = tf.nn.max_pool3d(x, 2, 2, "SAME")
    (first,) = tf.gradients(y, x, z[:, :2, :2, :2])
    (second,) = tf.gradients(first * first, z)
    return tf.gradients(second * second, z)


@case("MaxPool3D", "AvgPool3D", each=[None, [None, 3, None, 5, None], [2, None, None, None, 2]])
def static_shapes_of_pooling_of_volumes(tf, shape):
    x, feed = fed(tf, varied(2, 3, 4, 5, 2), shape=shape)
    results = [tf.nn.max_pool3d(x, 2, 2, "VALID"), tf.nn.avg_pool3d(x, 3, 2, "SAME")]
    results += [tf.gradients(y, x) for y in results]
    return Program(results, feed=feed)


WRONG = {
    "batch": ([2, 2, 2, 2, 1], 1, "Pooling is not yet supported on the batch dimension"),
    "zero": (0, 1, "Sliding window ksize for dimension 1"),
    "stride": (2, 0, "Stride must be > 0, but got 0"),
    "large": (7, 1, "Negative dimension size caused by subtracting 7 from 3"),
    "length": ([1, 2], 1, "ksize should be of length 1, 3 or 5. Received: ksize=[1, 2]"),
}


@case("MaxPool3D", error="", each=[(n, w) for n in BOTH for w in WRONG])
def pooling_of_volumes_that_is_wrong(tf, name, what):
    ksize, strides, _ = WRONG[what]
    return getattr(tf.nn, name)(image(tf, 1, 3, 4, 5, 2), ksize, strides, "VALID")


@case("MaxPool3D", error="Shape must be rank 5 but is rank 4", each=BOTH)
def pooling_of_volumes_that_are_images(tf, name):
    return getattr(tf.nn, name)(image(tf, 3, 4, 5, 2), 2, 2, "VALID")


@case("MaxPool3DGradGrad", error="Dimension 1 in both shapes must be equal, but are 3 and 2")
def second_gradients_of_other_shapes(tf):
    x, y = image(tf, 1, 3, 3, 3, 1), image(tf, 1, 2, 2, 2, 1)
    attrs = {"ksize": [1, 2, 2, 2, 1], "strides": [1, 1, 1, 1, 1], "padding": "VALID"}
    return node(tf, "MaxPool3DGradGrad", [x, y, y], T=tf.float32, **attrs)


# By rank ------------------------------------------------------------------------------------------


@case("MaxPool", "AvgPool", each=[(2, 2, "VALID"), ([1, 3, 1], [2], "SAME"), (1, 1, "SAME")])
def pooling_of_sequences(tf, ksize, strides, padding):
    x = image(tf, 2, 7, 3)
    return [
        tf.nn.max_pool1d(x, ksize, strides, padding),
        tf.nn.avg_pool1d(x, ksize, strides, padding),
        tf.nn.max_pool1d(x, ksize, strides, padding, None, "named"),
        tf.nn.avg_pool1d(x, ksize, strides, padding, name="other"),
    ]


@case("MaxPool")
def explicit_padding_of_sequences(tf):
    return tf.nn.max_pool1d(image(tf, 2, 7, 3), 2, 2, [[0, 0], [1, 0], [0, 0]])


@case("MaxPool", error="When padding is a list, it must be of size 3")
def explicit_padding_of_too_much(tf):
    return tf.nn.max_pool1d(image(tf, 2, 7, 3), 2, 2, [[0, 0], [1, 0], [0, 0], [0, 0]])


@case("MaxPool", "AvgPool", each=[(2, 7, 3), (2, 5, 6, 3), (2, 3, 4, 5, 2)])
def pooling_by_rank(tf, *shape):
    x = image(tf, *shape)
    return [
        tf.nn.max_pool_v2(x, 2, 2, "SAME"),
        tf.nn.avg_pool_v2(x, 2, 1, "VALID"),
        tf.nn.max_pool_v2(x, 2, 1, "VALID", name="named"),
        tf.nn.avg_pool_v2(x, 2, 1, "VALID", name="other"),
    ]


@case("MaxPool", error="`input.shape.rank` must be 3, 4 or 5", each=["max_pool_v2", "avg_pool_v2"])
def pooling_by_rank_of_vectors(tf, name):
    return getattr(tf.nn, name)(image(tf, 3), 2, 2, "SAME")


@case("MaxPool3D", error="Explicit padding is not supported with an input tensor of rank 5")
def explicit_padding_of_volumes(tf):
    return tf.nn.max_pool_v2(image(tf, 1, 2, 2, 2, 1), 2, 2, [[0, 0]] * 5)


RANKS = [((2, 7, 3), [2]), ((2, 5, 6, 3), [2, 3]), ((2, 3, 4, 5, 2), [1, 2, 3])]


@case(
    "MaxPool", "AvgPool", "MaxPool3D", "AvgPool3D", each=[(r, p) for r in (0, 1, 2) for p in (0, 1)]
)
def pool(tf, rank, is_same):
    shape, window = RANKS[rank]
    x, padding = image(tf, *shape), ("VALID", "SAME")[is_same]
    return [
        tf.nn.pool(x, window, "MAX", padding),
        tf.nn.pool(x, window, "AVG", padding, strides=window),
        tf.nn.pool(x, window, "AVG", padding, name="named"),
    ]


@case("MaxPool", "AvgPool", "SpaceToBatchND", "BatchToSpaceND", each=[0, 1, 2])
def dilated_pool(tf, rank):
    shape, window = RANKS[rank]
    x, rates = image(tf, *shape), [2, 1, 2][: len(window)]
    results = [tf.nn.pool(x, window, kind, "VALID", rates) for kind in ("MAX", "AVG")]
    results.append(tf.nn.pool(x, window, "MAX", "VALID", name="named", dilations=rates))
    return [results, tf.gradients(results[0] ** 2, x)]


WRONG_POOLS = {
    "kind": {"pooling_type": "MIN"},
    "windows": {"window_shape": [1, 1, 1, 1]},
    "rank": {"window_shape": [2, 2, 2]},
    "format": {"window_shape": [2], "data_format": "NHWC"},
    "same": {"padding": "SAME", "dilation_rate": [2, 2]},
    "both": {"strides": [2, 2], "dilation_rate": [2, 2]},
    "large": {"strides": [3, 3]},
    "zero": {"strides": [0, 1]},
    "rates": {"dilation_rate": [0, 1]},
    "lengths": {"strides": [1]},
    "rates' lengths": {"dilation_rate": [1]},
}


@case("MaxPool", error="", each=WRONG_POOLS)
def pool_that_is_wrong(tf, what):
    x = image(tf, 2, 5, 3) if what == "format" else image(tf, 2, 5, 6, 3)
    how = {"window_shape": [2, 2], "pooling_type": "MAX", "padding": "VALID"} | WRONG_POOLS[what]
    return tf.nn.pool(x, **how)


# And where they were ------------------------------------------------------------------------------

ARGMAX = [([1, 2, 2, 1], [1, 2, 2, 1], "VALID"), ([1, 3, 2, 1], [1, 2, 1, 1], "SAME")]


@case("MaxPoolWithArgmax", "MaxPoolGradWithArgmax", each=[(*w, b) for w in ARGMAX for b in (0, 1)])
def max_pool_with_argmax(tf, ksize, strides, padding, whole):
    x = image(tf, 2, 4, 5, 3)
    how = {"include_batch_in_index": bool(whole)}
    y, places = tf.nn.max_pool_with_argmax(x, ksize, strides, padding, **how)
    short = tf.nn.max_pool_with_argmax(x, ksize, strides, padding, output_dtype=tf.int32, name="n")
    return [y, places, short, tf.gradients(y * y, x)]


@case("MaxPoolWithArgmax", each=["float16", "bfloat16", "float64", "int32", "uint8"])
def max_pool_with_argmax_of_other_types(tf, dtype):
    x = tf.constant(np.round(varied(1, 4, 4, 2) * 4 + 4), dtype)
    return tf.nn.max_pool_with_argmax(x, [1, 2, 2, 1], [1, 1, 1, 1], "SAME", Targmax=tf.int32)


@case("MaxPoolWithArgmax", "MaxPoolGradWithArgmax")
def max_pool_with_argmax_of_equal_numbers(tf):
    x = tf.ones([1, 3, 3, 1])
    y, places = tf.nn.max_pool_with_argmax(x, [1, 2, 2, 1], [1, 1, 1, 1], "SAME")
    return [places, tf.gradients(y, x)]


@case("MaxPoolWithArgmax", "MaxPoolGradWithArgmax", each=[None, [None, 4, None, 2]])
def static_shapes_of_max_pool_with_argmax(tf, shape):
    x, feed = fed(tf, varied(2, 4, 4, 2), shape=shape)
    y, places = tf.nn.max_pool_with_argmax(x, [1, 2, 2, 1], [1, 1, 1, 1], "VALID")
    return Program([y, places, tf.gradients(y, x)], feed=feed)


@case("MaxPoolWithArgmax", error="`data_format` values other  than 'NHWC' are not supported")
def max_pool_with_argmax_of_channels_first(tf):
    x = image(tf, 1, 2, 4, 4)
    return tf.nn.max_pool_with_argmax(x, [1, 1, 2, 2], [1, 1, 1, 1], "VALID", data_format="NCHW")


@case("MaxPoolGradWithArgmax", error="", graph="any")
def second_gradient_of_max_pool_with_argmax(tf):
    x = image(tf, 1, 4, 4, 2)
    y, _ = tf.nn.max_pool_with_argmax(x, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")
    (first,) = tf.gradients(y * y, x)
    return tf.gradients(first * x, x)


@case("MaxPoolGradWithArgmax", error="", each=["grad", "argmax"])
def gradients_of_places_of_other_shapes(tf, what):
    x, shape = image(tf, 1, 4, 4, 1), [1, 2, 2, 1]
    grad = tf.ones([1, 2, 1, 1] if what == "grad" else shape)
    places = tf.constant(3, tf.int64, [1, 1, 2, 1] if what == "argmax" else shape)
    attrs = {"ksize": shape, "strides": shape, "padding": "VALID", "Targmax": tf.int64}
    return node(tf, "MaxPoolGradWithArgmax", [x, grad, places], T=tf.float32, **attrs)
