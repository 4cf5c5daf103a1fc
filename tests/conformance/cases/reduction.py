"""Reductions, indices of extremes, running sums, ranges, segments."""

import numpy as np

from tests.conformance.nodes import node
from tests.conformance.registry import Program, case
from tests.conformance.values import fed

FLOATS = ["float16", "bfloat16", "float32", "float64"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
COMPLEX = ["complex64", "complex128"]
SUMS = ["reduce_sum", "reduce_mean", "reduce_prod"]
EXTREMES = ["reduce_max", "reduce_min"]
LOGICAL = ["reduce_all", "reduce_any"]
NUMERIC = [(n, d) for n in SUMS for d in FLOATS + INTEGERS + COMPLEX] + [
    (n, d) for n in EXTREMES for d in FLOATS + INTEGERS
]
TYPES = ("Sum", "Mean", "Prod", "Max", "Min")


def values(tf, *shape, dtype="float32"):
    array = np.arange(np.prod(shape, dtype=int)).reshape(shape) * 7 % 5 + 1
    return tf.constant(array, dtype)


def truths(tf):
    return tf.constant([[True, True, False], [True, False, False]])


# Values -------------------------------------------------------------------------------------------


@case(*TYPES, each=NUMERIC)
def reduce(tf, name, dtype):
    x = values(tf, 2, 3, 2, dtype=dtype)
    function = getattr(tf, name)
    return [
        function(x),
        function(x, 1),
        function(x, [0, -1]),
        function(x, axis=[-2], keepdims=True),
        function(x[0, 0, 0]),
        function(x, []),
        function(x, keepdims=True),
    ]


@case("All", "Any", each=LOGICAL)
def reduce_truths(tf, name):
    x, function = truths(tf), getattr(tf, name)
    return [
        function(x),
        function(x, 0),
        function(x, [1], keepdims=True),
        function(x[0, 0]),
        function(x[:0]),
        function(x[:0], 0),
        function([True, False]),
    ]


@case(*TYPES, each=SUMS + EXTREMES)
def reduce_nothing(tf, name):
    function = getattr(tf, name)
    return [
        function(tf.zeros([0])),
        function(tf.zeros([0, 2], tf.float64), 0),
        function(tf.zeros([0, 2], tf.int32), 0),
        function(tf.zeros([2, 0], tf.float16), 0),
        function(tf.zeros([2, 0], tf.bfloat16), 1),
        function(tf.zeros([0], tf.uint8)),
    ]


@case(*TYPES, each=SUMS + EXTREMES)
def reduce_what_is_no_number(tf, name):
    x = tf.constant([[1.0, np.nan, 2.0], [np.inf, 1.0, -np.inf], [np.inf, 1.0, 2.0]])
    return getattr(tf, name)(x, 1)


@case("Mean", "Sum")
def integers_wrap_in_sums_but_not_in_means(tf):
    x, y = tf.constant([100, 100, 101], tf.int8), tf.constant([200, 200, 201], tf.uint8)
    z = tf.constant([-1, -2])
    return [
        tf.reduce_sum(x),
        tf.reduce_mean(x),
        tf.reduce_mean(y),
        tf.reduce_sum(y),
        tf.reduce_mean(z),
        tf.reduce_mean([1, 2, 2]),
    ]


@case("Sum", "Mean", each=["float16", "bfloat16"])
def short_floats_are_summed_in_long_ones(tf, dtype):
    x = tf.fill([5000], tf.constant(1, dtype))
    return [tf.reduce_sum(x), tf.reduce_mean(x)]


# Axes ---------------------------------------------------------------------------------------------

ALL_REDUCTIONS = [*SUMS, *EXTREMES]


@case(*TYPES, "Range", "Rank", each=ALL_REDUCTIONS)
def all_axes_of_an_unknown_rank(tf, name):
    x, feed = fed(tf, [[1.0, 2.0], [3.0, 5.0]])
    y, more = fed(tf, [[1.0, 2.0], [3.0, 5.0]], shape=[None, 2])
    function = getattr(tf, name)
    return Program(
        [
            function(x),
            function(x, 1),
            function(x, -1, keepdims=True),
            function(x, keepdims=True),
            function(y),
            function(y, 0),
            function(y, 1),
            function([1.0, 2.0]),
            function(np.ones([2], np.float32)),
            function(7.0),
        ],
        feed={**feed, **more},
    )


@case("Sum", "All", each=[(n, d) for n in ("reduce_sum", "reduce_all") for d in ("int32", "int64")])
def axes_that_are_fed(tf, name, dtype):
    x = values(tf, 2, 3) if name == "reduce_sum" else truths(tf)
    axis = tf.placeholder(dtype)
    feeds = [{axis: 1}, {axis: [0, -1]}, {axis: [[1]]}]
    function = getattr(tf, name)
    fetches = [function(x, axis, keepdims=True), function(x, axis)]
    return Program(fetches, feed=feeds)


@case("Sum")
def axes_as_tensors(tf):
    x = values(tf, 2, 3)
    return [
        tf.reduce_sum(x, tf.constant(1)),
        tf.reduce_sum(x, tf.constant([0, 1], tf.int64)),
        tf.reduce_sum(x, tf.range(2)),
        tf.reduce_sum(x, np.int64(0)),
        tf.reduce_sum(x, (0, 1)),
        tf.reduce_sum(x, np.array([0])),
    ]


@case("Sum", "Mean")
def names_of_tensorflow_1(tf):
    x = values(tf, 2, 3)
    return [
        tf.reduce_sum(x, reduction_indices=1),
        tf.reduce_mean(x, 0, keep_dims=True),
        tf.reduce_sum(x, 0, True, "named"),
        tf.reduce_max(x, name="largest"),
    ]


@case("Sum", error="Invalid reduction dimension 2 for input with 2 dimensions.")
def an_axis_out_of_range(tf):
    return tf.reduce_sum(tf.ones([1, 1]), 2)


@case("Max", error="Invalid reduction dimension -3 for input with 2 dimensions.")
def a_negative_axis_out_of_range(tf):
    return tf.reduce_max(tf.ones([1, 1]), -3)


@case(
    "Sum",
    error="Invalid reduction dimension (",
    each=[(n, a) for n in ("reduce_sum", "reduce_max", "reduce_mean") for a in (2, -3)],
)
def a_fed_axis_out_of_range(tf, name, axis):
    indices, feed = fed(tf, axis, "int32")
    return Program(getattr(tf, name)(tf.ones([1, 1]), indices), feed=feed)


@case("Sum", error="Invalid reduction arguments: Axes contains duplicate dimension: 0")
def an_axis_given_twice(tf):
    return tf.reduce_sum(tf.ones([1, 1]), [0, -2])


@case("Sum", error="Shape must be at most rank 1 but is rank 2")
def axes_of_rank_two(tf):
    return tf.reduce_sum(tf.ones([1, 1]), [[0]])


@case("Sum", error="Cannot specify both 'keep_dims' and 'keepdims'.")
def keepdims_by_both_names(tf):
    return tf.reduce_sum(tf.ones([1]), keepdims=True, keep_dims=True)


@case("Sum", error="Cannot specify both 'reduction_indices' and 'axis'.")
def axis_by_both_names(tf):
    return tf.reduce_sum(tf.ones([1]), axis=0, reduction_indices=0)


@case("Sum", error="Value passed to parameter 'input' has DataType bool not in list of allowed")
def sum_of_truths(tf):
    return tf.reduce_sum(tf.constant([True]))


@case(
    "All",
    error="Input 'input' of 'All' Op has type float32 that does not match expected type of bool",
)
def all_of_numbers(tf):
    return tf.reduce_all(tf.constant([1.0]))


# Made of others -----------------------------------------------------------------------------------


@case("Log", "Exp", "Max")
def reduce_logsumexp(tf):
    x = tf.constant([[1.0, 2.0, 1000.0], [-1000.0, 0.0, 1.0], [-np.inf, -np.inf, -np.inf]])
    return [
        tf.reduce_logsumexp(x, 1),
        tf.reduce_logsumexp(x, [1], keepdims=True),
        tf.reduce_logsumexp(x[:2]),
    ]


@case("Log", "Range")
def reduce_logsumexp_of_unknown_shape(tf):
    x, feed = fed(tf, [[1.0, 2.0]])
    return Program([tf.reduce_logsumexp(x), tf.reduce_logsumexp(x, -1)], feed=feed)


@case("NotEqual", "Sum")
def count_nonzero(tf):
    x = tf.constant([[1.0, 0.0, 2.0], [0.0, 0.0, np.nan]])
    return [
        tf.count_nonzero(x),
        tf.count_nonzero(x, 0),
        tf.count_nonzero(x, [1], keepdims=True),
        tf.count_nonzero([True, False]),
        tf.count_nonzero(x, dtype=tf.int32),
        tf.count_nonzero(tf.constant(["", "a"])),
    ]


# Indices ------------------------------------------------------------------------------------------


@case("ArgMax", "ArgMin", each=[*FLOATS, *INTEGERS])
def indices_of_extremes(tf, dtype):
    x = values(tf, 2, 3, dtype=dtype)
    return [
        tf.argmax(x),
        tf.argmin(x),
        tf.argmax(x, 1),
        tf.argmin(x, -1),
        tf.argmax(x[0]),
        tf.argmax(x, output_type=tf.int32),
        tf.argmin(x, 1, output_type=tf.int32),
    ]


@case("ArgMax", "ArgMin")
def indices_of_extremes_otherwise(tf):
    x, feed = fed(tf, [[1.0, 3.0], [2.0, 3.0]])
    y, more = fed(tf, [[1.0, 3.0], [2.0, 3.0]], shape=[None, 2])
    axis, rest = fed(tf, 1, "int32", [])
    return Program(
        [
            tf.argmax(x, 1),
            tf.argmax(y, 0),
            tf.argmax(y, axis),
            tf.argmin(x, axis),
            tf.argmax([[1, 2]], dimension=1),
            tf.argmax(tf.zeros([0, 2]), 1),
            tf.argmax([1.0, np.nan, 3.0, 3.0]),
            tf.argmin([np.nan, 1.0, 0.5, 0.5]),
            tf.arg_max([1, 2], 0),
            tf.arg_min([1, 2], 0),
            tf.argmax(tf.constant([False, True])),
        ],
        feed={**feed, **more, **rest},
    )


@case("ArgMax", error="Dimension (2) must be in the range [-2, 2), where 2 is the number of")
def argmax_of_an_axis_out_of_range(tf):
    return tf.argmax(tf.ones([2, 2]), 2)


@case("ArgMax", error="Expected dimension in the range [-1, 1), but got 1")
def argmax_of_a_fed_axis_out_of_range(tf):
    axis, feed = fed(tf, 1, "int32")
    return Program(tf.argmax([1.0], axis), feed=feed)


@case("ArgMax", error="dim must be a scalar, but received tensor of shape: [1]")
def argmax_of_an_axis_in_a_list(tf):
    axis, feed = fed(tf, [0], "int32")
    return Program(tf.argmax([1.0], axis), feed=feed)


@case("ArgMax", error="Reduction axis 0 is empty in shape [0,2]")
def argmax_of_nothing(tf):
    return tf.argmax(tf.zeros([0, 2]))


@case("ArgMax", error="Expected dimension in the range [0, 0), but got 0")
def argmax_of_a_scalar(tf):
    return tf.argmax(1.0)


# Gradients ----------------------------------------------------------------------------------------

GRADIENTS = [(n, a) for n in ALL_REDUCTIONS for a in (None, 0, 1, [1], [0, 1], [0, -1], [])]


@case("Tile", "Reshape", "BroadcastTo", each=GRADIENTS)
def gradients_of_reductions(tf, name, axis):
    x = values(tf, 2, 3)
    y = getattr(tf, name)(x, axis)
    return tf.gradients(y, x, grad_ys=tf.ones_like(y) * 2.0)


@case("BroadcastTo", "DynamicStitch", each=GRADIENTS)
def gradients_of_unknown_shape(tf, name, axis):
    x, feed = fed(tf, [[1.0, 2.0, 2.0], [3.0, 0.0, 2.0]])
    y = getattr(tf, name)(x, axis)
    return Program(tf.gradients(y, x), feed=feed)


@case("BroadcastTo", each=GRADIENTS[::2])
def gradients_of_partly_known_shape(tf, name, axis):
    x, feed = fed(tf, [[1.0, 2.0, 2.0], [3.0, 0.0, 2.0]], shape=[None, 3])
    y = getattr(tf, name)(x, axis, keepdims=True)
    return Program(tf.gradients(y, x), feed=feed)


@case("Tile", each=ALL_REDUCTIONS)
def gradients_with_keepdims(tf, name):
    x = values(tf, 2, 3)
    y = getattr(tf, name)(x, 1, keepdims=True)
    return tf.gradients(y * y, x)


@case("Sum")
def gradients_of_several_reductions(tf):
    x = values(tf, 2, 3)
    y = tf.reduce_sum(x, 0) * tf.reduce_sum(x * x, 0)
    return tf.gradients(tf.reduce_mean(y) + tf.reduce_sum(x[0]), x)


@case("Sum")
def gradients_of_axes_that_are_fed(tf):
    x = values(tf, 2, 3)
    axis, feed = fed(tf, [1], "int32", [None])
    y = [tf.reduce_sum(x, axis), tf.reduce_mean(x, axis, keepdims=True), tf.reduce_max(x, axis)]
    return Program([tf.gradients(z, x) for z in y], feed=feed)


@case("Sum")
def gradients_of_a_scalar(tf):
    x = tf.constant(3.0)
    return [tf.gradients(tf.reduce_sum(x) * x, x), tf.gradients(tf.reduce_mean(x), x)]


@case("Prod")
def gradients_of_products_with_zeros(tf):
    x = tf.constant([[0.0, 2.0, 3.0], [0.0, 0.0, 3.0]])
    return tf.gradients(tf.reduce_prod(x, 1), x)


@case("Log")
def gradients_of_reduce_logsumexp(tf):
    x = values(tf, 2, 3)
    return tf.gradients(tf.reduce_logsumexp(x, 1), x)


@case("ArgMax")
def nothing_flows_through_indices(tf):
    x = tf.constant([1.0, 2.0])
    return tf.gradients(x * tf.cast(tf.argmax(x), tf.float32), x)


@case("Add")
def older_reductions_of_int64_axes(tf):
    x = values(tf, 2, 3)
    total = node(tf, "Sum", [x, tf.constant([1], tf.int64)], keep_dims=True)[0]
    return [node(tf, "Add", [total, total])[0], *tf.gradients(total, x)]
