"""Blocks that listen for a cancellation, and children that live as long as a block."""

import threading

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


def test_a_callback_can_be_forgotten_while_others_are_called():
    manager, called = CancellationManager(), []
    manager.register(lambda: called.append(manager.deregister(second)))
    second = manager.register(lambda: called.append("second"))
    manager.start_cancel()
    assert called == [True]


def test_all_are_called_although_the_first_ends_the_step():
    manager, called = CancellationManager(), []
    manager.register(manager.detach)
    manager.register(lambda: called.append("second"))
    manager.start_cancel()
    assert called == ["second"]


def test_nobody_is_called_after_the_end_of_the_step():
    manager, called = CancellationManager(), []
    manager.register(lambda: called.append("late"))
    manager.detach()
    manager.start_cancel()
    assert not called


def test_who_registers_while_it_is_cancelled_is_called_or_told():
    for _ in range(200):
        manager, called = CancellationManager(), []
        begin = threading.Barrier(3)

        def register(name, manager=manager, called=called, begin=begin):
            begin.wait()
            for number in range(20):
                if manager.register(lambda number=number: called.append((name, number))) is None:
                    called.append((name, number))

        threads = [threading.Thread(target=register, args=(name,)) for name in "ab"]
        for thread in threads:
            thread.start()
        begin.wait()
        manager.start_cancel()
        for thread in threads:
            thread.join()
        assert sorted(called) == [(name, number) for name in "ab" for number in range(20)]


def test_registering_waits_for_nobody():
    manager, done = CancellationManager(), []
    with manager._lock:  # some other step is about to cancel, and was put aside
        work = threading.Thread(target=lambda: done.append(manager.register(list)), daemon=True)
        work.start()
        work.join(60)
        assert done == [0]
        assert manager.deregister(0)
