"""Rows combined by segment: sorted, unsorted, and of chosen rows."""

import numpy as np

from tests.conformance.nodes import node
from tests.conformance.registry import Program, case
from tests.conformance.values import fed, numbers

REAL = ["float32", "float64", "float16", "int32", "int64", "int8", "uint8", "uint16"]
COMPLEX = ["complex64", "complex128"]
ALL = ["sum", "mean", "prod", "min", "max"]
UNSORTED = ["sum", "prod", "min", "max", "mean", "sqrt_n"]
SPARSE = ["sum", "mean", "sqrt_n"]


def values(tf, *shape, dtype="float32"):
    array = np.arange(np.prod(shape, dtype=int)).reshape(shape) * 7 % 5 + 1
    return tf.constant(array, dtype)


# Sorted ---------------------------------------------------------------------------------------


@case("SegmentSum", "SegmentMean", "SegmentProd", "SegmentMin", "SegmentMax", each=REAL)
def segments(tf, dtype):
    x, m = values(tf, 5, dtype=dtype), values(tf, 4, 3, dtype=dtype)
    functions = [getattr(tf, f"segment_{what}") for what in ALL]
    ids = np.int64([0, 0, 1, 3])
    return (
        [f(x, [0, 0, 2, 2, 2]) for f in functions]
        + [f(m, ids) for f in functions]
        + [f(m[:0], np.int32([]), name="named") for f in functions]
        + [f(m[:, :0], [1, 1, 2, 2]) for f in functions]
    )


@case("SegmentSum", "SegmentMean", "SegmentProd", each=COMPLEX)
def segments_of_complex_numbers(tf, dtype):
    x = values(tf, 5, dtype=dtype) * tf.constant(1 + 2j, dtype)
    return [getattr(tf.math, f"segment_{what}")(x, [0, 0, 2, 2, 2]) for what in ALL[:3]]


@case("SegmentMean", each=["int32", "int8"])
def segment_mean_of_negative_integers(tf, dtype):
    return tf.segment_mean(tf.constant([-3, -4, 1, 2], dtype), [0, 0, 1, 1])


@case("SegmentSum", "SegmentMean", "SegmentProd", "SegmentMin", "SegmentMax")
def segments_with_nan(tf):
    x = tf.constant([1.0, np.nan, 2.0])
    return [getattr(tf, f"segment_{what}")(x, [0, 0, 1]) for what in ALL]


@case(
    "SegmentSum", "SegmentMean", "SegmentProd", "SegmentMin", "SegmentMax", graph="types", each=ALL
)
def gradients_of_all_segments(tf, what):
    x = tf.constant([[2.0, 0.0], [2.0, 3.0], [5.0, 1.0], [0.0, 0.0], [7.0, 0.0]])
    function = getattr(tf, f"segment_{what}")
    others = [getattr(tf, f"segment_{name}")(x, [0, 1, 1, 2, 2]) for name in ALL]
    y = function(x, [0, 0, 1, 1, 1])
    return [others, tf.gradients(y * y, x)]


@case("SegmentSum")
def static_shapes_of_segments(tf):
    x, ids = tf.placeholder(tf.float32, [None, 4]), tf.placeholder(tf.int32, [3])
    u = tf.placeholder(tf.float32)
    feed = {x: np.ones([3, 4]), ids: [0, 0, 1], u: np.ones([3, 4])}
    return Program([tf.segment_sum(x, ids), tf.segment_sum(u, ids)], feed=feed)


WRONG = [(3, (0, 2, 1)), (3, (-1, 0, 1)), (3, (0, 1)), (3, ((0, 1, 1),)), ((), (0,)), (1, (-1,))]


@case("SegmentSum", error="", each=WRONG)
def segments_that_do_not_fit(tf, shape, ids):
    return tf.segment_sum(tf.ones(shape), ids)


@case("SegmentSum", error="", each=WRONG)
def segments_that_do_not_fit_in_the_run(tf, shape, given):
    x, ids = tf.placeholder(tf.float32), tf.placeholder(tf.int32)
    return Program(tf.segment_max(x, ids), feed={x: np.ones(shape), ids: given})


@case("SegmentSum", error="segment ids are not increasing")
def segments_out_of_order(tf):
    return tf.segment_sum(values(tf, 3), [0, 2, 1])


# Unsorted -------------------------------------------------------------------------------------


@case(
    "UnsortedSegmentSum",
    "UnsortedSegmentProd",
    "UnsortedSegmentMin",
    "UnsortedSegmentMax",
    each=REAL,
)
def unsorted_segments(tf, dtype):
    x, m = values(tf, 5, dtype=dtype), values(tf, 2, 2, 3, dtype=dtype)
    # TensorFlow takes no root of integers.
    names = UNSORTED if dtype.startswith("float") else UNSORTED[:5]
    functions = [getattr(tf, f"unsorted_segment_{what}") for what in names]
    n, feed = fed(tf, 3, "int32", [])
    return Program(
        [f(x, [2, 0, 2, -1, 0], 4) for f in functions]
        + [f(m, np.int64([[1, 0], [1, 1]]), n) for f in functions]
        + [f(m[:0], np.int32([]), 2, name="named") for f in functions],
        feed=feed,
    )


@case("UnsortedSegmentSum", "UnsortedSegmentProd", each=COMPLEX)
def unsorted_segments_of_complex_numbers(tf, dtype):
    x = values(tf, 4, dtype=dtype) * tf.constant(1 + 2j, dtype)
    return [getattr(tf, f"unsorted_segment_{what}")(x, [2, 0, 2, -1], 4) for what in UNSORTED[:2]]


@case(
    "UnsortedSegmentSum",
    "UnsortedSegmentProd",
    "UnsortedSegmentMin",
    "UnsortedSegmentMax",
    graph="types",
    each=UNSORTED,
)
def gradients_of_unsorted_segments(tf, what):
    x = tf.constant([[2.0, 1.0], [2.0, 3.0], [5.0, 1.0], [4.0, 2.0], [7.0, 1.0]])
    others = [getattr(tf, f"unsorted_segment_{name}")(x, [1, 0, 1, 2, 2], 3) for name in UNSORTED]
    y = getattr(tf, f"unsorted_segment_{what}")(x, [2, 0, 2, -1, 0], 3)
    return [others, tf.gradients(y, x)]


@case(error="segment_ids[3] = 7 is out of range [0, 4)", each=UNSORTED[:4])
def an_unsorted_segment_that_is_not_there(tf, what):
    function = getattr(tf, f"unsorted_segment_{what}")
    return function(values(tf, 4), [2, 0, 2, 7], 4)


@case("UnsortedSegmentMax", error="", each=[((3,), (0, 1), 2), ((), (0,), 1), ((1,), (0,), -2)])
def unsorted_segments_that_do_not_fit(tf, shape, ids, count):
    return tf.unsorted_segment_max(tf.ones(shape), ids, count)


@case("UnsortedSegmentMin", error="does not start with segment_ids.shape", each=[((3,), (0, 1), 2)])
def unsorted_segments_that_do_not_fit_in_the_run(tf, shape, given, count):
    x, ids = tf.placeholder(tf.float32), tf.placeholder(tf.int32)
    return Program(tf.unsorted_segment_min(x, ids, count), feed={x: np.ones(shape), ids: given})


# Of chosen rows -------------------------------------------------------------------------------


@case(
    "SparseSegmentSum",
    "SparseSegmentSumWithNumSegments",
    "SparseSegmentMean",
    "SparseSegmentMeanWithNumSegments",
    "SparseSegmentSqrtN",
    "SparseSegmentSqrtNWithNumSegments",
    each=["float32", "float64"],
)
def sparse_segments(tf, dtype):
    x, indices, ids = values(tf, 4, 3, dtype=dtype), [0, 3, 1, 0], [0, 0, 2, 2]
    functions = [getattr(tf, f"sparse_segment_{what}") for what in SPARSE]
    none, n = np.int32([]), tf.placeholder(tf.int32, [])
    return Program(
        [f(x, indices, ids) for f in functions]
        + [f(x, np.int64(indices), np.int64(ids), num_segments=5) for f in functions]
        + [f(x[:, 0], indices, ids, name="named", num_segments=n) for f in functions]
        + [f(x, none, none) for f in functions]
        + [f(x, none, none, None, 2) for f in functions],
        feed={n: 4},
    )


@case("SparseSegmentSum", each=["int32", "int64", "uint8"])
def sparse_segment_sum_of_integers(tf, dtype):
    return tf.sparse_segment_sum(values(tf, 4, dtype=dtype), [0, 3, 1], [0, 0, 1])


@case(
    "SparseSegmentSumGrad",
    "SparseSegmentMeanGrad",
    "SparseSegmentSqrtNGrad",
    graph="types",
    each=[None, 4],
)
def gradients_of_sparse_segments(tf, count):
    x = values(tf, 4, 3)
    found = []
    for what in SPARSE:
        function = getattr(tf, f"sparse_segment_{what}")
        y = function(x, [0, 3, 0, 1], [0, 0, 2, 2], num_segments=count)
        found += tf.gradients(y * y, x)
    return found


@case(
    "SparseSegmentSumGradV2", "SparseSegmentMeanGradV2", "SparseSegmentSqrtNGradV2", graph="types"
)
def sparse_gradients_of_sparse_segments(tf):
    x = values(tf, 4, 3)
    found = []
    for what in SPARSE:
        function = getattr(tf, f"sparse_segment_{what}")
        y = function(x, [3, 0, 3, 1], [0, 0, 2, 2], sparse_gradient=True)
        [slices] = tf.gradients(y * y, x)
        found += [slices.values, slices.indices, slices.dense_shape]
    return found


CHOICES = [
    ((0, 2, 1), (0, 2, 1), None),
    ((0, 3, 1), (0, 0, 1), None),
    ((0, 1), (0, 0, 1), None),
    ((0, 1), (-1, 0), None),
    (((0,),), ((0,),), None),
    ((0, 2, 1), (0, 0, 2), 2),
    ((0, 2, 1), (0, 0, 2), -2),
]


@case("SparseSegmentSum", error="", each=CHOICES)
def sparse_segments_that_do_not_fit(tf, indices, ids, count):
    return tf.sparse_segment_sum(values(tf, 3, 2), indices, ids, num_segments=count)


@case("SparseSegmentSum", error="", each=CHOICES)
def sparse_segments_that_do_not_fit_in_the_run(tf, indices, ids, count):
    i, s, n = (tf.placeholder(tf.int32) for _ in range(3))
    counted = None if count is None else n
    y = tf.sparse_segment_mean(values(tf, 3, 2), i, s, num_segments=counted)
    return Program(y, feed={i: indices, s: ids, n: count or 0})


@case("SparseSegmentSum", error="Bad: indices[1] == 3 out of range [0, 3)")
def a_row_that_is_not_there(tf):
    return tf.sparse_segment_sum(values(tf, 3, 2), [0, 3, 1], [0, 0, 1])


GRADIENTS = [
    ((0, 2, 1), (0, 0, 2), 4),
    ((0, 4, 1), (0, 0, 1), 4),
    ((0, 1), (0, 0, 1), 4),
    ((0, 1, 1), (0, 0, 1), -4),
]


@case("SparseSegmentMeanGrad", error="", each=[(*g, fed) for g in GRADIENTS for fed in (0, 1)])
def gradients_of_sparse_segments_that_do_not_fit(tf, indices, ids, rows, in_the_run):
    given = [np.int32(indices), np.int32(ids), np.int32(rows)]
    feed = {}
    if in_the_run:
        feed = {tf.placeholder(tf.int32): value for value in given}
    inputs = [values(tf, 2, 2), *(list(feed) or map(tf.constant, given))]
    types = {"T": tf.float32, "Tidx": tf.int32, "Tsegmentids": tf.int32}
    return Program(node(tf, "SparseSegmentMeanGrad", inputs, **types), feed=feed)


# Running sums of logarithms, norms, deviations --------------------------------------------------


@case("CumulativeLogsumexp", each=["float32", "float64", "float16"])
def cumulative_logsumexp(tf, dtype):
    x = values(tf, 2, 3, dtype=dtype)
    y = tf.constant([1.0, -np.inf, 1000.0, 1000.0], dtype)
    f = tf.math.cumulative_logsumexp
    return [
        f(x),
        f(x, axis=1),
        f(x, -1, exclusive=True),
        f(x, 1, reverse=True, name="named"),
        f(x, 1, True, True),
        f(y),
        f(x[:0]),
    ]


@case("CumulativeLogsumexp", error="ScanOp: Expected scan axis in the range [-1, 1), but got 1")
def cumulative_logsumexp_along_an_axis_that_is_not_there(tf):
    return tf.math.cumulative_logsumexp(values(tf, 3), 1)


@case("CumulativeLogsumexp", graph="types")
def gradient_of_cumulative_logsumexp(tf):
    x = values(tf, 2, 3)
    weights = tf.constant([[1.0, -2.0, 3.0], [0.0, 1.0, -1.0]])
    return tf.gradients(tf.math.cumulative_logsumexp(x, axis=1) * weights, x)


@case("EuclideanNorm", each=["float32", "float64", "float16", "int32", "int64", *COMPLEX])
def reduce_euclidean_norm(tf, dtype):
    x, norm = values(tf, 2, 3, dtype=dtype), tf.math.reduce_euclidean_norm
    return [
        norm(x),
        norm(x, 1),
        norm(x, axis=[0, 1], keepdims=True, name="named"),
        norm(x[:0], 0),
        norm(x, []),
    ]


@case("EuclideanNorm", graph="types", each=[None, 1])
def gradient_of_reduce_euclidean_norm(tf, axis):
    x = values(tf, 2, 3)
    return tf.gradients(tf.math.reduce_euclidean_norm(x, axis), x)


@case("EuclideanNorm", error="Invalid reduction dimension 2 for input with 2 dimensions.")
def reduce_euclidean_norm_along_an_axis_that_is_not_there(tf):
    return tf.math.reduce_euclidean_norm(values(tf, 2, 3), 2)


@case("Mean", "Sqrt", each=["float32", "float64", "float16", *COMPLEX])
def reduce_variance_and_std(tf, dtype):
    x = values(tf, 2, 3, dtype=dtype)
    unknown, feed = fed(tf, [[1, 2], [4, 4]], dtype)
    found = []
    for function in (tf.math.reduce_variance, tf.math.reduce_std):
        found += [
            function(x),
            function(x, 1),
            function(x, [0], True, name="named"),
            function(unknown, 0),
            function(unknown),
        ]
    return Program(found, feed=feed)


@case("Mean", error="Input must be either real or complex. Received integer type <dtype: 'int32'>.")
def the_standard_deviation_of_integers(tf):
    return tf.math.reduce_std([1, 2])


@case("Prod", each=["float16", "bfloat16"])
def products_of_short_floats(tf, dtype):
    overflow = tf.constant([[300.0], [300.0], [0.01]], dtype)
    return [tf.reduce_prod(overflow), tf.reduce_prod(numbers(tf, 2, 3, dtype=dtype) + 1, 0)]
