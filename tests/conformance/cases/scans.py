"""Ranges, running sums, sums of segments, stitching."""

import numpy as np

from tests.conformance.registry import Program, case
from tests.conformance.values import fed

FLOATS = ["float16", "bfloat16", "float32", "float64"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
COMPLEX = ["complex64", "complex128"]


def values(tf, *shape, dtype="float32"):
    array = np.arange(np.prod(shape, dtype=int)).reshape(shape) * 7 % 5 + 1
    return tf.constant(array, dtype)


# Range --------------------------------------------------------------------------------------------


@case("Range")
def ranges(tf):
    limit, feed = fed(tf, 7, "int32", [])
    return Program(
        [
            tf.range(5),
            tf.range(3, 18, 3),
            tf.range(5, 0, -2),
            tf.range(limit),
            tf.range(2, limit),
            tf.range(0.0, 1.0, 0.3),
            tf.range(5, dtype=tf.int64),
            tf.range(0, 1, 0.1, name="tenths"),
            tf.range(tf.constant(0, tf.int64), 5.0),
            tf.range(3, 3),
            tf.range(0.0, 2.1, 0.7),
            tf.range(1.0, 0.0, -0.25),
            tf.range(np.float64(0), np.float64(1), np.float64(0.1)),
            tf.convert_to_tensor(range(2, 6, 2)),
            tf.range(0.0, 100.0, 0.1)[-1],
        ],
        feed=feed,
    )


@case("Range", error="Requires delta != 0")
def a_range_that_stands_still(tf):
    return tf.range(1, 5, 0)


@case("Range", error="Requires start <= limit when delta > 0: 5/3")
def a_range_that_goes_the_wrong_way(tf):
    return tf.range(5, 3)


@case("Range", error="Requires start >= limit when delta < 0: 3/5")
def a_range_that_goes_the_wrong_way_down(tf):
    return tf.range(3, 5, -1)


@case("Range", error="Requires start <= limit when delta > 0: 5/3")
def a_fed_range_that_goes_the_wrong_way(tf):
    limit, feed = fed(tf, 3, "int32")
    return Program(tf.range(5, limit), feed=feed)


@case("Range", error="Requires delta != 0: 0")
def a_fed_range_that_stands_still(tf):
    delta, feed = fed(tf, 0, "int32")
    return Program(tf.range(5, 6, delta), feed=feed)


@case("Range", error="Shape must be rank 0 but is rank 1\n\t for 'start'")
def a_range_from_a_vector(tf):
    return tf.range(tf.constant([1]), 5)


@case("Range", error="Requires ((limit - start) / delta) <= 9223372036854775807")
def a_range_without_end(tf):
    return tf.range(5, np.inf)


# Running sums, segments, stitching ----------------------------------------------------------------

SCANS = [(n, d) for n in ("cumsum", "cumprod") for d in FLOATS + INTEGERS + COMPLEX]


@case("Cumsum", "Cumprod", each=SCANS)
def scans(tf, name, dtype):
    x, function = values(tf, 2, 3, dtype=dtype), getattr(tf, name)
    return [
        function(x),
        function(x, 1),
        function(x, -1, exclusive=True),
        function(x, reverse=True),
        function(x, 1, exclusive=True, reverse=True),
        function(x[:0]),
        function(x[:, :0], 1, True),
    ]


@case("Cumsum")
def scans_of_python_lists(tf):
    return [tf.cumsum([1, 2, 3]), tf.cumprod([1.0, 2.0], name="named")]


@case("Cumsum", error="ScanOp: Expected scan axis in the range [-1, 1), but got 1")
def a_scan_axis_out_of_range(tf):
    return tf.cumsum([1, 2, 3], 1)


@case("Cumsum", error="ScanOp: axis must be a scalar, not [1]")
def a_scan_axis_in_a_list(tf):
    return tf.cumsum([1, 2, 3], [0])


@case("UnsortedSegmentSum", each=["float32", "float64", "int32", "bfloat16", "complex64"])
def unsorted_segment_sum(tf, dtype):
    x = values(tf, 3, 2, dtype=dtype)
    return [
        tf.unsorted_segment_sum(x, [0, 2, 0], 3),
        tf.unsorted_segment_sum(x, [0, -1, 0], 1),
        tf.unsorted_segment_sum(x, [[0, 1], [1, 1], [3, 0]], 4),
        tf.unsorted_segment_sum(x[0, 0], 1, 2),
    ]


@case("UnsortedSegmentSum")
def segments_of_what_is_fed(tf):
    count, feed = fed(tf, 3, "int64", [])
    ids, more = fed(tf, [0, 2], "int32", [None])
    x = values(tf, 2, 2)
    return Program(tf.unsorted_segment_sum(x, ids, count), feed={**feed, **more})


@case("UnsortedSegmentSum", error="segment_ids[1] = 3 is out of range [0, 3)")
def a_segment_out_of_range(tf):
    return tf.unsorted_segment_sum(tf.ones([3, 2]), [0, 3, 0], 3)


@case("UnsortedSegmentSum", error="Dimensions must be equal, but are 3 and 2")
def segments_that_do_not_fit(tf):
    return tf.unsorted_segment_sum(tf.ones([3, 2]), [0, 3], 3)


@case("UnsortedSegmentSum", error="given by scalar input 2, must be non-negative but is -1")
def a_negative_number_of_segments(tf):
    return tf.unsorted_segment_sum(tf.ones([1]), [0], -1)


@case("DynamicStitch")
def dynamic_stitch(tf):
    index, feed = fed(tf, [1, 0], "int32", [2])
    words = tf.constant(["a", "b"])
    return Program(
        [
            tf.dynamic_stitch([[0, 2], [1, 2]], [[1.0, 2.0], [3.0, 4.0]]),
            tf.dynamic_stitch([0, [1]], [[1, 2], [[3, 4]]]),
            tf.dynamic_stitch([index], [tf.constant([1.0, 2.0])]),
            tf.dynamic_stitch([index, [2]], [words, ["c"]]),
        ],
        feed=feed,
    )


@case("DynamicStitch", error="indices[0] is out of range")
def a_stitch_before_the_first(tf):
    return tf.dynamic_stitch([[-1]], [[1.0]])


@case("DynamicStitch", error="Dimensions must be equal, but are 2 and 3")
def a_stitch_that_does_not_fit(tf):
    return tf.dynamic_stitch([[0, 1, 2]], [[1.0, 2.0]])


@case("ListDiff", each=["int32", "float32", "string"])
def set_difference(tf, dtype):
    x = tf.constant([1, 2, 3, 2, 5] if dtype != "string" else list("abcbe"), dtype)
    left, right = tf.setdiff1d(x, x[1:3])
    long = tf.setdiff1d(x, x[:0], index_dtype=tf.int64)
    return [left, right, long[0], long[1]]


@case("ListDiff", error="Shape must be rank 1 but is rank 2")
def set_difference_of_a_matrix(tf):
    return tf.setdiff1d([[1]], [2])[0]


# Gradients ----------------------------------------------------------------------------------------


@case(
    "Cumsum",
    "Cumprod",
    each=[(n, e, r) for n in ("cumsum", "cumprod") for e in (0, 1) for r in (0, 1)],
)
def gradients_of_scans(tf, name, exclusive, reverse):
    x = values(tf, 2, 3)
    y = getattr(tf, name)(x, 1, bool(exclusive), bool(reverse))
    return tf.gradients(y, x, grad_ys=values(tf, 2, 3) * 0.5)


@case("UnsortedSegmentSum", each=[[0, 2, 0], [0, -1, 1]])
def gradients_of_segments(tf, ids):
    x = values(tf, 3, 2)
    y = tf.unsorted_segment_sum(x, ids, 3)
    return tf.gradients(y * values(tf, 3, 2), x)


@case("DynamicStitch")
def gradients_of_dynamic_stitch(tf):
    x, y = values(tf, 2), values(tf, 1)
    z = tf.dynamic_stitch([[0, 2], [1]], [x, y])
    return tf.gradients(z * values(tf, 3), [x, y])
