"""Ctrl-C at any moment of a run: the call ends, and the session works on as if it had not begun.

Python looks for signals at certain places only: after calls, at the start of functions and at the
end of each turn of a loop. `interrupted_at` raises KeyboardInterrupt at the n-th of them, so every
moment of a run can be tried, one after the other. The slow test sends real signals besides.
"""

import dis
import functools
import inspect
import queue
import random
import signal
import sys
import threading
from contextlib import contextmanager

import numpy as np
import pytest

import tinytf as tf
from tests.effort import rounds
from tests.interrupts import SWALLOWS, UNSAFE
from tinytf.framework import shape_inference
from tinytf.framework.pending import Pending
from tinytf.kernels.sharding import sizes
from tinytf.ops.functions.defun import Defun
from tinytf.runtime import blas, learning, parallel_executor, stragglers
from tinytf.testing import leaks

_NAMES = ("CALL", "CALL_KW", "CALL_FUNCTION_EX", "RESUME", "JUMP_BACKWARD")
LOOKS_FOR_SIGNALS = {dis.opmap[name] for name in _NAMES if name in dis.opmap}
#: How many moments of each program are tried by default, and by the slow tests.
FEW, MANY = 25, rounds(100)


@functools.cache
def handlers(code):
    """Where an error goes, for each place in a code; None: out of it."""
    entries = dis.Bytecode(code).exception_entries
    return {
        offset: entry.target for entry in entries for offset in range(entry.start, entry.end, 2)
    }


class Moments:
    """Counts the places at which Python looks for signals; interrupts at number `at`.

    Python raises from the call that it looked after, a trace from what comes next: where the two
    have different handlers (`with lock: return f()`), an interrupt is not imitated.
    """

    def __init__(self, at=0):
        self._at = at
        self._before = {}  # where each frame was last
        self.count = 0
        self.where = None

    def trace(self, frame, event, argument):
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return self._trace

    def _trace(self, frame, event, argument):
        if event == "return":
            self._before.pop(id(frame), None)
        code = frame.f_code
        if event != "opcode" or code.co_name in SWALLOWS or code.co_filename in UNSAFE:
            return self._trace
        at, before = frame.f_lasti, self._before.get(id(frame))
        self._before[id(frame)] = at
        if before is None or (
            code.co_code[before] in LOOKS_FOR_SIGNALS
            and handlers(code).get(before) == handlers(code).get(at)
        ):
            self.count += 1
            if self.count == self._at:
                sys.settrace(None)
                self.where = f"{code.co_qualname} ({code.co_filename}:{frame.f_lineno})"
                raise KeyboardInterrupt
        return self._trace


@contextmanager
def interrupted_at(number):
    """KeyboardInterrupt at the moment `number` of the block; 0: they are counted only."""
    moments = Moments(number)
    before = sys.gettrace()
    sys.settrace(moments.trace)
    try:
        yield moments
    finally:
        sys.settrace(before)


@pytest.fixture
def everything_is_expensive(monkeypatch):
    """Learning tries all it can, and keeps the last; whatever is ready gets a thread."""
    for name in ("WORTH_LEARNING", "EXPENSIVE", "EXPENSIVE_IN_LOOP"):
        monkeypatch.setattr(learning, name, 0.0)
    for name in ("_WORTH_TRYING", "_WORTH_KEEPING"):
        monkeypatch.setattr(learning, name, -9.0)
    monkeypatch.setattr(learning, "_LONG", 1e9)
    monkeypatch.setattr(parallel_executor, "WORTH_A_THREAD", -1.0)
    monkeypatch.setattr(sizes, "WORTH_NS", 0)


#: What a thread carries out that is there before and after: see UNSAFE.
ANSWERS = queue.SimpleQueue()


@pytest.fixture(scope="module", autouse=True)
def answering():
    thread = threading.Thread(target=lambda: [answer() for answer in iter(ANSWERS.get, None)])
    thread.start()
    yield
    ANSWERS.put(None)
    thread.join()


ONES = np.ones([32, 32], np.float32)


def straight(define):
    x = tf.placeholder(tf.float32, [])
    return x * 2.0 + 1.0, {x: 3.0}, 7.0, {}


def two_devices(define):
    x = tf.placeholder(tf.float32, [32, 32])
    with tf.device("/cpu:0"):
        a = tf.matmul(x, x)
    with tf.device("/cpu:1"):
        b = tf.matmul(x, x)
    with tf.device("/cpu:0"):
        return tf.reduce_sum(a + b), {x: ONES}, 2 * 32.0**3, {}


def side_by_side(define):
    x = tf.placeholder(tf.float32, [32, 32])
    return tf.reduce_sum(tf.matmul(x, x) + tf.exp(x * 0.0)), {x: ONES}, 32.0**3 + 32**2, {}


def in_shards(define):
    x = tf.placeholder(tf.float32, [512, 512])
    y = tf.reduce_sum(tf.sqrt(x), axis=1)
    return y[7], {x: np.full([512, 512], 4, np.float32)}, 1024.0, {}


def loop_and_conditional(define):
    x = tf.placeholder(tf.int32, [])
    total = tf.while_loop(lambda i, t: i < 5, lambda i, t: (i + 1, t + x), [0, 0])[1]
    return tf.cond(total > 5, lambda: total + 1, lambda: total), {x: 3}, 16, {}


def with_a_deadline(define):
    x = tf.placeholder(tf.float32, [])
    return x * 2.0 + 1.0, {x: 3.0}, 7.0, {"options": tf.RunOptions(timeout_in_ms=60_000)}


def traced(define):
    x = tf.placeholder(tf.float32, [])
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    return x * 2.0 + 1.0, {x: 3.0}, 7.0, {"options": options, "run_metadata": tf.RunMetadata()}


def waits_in_a_function(define):
    card = define("TestServed", "x: float -> y: float", stateful=True)
    card.shape(shape_inference.unchanged)

    @card.kernel(blocking=True)
    def _(step, x):
        pending = Pending("another thread")
        step.cancellation.register(lambda: pending.set_error(step.cancellation_error()))
        ANSWERS.put(lambda: pending.set_result(x))
        return pending

    @Defun(tf.float32, shape_func=lambda op: [[]])
    def function(x):
        return card(x) + 1.0

    x = tf.placeholder(tf.float32, [])
    return function(x) * 2.0, {x: 3.0}, 8.0, {}


def variables(define):
    v = tf.get_variable("v", initializer=tf.zeros([3]))
    with tf.control_dependencies([tf.assign(v, tf.ones([3]) * 2.0)]):
        return tf.reduce_sum(v.read_value()), {}, 6.0, {}


PROGRAMS = (
    straight,
    two_devices,
    side_by_side,
    in_shards,
    loop_and_conditional,
    with_a_deadline,
    traced,
    waits_in_a_function,
    variables,
)
CONFIG = {
    "device_count": {"CPU": 2},
    "inter_op_parallelism_threads": 3,
    "intra_op_parallelism_threads": 2,
}


@contextmanager
def session_and_run(program, define):
    """A session, and a function that runs the program in it and checks what comes."""
    with tf.Graph().as_default():
        fetch, feed, expected, how = program(define)
        with tf.Session(config=tf.ConfigProto(**CONFIG)) as sess:
            if tf.global_variables():
                sess.run(tf.global_variables_initializer())

            def run():
                assert sess.run(fetch, feed, **how) == expected

            yield sess, run


def learned_in(sess):
    """What the plans of the only signature are compiled for."""
    (signature,) = sess._signatures.values()
    return inspect.getclosurevars(signature.runner).nonlocals["plans"].learner.parallelism


def held_in(sess):
    """What a run takes and must give back, and has not."""
    backend = sess._backend
    locks = [backend._lock, backend.functions._lock, backend.cancellation._lock, blas._lock]
    locks += [pool._lock for pool in backend.pools.inter_op]
    locks += [pool._threads._lock for pool in backend.pools.inter_op]
    locks += [backend.pools.intra_op_pool._lock, stragglers._lock]
    return [lock for lock in locks if lock.locked()]


def wait_until(condition):
    """Nothing tells when: it is looked at again and again, until the test's timeout."""
    while not condition():
        threading.Event().wait(0.001)


def check_every_moment(program, define, most, prepare=lambda sess: None):
    blas_threads = blas.threads_now()
    with leaks.none_left(), session_and_run(program, define) as (sess, run):
        for _ in range(25):  # until all has been learned
            run()
        if program is side_by_side and learning.WORTH_LEARNING == 0.0:
            assert learned_in(sess).side_by_side
        prepare(sess)
        with interrupted_at(0) as all_moments:
            run()
        numbers = range(1, all_moments.count + 1)
        for number in sorted(random.Random(0).sample(numbers, min(most, len(numbers)))):
            prepare(sess)
            try:
                with interrupted_at(number) as moments:
                    run()
                assert moments.where is None, f"swallowed at {moments.where}"
            except KeyboardInterrupt:
                assert moments.where is not None  # our own
            run()
            run()
            assert held_in(sess) == [], moments.where
        assert blas.threads_now() == blas_threads
    for pool in sess._backend.pools.inter_op:
        wait_until(lambda pool=pool: not pool._busy)


@pytest.mark.usefixtures("everything_is_expensive")
@pytest.mark.parametrize("program", PROGRAMS)
def test_a_run_is_interrupted_at_any_moment(program, define):
    check_every_moment(program, define, FEW)


@pytest.mark.slow
@pytest.mark.usefixtures("everything_is_expensive")
@pytest.mark.parametrize("program", PROGRAMS)
def test_a_run_is_interrupted_at_many_moments(program, define):
    check_every_moment(program, define, MANY)


@pytest.mark.parametrize("program", [variables])
def test_a_first_run_is_interrupted_while_it_is_compiled(program, define):
    check_every_moment(program, define, FEW, lambda sess: sess._signatures.clear())


@pytest.mark.slow
@pytest.mark.timeout(200)
@pytest.mark.parametrize("program", PROGRAMS)
def test_a_first_run_is_interrupted_at_many_moments(program, define):
    check_every_moment(program, define, MANY, lambda sess: sess._signatures.clear())


def all_but_interrupts(hook):
    """A hook for errors that Python swallows, without the interrupts among them.

    A signal can arrive in whatever runs while an object goes: nobody can let it out of there, and
    the run goes on as if it had not come.
    """
    return lambda error: None if error.exc_type is KeyboardInterrupt else hook(error)


def interrupted_by_signals(sess, run, times, monkeypatch):
    """Real signals from another thread at random moments; how often they interrupted a run."""
    chooser = random.Random(0)
    is_running, is_over = threading.Event(), threading.Event()
    interrupted = 0

    def interrupt():
        while not is_over.is_set():
            is_running.wait()
            is_over.wait(chooser.random() * 1e-3)
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
            is_running.clear()

    def handle(number, frame):
        if armed and frame.f_code.co_name not in SWALLOWS:
            raise KeyboardInterrupt

    armed = False
    before = signal.signal(signal.SIGINT, handle)
    monkeypatch.setattr(sys, "unraisablehook", all_but_interrupts(sys.unraisablehook))
    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        while interrupted < times:
            try:
                is_running.set()  # not armed: an interrupt in here would leave the event locked
                armed = True
                for _ in range(1000):
                    run()
                armed = False
            except KeyboardInterrupt:
                armed = False
                interrupted += 1
                run()
    finally:
        armed = False
        is_over.set()
        is_running.set()
        thread.join()
        signal.signal(signal.SIGINT, before)
    assert held_in(sess) == []
    return interrupted


def check_signals(program, define, times, monkeypatch):
    blas_threads = blas.threads_now()
    with leaks.none_left(), session_and_run(program, define) as (sess, run):
        for _ in range(25):
            run()
        with monkeypatch.context() as patch:
            interrupted_by_signals(sess, run, times, patch)
        run()
    assert blas.threads_now() == blas_threads


@pytest.mark.usefixtures("everything_is_expensive")
@pytest.mark.parametrize("program", [two_devices, in_shards])
def test_signals_at_random_moments(program, define, monkeypatch):
    check_signals(program, define, 50, monkeypatch)


@pytest.mark.slow
@pytest.mark.timeout(200)
@pytest.mark.usefixtures("everything_is_expensive")
@pytest.mark.parametrize("program", PROGRAMS)
def test_hundreds_of_signals_at_random_moments(program, define, monkeypatch):
    check_signals(program, define, rounds(400), monkeypatch)


def test_an_interrupt_reports_the_kernel_that_another_thread_cannot_end(define, monkeypatch):
    """As in a notebook: Ctrl-C gives the cell back, and the kernel that hangs has a name."""
    hangs, end = threading.Event(), threading.Event()
    main = threading.main_thread()
    told = queue.SimpleQueue()
    monkeypatch.setattr(stragglers, "GRACE_SECONDS", 0.01)
    monkeypatch.setattr(stragglers, "print", lambda text, **how: told.put(str(text)), raising=False)
    card = define("TestHangs", "x: float -> y: float", stateful=True)
    card.shape(shape_inference.unchanged)

    @card.kernel
    def _(x):
        if threading.current_thread() is main:
            hangs.wait()
            raise KeyboardInterrupt
        hangs.set()
        end.wait()
        return x

    with leaks.watch() as left, tf.Graph().as_default():
        with tf.device("/cpu:0"):
            a = card(tf.constant(1.0), name="first")
        with tf.device("/cpu:1"):
            b = card(tf.constant(2.0), name="second")  # the line of one of them
        config = tf.ConfigProto(use_per_session_threads=True, **CONFIG)
        with tf.Session(config=config) as sess:
            with pytest.raises(KeyboardInterrupt):
                sess.run([a, b])
            (straggler,) = stragglers.still_running()
            name = straggler.ops[0].name
            text = told.get()
            assert text.startswith(f"{name} (TestHangs)")
            assert "is still running" in text
            assert "test_interrupts.py" in text
            assert sess.run(tf.constant(3.0)) == 3.0
            with leaks.watch(patience=0.0) as now:
                pass
            assert now.threads == []  # it was there before this block
    (excused,) = [thread for thread in left.excused if thread.excuse == "straggler"]
    assert excused.op.name == name
    assert left.threads == []
    end.set()
    wait_until(lambda: not stragglers.still_running())
