"""Random graphs with conditionals and loops: the executor agrees with the sequential evaluator.

In segments, node by node, and node by node with the ready units taken in random order.
"""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tinytf as tf
from tests.runtime.conftest import run
from tinytf.framework import registry, shape_inference
from tinytf.framework.op_card import define_op
from tinytf.ops.control_flow.cond import cond
from tinytf.ops.control_flow.while_loop import while_loop
from tinytf.runtime.compiler import compile_plan
from tinytf.runtime.executor import Executor
from tinytf.runtime.step import Step
from tinytf.testing.evaluator import evaluate

pytestmark = pytest.mark.usefixtures("arithmetic")


@pytest.fixture(scope="module")
def arithmetic():
    """Exact arithmetic on small integers, so that results can be compared bit for bit."""
    binary = {"TestAdd": np.add, "TestSub": np.subtract, "TestMax": np.maximum}
    for name, kernel in binary.items():
        card = CARDS[name] = define_op(name, ["x: int32", "y: int32"], ["z: int32"])
        card.shape(shape_inference.broadcast)
        card.kernel(kernel)
    less = CARDS["TestLess"] = define_op("TestLess", ["x: int32", "y: int32"], ["z: bool"])
    less.shape(shape_inference.broadcast)
    less.kernel(np.less)
    two = CARDS["TestSplit"] = define_op("TestSplit", ["x: int32"], ["a: int32", "b: int32"])
    two.shape(lambda c: [c.input(0)] * 2)
    two.kernel(lambda x: (x // np.int32(2), x % np.int32(2)))
    yield
    for name in CARDS:
        registry.unregister(name)


CARDS = {}


class Builder:
    """Builds a random program; `draw` makes every choice, so that failures shrink."""

    def __init__(self, draw):
        self._draw = draw

    def pick(self, values):
        return values[self._draw(st.integers(0, len(values) - 1))]

    def block(self, inputs, depth, size):
        """`size` random statements on `inputs`; returns all values."""
        values = list(inputs)
        for _ in range(self._draw(st.integers(1, size))):
            kind = self._draw(st.integers(0, 9))
            if kind == 0 and depth:
                values.append(self.conditional(values, depth - 1))
            elif kind == 1 and depth:
                values.extend(self.loop(values, depth - 1))
            elif kind == 2:
                values.extend(CARDS["TestSplit"](self.pick(values)))
            elif kind == 3:
                values.append(tf.constant(self._draw(st.integers(-9, 9))))
            elif kind == 4:
                with tf.get_default_graph().control_dependencies([self.pick(values)]):
                    values.append(tf.identity(self.pick(values)))
            else:
                card = CARDS[self.pick(["TestAdd", "TestSub", "TestMax"])]
                values.append(card(self.pick(values), self.pick(values)))
        return values

    def conditional(self, values, depth):
        predicate = CARDS["TestLess"](self.pick(values), self.pick(values))
        return cond(
            predicate,
            lambda: self.block(values, depth, 3)[-1],
            lambda: self.block(values, depth, 3)[-1],
        )

    def loop(self, values, depth):
        turns = self._draw(st.integers(0, 4))
        start = [tf.constant(0), self.pick(values), self.pick(values)]

        def body(i, a, b):
            inner = self.block([a, b, self.pick(values)], depth, 4)
            return CARDS["TestAdd"](i, 1), inner[-1], self.pick(inner)

        result = while_loop(
            lambda i, a, b: CARDS["TestLess"](i, turns), body, start,
            parallel_iterations=self._draw(st.sampled_from([1, 2, 10])),
        )  # fmt: skip
        return [tf.identity(r) for r in result]


def run_in_random_order(fetches, feeds, seed):
    plan = compile_plan(list(feeds), fetches, [], None, by_node=True)
    values = plan.root.values.copy()
    for slot, value in zip(plan.feed_slots, feeds.values(), strict=True):
        if slot >= 0:
            values[slot] = value
    chooser = random.Random(seed)
    executor = Executor(
        plan, Step(None, None), values, choose=lambda ready: chooser.randrange(len(ready))
    )
    executor.run()
    return [executor.values[fetch.slot] for fetch in plan.fetches]


@settings(max_examples=150)
@given(data=st.data())
def test_the_executor_agrees_with_the_evaluator(data):
    with tf.Graph().as_default():
        x, y = tf.placeholder(tf.int32, []), tf.placeholder(tf.int32, [])
        values = Builder(data.draw).block([x, y], depth=2, size=8)
        fetches = values[-4:]
        feeds = {x: np.int32(data.draw(st.integers(-5, 5))), y: np.int32(3)}
        expected = [int(v) for v in evaluate(fetches, feeds)]
        assert [int(v) for v in run(fetches, feeds)] == expected
        assert [int(v) for v in run(fetches, feeds, by_node=True)] == expected
        seed = data.draw(st.integers(0, 1000))
        assert [int(v) for v in run_in_random_order(fetches, feeds, seed)] == expected


@pytest.mark.parametrize("parallel_iterations", [1, 3, 10])
def test_a_long_loop(parallel_iterations):
    with tf.Graph().as_default():
        i, total = while_loop(
            lambda i, total: CARDS["TestLess"](i, 1000),
            lambda i, total: (CARDS["TestAdd"](i, 1), CARDS["TestAdd"](total, i)),
            [tf.constant(0), tf.constant(0)], parallel_iterations=parallel_iterations,
        )  # fmt: skip
        assert run([i, total]) == [1000, 499500]


def test_a_loop_on_a_path_not_taken():
    """Its Enters are dead; the frame must still end, and its Exits be dead outside."""
    with tf.Graph().as_default():
        x = tf.placeholder(tf.int32, [])

        def loop():
            return while_loop(
                lambda i: CARDS["TestLess"](i, 5), lambda i: CARDS["TestAdd"](i, 1), [x]
            )

        result = cond(CARDS["TestLess"](x, 0), loop, lambda: tf.identity(x))
        assert run([result], {x: np.int32(-2)}) == [5]
        assert run([result], {x: np.int32(7)}) == [7]
