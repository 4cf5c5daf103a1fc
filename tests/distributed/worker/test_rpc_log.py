"""What a worker tells of the tensors it has fetched."""

import pytest

import tinytf as tf
from tests.distributed.fake_cluster import FakeCluster
from tinytf.distributed.worker import rpc_log
from tinytf.framework.cancellation import CancellationManager
from tinytf.protos import worker_pb2

KEY = "/job:ps/replica:0/task:0/device:CPU:0;1;/job:worker/replica:0/task:0/device:CPU:0;e_v;0:0"


def ask(worker, **fields):
    request = worker_pb2.LoggingRequest(**fields)
    return worker.logging(request, CancellationManager()).step


def test_tensors_are_written_down_when_a_master_asks_for_it():
    with FakeCluster(ps=1, worker=1) as cluster, tf.Graph().as_default():
        worker = cluster.tasks["worker:0"].worker
        with tf.device("/job:ps/task:0"):
            c = tf.random_uniform([2])
        with tf.device("/job:worker/task:0"):
            total = tf.reduce_sum(c)
        with tf.Session(cluster.target("worker")) as session:
            session.run(total)
            ask(worker, enable_rpc_logging=True)
            session.run(total)
            (request,) = cluster.requests("RecvTensor", worker_pb2.RecvTensorRequest)[1:]
            ask(worker, disable_rpc_logging=True)
            session.run(total)
        (step,) = ask(worker, fetch_step_id=[request.step_id])
        (device,) = step.step_stats.dev_stats
        assert device.device == "/job:worker/replica:0/task:0/device:CPU:0"
        (node,) = device.node_stats
        assert node.node_name == "RecvTensor"
        assert node.timeline_label.startswith("[8B] edge_")
        assert "from /job:ps/replica:0/task:0/device:CPU:0" in node.timeline_label
        assert node.all_end_rel_micros >= 0
        assert not ask(worker, fetch_step_id=[request.step_id])


@pytest.mark.parametrize("clears", [False, True])
def test_old_steps_are_forgotten(monkeypatch, clears):
    monkeypatch.setattr(rpc_log, "MOST_STEPS", 2)
    log = rpc_log.RpcLog()
    log.received(1, KEY, 1.0, 0.0)  # nobody has asked yet
    log.asked(worker_pb2.LoggingRequest(enable_rpc_logging=True))
    for step_id in (1, 2, 3):
        log.received(step_id, KEY, 1.0, 0.0)
    log.asked(worker_pb2.LoggingRequest(clear=clears))
    found = log.asked(worker_pb2.LoggingRequest(fetch_step_id=[1, 2, 3])).step
    assert [step.step_id for step in found] == ([] if clears else [2, 3])
