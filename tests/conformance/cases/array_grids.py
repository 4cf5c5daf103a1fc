"""Coordinates, masks, evenly spaced numbers, repeated elements."""

import numpy as np

from tests.conformance.nodes import node
from tests.conformance.registry import Program, case
from tests.conformance.values import KINDS, fed, numbers


@case("Mul", "Reshape", each=["float32", "int32", "int64", "complex64"])
def meshgrid(tf, dtype):
    x, y, z = (numbers(tf, size, dtype=dtype) for size in (2, 3, 2))
    return [
        tf.meshgrid(x, y),
        tf.meshgrid(x, y, z),
        tf.meshgrid(x, y, z, indexing="ij"),
        tf.meshgrid(x, name="named"),
        tf.meshgrid(y, x, indexing="ij"),
    ]


@case("Mul")
def meshgrid_of_lists(tf):
    x, feed = fed(tf, [1.0, 2.0], shape=[None])
    return Program([tf.meshgrid([1, 2], [3]), tf.meshgrid(x, [1.0])], feed=feed)


@case("Mul", error="must be either 'xy' or 'ij', got 'yx'")
def meshgrid_in_an_unknown_order(tf):
    return tf.meshgrid([1], [2], indexing="yx")


@case("Mul", error="'foo' is an invalid keyword argument for this function")
def meshgrid_with_an_unknown_keyword(tf):
    return tf.meshgrid([1], [2], foo=1)


@case("Less", "Range", each=["int32", "int64", "float32"])
def sequence_mask(tf, dtype):
    lengths, feed = fed(tf, [1, 0, 3], dtype)
    n = tf.placeholder(tf.int32, [])
    return Program(
        [
            tf.sequence_mask(tf.constant([1, 0, 3], dtype)),
            tf.sequence_mask([[1], [2]], 4),
            tf.sequence_mask(tf.constant(2, dtype), 3, tf.float32, name="named"),
            tf.sequence_mask(lengths),
            tf.sequence_mask(lengths, n, tf.int64),
            tf.sequence_mask(np.int32([]), 2),
            tf.sequence_mask([1], dtype=None),
        ],
        feed={**feed, n: 5},
    )


@case("Less", error="Argument `maxlen` must be scalar for sequence_mask, received")
def sequence_mask_with_lengths_of_rows(tf):
    return tf.sequence_mask([1, 2], [3, 4])


# Evenly spaced --------------------------------------------------------------------------------


@case("ConcatV2", "Range")
def linspace(tf):
    n, feed = fed(tf, 4, "int32", [])
    return Program(
        [
            tf.linspace(0.0, 1.0, 5),
            tf.lin_space(1.0, 1.0, 3, name="named"),
            tf.linspace(0, 10, 4),
            tf.linspace([0.0, 1.0], [10.0, 2.0], 3),
            tf.linspace([0.0, 1.0], 5.0, 3, axis=-1),
            tf.linspace(np.float64(2), 1.0, 1),
            tf.linspace(0.0, 1.0, 0),
            tf.linspace(0.0, 1.0, n),
            tf.linspace(0.0, 1.0, 2),
            tf.linspace(np.float16(0), np.float16(1), np.int64(3)),
        ],
        feed=feed,
    )


@case("Range", error="Requires start <= limit when delta > 0: 1/-1")
def linspace_of_a_negative_number(tf):
    return tf.linspace(0.0, 1.0, -1)


@case("Range", error="Argument `tensor` (name: num) must be of type integer.")
def linspace_of_half_a_number(tf):
    return tf.linspace(0.0, 1.0, 2.5)


@case("ConcatV2", graph="types")
def gradient_of_linspace(tf):
    start, stop = tf.constant(1.0), tf.constant(3.0)
    y = tf.linspace(start, stop, 4)
    return tf.gradients(y * y, [start, stop])


def _lin_space(tf, start, stop, num, dtype="float32"):
    types = {"T": tf.as_dtype(dtype), "Tidx": tf.int32}
    return node(tf, "LinSpace", [start, stop, num], **types)[0]


@case("LinSpace", each=["float32", "float64"])
def linspace_of_old_graphs(tf, dtype):
    start, stop = tf.constant(0.5, dtype), tf.constant(2.0, dtype)
    n, feed = fed(tf, 3, "int32")
    sizes = [tf.constant(1), tf.constant(2), tf.constant(7), n]
    return Program([_lin_space(tf, start, stop, size, dtype) for size in sizes], feed=feed)


@case("LinSpace", error="", each=[(0.0, 0), ((0.0,), 2)])
def linspace_of_old_graphs_that_does_not_fit(tf, start, num):
    return _lin_space(tf, tf.constant(start), tf.constant(1.0), tf.constant(num))


@case("LinSpace", error="", each=[(0.0, 0), ((0.0,), 2)])
def linspace_of_old_graphs_that_fails_in_the_run(tf, start, num):
    x, n = tf.placeholder(tf.float32), tf.placeholder(tf.int32)
    return Program(_lin_space(tf, x, tf.constant(1.0), n), feed={x: start, n: num})


# Repeated -------------------------------------------------------------------------------------


@case("Tile", "Where", each=KINDS)
def repeat(tf, dtype):
    x = numbers(tf, 2, 3, dtype=dtype)
    return [
        tf.repeat(x, 2),
        tf.repeat(x, 2, axis=1),
        tf.repeat(x[0], [2, 0, 1]),
        tf.repeat(x, [1, 2], axis=0),
        tf.repeat(x, [0, 2, 1], axis=-1, name="named"),
        tf.repeat(numbers(tf, dtype=dtype), 3),
        tf.repeat(x, [3], axis=0),
    ]


@case("Tile")
def repeat_of_unknown_shape(tf):
    x, feed = fed(tf, np.arange(6.0).reshape(2, 3))
    n = tf.placeholder(tf.int32)
    y = tf.placeholder(tf.float32, [None, None])
    return Program(
        [tf.repeat(x, n), tf.repeat(x, 2, axis=1), tf.repeat(y, [1, 2], axis=0)],
        feed={**feed, n: [1, 2, 0, 0, 1, 1], y: np.ones([2, 1])},
    )


@case("Tile", error="axis=2 out of bounds: expected -1<=axis<1")
def repeat_along_an_axis_that_is_not_there(tf):
    return tf.repeat(numbers(tf, 2), 2, axis=2)


@case("Tile", error="Argument `axis` must be an int.")
def repeat_along_a_computed_axis(tf):
    return tf.repeat(numbers(tf, 2), 2, axis=tf.constant(0))


@case("Tile", error="must be of type integer.")
def repeat_half_a_time(tf):
    return tf.repeat(numbers(tf, 2), 0.5)


@case("Tile", error="Dimensions 2 and 3 are not compatible")
def repeat_with_too_many_numbers(tf):
    return tf.repeat(numbers(tf, 2), [1, 2, 3])


@case("Tile", graph="types")
def gradient_of_repeat(tf):
    x = numbers(tf, 2, 3)
    y = tf.repeat(x, [2, 0, 1], axis=1)
    return tf.gradients(y * y, x)


# No elements ----------------------------------------------------------------------------------


@case("FloorMod", "FloorDiv", "TruncateDiv", "TruncateMod")
def nothing_divided_by_zero(tf):
    x, feed = fed(tf, np.int32([]), "int32")
    functions = (tf.floormod, tf.floordiv, tf.truncatediv, tf.truncatemod)
    return Program([f(x, 0) for f in functions] + [f(x, [0]) for f in functions], feed=feed)
