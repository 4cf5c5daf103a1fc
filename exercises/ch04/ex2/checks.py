"""Checks of ch04.ex2."""

import re

import tinytf as tf
from tinytf.distributed.cluster.ports import reserve
from tinytf.grading import Wrong, plain, point

#: For the opening of a session, and for each step: somebody will answer, or is known to be away.
PATIENCE_MS = 20_000
#: For the opening of a session with a task that is missing: it is waited for in vain.
IN_VAIN_MS = 400
TRIES = 5


class Cluster:
    """Servers in this process, which talk to each other through the network."""

    def __init__(self, jobs):
        # The sockets keep the ports for tasks that are down.
        self.kept = {(job, n): reserve() for job, count in jobs for n in range(count)}
        addresses = {task: f"localhost:{s.getsockname()[1]}" for task, s in self.kept.items()}
        self.spec = tf.train.ClusterSpec(
            {job: [addresses[job, n] for n in range(count)] for job, count in jobs}
        )
        self.servers = {f"{job}:{n}": None for job, n in self.kept}
        for task in self.servers:
            self.restart(task)

    def missing(self):
        """The tasks that are down."""
        return [task for task, server in self.servers.items() if server is None]

    def kill(self, task):
        """Nobody is at the task's address any more."""
        if self.servers[task] is not None:
            self.servers[task].stop()
            self.servers[task] = None

    def restart(self, task):
        """A new server at the same address, without the state of the old one."""
        self.kill(task)
        job, _, index = task.partition(":")
        self.servers[task] = tf.train.Server(self.spec, job, int(index))


#: A task that is waited for, in an error's message.
TASK = re.compile(r"/job:(\w+)/replica:0/task:(\d+) at")

#: Jobs -> their cluster.
clusters = {}
JOBS = (("ps", 1), ("worker", 2))


class World:
    """A cluster, a graph that needs two tasks of it, and what an answer does.

    Args:
      jobs: name and number of tasks of each. The master is the first one.
      needs: two other tasks, as job and number.
    """

    def __init__(self, jobs=JOBS, needs=(("worker", 1), ("worker", 0))):
        if jobs not in clusters:
            clusters[jobs] = Cluster(jobs)
        self.cluster = clusters[jobs]
        for task in self.cluster.missing():  # an answer has left it so, in an earlier check
            self.cluster.restart(task)
        self.master = next(iter(self.cluster.servers))
        self.sessions, self.started, self.calls, self.opened = [], [], 0, 0
        self.graph = tf.Graph()
        (job, index), (other, other_index) = needs
        with self.graph.as_default():
            with tf.device(f"/job:{job}/task:{index}"):
                three = tf.add(1.0, 2.0)
            with tf.device(f"/job:{other}/task:{other_index}"):
                self.six = tf.multiply(three, 2.0)

    def open_session(self):
        self.opened += 1
        if self.opened > TRIES:
            raise Wrong(
                "too many sessions were opened",
                f"at most {TRIES}",
                self.opened,
                hint="a task that is down stays down until start_task is called with its name",
            )
        patience = IN_VAIN_MS if self.cluster.missing() else PATIENCE_MS
        config = tf.ConfigProto(operation_timeout_in_ms=patience)
        target = self.cluster.servers[self.master].target
        self.sessions.append(tf.Session(target, self.graph, config))
        return self.sessions[-1]

    def run(self, sess):
        """A step, for `work`. With the first one the session is opened at the master."""
        while True:
            try:
                return float(sess.run(self.six))
            except tf.errors.DeadlineExceededError as error:
                named = {":".join(one) for one in TASK.findall(error.message)}
                if named and named <= {*self.cluster.missing()}:
                    raise
                # On a busy machine a task that lives may be slow to say so: ask again.

    def start_task(self, name):
        if name not in self.cluster.servers:
            raise Wrong(
                "start_task was called with something that is no task of this cluster",
                "one of " + ", ".join(self.cluster.servers),
                repr(name)[:60],
                hint="the error's message says which job and which task",
            )
        self.started.append(name)
        self.cluster.restart(name)

    def first_time(self):
        """Whether `work` is called for the first time."""
        self.calls += 1
        return self.calls == 1

    def expect(self, value, answer, work, started):
        """Run an answer; it has to return a value, and to start these tasks."""
        came_out = None
        try:
            got = answer(self.open_session, work, self.start_task)
        except tf.errors.OpError as error:
            came_out = error
        if sorted(self.started) != sorted(started):
            raise Wrong(
                "the tasks that were started are not the right ones",
                " and ".join(started) or "none",
                ", ".join(self.started) or "none",
                hint="the error's message names the task; AbortedError: it lives already",
            )
        if came_out is not None:
            raise came_out
        if plain(got) != value:
            raise Wrong("work's value has to be returned", value, repr(got)[:60])

    def wrong_calls(self, wanted):
        """`work` was called once too often."""
        raise Wrong(
            "work is called again only after an error",
            wanted,
            self.calls,
            hint="a value is a value, whatever it is",
        )

    def expect_closed(self):
        """Every session that was opened is closed."""
        still_open = [sess for sess in self.sessions if is_open(sess)]
        for sess in still_open:
            sess.close()
        if still_open:
            raise Wrong(
                "sessions were left open",
                0,
                f"{len(still_open)} of {len(self.sessions)}",
                hint="a session is closed however work ends: with, or finally",
            )


def is_open(sess):
    """Whether a session can still be used."""
    try:
        sess.list_devices()
    except tf.errors.CancelledError:  # it has been closed
        return False
    except tf.errors.OpError:
        return True
    return True


@point("without trouble: one session, which is closed", 1)
def no_trouble(answer):
    world = World()
    world.expect(6.0, answer, world.run, [])
    if len(world.sessions) != 1:
        raise Wrong("one session is enough", 1, len(world.sessions))
    world.expect_closed()


@point("a task that is missing is started, and no other", 2)
def missing(answer):
    world = World()
    world.cluster.kill("worker:0")
    world.expect(6.0, answer, world.run, ["worker:0"])
    world.expect_closed()


@point("a task that dies in the middle is started, and no other", 2)
def dies(answer):
    world = World()

    def work(sess):
        before = world.run(sess)
        if world.first_time():
            world.cluster.kill("worker:1")
        return before + world.run(sess)

    world.expect(12.0, answer, work, ["worker:1"])
    world.expect_closed()


@point("a task that somebody restarted needs a new session only", 1)
def restarted(answer):
    world = World()

    def work(sess):
        world.run(sess)
        if world.first_time():
            world.cluster.restart("worker:1")
        return world.run(sess)

    world.expect(6.0, answer, work, [])
    world.expect_closed()


@point("a mistake in work comes out at once", 1)
def mistake(answer):
    world = World()

    def work(sess):
        world.calls += 1
        raise tf.errors.InvalidArgumentError("work has a mistake")

    try:
        got = answer(world.open_session, work, world.start_task)
    except tf.errors.InvalidArgumentError:
        if world.calls != 1:
            raise Wrong("work was called again after a mistake", 1, world.calls) from None
        world.expect_closed()
    else:
        raise Wrong("the error did not come out", "InvalidArgumentError", repr(got)[:60])


@point("after five tries the error comes out", 1)
def gives_up(answer):
    world = World()

    def work(sess):
        world.calls += 1
        raise tf.errors.AbortedError("worker:1 was restarted once more")

    try:
        got = answer(world.open_session, work, world.start_task)
    except tf.errors.AbortedError:
        if world.calls != TRIES:
            raise Wrong("work is tried five times", TRIES, world.calls) from None
    else:
        raise Wrong("the error did not come out", "AbortedError", repr(got)[:60])
