"""Clusters of real processes, and that nothing of them stays."""

import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import tinytf as tf
from tests.distributed.waiting import wait_for_ends
from tests.oracle.environment import ROOT
from tinytf.distributed import local_cluster
from tinytf.distributed.local_cluster import LocalCluster

#: A program that has a cluster, tells its processes, and goes on until it is ended.
PARENT = """
import sys
import tinytf as tf
from tinytf.distributed.local_cluster import LocalCluster
cluster = LocalCluster({"ps": 1, "worker": 1})
print(*[status.pid for status in cluster.status()], flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize(
    "end", ["SIGKILL", *(pytest.param(end, marks=pytest.mark.slow) for end in ("SIGTERM", "exit"))]
)
@pytest.mark.one_transport
def test_nothing_stays_when_the_parent_ends(end):
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    with parent:
        children = [int(pid) for pid in parent.stdout.readline().split()]
        assert len(children) == 2
        if end == "exit":
            parent.stdin.close()
        else:
            parent.send_signal(getattr(signal, end))
        parent.wait(30)
    assert wait_for_ends(children) == []


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a process that is stopped")
@pytest.mark.parametrize("thread", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.one_transport
def test_a_paused_task_does_not_stay_when_the_parent_is_killed(thread):
    code = PARENT.replace("print(", "cluster.pause('worker:0')\nprint(")
    if thread:  # which has ended since
        code = code.replace(
            "cluster = LocalCluster({",
            "from concurrent.futures import ThreadPoolExecutor\n"
            "with ThreadPoolExecutor() as pool: cluster = pool.submit(LocalCluster, {",
        ).replace("})", "}).result()")
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as parent:
        children = [int(pid) for pid in parent.stdout.readline().split()]
        assert len(children) == 2
        parent.kill()
    assert wait_for_ends(children) == []


@pytest.mark.slow
@pytest.mark.one_transport
def test_a_cluster_outlives_the_thread_that_made_it():
    made = []
    thread = threading.Thread(target=lambda: made.append(LocalCluster(worker=1)))
    thread.start()
    thread.join()
    with made.pop() as cluster, tf.Graph().as_default(), tf.Session(cluster.target()) as session:
        assert session.run(tf.constant(5)) == 5


@pytest.fixture(scope="module")
def cluster(transport):
    with LocalCluster({"ps": 1, "worker": 2}) as cluster:
        yield cluster


def test_every_task_has_a_session(cluster):
    with tf.Graph().as_default():
        v = tf.get_variable("v", initializer=0.0)
        for job, index in (("ps", 0), ("worker", 0), ("worker", 1)):
            with tf.Session(cluster.target(job, index)) as session:
                session.run(tf.assign(v, float(index)))
                devices = session.list_devices()  # those of all tasks, its own first
                assert devices[0].name == f"/job:{job}/replica:0/task:{index}/device:CPU:0"
                assert len(devices) == 3
        for index in (0, 1):
            with tf.Session(cluster.target("worker", index)) as session:
                assert session.run(v) == index  # a variable of each task's own


def test_a_step_of_three_tasks(cluster):
    with tf.Graph().as_default():
        with tf.device("/job:ps/task:0"):
            v = tf.get_variable("shared", initializer=[1.0, 2.0])
        with tf.device("/job:worker/task:1"):
            x = tf.placeholder(tf.float32, [2])
            y = x * 2.0 + v
        with tf.device("/job:worker/task:0"):
            total = tf.reduce_sum(y)
        with tf.Session(cluster.target("worker", 0)) as session:
            session.run(v.initializer)
            assert session.run(total, {x: [1, 1]}) == 7
            session.run(v.assign_add(y), {x: [1, 1]})
        with tf.Session(cluster.target("worker", 1)) as session:
            assert session.run(v).tolist() == [4, 6]


def test_status(cluster):
    assert cluster.alive
    assert {(s.job, s.index) for s in cluster.status()} == {("ps", 0), ("worker", 0), ("worker", 1)}
    for status in cluster.status():
        assert os.getsid(status.pid) == status.pid  # in a session of its own
        assert cluster.cluster_spec.task_address(status.job, status.index) == status.address
        assert f"process {status.pid}, serving" in repr(cluster)
        assert status.target in cluster._repr_html_()
    with pytest.raises(ValueError, match=r"no task chief:0\. Its tasks: ps:0, worker:0, worker:1"):
        cluster.target("chief", 0)
    with pytest.raises(ValueError, match="no task worker:2"):
        cluster.log("worker", 2)


@pytest.mark.parametrize(
    "name", ["worker:1", "/job:worker/task:1", "/job:worker/replica:0/task:1", " worker:1 "]
)
def test_names_of_tasks(cluster, name):
    assert cluster.target(name) == cluster.target("worker", 1)
    assert cluster.task(name) is cluster.task("worker", 1)
    assert cluster.target() == cluster.target("worker:0")
    assert cluster.tasks == ["ps:0", "worker:0", "worker:1"]


@pytest.mark.parametrize(
    "name", ["", "1", "worker:", "worker:-1", "/job:worker", "/task:1", "a b:1"]
)
def test_no_names_of_tasks(cluster, name):
    with pytest.raises(ValueError, match="is not the name of a task"):
        cluster.target(name, None) if ":" in name else cluster.log(name)


def test_a_dead_task_and_the_end():
    with LocalCluster({"worker": 2}) as cluster:
        os.kill(cluster.status()[0].pid, signal.SIGKILL)
        assert cluster.wait_for_end("worker", 0, 30) == -signal.SIGKILL
        assert not cluster.alive
        assert "ended by SIGKILL (return code -9)" in repr(cluster)
        alone = tf.ConfigProto(device_filters=["/job:worker/task:1"])
        with (
            tf.Graph().as_default(),
            tf.Session(cluster.target("worker", 1), config=alone) as session,
        ):
            assert session.run(tf.constant(5)) == 5
    cluster.stop()
    assert [status.returncode for status in cluster.status()] == [-9, 0]
    assert cluster.log("worker", 1) == ""
    with pytest.raises(RuntimeError, match="was stopped: make a new one"):
        cluster.restart("worker:1")
    with pytest.raises(RuntimeError, match="was stopped"):
        cluster.heal()


def open_pipes():
    """How many ends of pipes this process has; gRPC's files come and go by themselves."""
    here = Path("/proc/self/fd")
    return sum(link.is_fifo() for link in here.iterdir()) if here.exists() else 0


def incarnation_of(session, job, index):
    name = f"/job:{job}/replica:0/task:{index}/device:CPU:0"
    return next(d.incarnation for d in session.list_devices() if d.name == name)


def test_kill_and_restart():
    with LocalCluster(worker=2) as cluster, tf.Graph().as_default():
        v = tf.get_variable("v", initializer=7.0)
        before = cluster.status()[1]
        with tf.Session(cluster.target("worker:1")) as session:
            session.run(v.initializer)
            incarnation = incarnation_of(session, "worker", 1)
        cluster.kill("worker:1")
        assert cluster.status()[1].state == "ended by SIGKILL (return code -9)"
        cluster.kill("worker:1")  # once more changes nothing
        cluster.restart("worker:1")
        now = cluster.status()[1]
        assert (now.address, now.restarts) == (before.address, 1)
        assert now.pid != before.pid
        assert re.fullmatch(r"serving, restarted at \d\d:\d\d:\d\d", now.state)
        assert now.state in cluster._repr_html_()
        assert re.fullmatch(
            r"--- worker:1 killed at [\d:]{8} ---\n--- worker:1 started again at [\d:]{8} ---\n",
            cluster.log("worker:1"),
        )
        with tf.Session(cluster.target("worker:1")) as session:
            assert incarnation_of(session, "worker", 1) != incarnation
            with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized"):
                session.run(v)
        pipes = open_pipes()
        cluster.restart("worker:1")  # one that lives
        assert open_pipes() == pipes
        assert [s.restarts for s in cluster.status()] == [0, 2]
        assert cluster.alive


def test_a_task_is_paused_and_goes_on(cluster):
    try:
        cluster.pause("worker:0")
        assert cluster.status()[1].state == "paused"
        cluster.delay("worker:0", 5)  # it is told when it goes on
        cluster.resume("worker:0")
        assert cluster.status()[1].state == "serving; its calls are 5 s late"
    finally:
        cluster.heal()
    assert cluster.alive


@pytest.mark.slow
@pytest.mark.one_transport
def test_what_cannot_be_paused():
    with LocalCluster(worker=1) as cluster:
        cluster.kill("worker:0")
        for change in (cluster.pause, cluster.resume):
            with pytest.raises(ValueError, match=r"worker:0 ended by SIGKILL.*restart it first"):
                change("worker:0")


@pytest.mark.slow
@pytest.mark.one_transport
def test_a_paused_task_ends_with_the_cluster():
    with LocalCluster(worker=1) as cluster:
        cluster.pause("worker:0")
    assert cluster.status()[0].returncode == 0


def test_a_task_that_dies_during_a_step():
    with LocalCluster({"worker": 1}) as cluster, tf.Graph().as_default():
        rounds = tf.get_variable("rounds", initializer=0.0, use_resource=True)

        def count(i):
            with tf.control_dependencies([tf.assign_add(rounds, 1.0)]):
                return i + 1

        endless = tf.while_loop(lambda i: i >= 0, count, [tf.constant(0)])
        session, observer = (tf.Session(cluster.target("worker", 0)) for _ in range(2))
        session.run(rounds.initializer)
        errors = []

        def work():
            try:
                session.run(endless)
            except tf.errors.OpError as error:
                errors.append(error)

        thread = threading.Thread(target=work)
        thread.start()
        while observer.run(rounds) == 0:  # until the step is seen to run
            continue
        os.kill(cluster.status()[0].pid, signal.SIGKILL)
        thread.join()
        assert type(errors[0]) is tf.errors.UnavailableError
        assert cluster.target("worker", 0) in errors[0].message
        session.close()
        observer.close()


@pytest.mark.one_transport
def test_a_task_that_does_not_start(monkeypatch):
    monkeypatch.setenv("PYTHONHASHSEED", "not a number")
    with pytest.raises(RuntimeError, match=r"task:0 did not start: it ended(.|\n)*PYTHONHASHSEED"):
        LocalCluster({"worker": 1})


@pytest.mark.slow
@pytest.mark.one_transport
def test_an_interrupt_while_it_starts(monkeypatch):
    started = []
    pipes = open_pipes()

    def interrupt(task, deadline):
        started.append(task)
        raise KeyboardInterrupt

    monkeypatch.setattr(local_cluster.task.Task, "wait_until_serving", interrupt)
    with pytest.raises(KeyboardInterrupt):
        LocalCluster(worker=2)
    assert started[0].process.returncode == 0
    assert open_pipes() == pipes
    with pytest.raises(ProcessLookupError):
        os.kill(started[0].process.pid, 0)


@pytest.mark.parametrize("jobs", [{}, {"worker": 0}, {"worker": 1, "ps": -1}])
@pytest.mark.one_transport
def test_bad_numbers(jobs):
    with pytest.raises(ValueError, match="at least one task"):
        LocalCluster(jobs)


@pytest.mark.slow
@pytest.mark.one_transport
def test_a_task_that_is_stuck_is_ended(monkeypatch):
    cluster = LocalCluster({"worker": 1})
    (status,) = cluster.status()
    task = cluster.task("worker:0")
    let_go = task.let_go
    monkeypatch.setattr(task, "let_go", list)  # as if it did not notice the end of its pipes
    monkeypatch.setattr(local_cluster.task, "STOP_SECONDS", 0.05)
    cluster.stop()
    let_go()
    assert status.pid == cluster.status()[0].pid
    assert cluster.status()[0].returncode == -signal.SIGKILL


@pytest.mark.one_transport
def test_a_cluster_nobody_holds_ends():
    cluster = LocalCluster({"worker": 1})
    (status,) = cluster.status()
    del cluster
    with pytest.raises(ProcessLookupError):
        os.kill(status.pid, 0)
