"""What a server takes on for its clients, and where they may send it."""

import pytest

import tinytf as tf
from tests.distributed.server.hostile import MASTER, WORKER, Desk
from tinytf.distributed.limits import Limits
from tinytf.protos import master_pb2, worker_pb2

# A client's picture of the cluster ------------------------------------------------------------


def test_a_client_sends_a_server_to_nobody_else():
    with Desk() as desk:
        call = desk.worker._connect
        for address in ("192.0.2.1:80", "example.com:80", "127.evil.example:80"):
            with pytest.raises(tf.errors.PermissionDeniedError, match="allow_remote_clients"):
                call(address, "/job:a/replica:0/task:1")
        for address in ("unix:/run/docker.sock", "unix:///x:1", "dns:example.com:80", "a b:1", "x"):
            with pytest.raises(tf.errors.InvalidArgumentError, match="host-port pair"):
                call(address, "/job:a/replica:0/task:1")
        call("localhost:1", "/job:a/replica:0/task:1").close()
    with Desk(allow_remote_clients=True) as desk:
        desk.worker._connect("192.0.2.1:80", "/job:a/replica:0/task:1").close()


# Limits -------------------------------------------------------------------------------------------


def exhausted(answer, name, *words):
    assert isinstance(answer, tf.errors.ResourceExhaustedError), answer
    for word in (f"--limit {name}=", f"limits=Limits({name}=...)", *words):
        assert word in answer.message


def test_how_many_sessions():
    with Desk(limits=Limits(sessions=3)) as desk:
        desk._open()
        create = master_pb2.CreateSessionRequest(graph_def=desk.graph_def).SerializeToString()
        answer = desk.send(MASTER + "CreateSession", create)
        exhausted(answer, "sessions", "open sessions: 4, but this server takes 3", "Session.reset")
        close = master_pb2.CloseSessionRequest(session_handle=desk.victim)
        desk.good(MASTER + "CloseSession", close)
        desk._open()
        for number in range(5):
            request = worker_pb2.CreateWorkerSessionRequest(session_handle=f"another {number}")
            answer = desk.send(WORKER + "CreateWorkerSession", request.SerializeToString())
        exhausted(answer, "sessions")
        desk.check()


def test_how_many_signatures():
    with Desk(limits=Limits(signatures=4)) as desk:
        for name in ("y", "words", "random", "dense"):
            step = desk.step(desk.victim, [], [name])
            answer = desk.send(MASTER + "RunStep", step.SerializeToString())
        exhausted(answer, "signatures", "Too many different steps", "5, but this server takes 4")
        make = desk.requests()[MASTER + "MakeCallable"]
        answers = [desk.send(MASTER + "MakeCallable", make.SerializeToString()) for _ in range(5)]
        exhausted(answers[-1], "signatures", "build them once")
        for _ in range(3):
            desk.good(WORKER + "RegisterGraph", desk._register_request())
        answer = desk.send(WORKER + "RegisterGraph", desk._register_request().SerializeToString())
        exhausted(answer, "signatures", "5, but this server takes 4")


def test_how_many_partial_runs():
    with Desk(limits=Limits(partial_runs=2)) as desk:
        setup = desk.requests()[MASTER + "PartialRunSetup"]
        for _ in range(2):
            desk.good(MASTER + "PartialRunSetup", setup)
        answer = desk.send(MASTER + "PartialRunSetup", setup.SerializeToString())
        exhausted(answer, "partial_runs", "3, but this server takes 2")


def test_how_many_steps():
    with Desk(limits=Limits(steps=2)) as desk:
        runs = [desk.requests()[WORKER + "RunGraph"] for _ in range(3)]
        for run in runs[:2]:
            desk.good(WORKER + "RunGraph", run)
        answer = desk.send(WORKER + "RunGraph", runs[2].SerializeToString())
        exhausted(answer, "steps", "3, but this server takes 2", "CleanupGraph")
        for run in runs[:2]:
            desk.good(WORKER + "CleanupGraph", worker_pb2.CleanupGraphRequest(step_id=run.step_id))
        desk.good(WORKER + "RunGraph", runs[2])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"sessions": 0}, "sessions=0"),
        ({"nodes": -1}, "nodes=-1"),
        ({"calls": "many"}, "calls='many'"),
        ({"steps": True}, "steps=True"),
        ({"message_bytes": 1 << 31}, "2147483647 bytes"),
    ],
)
def test_limits_that_are_none(arguments, words):
    with pytest.raises(ValueError, match=words):
        Limits(**arguments)


def test_limits_in_words():
    assert Limits.from_words(["sessions=4", "steps=7"]) == Limits(sessions=4, steps=7)
    for word in ("sessions", "sessions=", "sessions=-1", "sessions=x", "students=3", "="):
        with pytest.raises(ValueError, match="sessions=40"):
            Limits.from_words([word])


def test_a_session_that_cannot_be_made_leaves_nothing():
    with Desk() as desk:
        before = desk.state()
        request = master_pb2.CreateSessionRequest(graph_def=desk.graph_def)
        request.config.intra_op_parallelism_threads = -7
        answer = desk.send(MASTER + "CreateSession", request.SerializeToString())
        assert isinstance(answer, tf.errors.InvalidArgumentError)
        assert desk.state() == before
