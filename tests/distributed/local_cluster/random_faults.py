"""Faults by chance on a cluster of processes, in the middle of steps, and what became of the steps.

    python -m tests.distributed.local_cluster.random_faults 100 7 --transport grpc

Tasks are killed, ended, halted, late and cut off, connections are cut, the user interrupts; the
same number (here 7) gives the same faults, at moments that only the system knows. A step counts on
the parameter server, once. What must not be is printed, and the exit code is 1: a step that was
lost or done twice; one that goes on when it was given up; a process, thread or socket that is left;
a connection that has not found the unix socket again. If something hangs, all threads are printed.
"""

import argparse
import collections
import contextlib
import ctypes
import faulthandler
import os
import random
import signal
import socket
import sys
import tempfile
import threading
import time
from unittest import mock

import tinytf as tf
from tests.distributed.waiting import until
from tests.waiting import LONG
from tinytf.distributed.inspection import look
from tinytf.distributed.wire import transport, unix_paths
from tinytf.testing import leaks

#: A step that is right never takes that long. One that is cut off is given up after it; of other
#: faults steps have to hear without it.
LIMIT, SILENT = tf.RunOptions(timeout_in_ms=1500), ("pause", "drop", "cut off")
#: Steps go on so long in a round, unless one fails; what breaks something comes in this time, after
#: some steps that are right: a session's first one is its slowest.
ROUND_SECONDS, HARM_SECONDS, MOST_BEFORE = 0.05, 0.01, 2
#: A round that takes longer hangs.
HANGS_SECONDS = 4 * LONG
FAILURES = (
    tf.errors.UnavailableError,
    tf.errors.AbortedError,
    tf.errors.DeadlineExceededError,
    tf.errors.CancelledError,
    KeyboardInterrupt,
)
_PIDFD_GETFD = 438  # the system call's number, which has no name in Python


class Program:
    """Counts on the ps, in steps that its master worker:0 leads, with worker:1 in between."""

    def __init__(self, cluster, by=1):
        self.cluster, self.graph = cluster, tf.Graph()
        with self.graph.as_default():
            with tf.device("/job:ps/task:0"):
                self.count = tf.get_variable("count", initializer=0, use_resource=False)
                one, nothing = tf.constant(by), tf.constant(0)
            with tf.device("/job:worker/task:1"):
                same = one + nothing  # one request asks for both
            with tf.device("/job:ps/task:0"):
                self.more = tf.assign_add(self.count, same)
                self.now = tf.identity(self.count)
        self.session = None

    def begin(self):
        """A session; the ps keeps the count."""
        self.end()
        self.session = tf.Session(self.cluster.target("worker:0"), graph=self.graph)

    def end(self):
        if self.session is not None:
            self.session.close()
            self.session = None

    def read(self):
        """The count, which begins at 0 on a ps that was started again."""
        while True:
            try:
                return int(self.session.run(self.now, options=LIMIT))
            except tf.errors.FailedPreconditionError:
                self.session.run(self.count.initializer, options=LIMIT)
            except FAILURES:  # a task has just begun
                self.begin()


def step(program, options=None):
    """The only place where an interrupt is raised; see `interrupts_of_steps`."""
    return int(program.session.run(program.more, options=options))


@contextlib.contextmanager
def interrupts_of_steps():
    """An interrupt that comes after its step, or while another error of it is seen to, is none."""

    def raise_in_step(number, frame):
        while frame is not None:
            if frame.f_code is step.__code__:
                raise KeyboardInterrupt
            frame = frame.f_back

    before = signal.signal(signal.SIGINT, raise_in_step)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


# What may happen ----------------------------------------------------------------------------------


def interrupt():
    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)


def end(cluster, task):
    """A task's process is asked to end, and does."""
    cluster.task(task).signal(signal.SIGTERM)
    cluster.wait_for_end(task, timeout=LONG)


def cut_connections(cluster, pid):
    """Shut the connections of a process with tasks down: a task's, or this one's."""
    ports = {int(status.address.rpartition(":")[2]) for status in cluster.status()}
    for name in os.listdir(f"/proc/{pid}/fd"):
        with contextlib.suppress(OSError):  # no socket, not connected, just closed
            if not os.readlink(f"/proc/{pid}/fd/{name}").startswith("socket:"):
                continue
            with socket.socket(fileno=_copied(pid, int(name))) as connection:
                ends = connection.getsockname(), connection.getpeername()
                if connection.family == socket.AF_UNIX:
                    is_with_task = any(".sock" in str(end) for end in ends)  # or ".sock.new"
                else:
                    is_with_task = not ports.isdisjoint(end[1] for end in ends)
                if is_with_task:
                    connection.shutdown(socket.SHUT_RDWR)


def _copied(pid, number):
    """A copy of a process's open file."""
    if pid == os.getpid():
        return os.dup(number)
    handle = os.pidfd_open(pid)
    try:
        found = ctypes.CDLL(None, use_errno=True).syscall(_PIDFD_GETFD, handle, number, 0)
    finally:
        os.close(handle)
    if found < 0:
        raise OSError(ctypes.get_errno(), "pidfd_getfd")
    return found


def faults_of(cluster, chance):
    """Some faults: [(in words, what breaks something, what mends it)]."""
    task = chance.choice(["worker:0", "worker:1", "ps:0"])
    pair = chance.sample(["client", "worker:0", "worker:1", "ps:0"], 2)
    seconds = chance.random() / 50
    pid = chance.choice([os.getpid(), *(status.pid for status in cluster.status())])
    who = {status.pid: f"{status.job}:{status.index}" for status in cluster.status()}

    def restart():
        cluster.restart(task)

    def nothing():
        pass

    def cut():
        cut_connections(cluster, pid)

    rest = [name for name in cluster.tasks if name != task]
    faults = [
        (f"kill {task}", lambda: cluster.kill(task), restart),
        (f"end {task}", lambda: end(cluster, task), restart),
        (f"pause {task}", lambda: cluster.pause(task), lambda: cluster.resume(task)),
        (f"delay {task}", lambda: cluster.delay(task, seconds), cluster.heal),
        (f"drop {pair}", lambda: cluster.drop(*pair), cluster.heal),
        (f"cut off {task}", lambda: cluster.partition([task], rest), cluster.heal),
        (f"cut connections of {who.get(pid, 'client')}", cut, nothing),
        ("interrupt", interrupt, nothing),
    ]
    found = [chance.choice(faults)]
    if chance.random() < 0.15 and found != faults[-1:]:
        found += faults[-1:]
    return found


# What became of it --------------------------------------------------------------------------------


class Siege:
    """Faults on a cluster; what must not be is in `findings`, as texts."""

    def __init__(self, cluster, seed, say, by):
        self._cluster, self._chance, self._say = cluster, random.Random(seed), say
        self._program = Program(cluster, by)
        self.findings, self.pids = [], set()
        self.outcomes = collections.Counter()
        self.steps = 0
        is_short = transport.chosen(None) == transport.AUTO and unix_paths.is_possible()
        self._expected = "unix" if is_short else "grpc"

    def run(self, rounds):
        """So many rounds."""
        self._program.begin()
        done = self._program.read()
        for number in range(rounds):
            faults = faults_of(self._cluster, self._chance)
            words = f"{number}: {' and '.join(name for name, _, _ in faults)}"
            self.pids.update(status.pid for status in self._cluster.status())
            done = self._round(words, faults, done)
        self._look_at_transports(done)
        self._program.end()

    def _round(self, words, faults, done):
        """Steps until one fails, or their time is over; the count afterwards."""
        timers = [
            threading.Timer(self._chance.random() * HARM_SECONDS, self._harm, (words, harm))
            for _, harm, _ in faults
        ]
        limit = LIMIT if any(name.startswith(SILENT) for name, _, _ in faults) else None
        first = done + self._chance.randint(0, MOST_BEFORE)
        least, unknown, outcome = done, 1, "went well"
        try:
            for _ in range(done, first):
                least = self._step(words, least)
            for timer in timers:
                timer.start()
            end = time.monotonic() + ROUND_SECONDS
            while time.monotonic() < end or any(map(threading.Thread.is_alive, timers)):
                unknown = 1
                least = self._step(words, least, limit)
                unknown = 0
        except FAILURES as error:
            outcome = type(error).__name__
            if timers[0].ident is None:
                self.findings.append(f"{words}: fails before: {error!r}")
        for timer in timers:
            if timer.ident is not None:
                timer.join()
        for _, _, mend in faults:
            mend()
        self._say(f"{words}: {least - done} steps, {outcome}")
        self.outcomes[outcome] += 1
        self.steps += least - done
        return self._look(words, least, least + unknown)

    def _step(self, words, done, limit=None):
        value = step(self._program, limit)
        if value != done + 1:
            self.findings.append(f"{words}: a step makes {done} to {value}")
        return value

    def _harm(self, words, harm):
        try:
            harm()
        except Exception as error:
            self.findings.append(f"{words}: {error!r}")

    def _look(self, words, least, most):
        """Look whether a count between the two is there, and nothing else; the count."""
        self._program.begin()
        self._program.read()  # what a dead master has left is over when the next one comes
        for status in self._cluster.status():
            if not until(lambda: _steps_on(status.address) == 0):  # noqa: B023
                self.findings.append(f"{words}: steps go on, on {status.job}:{status.index}")
        seen = self._program.read()
        if self._cluster.task("ps:0").process.pid not in self.pids:  # it has been started again
            least = most = 0
        if not least <= seen <= most:
            self.findings.append(f"{words}: {least} to {most} steps, and {seen} were counted")
        return seen

    def _look_at_transports(self, done):
        """Look whether all connections are as they would be without faults, after a few steps."""
        values = [step(self._program) for _ in range(3)]
        if values != [done + 1, done + 2, done + 3]:
            self.findings.append(f"at the end: steps make {done} to {values}")
        ways = {"client": self._program.session._backend._transport.transport}
        for status in self._cluster.status():
            (task,) = look(status.address, ["tasks"])["tasks"]
            ways |= {
                (f"{status.job}:{status.index}", to): w for to, w in task["transports"].items()
            }
        wrong = {pair: way for pair, way in ways.items() if way != self._expected}
        if wrong:
            self.findings.append(f"not by {self._expected}: {wrong}")


def _steps_on(address):
    try:
        (task,) = look(address, ["tasks"], timeout=LONG)["tasks"]
    except tf.errors.UnavailableError:  # it begins just now
        return None
    return task["steps"]


def besiege(rounds, seed, way, say=lambda text: None, by=1):
    """A cluster of its own, faults, and its end; the siege.

    The folder of unix sockets is its own as well, so what is in it at the end was left.
    """
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="t"))
        own = {"XDG_RUNTIME_DIR": folder, transport.VARIABLE: way}
        stack.enter_context(mock.patch.dict(os.environ, own))
        with leaks.none_left(), tf.LocalCluster(ps=1, worker=2) as cluster:
            siege = Siege(cluster, seed, say, by)
            with interrupts_of_steps():
                siege.run(rounds)
            logs = {task: cluster.log(task) for task in cluster.tasks}
        sockets = [name for _, _, names in os.walk(folder) for name in names]
    siege.findings += [
        f"{task} wrote {log}" for task, log in logs.items() if "Traceback" in log or "Error" in log
    ]
    if left := [pid for pid in siege.pids if os.path.exists(f"/proc/{pid}")]:
        siege.findings.append(f"processes are left: {left}")
    if sockets:
        siege.findings.append(f"sockets are left: {sockets}")
    return siege


def main():
    parser = argparse.ArgumentParser(description="Faults by chance on a cluster.")
    parser.add_argument("rounds", type=int)
    parser.add_argument("seed", type=int)
    parser.add_argument("--transport", choices=("unix", "grpc"), default="unix")
    options = parser.parse_args()
    way = {"unix": transport.AUTO}.get(options.transport, options.transport)
    begin = time.monotonic()

    def say(text):
        faulthandler.dump_traceback_later(HANGS_SECONDS, exit=True)  # anew, in every round
        print(text, flush=True)

    say(f"Faults by chance, seed {options.seed}, by {options.transport}.")
    siege = besiege(options.rounds, options.seed, way, say)
    print(*siege.findings or ["nothing found"], sep="\n")
    seconds = time.monotonic() - begin
    print(
        f"{options.rounds} rounds, {siege.steps} steps in {seconds:.0f} s; {dict(siege.outcomes)}"
    )
    return 1 if siege.findings else 0


if __name__ == "__main__":
    sys.exit(main())
