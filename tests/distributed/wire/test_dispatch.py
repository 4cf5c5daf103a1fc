"""How a server answers bytes, whichever way they came: now, later, with errors, within limits."""

import threading

import pytest

from tinytf.distributed.limits import Limits
from tinytf.distributed.wire import grpc_server
from tinytf.distributed.wire.client_transport import ClientTransport
from tinytf.distributed.wire.dispatch import Dispatch, settled, withdraw
from tinytf.distributed.wire.requests import WORKER_SERVICE
from tinytf.distributed.wire.server_transport import ServerTransport
from tinytf.distributed.wire.wire_errors import mark_derived
from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.errors import AbortedError, CancelledError, InvalidArgumentError
from tinytf.framework.pending import Pending
from tinytf.protos import worker_pb2

PATH, GET_STATUS = "/test/Method", WORKER_SERVICE + "GetStatus"


class Answers:
    """Takes what a dispatch replies."""

    def __init__(self, method, kind=worker_pb2.CleanupGraphRequest, **limits):
        self.dispatch = Dispatch({PATH: (kind, method)}, Limits(**limits))
        self.replies = []

    def ask(self, data=b"", path=PATH):
        self.dispatch.answer(
            path, data, CancellationManager(), lambda *reply: self.replies.append(reply)
        )
        return self.replies[-1] if self.replies else None


def answer():
    return worker_pb2.GetStatusResponse(runtime="test")


def raising(error):
    def method(request, withdrawn):
        raise error

    return method


def test_an_answer_comes_in_pieces():
    pieces, failure = Answers(lambda request, withdrawn: answer()).ask()
    assert failure is None
    assert b"".join(pieces) == answer().SerializeToString()


def test_an_answer_may_come_later_from_another_thread():
    pending = Pending("the test")
    answers = Answers(lambda request, withdrawn: pending)
    assert answers.ask() is None
    thread = threading.Thread(target=lambda: pending.set_result(answer()))
    thread.start()
    thread.join()
    assert answers.replies == [([answer().SerializeToString()], None)]


def test_an_error_may_come_later():
    pending = Pending("the test")
    answers = Answers(lambda request, withdrawn: pending)
    answers.ask()
    pending.set_error(mark_derived(AbortedError("gone")))
    ((pieces, failure),) = answers.replies
    assert not pieces
    assert failure == (AbortedError.error_code, "gone", True)


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (InvalidArgumentError("no"), 3, "no"),
        (MemoryError("too much"), 8, "MemoryError: too much"),
        (ZeroDivisionError("a mistake"), 13, "ZeroDivisionError: a mistake"),
    ],
)
def test_what_fails_is_told(error, code, text):
    answers = Answers(raising(error))
    assert answers.ask()[1] == (code, text, False)
    assert answers.dispatch._open == 0


def test_bytes_that_are_no_message_and_paths_that_are_not_served():
    answers = Answers(lambda request, withdrawn: answer())
    assert answers.ask(b"\xff\xff")[1].code == InvalidArgumentError.error_code
    assert answers.ask(path="/test/Nothing")[1][:2] == (12, "Method not found!")
    assert answers.dispatch._open == 0


def test_an_answer_that_is_no_message_is_a_mistake_of_ours():
    assert Answers(lambda request, withdrawn: object()).ask()[1].code == 13


def test_calls_that_wait_count():
    pending = []

    def method(request, withdrawn):
        pending.append(Pending("the test"))
        return pending[-1]

    answers = Answers(method, calls=2)
    answers.ask()
    answers.ask()
    assert answers.ask()[1][:2] == (8, "Concurrent RPC limit exceeded!")
    pending[0].set_result(answer())
    answers.ask()
    assert len(pending) == 3


def test_settled():
    pending = Pending("the test")
    assert settled(3) == 3
    thread = threading.Thread(target=lambda: pending.set_result(4))
    thread.start()
    assert settled(pending) == 4
    thread.join()
    failed = Pending("the test")
    failed.set_error(AbortedError("gone"))
    with pytest.raises(AbortedError, match="gone"):
        settled(failed)


def test_a_call_that_is_withdrawn():
    withdrawn = CancellationManager()
    withdraw(withdrawn)
    assert isinstance(withdrawn.reason, CancelledError)
    assert "its client withdrew the call" in withdrawn.reason.message


def test_grpc_without_callbacks_takes_the_answer_as_a_stream(monkeypatch):
    """The attribute by which grpcio gives a callback is an experiment of its."""
    service = {GET_STATUS: (worker_pb2.GetStatusRequest, lambda request, withdrawn: answer())}
    make = grpc_server.grpc.unary_stream_rpc_method_handler

    def without_callback(begin):
        del begin.experimental_non_blocking
        return make(begin)

    monkeypatch.setattr(grpc_server.grpc, "unary_stream_rpc_method_handler", without_callback)
    server = ServerTransport("127.0.0.1", 0, service, transport="grpc")
    server.start()
    client = ClientTransport(f"127.0.0.1:{server.port}")
    status = client.call(
        GET_STATUS, worker_pb2.GetStatusRequest(), worker_pb2.GetStatusResponse, 60.0
    )
    assert status.runtime == "test"
    client.close()
    server.stop(0)
