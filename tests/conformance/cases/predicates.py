"""What decides between branches, and whether a loop goes on, has to be a scalar when it runs."""

import numpy as np

from tests.conformance.registry import Program, case
from tests.conformance.values import fed

NO_SCALARS = [(0, "[0]"), (1, "[1]"), (2, "[2]")]


def _for_each_size(function):
    for size, shape in NO_SCALARS:
        case("Switch", each=[size], error=f"must be a scalar, but it has shape {shape}")(function)
    return function


@_for_each_size
def condition(tf, size):
    pred, feed = fed(tf, np.ones(size, bool), "bool")
    return Program(tf.cond(pred, lambda: 1.0, lambda: 2.0), feed=feed)


@_for_each_size
def loop_condition(tf, size):
    start, feed = fed(tf, np.zeros(size, np.int32), "int32")
    unknown = [tf.TensorShape(None)]
    result = tf.while_loop(lambda i: tf.less(i, 3), lambda i: tf.add(i, 1), [start], unknown)
    return Program(result, feed=feed)


@_for_each_size
def condition_in_a_loop(tf, size):
    pred, feed = fed(tf, np.ones(size, bool), "bool")
    result = tf.while_loop(
        lambda i: tf.less(i, 3),
        lambda i: tf.cond(pred, lambda: 3, lambda: 4),  # one Switch, so one that can complain
        [0],
    )
    return Program(result, feed=feed)
