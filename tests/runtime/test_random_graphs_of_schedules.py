"""Random graphs in any order: 100 seeds each, and real threads, give the evaluator's values.

With loops, conditionals, functions, dead paths, control edges, variables, and errors.
"""

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tinytf as tf
from tests.effort import examples
from tests.runtime.random_programs import Errors, StateBuilder, failed_at
from tests.runtime.test_random_graphs import CARDS, Builder, arithmetic  # noqa: F401
from tinytf.framework import errors, registry, shape_inference
from tinytf.framework.op_card import define_op
from tinytf.resources.manager import ResourceManager
from tinytf.runtime.learning import Parallelism
from tinytf.runtime.preparation import Signature
from tinytf.testing.evaluator import evaluate
from tinytf.testing.schedules.running import run_with_seed

SEEDS = 100
THREADS = 4


@pytest.fixture(scope="module")
def refusing(arithmetic):  # noqa: F811
    """An operation that fails if given a multiple of three: an effect, so nobody leaves it out."""
    card = CARDS["TestRefuse"] = define_op("TestRefuse", "x: int32 -> y: int32", stateful=True)
    card.shape(shape_inference.unchanged)

    @card.kernel
    def _(x):
        if x % 3 == 0:
            raise errors.InvalidArgumentError(None, None, f"{x} is a multiple of three")
        return x

    yield
    del CARDS["TestRefuse"]
    registry.unregister("TestRefuse")


pytestmark = pytest.mark.usefixtures("refusing")


class Program:
    """A random program, in a session with four inter-op threads."""

    def __init__(self, kind, integer, depth, **how):
        self.graph = tf.Graph()
        with self.graph.as_default():
            x, y = tf.placeholder(tf.int32, []), tf.placeholder(tf.int32, [])
            builder = kind(integer, **how)
            make = builder.program if kind is StateBuilder else builder.block
            self.fetches = make([x, y], depth, 2 * depth)[-6:]
            self.feeds = {x: np.int32(integer(-5, 5)), y: np.int32(3)}
        config = tf.ConfigProto(inter_op_parallelism_threads=THREADS)
        self.session = tf.Session(graph=self.graph, config=config)

    def sequentially(self):
        """What is right."""
        return [int(v) for v in evaluate(self.fetches, self.feeds, ResourceManager())]

    def run(self):
        """The plan as `sess.run` compiles it."""
        return [int(v) for v in self.session.run(self.fetches, self.feeds)]

    def in_threads(self, loops):
        """Every operation counts as expensive; `loops`: those in loops as well."""
        backend = self.session._backend
        names = frozenset(op.name for op in self.graph.get_operations())
        how = Parallelism({}, names, names if loops else frozenset(), side_by_side=True)
        feeds = list(self.feeds)
        plan = backend.compiled(Signature(feeds, self.fetches, []), False, parallelism=how)
        values = backend.run_step(plan, list(self.feeds.values()), None, None, None)
        return [int(v) for v in values]

    def watched(self):
        """One node at a time on each of four threads: as instruments run it."""
        values = self.session.observe(
            self.fetches, lambda plan: Nobody(), self.feeds, threads=THREADS
        )
        return [int(v) for v in values]

    def in_orders(self):
        """One run for each seed."""
        for seed in range(SEEDS):
            yield run_with_seed(self.run, seed)


class Nobody:
    """Somebody watches: then every unit is worth a thread."""

    def started(self, propagation, ready):
        """See `Observer`."""

    def running(self, unit, iteration, dead):
        """See `Observer`."""

    def finished(self, unit, iteration, results, dead, ready):
        """See `Observer`."""


def check_values(kind, integer, depth=3):
    program = Program(kind, integer, depth)
    with program.session:
        expected = program.sequentially()
        assert program.run() == expected
        for run in program.in_orders():
            assert run.value == expected, run
        for _ in range(3):
            assert program.in_threads(loops=False) == expected
            assert program.in_threads(loops=True) == expected
            assert program.watched() == expected


def check_errors(integer, depth=3):
    """An error is one that may come, or nothing fails and the values are right."""
    program = Program(StateBuilder, integer, depth, may_fail=True)
    may_fail = Errors(program.fetches, program.feeds, ResourceManager()).find()
    with program.session:
        if not may_fail:
            expected = program.sequentially()
            assert all(run.value == expected for run in program.in_orders())
            assert program.in_threads(loops=True) == program.watched() == expected
            return
        reported = {failed_at(run.error) for run in program.in_orders()}
        for way in (program.run, lambda: program.in_threads(loops=True), program.watched):
            with pytest.raises(errors.InvalidArgumentError, match="is a multiple of three") as e:
                way()
            reported.add(failed_at(e.value))
        try:  # it looks only at what is asked for: not at all of a loop's last iteration
            program.sequentially()
        except errors.InvalidArgumentError as error:
            reported.add(failed_at(error))
        assert reported <= may_fail, f"{reported - may_fail} reported, not of {may_fail}"


def drawn(data):
    return lambda low, high: data.draw(st.integers(low, high))


def few(test):
    return settings(max_examples=4)(given(data=st.data())(test))


def many(test):
    return pytest.mark.slow(pytest.mark.timeout(600)(examples(10)(given(data=st.data())(test))))


@few
def test_values(data):
    check_values(Builder, drawn(data), depth=2)


@few
def test_values_with_state(data):
    check_values(StateBuilder, drawn(data), depth=2)


@few
def test_errors(data):
    check_errors(drawn(data), depth=2)


@many
def test_values_of_many(data):
    check_values(Builder, drawn(data))


@many
def test_values_with_state_of_many(data):
    check_values(StateBuilder, drawn(data))


@many
def test_errors_of_many(data):
    check_errors(drawn(data))


def test_real_threads_take_part():
    """What "every operation counts as expensive" means: they meet, or the step would not end."""
    meeting = threading.Barrier(2, timeout=20)
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [])
        meet = [tf.py_func(lambda v: (meeting.wait(), v)[1], [x], tf.float32) for _ in range(2)]
        program = Program.__new__(Program)
        program.graph, program.fetches, program.feeds = x.graph, meet, {x: np.float32(1)}
        config = tf.ConfigProto(inter_op_parallelism_threads=THREADS)
        with tf.Session(config=config) as program.session:
            assert program.in_threads(loops=False) == [1, 1]
            assert program.watched() == [1, 1]
