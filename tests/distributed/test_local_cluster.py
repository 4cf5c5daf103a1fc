"""Clusters of real processes, and that nothing of them stays."""

import os
import select
import signal
import subprocess
import sys
import threading
import time

import pytest

import tinytf as tf
from tests.oracle.environment import ROOT
from tinytf.cli import main
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


def wait_for_ends(pids, seconds=30):
    """Wait until processes that are not our children have ended; returns those that have not."""
    handles = {}
    for pid in pids:
        try:
            handles[os.pidfd_open(pid)] = pid
        except ProcessLookupError:
            continue
    deadline = time.monotonic() + seconds
    poll = select.poll()
    for handle in handles:
        poll.register(handle, select.POLLIN)
    left = dict(handles)
    while left and time.monotonic() < deadline:
        for handle, _ in poll.poll(1000 * max(0, deadline - time.monotonic())):
            poll.unregister(handle)
            del left[handle]
    for handle in handles:
        os.close(handle)
    return list(left.values())


@pytest.mark.parametrize("end", ["SIGKILL", "SIGTERM", "exit"])
def test_nothing_stays_when_the_parent_ends(end):
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        cwd=ROOT,
    )  # fmt: skip
    with parent:
        children = [int(pid) for pid in parent.stdout.readline().split()]
        assert len(children) == 2
        if end == "exit":
            parent.stdin.close()
        else:
            parent.send_signal(getattr(signal, end))
        parent.wait(30)
    assert wait_for_ends(children) == []


@pytest.fixture(scope="module")
def cluster():
    with LocalCluster({"ps": 1, "worker": 2}) as cluster:
        yield cluster


def test_every_task_has_a_session(cluster):
    with tf.Graph().as_default():
        v = tf.get_variable("v", initializer=0.0)
        for job, index in (("ps", 0), ("worker", 0), ("worker", 1)):
            with tf.Session(cluster.target(job, index)) as session:
                session.run(tf.assign(v, float(index)))
                (device,) = session.list_devices()
                assert device.name == f"/job:{job}/replica:0/task:{index}/device:CPU:0"
        for index in (0, 1):
            with tf.Session(cluster.target("worker", index)) as session:
                assert session.run(v) == index  # a variable of each task's own


def test_steps_that_span_tasks_are_refused_with_the_way_out(cluster):
    with tf.Graph().as_default():
        with tf.device("/job:ps/task:0"):
            c = tf.constant(1, name="c")
        with (
            tf.Session(cluster.target("worker", 0)) as session,
            pytest.raises(tf.errors.UnimplementedError, match="spans several tasks") as caught,
        ):
            session.run(tf.identity(c))
        assert cluster.target("ps", 0) in caught.value.message
        assert caught.value.op is c.op
        with tf.Session(cluster.target("ps", 0)) as session:
            assert session.run(c) == 1


def test_status(cluster):
    assert cluster.alive
    assert {(s.job, s.index) for s in cluster.status()} == {("ps", 0), ("worker", 0), ("worker", 1)}
    for status in cluster.status():
        assert os.getsid(status.pid) == status.pid  # in a session of its own
        assert cluster.cluster_spec.task_address(status.job, status.index) == status.address
        assert f"process {status.pid}, serving" in repr(cluster)
        assert status.target in cluster._repr_html_()
    with pytest.raises(ValueError, match="No such job in cluster: 'chief'"):
        cluster.target("chief", 0)
    with pytest.raises(ValueError, match="No task with index 2"):
        cluster.log("worker", 2)


def test_a_dead_task_and_the_end():
    with LocalCluster({"worker": 2}) as cluster:
        os.kill(cluster.status()[0].pid, signal.SIGKILL)
        assert cluster.wait_for_end("worker", 0, 30) == -signal.SIGKILL
        assert not cluster.alive
        assert "ended by SIGKILL (return code -9)" in repr(cluster)
        with tf.Graph().as_default(), tf.Session(cluster.target("worker", 1)) as session:
            assert session.run(tf.constant(5)) == 5
    cluster.stop()
    assert [status.returncode for status in cluster.status()] == [-9, 0]
    assert cluster.log("worker", 1) == ""


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


def test_a_task_that_does_not_start(monkeypatch):
    monkeypatch.setenv("PYTHONHASHSEED", "not a number")
    with pytest.raises(RuntimeError, match=r"task:0 did not start: it ended(.|\n)*PYTHONHASHSEED"):
        LocalCluster({"worker": 1})


@pytest.mark.parametrize("jobs", [{}, {"worker": 0}, {"worker": 1, "ps": -1}])
def test_bad_numbers(jobs):
    with pytest.raises(ValueError, match="at least one task"):
        LocalCluster(jobs)


def test_a_task_that_is_stuck_is_ended(monkeypatch):
    cluster = LocalCluster({"worker": 1})
    (status,) = cluster.status()
    os.kill(status.pid, signal.SIGSTOP)
    os.waitid(os.P_PID, status.pid, os.WSTOPPED)
    monkeypatch.setattr(local_cluster, "STOP_SECONDS", 0.05)
    cluster.stop()
    assert cluster.status()[0].returncode == -signal.SIGKILL


def test_a_cluster_nobody_holds_ends():
    cluster = LocalCluster({"worker": 1})
    (status,) = cluster.status()
    del cluster
    with pytest.raises(ProcessLookupError):
        os.kill(status.pid, 0)


def test_the_serve_command_by_hand():
    with subprocess.Popen(
        [sys.executable, "-m", "tinytf", "serve", "--cluster", "worker=localhost:0"],
        stdout=subprocess.PIPE, text=True, cwd=ROOT,
    ) as process:  # fmt: skip
        line = process.stdout.readline()
        assert line.startswith("Serving /job:worker/replica:0/task:0 at grpc://localhost:")
        target = line.split()[3]  # to be copied as it stands
        with tf.Graph().as_default(), tf.Session(target) as session:
            assert session.run(tf.constant(5)) == 5
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--cluster", "worker"], "Could not understand 'worker' in --cluster"),
        (["--cluster", "worker=localhost:0,localhost:0"], "explicit `task_index`"),
        (["--cluster", "worker=0.0.0.0:0"], "allow_remote_clients"),
    ],
)
def test_bad_use_of_the_command(arguments, words, capsys):
    assert main(["serve", *arguments]) == 2
    assert words in capsys.readouterr().err
