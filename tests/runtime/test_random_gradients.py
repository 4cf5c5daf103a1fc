"""Gradients of random programs with conditionals, loops and arrays: every way of running agrees.

Loops and conditionals as code, node by node in order and in random order, and the sequential
evaluator. The same kernels get the same values, so the results are the same to the last bit.
"""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import tinytf as tf
from tests.effort import examples
from tests.runtime.conftest import run
from tests.runtime.test_random_graphs import run_in_random_order
from tinytf.testing.evaluator import evaluate


class Program:
    """A random function of float64 numbers; `integer(low, high)` makes every choice."""

    def __init__(self, integer):
        self._integer = integer

    def pick(self, values):
        return values[self._integer(0, len(values) - 1)]

    def block(self, inputs, depth, size):
        """`size` random statements on `inputs`; returns all values."""
        values = list(inputs)
        for _ in range(self._integer(1, size)):
            kind = self._integer(0, 9)
            x, y = self.pick(values), self.pick(values)
            if kind < 2 and depth:
                values.extend(self.conditional(values, depth - 1))
            elif kind < 4 and depth:
                values.extend(self.loop(values, depth - 1))
            elif kind == 4 and depth:
                values.append(self.map(values, depth - 1))
            elif kind == 5:
                values.append(tf.maximum(x, y))
            elif kind == 6:
                values.append(tf.tanh(x))
            elif kind == 7:
                values.append(x * y * 0.5)
            else:
                values.append(x - y if kind == 8 else x + y)
        return values

    def conditional(self, values, depth):
        count = self._integer(1, 2)

        def branch():
            inside = self.block(values, depth, 3)
            return [inside[-1], self.pick(inside)][:count]

        return list(tf.cond(self.pick(values) < self.pick(values), branch, branch, strict=True))

    def loop(self, values, depth):
        turns = self._integer(0, 3)

        def body(i, a, b):
            inside = self.block([a, b, self.pick(values)], depth, 3)
            return i + 1, inside[-1], self.pick(inside)

        start = [0, self.pick(values), self.pick(values)]
        return list(tf.while_loop(lambda i, a, b: i < turns, body, start)[1:])

    def map(self, values, depth):
        outside = self.pick(values)
        rows = tf.stack([self.pick(values) for _ in range(self._integer(1, 3))])
        result = tf.map_fn(lambda row: self.block([row, outside], depth, 2)[-1], rows)
        return tf.reduce_sum(result)


def check(integer, depth=2):
    """Build a random program and its gradient, and run them in every way."""
    with tf.Graph().as_default():
        x, y = tf.placeholder(tf.float64, []), tf.placeholder(tf.float64, [])
        results = Program(integer).block([x, y], depth=depth, size=4)[-2:]
        fetches = [*results, *(g for g in tf.gradients(results, [x, y]) if g is not None)]
        feeds = {x: np.float64(integer(-3, 3) / 2), y: np.float64(0.75)}
        expected = evaluate(fetches, feeds)
        for name, values in {
            "as code": run(fetches, feeds),
            "by node": run(fetches, feeds, by_node=True),
            "in random order": run_in_random_order(fetches, feeds, integer(0, 1000)),
        }.items():
            np.testing.assert_allclose(values, expected, rtol=1e-12, atol=1e-12, err_msg=name)


@examples(40)
@given(data=st.data())
def test_gradients_agree_with_the_evaluator(data):
    check(lambda low, high: data.draw(st.integers(low, high)))
