"""Several threads: on the devices of a step, on one device, and how such steps end."""

import threading
import weakref

import numpy as np
import pytest

import tinytf as tf
from tests.runtime.conftest import (
    by_request,
    cpu_devices,
    offer_thread,
    start_thread,
    step_with_functions,
)
from tinytf.framework import errors, shape_inference
from tinytf.framework.cancellation import deadline_after
from tinytf.framework.pending import Pending
from tinytf.ops.functions.defun import Defun
from tinytf.runtime.compiler import compile_plan
from tinytf.runtime.parallel_executor import WORTH_A_THREAD, ParallelExecutor
from tinytf.runtime.pools import Helpers
from tinytf.runtime.preparation import CompileRequest

CPU_1 = "/job:localhost/replica:0/task:0/device:CPU:1"
LONG = 10.0  # seconds; a test that is right never waits that long


def on(device):
    return tf.device(f"/cpu:{device}")


def executor_of(fetches, targets=(), devices=2, offer=offer_thread, step=None, threads=2):
    place = by_request(cpu_devices(devices))
    plan = compile_plan(CompileRequest([], fetches, list(targets), None, place=place))
    step = step or step_with_functions(place=place)
    return ParallelExecutor(plan, step, plan.root.values.copy(), Helpers(threads, offer, offer))


def results(executor, fetches):
    executor.run()
    return [executor.values[fetch.slot] for fetch in executor._plan.fetches][: len(fetches)]


@pytest.fixture
def card(define):
    """A card whose kernel is given when it is made: float in, float out."""

    def make(name, kernel, **how):
        made = define(name, "x: float -> y: float", stateful=True)
        made.shape(shape_inference.unchanged)
        made.kernel(kernel, **how)
        return made

    return make


def test_two_devices_work_at_the_same_time(card):
    meeting = threading.Barrier(2, timeout=LONG)
    meet = card("TestMeet", lambda x: (meeting.wait(), x)[1])
    with on(0):
        a = meet(tf.constant(1.0))
    with on(1):
        b = meet(tf.constant(2.0))
    assert results(executor_of([a, b]), [a, b]) == [1.0, 2.0]


def test_a_stream_works_in_order(card):
    running, most = [0], [0]

    def kernel(x):
        running[0] += 1
        most[0] = max(most[0], running[0])
        np.ones([100, 100]) @ np.ones([100, 100])  # lets other threads in
        running[0] -= 1
        return x

    count = card("TestCount", kernel)
    with on(1):
        made = [count(tf.constant(float(i))) for i in range(50)]
    with on(0):
        total = tf.add_n(made)
    executor = executor_of([total], threads=4)
    executor._plan.is_stream[executor._plan.lanes.index(CPU_1)] = True
    assert results(executor, [total]) == [sum(range(50))]
    assert most == [1]


def test_what_another_device_waits_for_goes_first(card):
    """A value leaves as soon as it is there: not when its device has done all it has to do."""
    arrived = threading.Event()
    arrive = card("TestArrive", lambda x: (arrived.set(), x)[1])
    waits = card("TestWaits", lambda x: np.float32(arrived.wait(LONG)))
    with on(0):
        first = tf.negative(tf.constant(1.0))
        busy = waits(tf.constant(0.0))  # the same needs, but nobody else waits for it
    with on(1):
        sent = arrive(first)
    assert results(executor_of([busy, sent]), [busy, sent]) == [1.0, -1.0]


def test_what_is_there_from_the_start_leaves_before_long_work_begins(card):
    arrived = threading.Event()
    arrive = card("TestArrive", lambda x: (arrived.set(), x)[1])
    waits = card("TestWaits", lambda x: np.float32(arrived.wait(LONG)))
    with on(0):
        x = tf.constant(1.0)
        busy = waits(x)  # ready as early as the Send of x, and built before it
    with on(1):
        sent = arrive(x)
    assert results(executor_of([busy, sent]), [busy, sent]) == [1.0, 1.0]


def test_one_thing_at_a_time_is_never_handed_to_another_thread(card):
    threads = set()
    note = card("TestNote", lambda x: (threads.add(threading.get_ident()), x)[1])
    value = tf.constant(1.0)
    for i in range(20):
        with on(i % 2):
            value = note(value)
    with on(0):
        value = note(value)

    def refuse(function):
        raise AssertionError("there was nothing for another thread to do")

    assert results(executor_of([value], offer=refuse), [value]) == [1.0]
    assert threads == {threading.get_ident()}


def test_what_is_not_worth_a_thread_is_not_handed_over(card):
    with on(0):
        a = tf.negative(tf.constant(1.0))
    with on(1):
        b = tf.negative(tf.constant(2.0))
    started = []
    executor = executor_of([a, b], offer=started.append)
    for unit in executor._plan.root.units:
        unit.cost = WORTH_A_THREAD / 10
    assert results(executor, [a, b]) == [-1.0, -2.0]
    assert started == []


@pytest.mark.parametrize("failing", [0, 1])
def test_the_first_error_ends_the_step_at_once(card, failing):
    go_on, stopped = threading.Event(), threading.Event()

    def hold(x):
        go_on.wait(LONG)
        stopped.set()
        return x

    def fail(x):
        raise ValueError("broken on purpose")

    held, broken = card("TestHold", hold), card("TestBroken", fail)
    meeting = threading.Barrier(2, timeout=LONG)
    meet = card("TestMeet", lambda x: (meeting.wait(), x)[1])
    with on(failing):
        bad = broken(meet(tf.constant(1.0)))
    with on(1 - failing):
        good = held(meet(tf.constant(1.0)))
    # The caller's thread takes the lowest lane: where the failing one is another's, it is the
    # caller that holds on, so it has to be let go first.
    if failing == 1:
        go_on.set()
    with pytest.raises(errors.InvalidArgumentError, match="broken on purpose") as raised:
        executor_of([bad, good]).run()
    assert raised.value.op.type == "TestBroken"
    assert stopped.is_set() == (failing == 1)
    go_on.set()


def test_a_wait_on_any_device_is_interrupted_by_a_cancellation(card):
    waiting = threading.Event()

    def wait(step, x):
        pending = Pending("the test")
        step.cancellation.register(lambda: pending.set_error(step.cancellation_error()))
        waiting.set()
        return pending

    blocks = card("TestBlocks", wait, blocking=True)
    with on(1):
        value = blocks(tf.constant(1.0))
    executor = executor_of([value])
    reason = errors.CancelledError(None, None, "enough")

    def cancel():
        waiting.wait(LONG)
        executor._step.cancellation.start_cancel(reason)

    start_thread(cancel)
    with pytest.raises(errors.CancelledError, match="enough"):
        executor.run()


def test_what_was_waited_for_comes_and_the_other_device_goes_on(card):
    pending = Pending("the test")
    blocks = card("TestBlocks", lambda x: pending, blocking=True)
    with on(1):
        late = blocks(tf.constant(1.0))
        with_late = tf.negative(late)
    with on(0):
        result = tf.negative(with_late)
    executor = executor_of([result])
    start_thread(lambda: pending.set_result(np.float32(5.0)))
    assert results(executor, [result]) == [5.0]


def test_a_deadline_names_what_still_runs(card):
    go_on, runs = threading.Event(), threading.Event()
    hold = card("TestHold", lambda x: (runs.set(), go_on.wait(LONG), x)[2])
    quick = card("TestQuick", lambda x: (runs.wait(LONG), x)[1])
    with on(1):
        held = hold(tf.constant(1.0), name="slow")
    with on(0):
        done = quick(tf.constant(1.0))
    step = step_with_functions()
    step.deadline = deadline_after(100)
    with pytest.raises(errors.DeadlineExceededError, match=r"still running, at slow \(TestHold\)"):
        executor_of([done, held], step=step).run()
    go_on.set()


def test_functions_run_on_the_thread_of_the_step(card):
    """Their executors share the queue of the step, which only its thread may take from."""
    threads = []
    note = card("TestNote", lambda x: (threads.append(threading.get_ident()), x)[1])
    meeting = threading.Barrier(2, timeout=LONG)
    meet = card("TestMeet", lambda x: (meeting.wait(), x)[1])

    @Defun(tf.float32, shape_func=lambda op: [[]])
    def function(x):
        return note(x)

    with on(0):
        a = meet(tf.constant(1.0))
    with on(1):
        b = function(meet(tf.constant(2.0)))
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as sess:
        assert sess.run([a, b]) == [1.0, 2.0]
    assert threads == [threading.get_ident()]


def test_many_steps_at_once():
    x = tf.placeholder(tf.float32, [])
    with on(1):
        y = x * 2.0
    with on(0):
        z = y + x
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as sess:
        found = {}

        def work(number):
            found[number] = [sess.run(z, {x: float(number)}) for _ in range(20)]

        threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(LONG)
    assert found == {n: [3.0 * n] * 20 for n in range(8)}


def test_without_another_thread_one_does_it_all():
    """The system gives no more, or the session that has them was closed just now."""
    with on(0):
        a = tf.negative(tf.constant(1.0))
    with on(1):
        b = tf.negative(tf.constant(2.0))

    def refuse(function):
        return False

    executor = executor_of([a, b], offer=refuse)
    assert results(executor, [a, b]) == [-1.0, -2.0]
    assert executor._helpers == 0


def test_what_came_meanwhile_goes_on_before_more_is_begun(card):
    """The other device need not wait until this one has nothing left to do."""
    arrived, is_awaited = threading.Event(), threading.Event()

    class Awaited(Pending):
        def when_done(self, listener):
            super().when_done(listener)
            is_awaited.set()

    def end_the_wait(x):
        is_awaited.wait(LONG)
        pending.set_result(np.float32(5.0))
        return x

    pending = Awaited("the test")
    blocks = card("TestBlocks", lambda x: pending, blocking=True)
    arrive = card("TestArrive", lambda x: (arrived.set(), x)[1])
    come = card("TestCome", end_the_wait, blocking=True)
    waits = card("TestWaits", lambda x: np.float32(arrived.wait(LONG)))
    with on(1):
        late = arrive(blocks(tf.constant(1.0)))
    with on(0):
        busy = waits(come(tf.constant(1.0)))
    assert results(executor_of([busy, late]), [busy, late]) == [1.0, 5.0]


def test_who_goes_on_finds_no_result_kept_by_another_thread(card):
    is_waiting, has_begun, seen, kept = threading.Event(), threading.Event(), [], []

    def kernel(x):
        has_begun.set()
        is_waiting.wait(LONG)
        array = np.ones(3, np.float32)
        seen.append(weakref.ref(array))
        return array

    with on(1):
        last = card("TestLast", kernel, blocking=True)(tf.constant(1.0))
    with on(0):
        first = card("TestFirst", lambda x: (has_begun.wait(LONG), x)[1])(tf.constant(1.0))
    executor = executor_of([first], [last.op])
    wait, note = executor._wait, executor._go_on_with

    def waiting(deadline):
        is_waiting.set()
        wait(deadline)

    def going_on(ready):
        kept.extend(ref() is not None for ref in seen)
        note(ready)

    executor._wait, executor._go_on_with = waiting, going_on
    assert results(executor, [first]) == [1.0]
    assert kept == [False]


def test_what_runs_beside_a_function_is_not_in_it(card):
    """A trace names operations by the calls that lead to them."""
    inside, outside = threading.Event(), threading.Event()
    enter = card("TestEnter", lambda x: (inside.set(), outside.wait(LONG), x)[2])
    beside = card("TestBeside", lambda x: (inside.wait(LONG), x)[1])
    leave = card("TestLeave", lambda x: (outside.set(), x)[1])

    @Defun(tf.float32, shape_func=lambda op: [[]])
    def function(x):
        return enter(x, name="enter")

    with on(0):
        a = function(tf.constant(1.0), name="call")
    with on(1):
        b = leave(beside(tf.constant(2.0), name="beside"), name="leave")
    metadata = tf.RunMetadata()
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as sess:
        sess.run([a, b], None, tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), metadata)
    names = {node.node_name for dev in metadata.step_stats.dev_stats for node in dev.node_stats}
    assert {"call", "call/enter", "beside", "leave"} <= names


def test_what_fails_when_the_session_was_closed_was_cancelled(card):
    """Its variables are gone, for example; that is not what the caller should hear."""
    session = tf.Session(config=tf.ConfigProto(device_count={"CPU": 2}))
    meeting = threading.Barrier(2, timeout=LONG)
    meet = card("TestMeet", lambda x: (meeting.wait(), x)[1])

    def close(x):
        session.close()
        raise ValueError("broken by the end of the session")

    with on(1):
        bad = card("TestClose", close)(meet(tf.constant(1.0)))
    with on(0):
        good = meet(tf.constant(1.0))
    with pytest.raises(errors.CancelledError, match="Session has been closed"):
        session.run([good, bad])
