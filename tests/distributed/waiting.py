"""Waiting for what tells nobody, for processes to end, and an operation that waits for the test."""

import os
import select
import threading
import time
from collections.abc import Callable, Iterable

from tests.waiting import LONG
from tinytf.framework import registry
from tinytf.framework.op_card import define_op
from tinytf.framework.pending import Pending
from tinytf.framework.tensor_shape import TensorShape


def until(is_so: Callable[[], bool], seconds: float = LONG) -> bool:
    """Wait for what tells nobody; the last look."""
    end, pause = time.monotonic() + seconds, threading.Event()
    while not is_so() and time.monotonic() < end:
        pause.wait(0.01)
    return is_so()


def wait_for_ends(pids: Iterable[int], seconds: float = 30) -> list[int]:
    """Wait until processes that are not our children have ended; returns those that have not."""
    handles = {}
    for pid in pids:
        try:
            handles[os.pidfd_open(pid)] = pid
        except ProcessLookupError:
            continue
    deadline = time.monotonic() + seconds
    poll = select.poll()
    for handle in handles:
        poll.register(handle, select.POLLIN)
    left = dict(handles)
    while left and time.monotonic() < deadline:
        for handle, _ in poll.poll(1000 * max(0, deadline - time.monotonic())):
            poll.unregister(handle)
            del left[handle]
    for handle in handles:
        os.close(handle)
    return list(left.values())


class Gate:
    """The op type TestWait: passes a scalar on once the gate is open. A context manager.

    It also ends when its step is cancelled.
    """

    def __init__(self):
        self.reached = threading.Event()
        self.withdrawn = threading.Event()
        self._pending = None

    def __enter__(self):
        self.card = define_op("TestWait", "x: float -> y: float", stateful=True)
        self.card.shape(lambda c: TensorShape.of(()))
        gate = self

        def wait(step, x):
            pending = Pending("the test's gate")

            def cancel():
                pending.set_error(step.cancellation.reason)
                gate.withdrawn.set()

            if step.cancellation.register(cancel) is None:
                cancel()
            gate._pending, gate._value = pending, x
            gate.reached.set()
            return pending

        self.card.kernel(wait, blocking=True)
        return self

    def __exit__(self, *exception):
        registry.unregister("TestWait")

    def open(self):
        self._pending.set_result(self._value)
