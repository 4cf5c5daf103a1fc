"""Replicas in one process: each with a graph and a session of its own, on one server."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import tinytf as tf
from tests.ports import free_ports
from tinytf.distributed.wire import in_process

#: The rows that a linear model learns from, and what it should say of them.
ROWS = np.random.RandomState(5).normal(size=(12, 3)).astype(np.float32)
LABELS = (ROWS @ np.array([1.0, -2.0, 0.5], np.float32) + 0.3).astype(np.float32)


def linear(rows=ROWS, labels=LABELS):
    """The loss of a linear model on these rows."""
    w = tf.get_variable("w", initializer=[0.5, 0.5, 0.5])
    b = tf.get_variable("b", initializer=0.0)
    predicted = tf.reduce_sum(tf.constant(rows) * w, 1) + b
    return tf.reduce_mean(tf.square(predicted - labels))


class Replica:
    """One replica's graph; what is not shared has a scope of its own.

    Args:
      number: replica 0 is the chief.
      loss: a function of the number, which builds its loss.
      needed: how many gradients make a step. how: for the optimizer.
      within: a function that makes the optimizer within.
    """

    def __init__(self, number, loss, needed, within=None, **how):
        self.number, self.is_chief = number, number == 0
        self.threads = []
        self.graph = tf.Graph()
        within = within or (lambda: tf.train.GradientDescentOptimizer(0.1))
        with self.graph.as_default(), tf.device("/job:localhost/task:0"):
            self.step = tf.train.get_or_create_global_step()
            built = loss(number)
            if "variables_to_average" in how:
                how["variables_to_average"] = how["variables_to_average"]()
            self.optimizer = tf.train.SyncReplicasOptimizer(within(), needed, **how)
            with tf.name_scope(f"replica_{number}"):
                self.train = self.optimizer.minimize(built, self.step)
            if self.is_chief:
                self.put_tokens = self.optimizer.get_init_tokens_op()

    def open(self, server, starts_runner=True):
        """Its session, ready to train; the chief's queue runner runs."""
        with self.graph.as_default():
            self.session = tf.Session(server.target)
            if not self.is_chief:
                self.session.run(self.optimizer.local_step_init_op)
                return
            self.session.run(tf.global_variables_initializer())
            self.session.run(self.optimizer.chief_init_op)
            self.coord = tf.train.Coordinator()
            if starts_runner:
                runner = self.optimizer.get_chief_queue_runner()
                self.threads = runner.create_threads(self.session, self.coord, True, True)

    def close(self):
        """As a program ends."""
        if self.is_chief:
            self.coord.request_stop()
            self.coord.join()
        self.session.close()
        for thread in self.threads:
            thread.join()

    def values(self):
        """Of the trained variables, by name; and how many steps there were."""
        with self.graph.as_default():
            found = {v.op.name: v for v in [*tf.trainable_variables(), self.step]}
        return self.session.run(found)


class Replicas:
    """All of them.

    Args: as of `Replica` and `Replica.open`.
    """

    def __init__(self, server, total, loss, needed, starts_runner=True, **how):
        self.all = [Replica(number, loss, needed, **how) for number in range(total)]
        self._pool = ThreadPoolExecutor(total)
        for replica in self.all:
            replica.open(server, starts_runner)

    def run(self, *numbers):
        """One gradient of each of these, or of all, at the same time; their new local steps."""
        chosen = [self.all[number] for number in numbers] or self.all
        futures = [self._pool.submit(one.session.run, one.train) for one in chosen]
        return [int(future.result()) for future in futures]

    def start(self, number):
        """One gradient of one of them, which is not waited for."""
        one = self.all[number]
        return self._pool.submit(one.session.run, one.train)

    def values(self):
        """As of the chief."""
        return self.all[0].values()

    def close(self):
        """As programs end."""
        for replica in reversed(self.all):
            replica.close()
        self._pool.shutdown()


@pytest.fixture
def server():
    with tf.train.Server.create_local_server() as server:
        yield server


@pytest.fixture
def replicas(server):
    """Makes replicas, and ends them."""
    made = []

    def make(total, loss, needed, **how):
        made.append(Replicas(server, total, loss, needed, **how))
        return made[-1]

    yield make
    for each in made:
        each.close()


class Worker:
    """A worker of a cluster of two parameter servers and two workers: its graph and session."""

    def __init__(self, cluster, number, needed=2):
        self.graph, self.target = tf.Graph(), cluster["worker", number].target
        setter = tf.train.replica_device_setter(2, worker_device=f"/job:worker/task:{number}")
        with self.graph.as_default(), tf.device(setter):
            w = tf.get_variable("w", initializer=np.float32([1.0, 2.0]))
            b = tf.get_variable("b", initializer=3.0)
            self.step = tf.train.get_or_create_global_step()
            sgd = tf.train.GradientDescentOptimizer(0.1)
            self.optimizer = tf.train.SyncReplicasOptimizer(sgd, needed)
            self.train = self.optimizer.minimize(tf.reduce_sum(w) * b, self.step)
            self.init = tf.global_variables_initializer()
            self.put_tokens = self.optimizer.get_init_tokens_op()

    def begin(self, *more):
        """As the chief: initialise all, put tokens in."""
        with tf.Session(self.target, self.graph) as sess:
            for op in (self.init, self.optimizer.chief_init_op, *(more or [self.put_tokens])):
                sess.run(op)

    def open(self):
        """Its session."""
        self.session = tf.Session(self.target, self.graph)
        self.session.run(self.optimizer.local_step_init_op)


@pytest.fixture
def cluster(monkeypatch):
    """Servers in this process, which nevertheless talk over sockets."""
    monkeypatch.setattr(in_process, "find", lambda address: None)
    ports = iter(free_ports(4))
    jobs = {job: [f"localhost:{next(ports)}" for _ in range(2)] for job in ("ps", "worker")}
    made = {(job, n): tf.train.Server(jobs, job, n) for job in jobs for n in range(2)}
    yield made
    for server in made.values():
        server.stop()
