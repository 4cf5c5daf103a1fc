"""A desk for hostile requests."""

import contextlib

import pytest

from tests.distributed.server.hostile import Desk


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
