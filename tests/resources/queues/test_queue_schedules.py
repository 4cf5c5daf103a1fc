"""Producers, consumers, closes, deadlines and cancels in threads, under seeded interleavings.

In sessions threads change between nodes. Used directly, with locks that the schedule knows, they
change in the middle of the queue's own code, too.
"""

import threading

import numpy as np
import pytest

import tinytf as tf
from tests.resources.queues import model as models
from tests.resources.queues.test_queue_machine import Real
from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.pending import Pending
from tinytf.testing.schedules.exploring import explore
from tinytf.testing.schedules.running import run_with_seed

FEW, MANY = 10, 100


def run_in_threads(*functions):
    threads = [threading.Thread(target=function) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Ledger:
    """Who was given what, and what must have gone in."""

    def __init__(self):
        self.offered = []
        self.went_in = []
        self.given = []  # one list for each consumer

    def consumer(self):
        self.given.append([])
        return self.given[-1]

    def check(self, left, kind):
        out = [number for each in self.given for number in each] + left
        assert len(out) == len(set(out)), f"given twice: {sorted(out)}"
        assert set(out) <= set(self.offered)
        assert set(self.went_in) <= set(out), f"lost: {set(self.went_in) - set(out)}"
        if kind in (models.FIFO, models.PADDING):
            for each in [*self.given, left]:
                for start in {number // 100 for number in each}:  # a producer's own order
                    own = [number for number in each if number // 100 == start]
                    assert own == sorted(own)


# In sessions --------------------------------------------------------------------------------------


def make(kind):
    if kind == models.FIFO:
        return tf.FIFOQueue(3, tf.int64, shapes=[[]])
    if kind == models.PADDING:
        return tf.PaddingFIFOQueue(3, tf.int64, shapes=[[]])
    if kind == models.SHUFFLE:
        return tf.RandomShuffleQueue(3, 1, tf.int64, shapes=[[]], seed=5)
    return tf.PriorityQueue(3, tf.int64, shapes=[[]])


def in_sessions(kind, cancel):
    """Two producers, three consumers; one of these gives up now and then; then it is closed."""
    ledger = Ledger()
    with tf.Graph().as_default():
        queue = make(kind)
        both = len(queue.dtypes) == 2
        number, n = tf.placeholder(tf.int64, [None]), tf.placeholder(tf.int32, [])
        put_many = queue.enqueue_many([number, number] if both else number)
        put = queue.enqueue([number[0], number[0]] if both else number[0])
        last = (lambda parts: parts[-1]) if both else (lambda part: part)
        take, many = last(queue.dequeue()), last(queue.dequeue_many(n))
        up_to = last(queue.dequeue_up_to(n))
        close, size = queue.close(cancel_pending_enqueues=cancel), queue.size()
        hurry = tf.RunOptions(timeout_in_ms=20)
        with tf.Session() as sess:

            def produce(start):
                try:
                    for i in range(3):
                        numbers = [start + 10 * i, start + 10 * i + 1]
                        ledger.offered += numbers
                        sess.run(put_many, {number: numbers})
                        ledger.went_in += numbers
                        ledger.offered.append(start + 10 * i + 2)
                        sess.run(put, {number: [start + 10 * i + 2]})
                        ledger.went_in.append(start + 10 * i + 2)
                except tf.errors.CancelledError:
                    pass

            def consume(fetch, count, options=None):
                mine = ledger.consumer()
                while True:
                    try:
                        taken = sess.run(fetch, {n: count}, options)
                    except tf.errors.DeadlineExceededError:
                        continue
                    except tf.errors.OutOfRangeError:
                        return
                    mine.extend(np.atleast_1d(taken).tolist())

            def close_it():
                if not cancel:  # when all is in
                    run_in_threads(lambda: produce(200))
                sess.run(close)

            run_in_threads(
                lambda: produce(0),
                lambda: produce(100),
                lambda: consume(take, 1),
                lambda: consume(many, 2, hurry),
                lambda: consume(up_to, 2),
                close_it,
            )
            left = sess.run(up_to, {n: 99}).tolist() if sess.run(size) else []
    ledger.check(left, kind)
    return len(left)


@pytest.mark.parametrize("cancel", [True, False])
@pytest.mark.parametrize("kind", models.KINDS)
def test_steps_of_many_threads(kind, cancel):
    assert explore(lambda: in_sessions(kind, cancel), seeds=FEW).passed == FEW


@pytest.mark.slow
@pytest.mark.parametrize("cancel", [True, False])
@pytest.mark.parametrize("kind", models.KINDS)
def test_steps_of_many_threads_under_many_schedules(kind, cancel):
    assert explore(lambda: in_sessions(kind, cancel), seeds=MANY).passed == MANY


def test_time_passes_for_a_dequeue_that_nobody_serves():
    def program():
        with tf.Graph().as_default():
            queue = tf.FIFOQueue(9, tf.int64, shapes=[[]])
            put, many = queue.enqueue(np.int64(1)), queue.dequeue_many(2)
            with tf.Session() as sess:
                sess.run(put)
                with pytest.raises(tf.errors.DeadlineExceededError):
                    sess.run(many, options=tf.RunOptions(timeout_in_ms=3_600_000))
                return int(sess.run(queue.size()))

    assert [run_with_seed(program, seed).value for seed in range(3)] == [1, 1, 1]


# In the middle of the queue's own code ------------------------------------------------------------


def known(thing):
    """With a lock that the schedule knows: where it is taken, threads may change."""
    thing._lock = threading.Lock()
    if hasattr(thing, "_count"):  # of a queue: and after its elements are counted, lock or no lock
        pause, count = threading.Lock(), thing._count

        def slow_count():
            number = count()
            with pause:
                return number

        thing._count = slow_count
    return thing


def result_of(value):
    """What a queue has returned, when it is there."""
    if not isinstance(value, Pending):
        return value
    done = threading.Event()
    value.when_done(lambda _: done.set())
    done.wait()
    return value.get()


def directly(kind, cancel):
    """Operations that are cancelled while they are served, or begin, or wait."""
    ledger = Ledger()
    real = Real(kind, 2, 1 if kind == models.SHUFFLE else 0, 3)
    queue = known(real.queue)

    def produce(start, cancellations):
        for i, cancellation in enumerate(cancellations):
            numbers = [start + 10 * i, start + 10 * i + 1]
            ledger.offered += numbers
            try:
                result_of(real.begin_many(numbers, cancellation))
                ledger.went_in += numbers
            except tf.errors.CancelledError:
                pass

    def consume(counts, cancellations):
        mine = ledger.consumer()
        for count, cancellation in zip(counts, cancellations, strict=True):
            try:
                taken = result_of(queue.dequeue_many(count, cancellation, count == 2))
                mine.extend(real.numbers(taken))
            except (tf.errors.CancelledError, tf.errors.OutOfRangeError):
                pass

    def consume_the_rest():
        mine = ledger.consumer()
        while True:
            try:
                mine.extend(real.numbers(result_of(queue.dequeue(manager()))))
            except tf.errors.OutOfRangeError:
                return

    def manager():
        return known(CancellationManager())

    def cancel_all(cancellations):
        for cancellation in cancellations:
            cancellation.start_cancel()

    def close_it():
        try:
            result_of(queue.close(cancel, manager()))
        except tf.errors.CancelledError:
            pass

    puts, takes = [manager() for _ in range(2)], [manager() for _ in range(3)]
    run_in_threads(
        lambda: produce(100, puts),
        lambda: produce(200, [manager(), manager()]),
        lambda: consume([3, 2, 1], takes),
        consume_the_rest,
        lambda: cancel_all(takes),
        lambda: cancel_all(puts),
        close_it,
    )
    left = real.numbers(queue.dequeue_many(99, manager(), True)) if queue.size() else []
    ledger.check(left, kind)
    seen = queue.snapshot()
    assert (seen.enqueues, seen.dequeues) == ([], [])
    assert seen.put_in == seen.taken_out


@pytest.mark.parametrize("cancel", [True, False])
@pytest.mark.parametrize("kind", models.KINDS)
def test_cancels_in_the_middle(kind, cancel):
    assert explore(lambda: directly(kind, cancel), seeds=FEW).passed == FEW


@pytest.mark.slow
@pytest.mark.parametrize("cancel", [True, False])
@pytest.mark.parametrize("kind", models.KINDS)
def test_cancels_in_the_middle_under_many_schedules(kind, cancel):
    assert explore(lambda: directly(kind, cancel), seeds=MANY).passed == MANY


def in_a_hurry(kind):
    """Few threads, so that many of all schedules are tried: one waits, one cancels, two take."""
    real = Real(kind, 2, 0, 3)
    queue = known(real.queue)
    step, others = known(CancellationManager()), known(CancellationManager())
    taken = []

    def take(cancellation):
        try:
            taken.append(real.numbers(result_of(queue.dequeue(cancellation))))
        except (tf.errors.CancelledError, tf.errors.OutOfRangeError):
            taken.append([])

    real.begin_many([5], others)
    run_in_threads(lambda: take(step), lambda: take(step), step.start_cancel)
    left = real.numbers(queue.dequeue_many(1, others)) if queue.size() else []
    assert sorted(sum(taken, left)) == [5]


@pytest.mark.parametrize("kind", models.KINDS)
def test_one_element_and_a_cancel(kind):
    assert explore(lambda: in_a_hurry(kind), seeds=60).passed == 60
