"""Calls of other tasks: which are sent again, and what is told of those that fail."""

import pytest

import tinytf as tf
from tinytf.distributed.cluster import task_advice
from tinytf.distributed.tasks.peers import Peers
from tinytf.framework.errors import DeadlineExceededError, UnavailableError
from tinytf.protos import worker_pb2

PS = "/job:ps/replica:0/task:0"


class Transport:
    """Gives each call the next outcome."""

    def __init__(self, *outcomes):
        self.outcomes, self.asked = list(outcomes), []

    def start_call(self, path, request, response_class, done, *how, **named):
        self.asked.append(path.rpartition("/")[2])
        outcome = self.outcomes.pop(0)
        done(*((None, outcome) if isinstance(outcome, Exception) else (outcome, None)))


def of_network(kind, details):
    error = kind(None, None, details)
    error.details = details
    return error


def outcome_of(transport, monkeypatch, listens):
    """What a call comes to; `listens`: whether somebody does, each time it is looked."""
    monkeypatch.setattr(task_advice, "somebody_listens", lambda address: listens.pop(0))
    peers = Peers(tf.train.ClusterSpec({"ps": ["host:1"]}), lambda address, task: transport)
    found = []
    request = worker_pb2.CleanupGraphRequest()
    peers.start(PS, "CleanupGraph", request, lambda *outcome: found.append(outcome))
    assert not listens
    ((answer, error),) = found
    return answer if error is None else error


UNSENT = of_network(UnavailableError, "failed to connect to all addresses")
LATE = of_network(DeadlineExceededError, "Deadline Exceeded")


def test_a_call_that_was_not_sent_is_sent_when_the_task_is_there_again(monkeypatch):
    answer = worker_pb2.CleanupGraphResponse()
    transport = Transport(UNSENT, worker_pb2.GetStatusResponse(), answer)
    assert outcome_of(transport, monkeypatch, [True]) is answer
    assert transport.asked == ["CleanupGraph", "GetStatus", "CleanupGraph"]


def test_nobody_is_asked_where_nobody_listens(monkeypatch):
    transport = Transport(UNSENT)
    error = outcome_of(transport, monkeypatch, [False])
    assert isinstance(error, UnavailableError)
    assert transport.asked == ["CleanupGraph"]


@pytest.mark.parametrize(
    ("listens_still", "expected"), [(False, UnavailableError), (True, DeadlineExceededError)]
)
def test_a_task_that_was_ending_when_it_was_asked_has_ended(monkeypatch, listens_still, expected):
    error = outcome_of(Transport(UNSENT, LATE), monkeypatch, [True, listens_still])
    assert isinstance(error, expected)
    assert PS in error.message
