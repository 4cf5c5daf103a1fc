"""Ctrl-C in steps that use queues: nothing is left in line, nothing is half done, all goes on."""

import random
import signal
import subprocess
import sys

import numpy as np
import pytest

import tinytf as tf
from tests.runtime.test_interrupts import interrupted_at
from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.pending import Pending
from tinytf.framework.tensor_shape import TensorShape
from tinytf.resources.queues.kinds import FIFOQueue

FEW, MANY = 40, 400


class Program:
    """A queue of two places, and what is done with it: `run` ends without a wait."""

    def __init__(self, kind):
        self.x = tf.placeholder(tf.float32, [None])
        make = {
            "fifo": lambda: tf.FIFOQueue(4, tf.float32, shapes=[[]]),
            "shuffle": lambda: tf.RandomShuffleQueue(4, 0, tf.float32, shapes=[[]]),
            "padding": lambda: tf.PaddingFIFOQueue(4, tf.float32, shapes=[[]]),
        }
        queue = make[kind]()
        self.fill, self.size = queue.enqueue_many(self.x), queue.size()
        self.put, self.take, self.batch = queue.enqueue(5.0), queue.dequeue(), queue.dequeue_many(2)
        self.rest = queue.dequeue_many(self.size)
        # The batch wants one more than there is until the enqueue has run, in the same step.
        self.waits = [self.batch, self.put]
        # And these two have no room until the batch is taken.
        self.waits_for_room = [queue.enqueue_many(self.x), queue.dequeue_many(3)]


def queue_of(sess):
    (queue,) = [r for _, kind, _, r in sess._backend.resources.items() if kind == "Queue"]
    return queue


def check_interrupts(kind, what, before, sizes, most):
    """Interrupt a run at many moments: then the queue has one of these sizes, and works."""
    with tf.Graph().as_default():
        program = Program(kind)
        with tf.Session() as sess:

            def prepare():
                sess.run(program.rest)
                sess.run(program.fill, {program.x: before})

            def run():
                sess.run(getattr(program, what), {program.x: [1.0, 2.0]})

            for _ in range(3):
                prepare()
                run()
            prepare()
            with interrupted_at(0) as all_moments:
                run()
            numbers = range(1, all_moments.count + 1)
            for number in sorted(random.Random(0).sample(numbers, min(most, len(numbers)))):
                prepare()
                where = "nowhere"
                try:
                    with interrupted_at(number) as moments:
                        run()
                except KeyboardInterrupt:
                    where = moments.where
                seen = queue_of(sess).snapshot()
                assert len(seen.contents) in sizes, where
                assert (seen.enqueues, seen.dequeues) == ([], []), f"still in line: {where}"
                assert not queue_of(sess)._lock.locked()


CASES = [
    ("take", [1.0, 2.0], {1, 2}),
    ("batch", [1.0, 2.0, 3.0], {1, 3}),
    ("put", [1.0], {1, 2}),
    ("fill", [1.0], {1, 3}),
    # What has gone in stays in; the dequeue gives back what it has.
    ("waits", [1.0], {0, 1, 2}),
    ("waits_for_room", [1.0, 2.0, 3.0], {0, 1, 2, 3, 4, 5}),
]


@pytest.mark.parametrize(("what", "before", "sizes"), CASES, ids=[case[0] for case in CASES])
def test_a_step_is_interrupted_at_any_moment(what, before, sizes):
    check_interrupts("fifo", what, before, sizes, FEW)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["fifo", "shuffle", "padding"])
@pytest.mark.parametrize(("what", "before", "sizes"), CASES, ids=[case[0] for case in CASES])
def test_a_step_is_interrupted_at_many_moments(kind, what, before, sizes):
    check_interrupts(kind, what, before, sizes, MANY)


def others_and_mine():
    """A queue in which others wait, and what an interrupted thread does: (queue, others, mine)."""
    nobody = CancellationManager()

    def queue(capacity, numbers):
        made = FIFOQueue("q", [tf.int64], [TensorShape([])], capacity)
        made.enqueue_many([np.array(numbers, np.int64)], nobody)
        return made

    def rows(*numbers):
        return [np.array(numbers, np.int64)]

    taker = queue(9, [1])
    yield taker, [taker.dequeue_many(3, nobody)], lambda: taker.enqueue_many(rows(2, 3, 4), nobody)
    one = queue(9, [])
    yield one, [one.dequeue(nobody) for _ in range(3)], lambda: one.enqueue(rows(7)[0], nobody)
    putter = queue(2, [])
    put = putter.enqueue_many(rows(1, 2, 3, 4), nobody)
    yield putter, [put], lambda: putter.dequeue_many(3, nobody)
    other = queue(2, [])
    both = [other.enqueue_many(rows(1, 2, 3), nobody), other.enqueue_many(rows(4, 5), nobody)]
    yield other, both, lambda: other.dequeue(nobody)
    closed = queue(9, [1, 2])
    yield closed, [closed.dequeue_many(3, nobody)], lambda: closed.close(False, nobody)
    cancelled = queue(1, [])
    step = CancellationManager()
    first = cancelled.enqueue_many(rows(1, 2), step)
    behind = cancelled.enqueue_many(rows(3), nobody)
    taken = cancelled.dequeue_many(1, nobody)
    yield cancelled, [first, behind, taken], step.start_cancel
    gives_back = queue(9, [1, 2])
    step2 = CancellationManager()
    takes = [gives_back.dequeue_many(3, step2), gives_back.dequeue_many(2, nobody)]
    yield gives_back, takes, step2.start_cancel


def told_to(other):
    if not other.done:
        return None
    return type(other.error).__name__, [np.asarray(value).tolist() for value in other.result or ()]


def summary(queue, others):
    """What the others have, by now, and the queue."""
    seen = queue.snapshot()
    told = [told_to(other) if isinstance(other, Pending) else "at once" for other in others]
    contents = [int(number) for (number,) in seen.contents]
    return told, contents, seen.enqueues, seen.dequeues, seen.is_closed


@pytest.mark.parametrize("which", range(7))
def test_who_is_interrupted_leaves_nobody_behind(which):
    """The others and the queue are as if it had not begun, had been done, or was taken back."""

    def started():
        return list(others_and_mine())[which]

    queue, others, mine = started()
    before = summary(queue, others)
    with interrupted_at(0) as all_moments:
        mine()
    allowed = [before, summary(queue, others)]
    if which in (2, 3):  # room was made for the others, and what was taken has gone back
        allowed.append(None)
    for number in range(1, all_moments.count + 1):
        queue, others, mine = started()
        try:
            with interrupted_at(number) as moments:
                mine()
        except KeyboardInterrupt:
            pass
        now = summary(queue, others)
        if now not in allowed:
            assert None in allowed, (moments.where, now)
            told, contents, enqueues, _, _ = now
            assert contents == list(range(1, len(contents) + 1)), (moments.where, now)
            assert len(contents) + sum(enqueues) == (4, 5)[which - 2], (moments.where, now)
            assert sum(map(bool, told)) == len(others) - len(enqueues), (moments.where, now)


BLOCKED = """
import os, signal, threading
import tinytf as tf

queue = tf.FIFOQueue(2, tf.int32, shapes=[[]])
x = tf.placeholder(tf.int32, [None])
fill, size, rest = queue.enqueue_many(x), queue.size(), queue.dequeue_many(queue.size())
blocked = {
    "dequeue": (queue.dequeue(), []),
    "dequeue_many": (queue.dequeue_many(3), [1, 2]),
    "dequeue_up_to": (queue.dequeue_up_to(3), [1]),
    "enqueue": (queue.enqueue(9), [1, 2]),
    "enqueue_many": (queue.enqueue_many([[7, 8, 9]]), [1]),
}
sess = tf.Session()
sess.run(fill, {x: []})
(there,) = [r for _, kind, _, r in sess._backend.resources.items() if kind == "Queue"]

def interrupt():
    while not (there._enqueues or there._dequeues):
        threading.Event().wait(0.001)
    os.kill(os.getpid(), signal.SIGINT)

for name, (fetch, before) in blocked.items():
    sess.run(fill, {x: before})
    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        sess.run(fetch)
        print(name, "was not interrupted")
    except KeyboardInterrupt:
        pass
    thread.join()
    print(name, sess.run(rest).tolist())
sess.run(fill, {x: [3, 4]})
print("and then", sess.run(rest).tolist())
sess.close()
"""


def test_real_interrupts_of_what_is_blocked():
    if not hasattr(signal, "SIGINT"):
        pytest.skip("no signals here")
    done = subprocess.run(
        [sys.executable, "-c", BLOCKED], capture_output=True, text=True, timeout=60
    )
    assert done.stdout.splitlines() == [
        "dequeue []",
        "dequeue_many [1, 2]",
        "dequeue_up_to [1]",
        "enqueue [1, 2]",
        "enqueue_many [1, 7]",  # what has gone in stays in, as in TensorFlow
        "and then [3, 4]",
    ], done.stderr
    assert done.returncode == 0
