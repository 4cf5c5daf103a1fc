"""Blocks that listen for a cancellation, and children that live as long as a block."""

import pytest

from tinytf.framework.cancellation import CancellationManager, linked
from tinytf.framework.errors import AbortedError, CancelledError


def test_inside_the_block_the_callback_is_called_once():
    manager, called = CancellationManager(), []
    with manager.on_cancel(lambda: called.append(1)):
        manager.start_cancel()
        manager.start_cancel()
    assert called == [1]


def test_behind_the_block_it_is_not_called():
    manager, called = CancellationManager(), []
    with pytest.raises(KeyError), manager.on_cancel(lambda: called.append(1)):
        raise KeyError
    manager.start_cancel()
    assert not called


def test_what_was_cancelled_calls_at_once():
    manager, called = CancellationManager(), []
    manager.start_cancel()
    with manager.on_cancel(lambda: called.append(1)):
        assert called == [1]
    assert manager.when_cancelled(lambda: called.append(2)) is None
    assert called == [1, 2]


def test_a_child_is_cancelled_for_its_parent_s_reason():
    manager = CancellationManager()
    with manager.child() as child:
        manager.start_cancel(AbortedError("the session was closed"))
        with pytest.raises(AbortedError, match="the session was closed"):
            child.check()
    with manager.child() as late:
        assert late.is_cancelled


def test_a_child_does_not_cancel_its_parent_and_gives_back_what_it_held():
    manager, over = CancellationManager(), []
    with manager.child() as child:
        child.when_over(lambda: over.append(1))
        child.start_cancel()
        assert not over
    assert over == [1]
    assert not manager.is_cancelled
    assert not manager._callbacks


def test_linked_managers_are_so_inside_the_block():
    cause, effect, apart = (CancellationManager() for _ in range(3))
    with linked(cause, apart):
        pass
    with linked(cause, effect):
        cause.start_cancel()
    assert effect.is_cancelled
    assert not apart.is_cancelled
    with pytest.raises(CancelledError):
        effect.check()
