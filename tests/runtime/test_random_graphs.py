"""Random graphs with conditionals and loops: the executor agrees with the sequential evaluator.

In segments, node by node, node by node with the ready units taken in random order, and scattered
over three devices that run side by side.
"""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tinytf as tf
from tests.runtime.conftest import cpu_devices, offer_thread, run, step_with_functions
from tinytf.framework import registry, shape_inference
from tinytf.framework.op_card import define_op
from tinytf.ops.control_flow.cond import cond
from tinytf.ops.control_flow.while_loop import while_loop
from tinytf.ops.functions.defun import Defun
from tinytf.runtime.compiler import compile_plan
from tinytf.runtime.executor import Executor
from tinytf.runtime.optimise import Passes
from tinytf.runtime.partition import Devices
from tinytf.runtime.pools import Helpers
from tinytf.runtime.preparation import CompileRequest
from tinytf.testing.evaluator import evaluate

pytestmark = pytest.mark.usefixtures("arithmetic")


@pytest.fixture(scope="module")
def arithmetic():
    """Exact arithmetic on small integers, so that results can be compared bit for bit."""
    binary = {"TestAdd": np.add, "TestSub": np.subtract, "TestMax": np.maximum}
    for name, kernel in binary.items():
        card = CARDS[name] = define_op(name, "x: int32, y: int32 -> z: int32")
        card.shape(shape_inference.broadcast)
        card.kernel(kernel)
    less = CARDS["TestLess"] = define_op("TestLess", "x: int32, y: int32 -> z: bool")
    less.shape(shape_inference.broadcast)
    less.kernel(np.less)
    two = CARDS["TestSplit"] = define_op("TestSplit", "x: int32 -> a: int32, b: int32")
    two.shape(lambda c: [c.input(0)] * 2)
    two.kernel(lambda x: (x // np.int32(2), x % np.int32(2)))
    yield
    for name in CARDS:
        registry.unregister(name)


CARDS = {}


class Builder:
    """Builds a random program; `integer(low, high)` makes every choice, so that failures shrink."""

    def __init__(self, integer):
        self._integer = integer
        self._predicates = []

    def pick(self, values):
        return values[self._integer(0, len(values) - 1)]

    def block(self, inputs, depth, size):
        """`size` random statements on `inputs`; returns all values."""
        values = list(inputs)
        for _ in range(self._integer(1, size)):
            kind = self._integer(0, 12)
            if kind in (0, 1) and depth:
                values.extend(self.conditional(values, depth - 1))
            elif kind in (2, 3) and depth:
                values.extend(self.loop(values, depth - 1))
            elif kind == 12 and depth:
                values.extend(self.call(values, depth - 1))
            elif kind == 4:
                values.extend(CARDS["TestSplit"](self.pick(values)))
            elif kind == 5:
                values.append(tf.constant(self._integer(-9, 9)))
            elif kind == 6:
                with tf.get_default_graph().control_dependencies([self.pick(values)]):
                    values.append(tf.identity(self.pick(values)))
            else:
                card = CARDS[self.pick(["TestAdd", "TestSub", "TestMax"])]
                values.append(card(self.pick(values), self.pick(values)))
        return values

    def predicate(self, values):
        """A new one, or one of those that are there for the same values."""
        graph = tf.get_default_graph()
        known = [p for p, inside in self._predicates if inside == (graph, graph._scopes.flow)]
        if known and self._integer(0, 2) == 0:
            return self.pick(known)
        predicate = CARDS["TestLess"](self.pick(values), self.pick(values))
        self._predicates.append((predicate, (graph, graph._scopes.flow)))
        return predicate

    def conditional(self, values, depth):
        """One or two results; a branch may pass on what is outside of it."""
        count = self._integer(1, 2)

        def branch():
            inside = self.block(values, depth, 3)
            return [inside[-1], self.pick(inside)][:count]

        result = cond(self.predicate(values), branch, branch, strict=True)
        return list(result)

    def call(self, values, depth):
        """One or two calls of a function, which captures something from outside."""

        @Defun(tf.int32, tf.int32, shape_func=lambda op: [[], []])
        def function(a, b):
            for argument in (a, b):
                argument.set_shape([])
            inside = self.block([a, b, tf.identity(self.pick(values))], depth, 4)
            return inside[-1], self.pick(inside)

        results = list(function(self.pick(values), self.pick(values)))
        if self._integer(0, 1):
            results.extend(function(results[0], self.pick(values)))
        return results

    def loop(self, values, depth):
        turns = self._integer(0, 4)
        start = [tf.constant(0), self.pick(values), self.pick(values)]

        def condition(i, a, b):
            if depth and self._integer(0, 4) == 0:  # the condition may hold conditionals and loops
                a = self.block([a, b], depth - 1, 2)[-1]
                i = CARDS["TestMax"](i, CARDS["TestSub"](CARDS["TestMax"](a, i), a))
            return CARDS["TestLess"](i, turns)

        def body(i, a, b):
            inner = self.block([a, b, self.pick(values)], depth, 4)
            return CARDS["TestAdd"](i, 1), inner[-1], self.pick(inner)

        result = while_loop(
            condition, body, start, parallel_iterations=[1, 2, 10][self._integer(0, 2)]
        )
        return [tf.identity(r) for r in result]


def run_in_random_order(fetches, feeds, seed):
    plan = compile_plan(CompileRequest(list(feeds), fetches, [], None, by_node=True))
    values = plan.root.values.copy()
    for slot, value in zip(plan.feed_slots, feeds.values(), strict=True):
        if slot >= 0:
            values[slot] = value
    chooser = random.Random(seed)
    executor = Executor(
        plan, step_with_functions(), values, choose=lambda ready: chooser.randrange(len(ready))
    )
    executor.run()
    return [executor.values[fetch.slot] for fetch in plan.fetches]


def check(integer, depth=3):
    """Build a random program and run it in every way."""
    with tf.Graph().as_default():
        x, y = tf.placeholder(tf.int32, []), tf.placeholder(tf.int32, [])
        fetches = Builder(integer).block([x, y], depth=depth, size=8)[-4:]
        feeds = {x: np.int32(integer(-5, 5)), y: np.int32(3)}
        expected = [int(v) for v in evaluate(fetches, feeds)]
        assert [int(v) for v in run(fetches, feeds)] == expected
        assert [int(v) for v in run(fetches, feeds, by_node=True)] == expected
        assert [int(v) for v in run_in_random_order(fetches, feeds, integer(0, 1000))] == expected
        place = scattered(integer(0, 1000))
        assert [int(v) for v in run(fetches, feeds, place=place)] == expected
        assert [int(v) for v in run(fetches, feeds, place=place, by_node=True)] == expected
        found = run(
            fetches,
            feeds,
            place=place,
            passes=Passes(),
            threads=Helpers(2, offer_thread, offer_thread),
        )
        assert [int(v) for v in found] == expected
        return fetches


def scattered(seed):
    """Every operation on one of three devices, by chance."""
    devices = cpu_devices(3)
    return lambda ops: Devices(
        devices[0], lambda op: random.Random(f"{seed} {op.name}").choice(devices)
    )


@settings(max_examples=15)
@given(data=st.data())
def test_the_executor_agrees_with_the_evaluator(data):
    check(lambda low, high: data.draw(st.integers(low, high)))


@pytest.mark.slow
@pytest.mark.timeout(300)
@settings(max_examples=100)
@given(data=st.data())
def test_the_executor_agrees_with_the_evaluator_on_many(data):
    check(lambda low, high: data.draw(st.integers(low, high)))


@pytest.mark.parametrize("parallel_iterations", [1, 3, 10])
def test_a_long_loop(parallel_iterations):
    with tf.Graph().as_default():
        i, total = while_loop(
            lambda i, total: CARDS["TestLess"](i, 1000),
            lambda i, total: (CARDS["TestAdd"](i, 1), CARDS["TestAdd"](total, i)),
            [tf.constant(0), tf.constant(0)],
            parallel_iterations=parallel_iterations,
        )
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
