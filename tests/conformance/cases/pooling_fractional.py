"""Pooling by a ratio that is no whole number."""

import numpy as np

from tests.conformance.cases.convolution import image, varied
from tests.conformance.nodes import node
from tests.conformance.registry import Program, case
from tests.conformance.values import fed

BOTH = ["fractional_max_pool", "fractional_avg_pool"]
RATIO = [1.0, 1.5, 2.3, 1.0]


def known(tf, results):
    """The results; static shapes of the places are one too small in TensorFlow."""
    return [results[0], *(tf.placeholder_with_default(places, [None]) for places in results[1:])]


WAYS = [(f, p, o) for f in BOTH for p in (False, True) for o in (False, True)]


@case("FractionalMaxPool", "FractionalAvgPool", graph="types", each=WAYS)
def fractional_pooling(tf, name, pseudo, overlapping):
    x = image(tf, 2, 10, 13, 3)
    y = getattr(tf.nn, name)(x, RATIO, pseudo, overlapping, True, 3, 5)
    return Program([known(tf, y), tf.gradients(y.output**2, x)], runs=2)


@case(
    "FractionalMaxPool",
    "FractionalAvgPool",
    each=[(f, d) for f in BOTH for d in ("float64", "int32")],
)
def fractional_pooling_of_other_types(tf, name, dtype):
    x = tf.constant(np.round(varied(1, 7, 8, 2) * 9), dtype)
    return known(tf, getattr(tf.nn, name)(x, RATIO, True, True, True, 3, 5, "named"))


@case("FractionalMaxPool", "FractionalMaxPoolGrad", "FractionalAvgPoolGrad", graph="types")
def fractional_pooling_of_equal_numbers(tf):
    x = tf.ones([1, 7, 8, 1])
    results = [getattr(tf.nn, name)(x, RATIO, True, True, True, 3, 5)[0] for name in BOTH]
    return [tf.gradients(y, x) for y in results]


@case("FractionalMaxPool", each=[1.0, 2.0])
def fractional_pooling_by_whole_numbers(tf, ratio):
    x = image(tf, 1, 4, 6, 1)
    return known(tf, tf.nn.fractional_max_pool(x, [1.0, ratio, ratio, 1.0]))


@case("FractionalAvgPool", random=True)
def fractional_pooling_without_seeds(tf):
    x = image(tf, 1, 7, 8, 2)
    return [tf.nn.fractional_avg_pool(x, RATIO)[0], tf.nn.fractional_max_pool(x, RATIO, True)[0]]


@case("FractionalMaxPool", "FractionalMaxPoolGrad", graph="types", each=[None, [None, 10, None, 3]])
def static_shapes_of_fractional_pooling(tf, shape):
    x, feed = fed(tf, varied(2, 10, 13, 3), shape=shape)
    y = tf.nn.fractional_max_pool(x, RATIO, False, False, True, 3, 5)
    return Program([known(tf, y), tf.gradients(y.output, x)], feed=feed)


WRONG = {
    "seeds": ({"seed": 3}, "Both seed and seed2 should be 0 if deterministic is false."),
    "small": ({"pooling_ratio": [1.0, 0.5, 1.0, 1.0]}, "pooling_ratio cannot be smaller than 1"),
    "large": ({"pooling_ratio": [1.0, 8.0, 1.0, 1.0]}, ""),
    "batch": (
        {"pooling_ratio": [2.0, 1.5, 1.5, 1.0]},
        "is not yet supported on the batch nor chan",
    ),
    "channel": ({"pooling_ratio": [1.0, 1.5, 1.5, 2.0]}, "not yet supported on the batch nor chan"),
    "few": ({"pooling_ratio": [1.0, 1.5]}, ""),
}


@case("FractionalMaxPool", error="", each=[(f, w) for f in BOTH for w in WRONG])
def fractional_pooling_that_is_wrong(tf, name, what):
    how = {"pooling_ratio": RATIO} | WRONG[what][0]
    return getattr(tf.nn, name)(image(tf, 2, 7, 8, 2), **how)[0]


@case("FractionalMaxPoolGrad", error="", graph="any")
def second_gradient_of_fractional_pooling(tf):
    x = image(tf, 1, 7, 8, 2)
    (first,) = tf.gradients(tf.nn.fractional_max_pool(x, RATIO)[0] ** 2, x)
    return tf.gradients(first * x, x)


@case("FractionalAvgPoolGrad", error="", each=["rows", "shape"])
def gradients_of_fractional_pooling_that_are_wrong(tf, what):
    sizes = tf.constant([1, 4, 4] if what == "shape" else [1, 4, 4, 1], tf.int64)
    above = tf.ones([1, 3 if what == "rows" else 2, 2, 1])
    inputs = [sizes, above, *[tf.constant([0, 2, 4], tf.int64)] * 2]
    return node(tf, "FractionalAvgPoolGrad", inputs, T=tf.float32)
