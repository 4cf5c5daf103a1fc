"""The threads of a stage: they work ahead, and end when the stage is closed or forgotten.

A thread refers to what is before the stage, never to the stage itself: if nobody needs the stage
any more, it goes, and its threads go with it.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tinytf.data.stages import Context, Stage
from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.errors import CancelledError
from tinytf.framework.waiting import Wait, in_background, wait_until


class Failed:
    """An error in the place of an element."""

    __slots__ = ("error",)

    def __init__(self, error: BaseException):
        self.error = error


class Workers:
    """Threads of a stage, and the lock of what they share with whoever takes its elements.

    Args:
      stage: whose threads they are. context: of whoever takes elements.

    Attributes:
      lock: guards what they share. ready, room: conditions with it: an element is there, or the
        end; there is room for another.
      is_closed: nobody needs the elements any more.
      context: for the threads: only closing cancels what they do.
      inputs: the stages that they pull from; a thread that opens one gives it this as its outer
        stage.
      are_waiting: how many threads wait for room. is_awaited: whether somebody waits for them.
    """

    kind = "tf.data"
    #: Whoever takes elements from the iterator makes room.
    served_by: Mapping[str, frozenset[str]] = {"room": frozenset(["IteratorGetNext"])}

    def __init__(self, stage: Stage, context: Context):
        node = stage.node
        self.name, self._type = node.name, node.type
        self.lock = threading.RLock()
        self.ready = threading.Condition(self.lock)
        self.room = threading.Condition(self.lock)
        self.is_closed = False
        self.are_waiting = 0  # guarded by self.lock
        self.is_awaited = False
        self._cancellation = CancellationManager()
        self.context = context.apart(self._cancellation)
        self.inputs = stage.inputs
        self._threads: dict[int, threading.Thread] = {}  # guarded by self.lock
        self._outer = context
        self._owner = weakref.ref(stage, lambda _: self.close())

        def close() -> None:
            stage.inputs = []  # closed by the last thread: one of them may be in there
            self.close()

        stage.on_close(close)

    def describe(self) -> str:
        """Its state in one line."""
        return f"the stage {self.name} ({self._type}) of a dataset"

    def start(self, count: int, work: Callable[[], None]) -> None:
        """Start threads that call `work` once. It returns soon after `is_closed` is set."""
        with self.lock:
            for number in range(count):
                name = f"tf.data {self.name}" + (f" {number}" if count > 1 else "")
                thread = threading.Thread(target=self._run, args=(work,), name=name, daemon=True)
                thread.start()
                if thread.ident is not None:
                    self._threads[thread.ident] = thread

    def _run(self, work: Callable[[], None]) -> None:
        try:
            with in_background(), np.errstate(all="ignore"):
                work()
        finally:
            with self.lock:
                self._threads.pop(threading.get_ident(), None)
                is_last = self.is_closed and not self._threads
                self.ready.notify_all()
            if is_last:
                self._close_inputs()

    def close(self) -> None:
        """Have the threads end; what they pull from is closed as soon as none is in there."""
        with self.lock:
            if self.is_closed:
                return
            self.is_closed = True
            is_idle = not self._threads
            self.ready.notify_all()
            self.room.notify_all()
        self._cancellation.start_cancel(CancelledError("The iterator was closed."))
        if is_idle:
            self._close_inputs()

    def _close_inputs(self) -> None:
        inputs = list(self.inputs)
        self.inputs.clear()
        for stage in inputs:
            stage.close()

    # Waits --------------------------------------------------------------------------------------

    def wait_for_room(self, is_over: Callable[[], Any]) -> None:
        """A thread waits, with the lock held, until something is so or the stage is closed."""
        self.are_waiting += 1
        try:
            wait_until(
                lambda: self.is_closed or is_over(),
                self.room,
                lambda: [Wait("room for 1 element", self, "room")],
            )
        finally:
            self.are_waiting -= 1

    def wait_until_ready(self, is_over: Callable[[], Any]) -> None:
        """Whoever takes elements waits until something is so.

        Raises:
          CancelledError: if the stage is closed meanwhile. The reason of a step's cancellation.
        """
        with self.lock:
            self.is_awaited = True
            try:
                wait_until(
                    lambda: is_over() or self.is_closed,
                    self.ready,
                    self._waits,
                    self._outer.cancellation,
                )
            finally:
                self.is_awaited = False
            if self.is_closed and not is_over():
                raise CancelledError("The iterator was closed.")

    def _waits(self) -> list[Wait]:
        what = f"an element that the threads of {self.describe()} get ready"
        return [Wait(what, threads=tuple(self._threads))]

    def say_ready(self) -> None:
        """There is something for whoever takes elements."""
        if self.is_awaited:
            with self.lock:
                self.ready.notify_all()

    def say_room(self) -> None:
        """There is room for one more element."""
        if self.are_waiting:
            with self.lock:
                self.room.notify()


#: The most threads of a stage: a number of calls is a short message, and anybody may send it.
#: (TensorFlow's calls run on a pool of threads of the process.)
_MOST_THREADS = 256


def parallelism(wanted: int) -> int:
    """How many threads `num_parallel_calls` asks for; -1 (AUTOTUNE): some, not too many."""
    if wanted > 0:
        return min(wanted, _MOST_THREADS)
    return max(1, min(4, len(os.sched_getaffinity(0))))
