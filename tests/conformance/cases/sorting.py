"""Elements by size, without repetitions, and places in what is sorted."""

import numpy as np

from tests.conformance.nodes import node
from tests.conformance.registry import Program, case
from tests.conformance.values import fed, numbers

REAL = ["float32", "float64", "float16", "int32", "int64", "int16", "int8", "uint8", "uint16"]


def mixed(tf, *shape, dtype="float32"):
    return tf.constant(np.arange(np.prod(shape)).reshape(shape) * 7 % 5, dtype)


@case("TopKV2", each=[*REAL, "bfloat16"])
def top_k(tf, dtype):
    x = mixed(tf, 2, 6, dtype=dtype)
    k, feed = fed(tf, 3, "int32", [])
    return Program(
        [
            tf.nn.top_k(x),
            tf.nn.top_k(x, 4),
            tf.math.top_k(x, 6, name="named"),
            tf.nn.top_k(x, 0),
            tf.nn.top_k(x, k),
            tf.nn.top_k(x[0], np.int64(2), index_type=tf.int64),
            tf.nn.top_k(x[:0], 2).indices,
        ],
        feed=feed,
    )


@case("TopKV2")
def top_k_of_unknown_shape(tf):
    x, y = tf.placeholder(tf.float32, [None, None]), tf.placeholder(tf.float32)
    return Program([tf.nn.top_k(x, 2), tf.nn.top_k(y, 1)], feed={x: [[1, 3, 2]], y: [4, 5]})


@case("TopKV2", "ScatterNd", graph="types")
def gradient_of_top_k(tf):
    x = mixed(tf, 2, 6)
    values, _ = tf.nn.top_k(x, 3)
    return tf.gradients(values * values, x)


TOPS = [((1.0, 3.0), 4), ((1.0, 3.0), -1), (1.0, 1), ((1.0,), (1,))]


@case("TopKV2", error="", each=TOPS)
def top_k_that_does_not_fit(tf, x, k):
    return tf.nn.top_k(tf.constant(x), k)


@case("TopKV2", error="", each=TOPS)
def top_k_that_does_not_fit_in_the_run(tf, given, number):
    x, k = tf.placeholder(tf.float32), tf.placeholder(tf.int32)
    return Program(tf.nn.top_k(x, k), feed={x: given, k: number})


@case("TopKV2", "Transpose", each=[*REAL, "uint32"])
def sort(tf, dtype):
    x = mixed(tf, 3, 4, dtype=dtype)
    return [
        tf.sort(x),
        tf.sort(x, axis=0),
        tf.sort(x, direction="DESCENDING"),
        tf.sort(x, 0, "DESCENDING", name="named"),
        tf.sort(x[0]),
        tf.sort(x[:0]),
        tf.argsort(x),
        tf.argsort(x, axis=-2),
        tf.argsort(x, 1, "DESCENDING", stable=True),
    ]


@case("TopKV2", "TensorScatterUpdate")
def sort_of_unknown_rank(tf):
    x, feed = fed(tf, [[3.0, 1.0], [2.0, 4.0]])
    return Program([tf.sort(x), tf.sort(x, axis=0), tf.argsort(x, axis=-2)], feed=feed)


@case("TopKV2", graph="types")
def gradient_of_sort(tf):
    x = mixed(tf, 3, 4)
    y = tf.sort(x, axis=0) * numbers(tf, 3, 4)
    return tf.gradients(y, x)


@case("TopKV2", error="should be one of ASCENDING, DESCENDING. Received: direction=up")
def sort_in_an_unknown_direction(tf):
    return tf.sort(mixed(tf, 2), direction="up")


@case("TopKV2", error="out of bounds.", each=[1, -2])
def sort_along_an_axis_that_is_not_there(tf, axis):
    return tf.sort(mixed(tf, 2), axis=axis)


@case("TopKV2", error="Argument `axis` must be a constant scalar. Received: axis=Tensor(")
def sort_along_a_list_of_axes(tf):
    return tf.argsort(mixed(tf, 2), axis=[0])


# Places ---------------------------------------------------------------------------------------


@case("LowerBound", "UpperBound", each=["float32", "float64", "int32", "int64", "int16", "uint8"])
def searchsorted(tf, dtype):
    x, y = tf.constant([1, 3, 3, 5], dtype), tf.constant([0, 1, 3, 6, 4], dtype)
    rows, values = tf.stack([x, x * 2]), tf.stack([y, y])
    return [
        tf.searchsorted(x, y),
        tf.searchsorted(x, y, side="right"),
        tf.searchsorted(rows, values, out_type=tf.int64),
        tf.searchsorted(rows, values, "right", name="named"),
        tf.searchsorted(x[:0], y),
    ]


@case("LowerBound")
def searchsorted_of_unknown_shape(tf):
    x, feed = fed(tf, [1.0, 2.0], shape=[None])
    return Program(tf.searchsorted(x, [0.0, 1.5, 3.0]), feed=feed)


@case("LowerBound", error="must be either 'right' or 'left'. Received: `side` = 'top'.")
def searchsorted_on_an_unknown_side(tf):
    return tf.searchsorted([1.0], [1.0], side="top")


@case(
    "LowerBound",
    "UpperBound",
    error="Leading dim_size of both tensors must match.",
    each=["LowerBound", "UpperBound"],
)
def searchsorted_with_too_few_rows(tf, which):
    inputs = [tf.constant([[1.0, 3.0]]), tf.constant([[1.0], [2.0]])]
    return node(tf, which, inputs, T=tf.float32, out_type=tf.int32)


@case("LowerBound", error="", each=[0, 1])
def searchsorted_of_a_vector(tf, in_the_run):
    x, feed = fed(tf, [1.0]) if in_the_run else (tf.constant([1.0]), None)
    return Program(node(tf, "LowerBound", [x, x], T=tf.float32, out_type=tf.int32), feed=feed)


# Without repetitions --------------------------------------------------------------------------


@case("Unique", "UniqueWithCounts", each=[*REAL, "string", "bool", "bfloat16"])
def unique(tf, dtype):
    x = tf.constant(["b", "a", "b", "", "c"]) if dtype == "string" else mixed(tf, 7, dtype="int32")
    x = x if dtype == "string" else tf.cast(x, dtype)
    return [
        tf.unique(x),
        tf.unique_with_counts(x, out_idx=tf.int64),
        tf.unique(x[:0]),
        tf.unique(x, tf.int64, name="named").idx,
        tf.unique_with_counts(x).count,
    ]


@case("Unique")
def unique_of_nan_and_zeros(tf):
    x, feed = fed(tf, [np.nan, 1.0, np.nan, 0.0, -0.0, 1.0])
    return Program(tf.unique(x), feed=feed)


@case("Unique", error="Shape must be rank 1 but is rank 2")
def unique_of_a_matrix(tf):
    return tf.unique(mixed(tf, 2, 2))


@case("UniqueWithCounts", error="unique expects a 1D vector.")
def unique_of_a_fed_matrix(tf):
    x, feed = fed(tf, [[1.0]])
    return Program(tf.unique_with_counts(x), feed=feed)
