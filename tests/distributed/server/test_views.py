"""What one can see of a task from outside."""

import json

import pytest

import tinytf as tf
from tests.distributed.fake_cluster import FakeCluster
from tinytf.distributed.server.views import views
from tinytf.distributed.worker.traffic import Traffic, size_of

PS, WORKER = "/job:ps/replica:0/task:0", "/job:worker/replica:0/task:0"


@pytest.fixture
def cluster():
    with FakeCluster(ps=1, worker=1) as cluster:
        yield cluster


def seen(cluster, task, what):
    """A view of a task, as it travels."""
    found = cluster.tasks[task]
    return json.loads(json.dumps(views(found.master, found.worker)[what]({"what": [what]})))


def test_state_and_traffic(cluster):
    with tf.Graph().as_default():
        with tf.device("/job:ps/task:0"):
            v = tf.get_variable("v", initializer=[1.0, 2.0])
            with tf.container("mine"):
                tf.get_variable("w", shape=[3], dtype=tf.int32)
            q = tf.FIFOQueue(3, tf.float32, shapes=[[]], shared_name="q")
            enqueue = q.enqueue(7.0)
        with tf.device("/job:worker/task:0"):
            total = tf.reduce_sum(v)
        with tf.Session(cluster.target("worker")) as session:
            session.run([v.initializer, enqueue])
            session.run(total)
            session.run(total)
            assert seen(cluster, "ps:0", "variables") == [
                {
                    "name": "v",
                    "container": "ps",
                    "dtype": "float32",
                    "shape": [2],
                    "bytes": 8,
                    "initialized": True,
                }
            ]
            assert seen(cluster, "ps:0", "queues") == [
                {
                    "name": "q",
                    "container": "ps",
                    "type": "FIFOQueue",
                    "size": 1,
                    "capacity": 3,
                    "closed": False,
                }
            ]
            (container,) = seen(cluster, "ps:0", "containers")
            assert (container["name"], container["variables"], container["queues"]) == ("ps", 1, 1)
            (row,) = seen(cluster, "ps:0", "traffic")
            assert (row["source"], row["destination"]) == (PS, WORKER)
            assert (row["times"], row["bytes"]) == (2, 16)
            (own,) = seen(cluster, "worker:0", "sessions")
            assert own["tasks"] == [PS, WORKER]
            assert seen(cluster, "ps:0", "sessions") == [
                {"handle": own["handle"], "master": WORKER}
            ]
        assert seen(cluster, "worker:0", "sessions") == []
    (task,) = seen(cluster, "ps:0", "tasks")
    assert task["task"] == PS
    assert task["devices"][0]["name"] == f"{PS}/device:CPU:0"
    (master,) = seen(cluster, "worker:0", "tasks")
    assert master["transports"] == {PS: "fake"}


def test_sizes():
    assert [size_of(1.0), size_of(b"four"), size_of([1, 2])] == [8, 4, 16]


def test_a_table_that_stays_small(monkeypatch):
    monkeypatch.setattr(Traffic, "MOST", 2)
    traffic = Traffic()
    for name in "abcab":
        traffic.count("x", "y", name, 1.0)
    assert [(row.tensor, row.times) for row in traffic.table()] == [
        ("a", 2),
        ("b", 2),
        ("(others)", 1),
    ]


def test_placement_is_logged_once_by_the_master(cluster, capsys):
    with tf.Graph().as_default():
        with tf.device("/job:ps/task:0"):
            a = tf.constant(1.0, name="a")
        with tf.device("/job:worker/task:0"):
            b = tf.negative(a, name="b")
        config = tf.ConfigProto(log_device_placement=True)
        with tf.Session(cluster.target("worker"), config=config) as session:
            session.run(b)
            session.run([a, b])
    output = capsys.readouterr().out
    assert output.count("its own log; that of a LocalCluster's task is shown by %cluster logs") == 1
    lines = [line for line in output.splitlines() if "(" in line]
    assert lines == [f"b: (Neg): {WORKER}/device:CPU:0", f"a: (Const): {PS}/device:CPU:0"]
