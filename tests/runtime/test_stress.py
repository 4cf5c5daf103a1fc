"""Sixteen threads on one session, with steps of every kind: right values, no hang, nothing left.

Some steps fail, some run out of time, some wait for other threads; at the end the session is closed
under those that still run. A lost wake-up shows as a hang: the test's timeout prints all stacks.
"""

import gc
import itertools
import queue
import random
import sys
import threading
import time
import weakref

import numpy as np
import pytest

import tinytf as tf
from tests.runtime.conftest import parts_left, parts_of_steps
from tests.runtime.test_random_graphs import Builder, arithmetic  # noqa: F401
from tinytf.framework import errors, shape_inference
from tinytf.framework.pending import Pending
from tinytf.ops.functions.defun import Defun
from tinytf.runtime import blas, learning, parallel_executor, stragglers
from tinytf.testing import leaks
from tinytf.testing.evaluator import evaluate

THREADS = 16
FEW, MANY = 640, 8000


@pytest.fixture(autouse=True)
def everything_is_expensive(monkeypatch):
    """Learning keeps the form with the most threads; whatever is ready gets one."""
    for name in ("WORTH_LEARNING", "EXPENSIVE", "EXPENSIVE_IN_LOOP"):
        monkeypatch.setattr(learning, name, 0.0)
    for name in ("_WORTH_TRYING", "_WORTH_KEEPING"):
        monkeypatch.setattr(learning, name, -9.0)
    monkeypatch.setattr(learning, "_LONG", 1e9)
    monkeypatch.setattr(parallel_executor, "WORTH_A_THREAD", -1.0)


@pytest.fixture(autouse=True)
def threads_change_often():
    """Between as many pairs of instructions as may be."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


@pytest.fixture
def others():
    """A thread that completes what kernels wait for, and a queue of (pending, value) for it."""
    waiting = queue.SimpleQueue()

    def complete():
        for pending, value in iter(waiting.get, None):
            pending.set_result(value)
            del pending, value  # a cancelled one knows its error, and that its step

    thread = threading.Thread(target=complete)
    thread.start()
    yield waiting
    waiting.put(None)
    thread.join()


class Kinds:
    """Steps of many kinds; each method runs one with a number of its own, and checks it."""

    def __init__(self, define, waiting, with_gpu):
        self.x = tf.placeholder(tf.float32, [], name="x")
        self.many = tf.placeholder(tf.float32, [48, 48])
        self.fed = []  # weak references to what was fed
        self._define_ops(define, waiting)
        x = self.x
        self.sequence = (x * 2.0 + 1.0) * x
        with tf.device("/cpu:1"):
            there = tf.matmul(self.many, self.many)
        with tf.device("/cpu:0"):
            here = tf.matmul(self.many, self.many + 1.0)
            self.on_two = tf.reduce_sum(here - there)
            self.apart = [tf.reduce_max(self.many), there]
        ones = tf.exp(self.many * 0.0)
        self.branches = tf.add_n([tf.reduce_sum(ones * (x + float(k))) for k in range(24)])
        turns = tf.while_loop(lambda i, _: i < 7, lambda i, t: (i + 1, t + x), [0, 0.0])
        self.loop = turns[1]
        self.choice = tf.cond(x > 500.0, lambda: x - 500.0, lambda: x + self.wait(x))
        self.call = _twice_in_a_function(self.wait)(x) + 1.0
        self.python = tf.py_func(lambda a: a * np.float32(3), [x], tf.float32)
        self.counter = tf.get_variable("counter", initializer=0)
        self.count = tf.assign_add(self.counter, 1, use_locking=True)
        self.counted = 0  # guarded by self.lock
        self.lock = threading.Lock()
        with tf.device("/cpu:1"):
            endless = self.never(x)
        with tf.device("/cpu:0"):
            self.bad = tf.add(self.fails(x), endless)
        self.too_late = self.never(x) + 1.0
        self.in_time = self.wait(x) + there[0, 0] * 0.0
        with tf.device("/gpu:0" if with_gpu else "/cpu:1"):
            self.far = tf.reduce_sum(tf.matmul(self.many, self.many)) + x
        self.random = _random_programs()
        self.all = [self.__getattribute__(n) for n in dir(self) if n.startswith("run_")]

    def _define_ops(self, define, waiting):
        def unary(name, kernel, **how):
            card = define(name, "x: float -> y: float", stateful=True)
            card.shape(shape_inference.unchanged)
            card.kernel(kernel, **how)
            return card

        def wait(step, x):
            pending = Pending("the other thread")
            step.cancellation.register(lambda: pending.set_error(step.cancellation_error()))
            waiting.put((pending, x))
            return pending

        def never(step, x):
            pending = Pending("nobody")
            step.cancellation.register(lambda: pending.set_error(step.cancellation_error()))
            return pending

        def fail(x):
            raise ValueError(f"number {x:.0f} is bad")

        self.wait = unary("TestWaits", wait, blocking=True)
        self.never = unary("TestNever", never, blocking=True)
        self.fails = unary("TestFails", fail)

    def square(self, number):
        """A matrix to feed, whose end can be seen."""
        value = np.full([48, 48], number % 7, np.float32)
        self.fed.append(weakref.ref(value))
        return value

    def wait_until_nothing_fed_is_kept(self):
        """The collector is not needed to free what was fed to a step that ended well.

        A thread that helped with its last operation may still be on its way out of it.
        """
        end = time.monotonic() + leaks.PATIENCE_SECONDS
        while kept := [value for reference in self.fed if (value := reference()) is not None]:
            holders = gc.get_referrers(*kept)
            assert time.monotonic() < end, [getattr(h, "f_code", type(h)) for h in holders]
            del kept, holders
            threading.Event().wait(0.01)

    def run_sequence(self, sess, n):
        assert sess.run(self.sequence, {self.x: n}) == (n * 2 + 1) * n

    def run_on_two_devices(self, sess, n):
        assert sess.run(self.on_two, {self.many: self.square(n)}) == n % 7 * 48.0**3

    def run_one_that_another_thread_ends(self, sess, n):
        most, product = sess.run(self.apart, {self.many: self.square(n)})
        assert most == n % 7
        assert product[3, 5] == (n % 7) ** 2 * 48

    def run_branches(self, sess, n):
        value = sess.run(self.branches, {self.x: n, self.many: self.square(n)})
        assert value == 48 * 48 * (24 * n + sum(range(24)))

    def run_loop(self, sess, n):
        assert sess.run(self.loop, {self.x: n}) == 7 * n

    def run_conditional(self, sess, n):
        assert sess.run(self.choice, {self.x: n}) == (n - 500 if n > 500 else 2 * n)

    def run_function(self, sess, n):
        assert sess.run(self.call, {self.x: n}) == 2 * n + 1

    def run_python(self, sess, n):
        assert sess.run(self.python, {self.x: n}) == 3 * n

    def run_counter(self, sess, n):
        sess.run(self.count)
        with self.lock:
            self.counted += 1

    def run_far(self, sess, n):
        value = sess.run(self.far, {self.x: n, self.many: self.square(n)})
        assert value == (n % 7) ** 2 * 48.0**3 + n

    def run_one_that_fails(self, sess, n):
        with pytest.raises(errors.InvalidArgumentError, match=f"number {n} is bad"):
            sess.run(self.bad, {self.x: n})

    def run_too_late(self, sess, n):
        with pytest.raises(errors.DeadlineExceededError):
            sess.run(self.too_late, {self.x: n}, options=tf.RunOptions(timeout_in_ms=1 + n % 3))

    def run_perhaps_in_time(self, sess, n):
        feed = {self.x: n, self.many: np.ones([48, 48], np.float32)}
        try:
            value = sess.run(self.in_time, feed, options=tf.RunOptions(timeout_in_ms=1 + n % 9))
        except errors.DeadlineExceededError:
            return
        assert value == n

    def run_random_program(self, sess, n):
        fetches, expected = self.random[n % len(self.random)]
        assert [int(v) for v in sess.run(fetches)] == expected


def _twice_in_a_function(wait):
    @Defun(tf.float32, shape_func=lambda op: [[]])
    def twice(x):
        return wait(x) + x

    return twice


def _random_programs():
    programs = []
    for seed in range(6):
        chooser = random.Random(seed)
        fetches = Builder(chooser.randint).block([tf.constant(1), tf.constant(5)], 2, 8)[-4:]
        programs.append((fetches, [int(v) for v in evaluate(fetches)]))
    return programs


def in_threads(work):
    """Run it in all threads at once; what went wrong in any."""
    wrong = []
    begin = threading.Barrier(THREADS)

    def run(number):
        try:
            begin.wait()
            work(number)
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=run, args=[n], daemon=True) for n in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()  # pytest's timeout prints the stacks if one hangs
    return wrong


def stress(kinds, sess, steps):
    numbers = itertools.count(1)

    def work(thread):
        chooser = random.Random(thread)
        while (number := next(numbers)) <= steps:
            chooser.choice(kinds.all)(sess, number % 1000)

    wrong = in_threads(work)
    if wrong:
        raise wrong[0]
    assert sess.run(kinds.counter) == kinds.counted


def close_under_all(kinds, sess):
    """Steps that nobody will serve; then the session is closed: all end, as cancelled."""
    begun = threading.Barrier(THREADS + 1)
    ended = []

    def work(number):
        begun.wait()
        with pytest.raises((errors.CancelledError, RuntimeError), match="closed"):
            sess.run(kinds.too_late, {kinds.x: 1.0})
        ended.append(number)

    closer = threading.Thread(target=lambda: (begun.wait(), sess.close()))
    closer.start()
    assert in_threads(work) == []
    closer.join()
    assert sorted(ended) == list(range(THREADS))


def check(define, waiting, steps, gpu):
    blas_threads, before = blas.threads_now(), parts_of_steps()
    devices = {"CPU": 2}
    config = tf.ConfigProto(
        device_count=devices, inter_op_parallelism_threads=4, intra_op_parallelism_threads=2
    )
    with leaks.none_left(), tf.Graph().as_default():
        kinds = Kinds(define, waiting, gpu)
        sess = tf.Session(config=config)
        sess.run(tf.global_variables_initializer())
        gc.collect()
        gc.disable()
        try:
            stress(kinds, sess, steps)
            kinds.wait_until_nothing_fed_is_kept()
        finally:
            gc.enable()
        close_under_all(kinds, sess)
    assert stragglers.still_running() == []
    assert blas.threads_now() == blas_threads
    assert parts_left(before) == []
    assert [reference for reference in kinds.fed if reference() is not None] == []


@pytest.mark.usefixtures("arithmetic")
def test_steps_of_every_kind_on_one_session(define, others):
    check(define, others, FEW, gpu=False)


@pytest.mark.usefixtures("arithmetic", "simulated_gpu")
def test_steps_of_every_kind_with_a_simulated_gpu(define, others):
    check(define, others, FEW // 2, gpu=True)


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.usefixtures("arithmetic", "simulated_gpu")
def test_thousands_of_steps_of_every_kind(define, others):
    check(define, others, MANY, gpu=True)


@pytest.mark.parametrize("first", ["caller", "helper"])
def test_of_errors_in_two_branches_the_first_is_reported(define, first):
    meeting, is_over = threading.Barrier(2), threading.Event()
    main = threading.current_thread()
    card = define("TestFails", "x: float -> y: float", stateful=True)
    card.shape(shape_inference.unchanged)

    @card.kernel
    def _(step, x):
        who = "caller" if threading.current_thread() is main else "helper"
        meeting.wait()
        if who == first:
            raise ValueError(f"the {who}'s")
        while who == "caller" and step.executor._error is None:
            is_over.wait(0.001)  # until the other thread's error has been noted
        if who == "helper":
            is_over.wait()
        raise ValueError(f"the {who}'s, later")

    with tf.Graph().as_default():
        with tf.device("/cpu:0"):
            a = card(tf.constant(1.0))
        with tf.device("/cpu:1"):
            b = card(tf.constant(2.0))
        config = tf.ConfigProto(device_count={"CPU": 2}, inter_op_parallelism_threads=2)
        with leaks.none_left(), tf.Session(config=config) as sess:
            with pytest.raises(errors.InvalidArgumentError, match=f"ValueError: the {first}'s\n"):
                sess.run([a, b])
            is_over.set()
