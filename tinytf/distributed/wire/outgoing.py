"""A call to another task, from request to answer, through a network that may have faults."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from tinytf.distributed.wire import faults
from tinytf.framework.errors import CancelledError, DeadlineExceededError, OpError

#: Is given the answer, or the error.
Finish = Callable[[Any, OpError | None], None]


class Call:
    """A call on its way. `finish` is called once, when it is over, on any thread.

    Args:
      address: of the peer. finish: where the answer or the error goes.
      timeout: seconds for all of it, or None.
    """

    def __init__(self, address: str, finish: Finish, timeout: float | None):
        self._address, self._finish = address, finish
        self._end = None if timeout is None else time.monotonic() + timeout
        self._timeout = timeout
        self._lock = threading.Lock()
        self._withdrawn = False  # guarded by self._lock, as are these two
        self._future: Any = None
        self._held: faults.Held | None = None

    def start(
        self, send: Callable[[float | None], Any], read: Callable[[Any], tuple[Any, OpError | None]]
    ) -> None:
        """Send the request, unless the network holds it back.

        Args:
          send: begins the call with the seconds that it may take; returns gRPC's future.
          read: the answer or the error of a future that is done.
        """

        def begin() -> None:
            future = send(faults.left(self._end))
            with self._lock:
                self._future = future
                withdrawn = self._withdrawn
            if withdrawn:
                future.cancel()
            future.add_done_callback(lambda future: self.arrived(*read(future)))

        if not self._hold(begin, answer=False):
            begin()

    def cancel(self) -> None:
        """Withdraw it: it ends with CancelledError, unless it is over already."""
        with self._lock:
            self._withdrawn = True
            held, future = self._held, self._future
        if held is not None and held.cancel():
            self._finish(None, withdrawn())
        elif future is not None:
            future.cancel()

    def arrived(self, answer: Any, error: OpError | None) -> None:
        """The answer, or the error, is here; the network may hold it back."""
        if self._withdrawn or not self._hold(lambda: self._finish(answer, error), answer=True):
            self._finish(answer, error)

    def _hold(self, go: Callable[[], None], answer: bool) -> bool:
        held = faults.held(self._address, go, self._late, faults.left(self._end), answer)
        if held is None:
            return False
        with self._lock:
            self._held = held
            withdrawn_before = self._withdrawn
        held.look_again()
        if withdrawn_before:
            self.cancel()
        return True

    def _late(self) -> None:
        text = f"Deadline Exceeded: grpc://{self._address} did not answer"
        self._finish(None, DeadlineExceededError(f"{text} within {self._timeout:g} s."))


class SeveralAnswers:
    """The answers to one call, on their way; each comes, or fails, once.

    Args:
      address: of the peer. count: how many there are.
      read: the answer or the error of what became of one.
      done: is given its index, and these; called once for each, on any thread.
      over: called once, when all have ended, or nothing could be sent.
    """

    def __init__(
        self,
        address: str,
        count: int,
        read: Callable[[Any], tuple[Any, OpError | None]],
        done: Callable[[int, Any, OpError | None], None],
        over: Callable[[], None],
    ):
        self._address, self._read, self._done = address, read, done
        self._open = [True] * count  # as many as are on their way
        self._over = [over]  # until it was called
        self._sent: Any = None
        self._held: list[Call] = []  # answers that the network holds back
        self._is_withdrawn = False

    def start(self, send: Callable[[Callable[[int, Any], None]], Any]) -> None:
        """Send the request: `send(arrived)`, which returns something with a method `cancel`."""
        try:
            self._sent = send(self._arrived)
        except BaseException:
            self._end()
            raise

    def cancel(self) -> None:
        """Withdraw the call: what has not come ends with CancelledError."""
        self._is_withdrawn = True
        self._sent.cancel()
        for call in self._held:
            call.cancel()

    def _arrived(self, index: int, outcome: Any) -> None:
        answer, error = self._read(outcome)
        self._open.pop()
        if not self._open:
            self._end()
        if faults.concern(self._address) and not self._is_withdrawn:
            call = Call(self._address, partial(self._done, index), None)
            self._held.append(call)
            call.arrived(answer, error)
        else:
            self._done(index, answer, error)

    def _end(self) -> None:
        with contextlib.suppress(IndexError):  # an interrupt has ended it already
            self._over.pop()()


def withdrawn() -> CancelledError:
    """The error of a call that was withdrawn."""
    return CancelledError("The call was withdrawn.")
