"""Sessions go over the network, which they may spare; and a desk for hostile requests."""

import contextlib

import pytest

from tests.distributed.hostile import Desk
from tinytf.distributed.wire import in_process


@pytest.fixture(autouse=True)
def over_the_network(request, monkeypatch):
    """No way around gRPC, but for tests marked `in_process`."""
    if request.node.get_closest_marker("in_process") is None:
        monkeypatch.setattr(in_process, "find", lambda address: None)


@pytest.fixture(scope="module")
def stage():
    """A desk that is replaced when a request has ended what the next ones need."""
    with contextlib.ExitStack() as stack:
        current = [stack.enter_context(Desk())]

        def whole():
            if not current[0].has_everything():
                current[0].close()
                current[0] = stack.enter_context(Desk())
            return current[0]

        yield whole


@pytest.fixture
def desk(stage):
    desk = stage()
    yield desk
    desk.check()
