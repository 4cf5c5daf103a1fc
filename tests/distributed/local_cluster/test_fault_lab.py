"""The fault lab on real processes, in the middle of steps. A variable lives on the ps."""

import threading

import pytest

import tinytf as tf
from tinytf.distributed.local_cluster import LocalCluster
from tinytf.distributed.wire import faults

SOON = tf.RunOptions(timeout_in_ms=50)


@pytest.fixture(scope="module")
def cluster(transport):
    with LocalCluster(ps=1, worker=2) as cluster:
        yield cluster


class Program:
    """A session on worker:0 that reads, through worker:1 if asked to, what the ps has."""

    def __init__(self, cluster):
        self.graph = tf.Graph()
        with self.graph.as_default():
            with tf.device("/job:ps/task:0"):
                self.number = tf.get_variable("number", initializer=3.0, use_resource=True)
                self.queue = tf.FIFOQueue(10, tf.float32, shared_name="numbers")
                self.steps = tf.get_variable("steps", initializer=0, use_resource=True)
                with tf.control_dependencies([tf.assign_add(self.steps, 1)]):
                    self.dequeue = self.queue.dequeue()
                self.enqueue = self.queue.enqueue(4.0)
                self.waiting_numbers = self.queue.size()
            self.here = tf.identity(self.number)
            with tf.device("/job:worker/task:1"):
                self.there = self.number * 2.0
            self.session = tf.Session(cluster.target("worker:0"))
            self.session.run([self.number.initializer, self.steps.initializer])
            assert self.session.run(self.here) == 3

    def in_thread(self, fetch):
        """Run a step in a thread; the thread, and what it has returned or raised."""
        results = []

        def step():
            try:
                results.append(self.session.run(fetch))
            except (tf.errors.OpError, RuntimeError) as error:
                results.append(error)

        thread = threading.Thread(target=step)
        thread.start()
        return thread, results

    def in_the_middle(self):
        """The same for a step that waits on the ps; returns when it is there."""
        running = self.in_thread(self.dequeue)
        while not self.session.run(self.steps):
            continue
        return running


def alone(task):
    """A session that asks no other task for anything."""
    job, index = task.split(":")
    return tf.ConfigProto(
        device_filters=[f"/job:{job}/task:{index}"],
        graph_options=tf.GraphOptions(place_pruned_graph=True),
    )


@pytest.fixture
def program(cluster):
    cluster.heal()
    program = Program(cluster)
    yield program
    cluster.heal()
    program.session.close()


def states(cluster):
    return {f"{s.job}:{s.index}": s.state for s in cluster.status()}


def test_what_is_lost_arrives_when_the_network_is_healed(cluster, program):
    cluster.drop("worker:0", "ps:0")
    assert states(cluster)["ps:0"] == "serving; cut off from worker:0"
    with pytest.raises(tf.errors.DeadlineExceededError):
        program.session.run(program.here, options=SOON)
    thread, results = program.in_thread(program.here)
    with tf.Session(cluster.target("ps:0"), graph=program.graph, config=alone("ps:0")) as session:
        assert session.run(program.number) == 3  # nobody else is cut off
    cluster.heal()
    thread.join()
    assert results == [3.0]
    assert program.session.run(program.here) == 3


def test_the_network_is_cut_in_the_middle_of_a_step(cluster, program):
    thread, results = program.in_the_middle()
    with tf.Session(cluster.target("ps:0"), graph=program.graph, config=alone("ps:0")) as session:
        cluster.partition(["worker:0", "worker:1"], ["/job:ps/task:0"])
        assert states(cluster)["worker:1"] == "serving; cut off from ps:0"
        session.run(program.enqueue)
        while session.run(program.waiting_numbers):  # the ps goes on, and its answer is lost
            continue
        assert not results
        cluster.heal()
        thread.join()
        assert results == [4.0]


def test_late_calls_are_right_all_the_same(cluster, program):
    cluster.delay("worker:1", 0.03)
    cluster.delay("worker:0", 0.01, "ps:0")
    assert states(cluster) == {
        "ps:0": "serving; calls to worker:0 are 10 ms late",
        "worker:0": "serving; calls to ps:0 are 10 ms late",
        "worker:1": "serving; its calls are 30 ms late",
    }
    assert program.session.run([program.here, program.there]) == [3.0, 6.0]
    cluster.delay("worker:1", 0)
    assert states(cluster)["worker:1"] == "serving"


@pytest.mark.slow
def test_the_client_is_cut_off(cluster, program):
    cluster.drop("client", "worker:0")
    with pytest.raises(tf.errors.DeadlineExceededError):
        program.session.run(program.here, options=SOON)
    cluster.heal()
    assert program.session.run(program.here) == 3
    assert not faults._seconds


def test_a_step_that_is_cut_off_ends_with_its_session(cluster, program):
    thread, results = program.in_the_middle()
    cluster.drop("worker:0", "ps:0")
    program.session.close()
    thread.join()
    assert isinstance(results[0], tf.errors.CancelledError)


@pytest.mark.slow
def test_a_task_ends_in_the_middle_of_a_step():
    with LocalCluster(ps=1, worker=2) as cluster:
        program = Program(cluster)
        thread, results = program.in_the_middle()
        cluster.delay("worker:0", 0.02)
        cluster.kill("ps:0")
        thread.join()
        assert isinstance(results[0], tf.errors.UnavailableError | tf.errors.AbortedError)
        assert "/job:ps/replica:0/task:0" in results[0].message
        cluster.restart("ps:0")
        assert states(cluster)["ps:0"].startswith("serving, restarted at")
        with pytest.raises(tf.errors.OpError):  # it knows nothing of before
            program.session.run(program.here)
        program.session.close()
        cluster.heal()
        program = Program(cluster)
        assert program.session.run(program.there) == 6
        program.session.close()
        # What is wrong is wrong for a new process as well.
        cluster.drop("ps:0", "worker:1")
        cluster.restart("worker:1")
        program = Program(cluster)
        with pytest.raises(tf.errors.DeadlineExceededError):
            program.session.run(program.there, options=SOON)
        cluster.heal()
        assert program.session.run(program.there) == 6
        program.session.close()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda c: c.drop("worker:0", "worker:0"), "are the same task"),
        (lambda c: c.drop("worker:0", "worker:7"), "no task worker:7"),
        (lambda c: c.delay("worker:0", -1), "0 or more"),
        (lambda c: c.delay("worker:0", float("nan")), "0 or more"),
        (lambda c: c.delay("worker", 1), "is not the name of a task"),
        (lambda c: c.partition(["worker:0"]), "two or more groups"),
        (lambda c: c.partition(["worker:0"], []), "two or more groups"),
        (lambda c: c.partition(["worker:0"], ["ps:0", "worker:0"]), "one side"),
    ],
)
def test_faults_that_make_no_sense(cluster, change, words):
    with pytest.raises(ValueError, match=words):
        change(cluster)
    assert set(states(cluster).values()) == {"serving"}
