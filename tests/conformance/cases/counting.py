"""How often values come."""

import numpy as np

from tests.conformance.nodes import node
from tests.conformance.registry import Program, case
from tests.conformance.values import fed


@case("DenseBincount", each=["int32", "int64"])
def bincount(tf, dtype):
    x, feed = fed(tf, [1, 1, 3], dtype, [None])
    y = tf.constant([[1, 1, 3], [0, 0, 1]], dtype)
    weights = tf.constant([0.5, 1.0, 2.0])
    return Program(
        [
            tf.bincount(tf.constant([1, 1, 3], dtype)),
            tf.bincount(y),
            tf.bincount(x),
            tf.bincount(x, weights),
            tf.bincount(x, minlength=6),
            tf.bincount(x, maxlength=2),
            tf.bincount(x, None, 2, 8, tf.float64),
            tf.math.bincount(x[:0]),
            tf.bincount(x, dtype=None),
        ],
        feed=feed,
    )


@case("DenseBincount")
def bincount_of_floats(tf):
    return tf.bincount([1.5, 1.0, 3.0])


@case("DenseBincount", error="Input arr must be non-negative!")
def bincount_of_negative_numbers(tf):
    return tf.bincount([1, -1, 3])


@case("DenseBincount", error="`weights` must be the same shape as `arr` or a length-0 `Tensor`")
def bincount_with_too_few_weights(tf):
    return tf.bincount([1, 1], weights=[1.0])


def _dense(tf, x, size, weights, **attrs):
    types = {"Tidx": tf.int32, "T": tf.float32}
    return node(tf, "DenseBincount", [tf.constant(x), size, tf.constant(weights)], **types, **attrs)


@case("DenseBincount", each=[False, True])
def counts_of_rows(tf, binary):
    x, size = [[1, 1, 3], [0, 0, 9]], tf.constant(4)
    none = np.float32([])
    found = _dense(tf, x, size, none, binary_output=binary)
    if not binary:
        found += _dense(tf, x, size, np.float32([[1, 2, 3], [4, 5, 6]]))
    return found + _dense(tf, x[0], tf.constant(0), none, binary_output=binary)


@case("DenseBincount", error="", each=[-4, ((4,),)])
def a_wrong_number_of_counts(tf, size):
    return _dense(tf, [1], tf.constant(size), np.float32([]))


@case("DenseBincount", error="", each=[-4, ((4,),)])
def a_wrong_number_of_counts_in_the_run(tf, size):
    n, feed = fed(tf, size, "int32")
    return Program(_dense(tf, [1], n, np.float32([])), feed=feed)


@case("Bincount")
def bincount_of_old_graphs(tf):
    found = []
    for weights in (np.float32([]), np.float32([1, 2, 3])):
        inputs = [tf.constant([1, 1, 7]), tf.constant(4), tf.constant(weights)]
        found += node(tf, "Bincount", inputs, T=tf.float32)
    return found


@case("Bincount", error="", each=[((1, -1), 4, (1, 2)), ((1,), -4, (1,)), ((1,), 4, (1, 2))])
def bincount_of_old_graphs_that_does_not_fit(tf, x, size, weights):
    inputs = [tf.constant(x), tf.constant(size), tf.constant(weights, tf.float32)]
    return node(tf, "Bincount", inputs, T=tf.float32)


@case("HistogramFixedWidth", each=["float32", "float64", "int32", "int64"])
def histogram_fixed_width(tf, dtype):
    x = tf.constant([[-1, 0, 1], [2, 5, 15]], dtype)
    limits = tf.constant([0, 5], dtype)
    n, feed = fed(tf, 3, "int32", [])
    return Program(
        [
            tf.histogram_fixed_width(x, limits, nbins=5),
            tf.histogram_fixed_width(x, limits, n),
            tf.histogram_fixed_width(x, limits, 2, tf.int64, name="named"),
            tf.histogram_fixed_width(x[:0], limits, nbins=2),
            tf.histogram_fixed_width(x, limits)[-1],
        ],
        feed=feed,
    )


@case("HistogramFixedWidth")
def histogram_of_many(tf):
    x = np.float32(np.random.RandomState(0).uniform(-1, 6, 1000))
    return tf.histogram_fixed_width(x, [0.0, 5.0], nbins=7)


HISTOGRAMS = [((5.0, 5.0), 5), ((0.0, 5.0), 0), ((0.0, 5.0, 6.0), 2), ((0.0, 5.0), (2,))]


@case("HistogramFixedWidth", error="", each=HISTOGRAMS)
def histograms_that_do_not_fit(tf, limits, bins):
    return tf.histogram_fixed_width([1.0], limits, bins)


@case("HistogramFixedWidth", error="", each=HISTOGRAMS)
def histograms_that_do_not_fit_in_the_run(tf, limits, bins):
    x, n = tf.placeholder(tf.float32), tf.placeholder(tf.int32)
    return Program(tf.histogram_fixed_width([1.0], x, n), feed={x: limits, n: bins})


@case("HistogramFixedWidth", error="Histogram values must not contain NaN")
def a_histogram_of_nan(tf):
    return tf.histogram_fixed_width([np.nan], [0.0, 5.0])


@case("Floor", "Assert", graph="types")
def histogram_fixed_width_bins(tf):
    x, feed = fed(tf, [[-1.0, 0.0, 1.5], [2.0, 5.0, 15.0]])
    return Program(
        [
            tf.histogram_fixed_width_bins([-1.0, 0.0, 1.5, 15.0], [0.0, 5.0], nbins=5),
            tf.histogram_fixed_width_bins(x, [0.0, 5.0], 3, name="named"),
        ],
        feed=feed,
    )


@case("Assert", error="must > 0]")
def a_histogram_without_bins(tf):
    return tf.histogram_fixed_width_bins([1.0], [0.0, 5.0], nbins=0)


@case("ScatterNd", each=["int32", "float32", "float64"])
def confusion_matrix(tf, dtype):
    return [
        tf.confusion_matrix([1, 2, 4], [2, 2, 4], dtype=tf.as_dtype(dtype)),
        tf.confusion_matrix([1, 0], [1, 1], 3, dtype, name="named"),
        tf.math.confusion_matrix([1, 0], [1, 1], weights=[2.0, 3.0], dtype=tf.as_dtype(dtype)),
        tf.confusion_matrix([[1], [0]], [1, 1]),
        tf.confusion_matrix([1, 0], [[1], [1]]),
    ]


@case("ScatterNd", graph="types")
def confusion_matrix_of_fed_values(tf):
    x, y = tf.placeholder(tf.int64, [None]), tf.placeholder(tf.int64, [None])
    return Program(
        [tf.confusion_matrix(x, y), tf.confusion_matrix(x, y, 4)], feed={x: [0, 1, 1], y: [0, 0, 1]}
    )


@case("ScatterNd", graph="types")
def confusion_matrix_of_unknown_rank(tf):
    x, y = tf.placeholder(tf.int64), tf.placeholder(tf.int64)
    return Program(tf.confusion_matrix(x, y), feed={x: [0, 1, 1], y: [[0], [0], [1]]})


@case("ScatterNd", error="`labels` contains negative values")
def confusion_matrix_of_negative_labels(tf):
    return tf.confusion_matrix([1, -2], [0, 1])


@case("ScatterNd", error="out of bound", each=[((1, 4), (0, 1)), ((1, 0), (0, 4))])
def confusion_matrix_of_too_few_classes(tf, labels, predictions):
    return tf.confusion_matrix(labels, predictions, num_classes=4)


@case("ScatterNd", error="out of bound")
def confusion_matrix_of_too_few_classes_in_the_run(tf):
    x, feed = fed(tf, [1, 4], "int32", [None])
    return Program(tf.confusion_matrix([1, 0], x, num_classes=4), feed=feed)


@case("ScatterNd", error="Dimension 0 in both shapes must be equal, but are 2 and 3")
def confusion_matrix_of_too_few_labels(tf):
    return tf.confusion_matrix([1, 0], [1, 1, 1])
