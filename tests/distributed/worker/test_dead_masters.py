"""What a master that has died leaves on other tasks."""

import pytest

import tinytf as tf
from tests.distributed.fake_cluster import FakeCluster
from tinytf.distributed.wire.framing import Parcel
from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.errors import UnavailableError
from tinytf.protos import worker_pb2

SENDER, OWN = "/job:worker/replica:0/task:0", "/job:ps/replica:0/task:0"


def run_part(worker, op, sender, receiver, master, incarnation=1):
    """Run a part of step 7 that only sends, or receives, for a master; the answer."""
    nobody = CancellationManager()
    session = worker_pb2.CreateWorkerSessionRequest(
        session_handle="s", master_task=master, master_incarnation=incarnation
    )
    worker.create_worker_session(session, nobody)
    part = worker_pb2.RegisterGraphRequest(session_handle="s", create_worker_session_called=True)
    node = part.graph_def.node.add(name="transfer", op=op, device=f"{OWN}/device:CPU:0")
    node.attr["tensor_name"].s = b"x"
    node.attr["send_device"].s = f"{sender}/device:CPU:0".encode()
    node.attr["recv_device"].s = f"{receiver}/device:CPU:0".encode()
    node.attr["send_device_incarnation"].i = 1
    node.attr["client_terminated"].b = False
    if op == "_Send":
        node.attr["T"].type = tf.int32.as_datatype_enum
        node.input.append("sent")
        sent = part.graph_def.node.add(name="sent", op="Const", device=f"{OWN}/device:CPU:0")
        sent.attr["dtype"].type = tf.int32.as_datatype_enum
        sent.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(5))
    else:
        node.attr["tensor_type"].type = tf.float32.as_datatype_enum
    request = worker_pb2.RunGraphRequest(
        session_handle="s",
        create_worker_session_called=True,
        graph_handle=worker.register_graph(part, nobody).graph_handle,
        step_id=7,
        store_errors_in_response_body=True,
    )
    return worker.run_graph(Parcel(request), nobody).message


@pytest.mark.parametrize("is_master", [True, False], ids=["the master", "another task"])
def test_a_step_whose_master_is_found_dead_is_left_nowhere(is_master):
    """A tensor that cannot be had tells of a death before gRPC withdraws the calls of the dead."""
    master = SENDER if is_master else "/job:worker/replica:0/task:1"
    with FakeCluster(ps=1, worker=2) as cluster:
        worker = cluster.tasks["ps:0"].worker
        cluster.kill("worker:0")
        answer = run_part(worker, "_Recv", SENDER, OWN, master)
        assert answer.status_code == UnavailableError.error_code
        assert answer.status_error_message.startswith(f"From {SENDER}:\n")
        assert len(worker.steps) == (0 if is_master else 1)
        worker.cleanup_graph(worker_pb2.CleanupGraphRequest(step_id=7), CancellationManager())
        assert len(worker.steps) == 0


def test_what_a_dead_master_has_left_goes_when_the_next_one_comes():
    """A part was over, and its tensor not fetched, when the master died: nobody tells."""
    with FakeCluster(ps=1, worker=2) as cluster:
        worker = cluster.tasks["ps:0"].worker
        answer = run_part(worker, "_Send", OWN, "/job:worker/replica:0/task:1", SENDER)
        assert (answer.status_code, answer.status_error_message) == (0, "")
        assert len(worker.steps) == 1
        session = worker_pb2.CreateWorkerSessionRequest(
            session_handle="next", master_task=SENDER, master_incarnation=2
        )
        worker.create_worker_session(session, CancellationManager())
        assert len(worker.steps) == 0
        assert [s.handle for s in worker.sessions() if s.master == SENDER] == ["next"]
