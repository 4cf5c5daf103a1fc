"""Threads of tasks that share a machine."""

import pytest

import tinytf as tf
from tests.ports import free_ports
from tests.runtime.blas_library import Library
from tinytf.distributed.server import shared_cores
from tinytf.distributed.server.shared_cores import session_defaults, tasks_beside

HERE = ["localhost:1", "127.0.0.1:2"]


@pytest.fixture(autouse=True)
def no_wish(monkeypatch):
    monkeypatch.delenv("TF_NUM_INTRAOP_THREADS", raising=False)


def definition(cluster, **wish):
    return tf.train.ServerDef(
        cluster=tf.train.ClusterSpec(cluster).as_cluster_def(),
        job_name="worker",
        task_index=0,
        default_session_config=tf.ConfigProto(**wish),
    )


@pytest.mark.parametrize(
    ("cluster", "count"),
    [
        ({"worker": HERE[:1]}, 1),
        ({"worker": HERE, "ps": ["[::1]:3"]}, 3),
        ({"worker": ["a:1", "b:1"], "ps": ["a:2", "localhost:3"]}, 2),
    ],
)
def test_tasks_of_one_host_are_counted(cluster, count):
    assert tasks_beside(definition(cluster)) == count


@pytest.mark.parametrize(("tasks", "threads"), [(1, 0), (2, 8), (3, 5), (8, 2), (40, 1)])
def test_each_has_twice_its_share_of_the_cores(monkeypatch, tasks, threads):
    monkeypatch.setattr(shared_cores, "cores", lambda: 8)
    cluster = {"worker": [f"localhost:{n}" for n in range(tasks)]}
    assert session_defaults(definition(cluster)).intra_op_parallelism_threads == threads


def test_who_said_a_number_is_obeyed(monkeypatch):
    spec = definition({"worker": HERE}, intra_op_parallelism_threads=7, allow_soft_placement=True)
    config = session_defaults(spec)
    assert config == spec.default_session_config
    assert shared_cores.threads_of(config) == {"kernel": 7, "blas": 1}
    monkeypatch.setenv("TF_NUM_INTRAOP_THREADS", "3")
    config = session_defaults(definition({"worker": HERE}))
    assert config.intra_op_parallelism_threads == 0
    assert shared_cores.threads_of(config) == {"kernel": 3, "blas": 1}


def test_a_task_alone_keeps_all_threads(monkeypatch):
    monkeypatch.setattr(shared_cores, "cores", lambda: 8)
    monkeypatch.setattr(shared_cores.blas, "threads_now", lambda: 4)
    config = session_defaults(definition({"worker": HERE[:1], "ps": ["elsewhere:1"]}))
    assert shared_cores.threads_of(config) == {"kernel": 8, "blas": 4}


@pytest.mark.parametrize(("tasks", "threads"), [(1, 4), (2, 1)])
def test_a_step_of_a_task_among_others_holds_blas(monkeypatch, tasks, threads):
    library = Library(4)
    monkeypatch.setattr(shared_cores.blas, "_libraries", [library])
    cluster = {"worker": [f"localhost:{port}" for port in free_ports(tasks)]}
    only = tf.ConfigProto(device_filters=["/job:worker/task:0"])
    with tf.Graph().as_default():
        during = tf.py_func(lambda: library.threads, [], tf.int64)
        with tf.train.Server(cluster, "worker", 0) as server:
            with tf.Session(server.target, config=only) as session:
                assert session.run(during) == threads
    assert library.threads == 4
