"""Segments as straight-line Python."""

import gc
import re
import weakref

import numpy as np
import pytest

import tinytf as tf
from tests.runtime.conftest import run
from tinytf.framework.errors import InvalidArgumentError
from tinytf.runtime import codegen
from tinytf.runtime.compiler import compile_plan
from tinytf.runtime.executor import Executor
from tinytf.runtime.preparation import CompileRequest
from tinytf.runtime.step import Step


def sources(monkeypatch):
    seen = []
    original = codegen._compile

    def keep(source):
        seen.append(source)
        return original(source)

    monkeypatch.setattr(codegen, "_compile", keep)
    return seen


def test_the_source_holds_numbers_only(ops, monkeypatch):
    seen = sources(monkeypatch)
    x = tf.placeholder(tf.float32, name="import_os")
    y = ops.note(ops.plus(x, 1.0, name="evil"), label="'); import os; ('")
    run([y], {x: np.float32(1)})
    words = set(re.findall(r"[A-Za-z_]+", "\n".join(seen)))
    assert words <= {"def", "segment", "s", "v", "k", "c", "del", "None", "pass", "_"}


def test_equal_shapes_of_graph_share_their_code(ops):
    def build():
        x = tf.placeholder(tf.float32)
        return x, ops.plus(ops.plus(x, 1.0), x)

    plans = []
    for _ in range(2):
        x, y = build()
        plans.append(compile_plan(CompileRequest([x], [y], [], None)))
    first, second = (plan.straight[0].function for plan in plans)
    assert first.__code__ is second.__code__
    assert first is not second


def test_a_value_goes_at_its_last_use(define):
    alive = []

    def track(x):
        alive.append(sum(reference() is not None for reference in references))
        value = np.zeros(1000, np.float32)
        references.append(weakref.ref(value))
        return value

    references = []
    card = define("TestTrack", "x: float -> y: float", stateful=True)
    card.kernel(track)
    value = tf.placeholder(tf.float32)
    start = value
    for _ in range(20):
        value = card(value)
    run([value], {start: np.zeros(1, np.float32)})
    # While a node runs only its own input is alive, however long the chain.
    assert alive == [0] + [1] * 19


def test_a_value_that_two_segments_read_goes_when_both_have(ops, define):
    card = define("TestFresh", "x: float -> y: float", stateful=True)
    made = []

    def fresh(x):
        value = np.zeros(10, np.float32)
        made.append(weakref.ref(value))
        return value

    card.kernel(fresh)
    x = tf.placeholder(tf.float32)
    shared = card(x)
    with tf.get_default_graph().control_dependencies([shared]):
        results = [ops.plus(shared, ops.note(x)) for _ in range(2)]
    plan = compile_plan(
        CompileRequest([x], [ops.plus(results[0], results[1])], [], None, by_node=True)
    )
    values = plan.root.values.copy()
    values[plan.feed_slots[0]] = np.float32(1)
    executor = Executor(plan, Step(None, None), values)
    executor.run()
    gc.collect()
    assert [reference() for reference in made] == [None]
    assert executor.values  # which is still there, and would have kept it


def test_long_segments_are_cut_and_still_right(ops):
    x = tf.placeholder(tf.float32)
    value, middle = x, None
    for number in range(2 * codegen.MAX_NODES + 10):
        value = ops.plus(value, x)
        if number == 50:
            middle = value
    plan = compile_plan(CompileRequest([x], [ops.plus(value, middle)], [], None))
    assert len(plan.straight) == 3
    assert run([ops.plus(value, middle)], {x: np.float32(1)}) == [np.float32(2011 + 52)]


def test_an_error_names_the_node_of_its_line(ops):
    x = tf.placeholder(tf.float32)
    good = ops.plus(x, 1.0)
    bad = ops.fail(good, name="the_bad_one")
    with pytest.raises(InvalidArgumentError) as caught:
        run([ops.plus(bad, good)], {x: np.float32(1)})
    assert caught.value.op is bad.op
    assert "broken on purpose" in caught.value.message
    assert "{{node the_bad_one}}" in caught.value.message
    assert 'bad = ops.fail(good, name="the_bad_one")' in caught.value.message


def test_several_outputs_are_unpacked_and_unread_ones_dropped(ops):
    x = tf.placeholder(tf.float32)
    a, b = ops.pair(x)
    assert run([a, b], {x: np.float32(5)}) == [6, 4]
    assert run([b], {x: np.float32(5)}) == [4]
    assert run([], {x: np.float32(5)}, targets=[b.op]) == []


def test_tracing_records_every_node_once_and_in_order(ops):
    recorded = []

    def record(nodes):
        return lambda step, number, start, end, *given: recorded.append(
            (nodes[number], start <= end, *given)
        )

    x = tf.placeholder(tf.float32)
    a = ops.plus(x, 1.0)
    b, _ = ops.pair(a)
    run([b], {x: np.float32(1)}, record=record)
    assert recorded == [(a.op, True, 2.0, ()), (b.op, True, (3.0, 1.0), ())]


def test_constants_cost_no_call(ops):
    x = tf.placeholder(tf.float32)
    plan = compile_plan(CompileRequest([x], [ops.plus(x, 1.0)], [], None))
    assert [op.type for op in plan.straight[0].ops] == ["TestPlus"]
