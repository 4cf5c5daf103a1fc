"""Requests spoilt at random, to every method: a clean status, and nothing changed."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.distributed.server.hostile import LOOK, MASTER, WORKER, Desk
from tests.distributed.server.mutations import damaged, mutate, spoil
from tests.effort import examples
from tinytf.framework.errors import OpError
from tinytf.protos import master_pb2, worker_pb2

pytestmark = pytest.mark.slow

#: Methods whose errors may come after something has run.
RUNS = {MASTER + "RunStep", MASTER + "RunCallable", WORKER + "RunGraph", MASTER + "Reset"}
SEEDS = st.integers(0, 2**32 - 1)
PATHS = sorted(path.rpartition(".")[2] for path in Desk.PATHS)


def spoilt(desk, path, seed):
    """A request that somebody has spoiled, as bytes."""
    choice = random.Random(seed)
    request = desk.requests()[path]
    if path.endswith("RegisterGraph") and choice.random() < 0.6:
        request = desk.everything()
    if choice.random() < 0.3:
        return damaged(request.SerializeToString(), choice)
    change = choice.choice([spoil, mutate])
    return change(request, choice, choice.randrange(1, 4)).SerializeToString()


@pytest.mark.parametrize("method", PATHS)
@given(seed=SEEDS)
@examples(60)
def test_spoilt_requests(stage, method, seed):
    _spoilt_request(stage(), f"/tensorflow.{method}", seed)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("method", PATHS)
@given(seed=SEEDS)
@examples(100)
def test_very_many_spoilt_requests(stage, method, seed):
    _spoilt_request(stage(), f"/tensorflow.{method}", seed)


def _spoilt_request(desk, path, seed):
    before, answer = desk.state(), desk.send(path, spoilt(desk, path, seed))
    if isinstance(answer, OpError):
        assert answer.message
        if path not in RUNS:
            assert desk.state() == before
    else:
        _use(desk, path, answer, random.Random(seed))
    if desk.is_whole():
        desk.check()


def _use(desk, path, answer, choice):
    """Run what a server has taken from a stranger, and take it away again."""
    if path == MASTER + "CreateSession":
        handle = master_pb2.CreateSessionResponse.FromString(answer).session_handle
        names = list(desk.master._sessions[handle].graph._by_name)
        choice.shuffle(names)
        for targets in (names, names[:6], names[6:12]):
            desk.send(MASTER + "RunStep", desk.step(handle, [], targets).SerializeToString())
        for name in names[:4]:
            desk.send(MASTER + "RunStep", desk.step(handle, [f"{name}:0"]).SerializeToString())
        desk.good(MASTER + "CloseSession", master_pb2.CloseSessionRequest(session_handle=handle))
    if path == WORKER + "RegisterGraph":
        handle = worker_pb2.RegisterGraphResponse.FromString(answer).graph_handle
        run = desk.requests()[WORKER + "RunGraph"]
        run.graph_handle = handle
        desk.send(WORKER + "RunGraph", run.SerializeToString())
        cleanup = worker_pb2.CleanupGraphRequest(step_id=run.step_id)
        desk.good(WORKER + "CleanupGraph", cleanup)


@given(data=st.binary(max_size=200))
@examples(100)
def test_bytes_that_are_no_request_of_anybody(stage, data):
    desk = stage()
    for path in (*desk.requests(), LOOK):
        if path.endswith(("Reset", "CleanupAll")):
            continue  # nearly every message is one to them
        answer = desk.send(path, data)
        assert isinstance(answer, bytes | OpError)
    if desk.is_whole():
        desk.check()
