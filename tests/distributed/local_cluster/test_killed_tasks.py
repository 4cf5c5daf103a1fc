"""kill -9 in the middle of steps: real processes, random moments, and what is left afterwards."""

import collections
import contextlib
import os
import random
import threading
import time

import numpy as np
import pytest

import tinytf as tf
from tests.effort import rounds
from tests.waiting import LONG
from tinytf.distributed.inspection import look
from tinytf.testing import leaks

pytestmark = pytest.mark.slow

DEADLINE = 60.0  # seconds for a step: far more than one takes, and the news of a death
ROUNDS = rounds(14)  # on each transport; after the eighth, all has been seen
TASKS = ["ps:0", "ps:1", "worker:0", "worker:1"]


def until(is_so, seconds=LONG):
    """Wait until something that tells nobody is so; the last look."""
    end, pause = time.monotonic() + seconds, threading.Event()
    while not is_so() and time.monotonic() < end:
        pause.wait(0.02)
    return is_so()


def open_files(pid="self"):
    """The sockets, pipes and files that a process has open, by kind."""
    found = collections.Counter()
    for fd in os.listdir(f"/proc/{pid}/fd"):
        with contextlib.suppress(OSError):
            found[os.readlink(f"/proc/{pid}/fd/{fd}").partition(":")[0]] += 1
    return found


def threads(pid):
    return len(os.listdir(f"/proc/{pid}/task"))


class Program:
    """A graph on four tasks, and the kinds of steps that are run on it."""

    def __init__(self):
        with tf.device("/job:ps/task:0"):
            self.v = tf.get_variable("v", initializer=np.ones(1000, np.float32))
        with tf.device("/job:ps/task:1"):
            self.w = tf.get_variable("w", initializer=np.ones(1000, np.float32))
            self.queue = tf.FIFOQueue(100, [tf.float32], shapes=[[]], shared_name="q")
            put_in = self.queue.enqueue(1.0)
        with tf.device("/job:worker/task:1"):
            self.x = tf.placeholder(tf.float32, [1000])
            loss = tf.reduce_sum(self.v * self.x + self.w)
        with tf.device("/job:worker/task:0"):
            scaled = loss * 0.5
        self.init = tf.global_variables_initializer()
        with tf.control_dependencies([scaled]):
            update = tf.group(self.v.assign_add(self.x), self.w.assign_sub(self.x))
        taken = self.queue.dequeue()
        # Every task has a part of this step that waits: who is killed after its part is not missed.
        with tf.device("/job:ps/task:0"):
            onward = tf.reduce_sum(taken + self.v)
        with tf.device("/job:worker/task:1"):
            both = onward + 1.0
        feed = {self.x: np.full(1000, 0.5, np.float32)}
        self.steps = [
            ([scaled, self.v, self.w], feed),
            (update, feed),
            (put_in, {}),
            ([put_in, update], feed),
            ([both, scaled], feed),  # this one may have to wait for ever
        ]

    def run_some(self, session, generator):
        """One random step."""
        fetches, feed = generator.choice(self.steps)
        session.run(fetches, feed)


def kill_soon(cluster, task, seconds):
    """In a thread: kill a task, in the middle of whatever goes on then."""

    def kill():
        threading.Event().wait(seconds)
        cluster.kill(task)

    thread = threading.Thread(target=kill, name=f"kills {task}")
    thread.start()
    return thread


def end_of_session(cluster, program, task, generator):
    """Steps until one fails because `task` was killed: (its error, how long it took)."""
    config = tf.ConfigProto(operation_timeout_in_ms=int(DEADLINE * 1000))
    with tf.Session(cluster.target("worker:0"), config=config) as session:
        session.run(program.init)
        killer = kill_soon(cluster, task, generator.random() * 0.1)
        try:
            while True:
                begin = time.monotonic()
                try:
                    program.run_some(session, generator)
                except tf.errors.OpError as error:
                    return error, time.monotonic() - begin
        finally:
            killer.join()


def meet(cluster, program):
    """A step in which all tasks have to do with each other, so that each is connected to each."""
    with tf.Session(cluster.target("worker:0")) as session:
        session.run(program.init)
        fetches, feed = program.steps[0]
        assert session.run(fetches, feed)[0] == 750.0


def left_on(status):
    seen = look(status.address, ["tasks", "sessions"])
    (task,) = seen["tasks"]
    return task["steps"], len(seen["sessions"])


@pytest.mark.timeout(400)
def test_kills_at_random_moments():
    generator, kinds = random.Random(20170713), collections.Counter()
    with tf.Graph().as_default():
        program = Program()
    pids = set()
    graph = program.v.graph
    with leaks.none_left(), tf.LocalCluster(ps=2, worker=2) as cluster, graph.as_default():
        own_files = None
        for number in range(ROUNDS):
            victim = TASKS[number % 4] if number < 8 else generator.choice(TASKS)
            pids.update(status.pid for status in cluster.status())
            error, seconds = end_of_session(cluster, program, victim, generator)
            kinds[type(error).__name__] += 1
            told = (victim, seconds, error)
            assert isinstance(error, tf.errors.UnavailableError | tf.errors.AbortedError), told
            job, _, index = victim.partition(":")
            if victim != "worker:0":  # the master says who it was
                assert f"/job:{job}/replica:0/task:{index}" in error.message, told
            assert error.message.count("From /job:") <= 1, told
            assert error.message.count("was built at") <= 1, told
            assert seconds < DEADLINE / 2, told
            cluster.restart(victim)
            if number == 7:  # every task has been killed twice: all has been seen once
                meet(cluster, program)
                before = {s.pid: (open_files(s.pid), threads(s.pid)) for s in cluster.status()}
                own_files = open_files()
        meet(cluster, program)
        for status in (each for each in cluster.status() if each.pid in before):
            files, count = before[status.pid]
            assert until(lambda: threads(status.pid) <= count + 8), (status, count)  # noqa: B023
            assert until(lambda: open_files(status.pid).total() <= files.total() + 4), (  # noqa: B023
                files,
                open_files(status.pid),
            )
        assert until(lambda: open_files().total() <= own_files.total() + 2), (
            own_files,
            open_files(),
        )
        # What a dead master had begun is over everywhere when the next one comes to the task.
        for status in cluster.status():
            assert until(lambda: left_on(status)[0] == 0), left_on(status)  # noqa: B023
    print(dict(kinds))
    assert all(not os.path.exists(f"/proc/{pid}") for pid in pids)
