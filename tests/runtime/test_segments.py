"""Which nodes run, or are skipped, together."""

import threading

import numpy as np
import pytest

import tinytf as tf
from tests.runtime.conftest import run
from tinytf.framework.cancellation import deadline_after
from tinytf.framework.errors import CancelledError, DeadlineExceededError, InvalidArgumentError
from tinytf.runtime.compiler import compile_plan
from tinytf.runtime.executor import Executor
from tinytf.runtime.plan import Kind
from tinytf.runtime.preparation import CompileRequest
from tinytf.runtime.step import Step


def segments(plan):
    return [{op.name for op in unit.ops} for unit in plan.root.units if unit.kind is Kind.SEGMENT]


def test_a_graph_without_barriers_is_one_segment(ops):
    x = tf.placeholder(tf.float32)
    y = ops.plus(ops.plus(x, 1.0), x)
    plan = compile_plan(CompileRequest([x], [y], [], None))
    assert plan.straight is not None
    assert plan.unit_count == 1


def test_nodes_that_wait_for_different_things_are_kept_apart(ops):
    """One segment for what needs neither wait, and one for each wait: none waits needlessly."""
    x = tf.placeholder(tf.float32)
    first, second = ops.wait(x, name="first"), ops.wait(x, name="second")
    free = ops.plus(x, 1.0, name="free")
    after_first = ops.plus(first, 1.0, name="after_first")
    after_second = ops.plus(second, 1.0, name="after_second")
    both = ops.plus(after_first, after_second, name="both")
    plan = compile_plan(CompileRequest([x], [free, both], [], None))
    assert segments(plan) == [{"free"}, {"after_first"}, {"after_second"}, {"both"}]


def test_what_does_not_wait_is_not_held_up(ops):
    """A wait that only the step itself can end: TensorFlow finishes, so must a segment."""
    x = tf.placeholder(tf.float32)
    waiting = ops.plus(ops.wait(x), 1.0)
    opener = ops.note(ops.plus(x, 2.0), label="opener")
    plan = compile_plan(CompileRequest([x], [waiting, opener], [], None))
    values = plan.root.values.copy()
    values[plan.feed_slots[0]] = np.float32(1)
    executor = Executor(plan, Step(None, None), values)

    class Open:
        def started(self, *args):
            pass

        running = started

        def finished(self, *args):
            if "opener" in ops.calls and not ops.waits[0][0].done:
                ops.waits[0][0].set_result(np.float32(10))

    executor._observer = Open()
    executor.run()
    assert [executor.values[f.slot] for f in plan.fetches] == [11, 3]


def test_by_node_every_node_is_a_unit(ops):
    x = tf.placeholder(tf.float32)
    y = ops.plus(ops.plus(x, 1.0), x)
    plan = compile_plan(CompileRequest([x], [y], [], None, by_node=True))
    assert plan.unit_count == 3  # the constant, too
    assert run([y], {x: np.float32(2)}, by_node=True) == [5]


def test_a_step_that_waits_ends_at_its_deadline_and_says_for_what(ops):
    waiting = ops.wait(1.0, name="slow")
    step = Step(None, None, deadline=deadline_after(60))
    with pytest.raises(DeadlineExceededError) as caught:
        run([waiting], step=step)
    assert caught.value.op is waiting.op
    assert "slow (TestWait) waits for the test" in caught.value.message
    assert 'waiting = ops.wait(1.0, name="slow")' in caught.value.message
    assert ops.waits[0][0].done  # told that nobody wants it any more


def test_a_cancelled_step_ends_with_the_reason(ops):
    step = Step(None, None)
    waiting = ops.wait(ops.note(1.0))
    plan = compile_plan(CompileRequest([], [waiting], [], None))
    executor = Executor(plan, step)
    reason = CancelledError(None, None, "the test says so")

    class Cancel:
        def started(self, *args):
            pass

        finished = started

        def running(self, unit, *args):
            if unit.kind is Kind.NODE:
                step.cancellation.start_cancel(reason)

    executor._observer = Cancel()
    with pytest.raises(CancelledError, match="the test says so"):
        executor.run()


def test_a_cancelled_step_does_not_start(ops):
    step = Step(None, None)
    step.cancellation.start_cancel()
    with pytest.raises(CancelledError):
        run([ops.wait(1.0)], step=step)
    assert ops.waits == []


def test_the_first_error_ends_the_step_and_withdraws_the_waits(ops):
    waiting = ops.wait(1.0)
    bad = ops.fail(ops.note(2.0))
    with pytest.raises(InvalidArgumentError, match="broken on purpose"):
        run([waiting, bad])
    # The wait had begun, and was told that nobody wants its value any more.
    assert [pending.done for pending, _ in ops.waits] == [True]


def test_a_wait_completed_by_another_thread_goes_on_in_the_step(ops):
    waiting = ops.wait(1.0)
    step = Step(None, None)
    waker = threading.Thread(target=lambda: _complete_first(ops, np.float32(7)))
    waker.start()
    assert run([ops.plus(waiting, ops.note(waiting))], step=step) == [14]
    waker.join()


def _complete_first(ops, value):
    poll = threading.Event()
    while not ops.waits:
        poll.wait(0.001)
    ops.waits[0][0].set_result(value)
