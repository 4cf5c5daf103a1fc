"""Cancellation and deadlines: how every wait in the runtime can be ended.

Whoever waits has a callback called (`on_cancel`, a block); whoever cancels (an interrupt, a closed
session, a passed deadline, a failed peer) calls `start_cancel` once, and every callback runs once,
on the cancelling thread. Callbacks must not block. TensorFlow: core/framework/cancellation.h.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from itertools import chain, islice
from typing import Any, TypeVar

from tinytf.framework.errors import CancelledError, OpError

T = TypeVar("T")


class CancellationManager:
    """The cancellation of one step (or session): thread-safe, cancels once, never un-cancels.

    Args:
      parent: a manager whose cancellation also cancels this one.

    Attributes:
      is_cancelled: whether `start_cancel` was called; to be read only.
    """

    def __init__(self, parent: CancellationManager | None = None):
        self._lock = threading.Lock()
        #: Without the lock, which all steps of a session would hand to each other: each change is
        #: a single call of C code, and who takes a callback out is the one that calls it.
        self._callbacks: dict[int, Callable[[], None]] = {}
        self._tokens = itertools.count()
        self.is_cancelled = False  # set with self._lock held
        self._reason: OpError | None = None
        self._endings: list[Callable[[], None]] = []  # guarded by self._lock
        self._parent = parent
        self._parent_token = None
        if parent is not None:
            self._parent_token = parent.when_cancelled(lambda: self.start_cancel(parent.reason))

    @property
    def reason(self) -> OpError | None:
        """Why the step was cancelled; waits raise it. None until then.

        Each time an error of its own: many steps may raise it, and its traceback, which keeps what
        a step worked on, is theirs.
        """
        if self._reason is None:
            return None
        error = type(self._reason).__new__(type(self._reason), *self._reason.args)
        error.__dict__.update(self._reason.__dict__)
        return error

    @property
    def is_untouched(self) -> bool:
        """Whether it was not cancelled, nobody listens, and nothing is to be given back."""
        return not (self.is_cancelled or self._callbacks or self._endings)

    def check(self) -> None:
        """Raise the reason if it is cancelled: for whoever computes for long."""
        if self.is_cancelled:
            raise self.reason or CancelledError("Step was cancelled.")

    def on_cancel(self, callback: Callable[[], None]) -> _Listening:
        """Inside the block, `callback` is called on cancellation; at once if that has been.

        Example:
          >>> with cancellation.on_cancel(call.cancel):
          ...     call.wait()
        """
        return _Listening(self, callback)

    def child(self) -> _Child:
        """A manager of what goes on inside a `with` block: this one's cancellation cancels it too.

        Example:
          >>> with cancellation.child() as over:
          ...     work(over)
        """
        return _Child(self)

    def when_cancelled(self, callback: Callable[[], None]) -> int | None:
        """Have `callback` called on cancellation, or now; for waits that are no block.

        Returns:
          a token for `deregister`; None if it was called.
        """
        token = self.register(callback)
        if token is None:
            callback()
        return token

    def register(self, callback: Callable[[], None]) -> int | None:
        """Have `callback` called on cancellation.

        Returns:
          a token for `deregister`; None if the manager is cancelled already (the callback will
          not be called: the caller must not start to wait).
        """
        token = next(self._tokens)
        self._callbacks[token] = callback
        # In this order: whoever cancels says so before it looks for callbacks.
        return None if self.is_cancelled and self.deregister(token) else token

    def deregister(self, token: int | None) -> bool:
        """Forget a callback; False if it ran, or is running, already."""
        return token is not None and self._callbacks.pop(token, None) is not None

    def start_cancel(self, reason: OpError | None = None) -> None:
        """Cancel: run every registered callback once. Later calls do nothing."""
        with self._lock:
            if self.is_cancelled:
                return
            self._reason = reason or CancelledError("Step was cancelled.")
            self.is_cancelled = True
        for token in list(self._callbacks):
            callback = self._callbacks.pop(token, None)
            if callback is not None:
                callback()

    def when_over(self, ending: Callable[[], None]) -> None:
        """Have `ending` called when the step is over, however it ends: it gives back what it held.

        It must not block, nor fail.
        """
        with self._lock:
            self._endings.append(ending)

    def detach(self) -> None:
        """The step is over: it listens to its parent no more, and nobody to it.

        Who listens often has it: they would stay until the garbage collector finds them. While it
        is being cancelled they stay: the first that is called may end the step, on another thread,
        and the others have still to give up what they wait for.
        """
        if self._parent is not None:
            self._parent.deregister(self._parent_token)
        with self._lock:
            if not self.is_cancelled:
                self._callbacks.clear()
            endings, self._endings = self._endings, []
        for ending in endings:
            ending()


class _Listening:
    """See `CancellationManager.on_cancel`; a generator would cost every step a microsecond."""

    __slots__ = ("_callback", "_manager", "_token")

    def __init__(self, manager: CancellationManager, callback: Callable[[], None]):
        self._manager, self._callback = manager, callback

    def __enter__(self) -> None:
        self._token = self._manager.when_cancelled(self._callback)

    def __exit__(self, *_: object) -> None:
        self._manager.deregister(self._token)


class _Child:
    """See `CancellationManager.child`."""

    __slots__ = ("_manager", "_parent")

    def __init__(self, parent: CancellationManager):
        self._parent = parent

    def __enter__(self) -> CancellationManager:
        self._manager = CancellationManager(self._parent)
        return self._manager

    def __exit__(self, *_: object) -> None:
        self._manager.detach()


class _Thread(threading.local):
    """What ends the step that a thread runs; None: nothing."""

    manager: CancellationManager | None = None

    def under(self, step: Any) -> CancellationManager | None:
        """This thread runs a step from now on (None: no other than before); what it was before."""
        before = self.manager
        if step is not None:
            self.manager = step.cancellation
        return before


#: Set by the runtime, for `look` and `looking`.
this_thread = _Thread()
#: So many items are handed out before `looking` looks.
_AT_ONCE = 1024


def look() -> None:
    """For loops in kernels that may last: raise if the step that this thread runs was cancelled."""
    manager = this_thread.manager
    if manager is not None:
        manager.check()


def looking(items: Iterable[T]) -> Iterator[T]:
    """The items, one by one; from time to time it looks whether the step was cancelled.

    For kernels that do something for each element in Python: it costs them 10 ns each.

    Raises:
      the cancellation's reason.

    Example:
      >>> [text.upper() for text in looking(texts)]
    """
    manager, left = this_thread.manager, iter(items)
    if manager is None:
        return left

    def some() -> list[T]:
        manager.check()
        return list(islice(left, _AT_ONCE))

    return chain.from_iterable(iter(some, []))


#: Longer than anybody waits; clocks of the system do not take what int64 can hold.
NEVER_IN_MS = 10 * 365 * 86_400_000


def linked(cause: CancellationManager, effect: CancellationManager) -> AbstractContextManager[None]:
    """Inside the block, `cause` being cancelled cancels `effect`."""
    return cause.on_cancel(lambda: effect.start_cancel(cause.reason))


def deadline_after(timeout_in_ms: int) -> float | None:
    """The moment (of `time.monotonic`, in seconds) when a timeout passes; None for 0: no limit."""
    if not 0 < timeout_in_ms < NEVER_IN_MS:
        return None
    return time.monotonic() + timeout_in_ms / 1000.0


def remaining(deadline: float | None) -> float | None:
    """Seconds left until a deadline, never negative; None without a deadline."""
    return None if deadline is None else max(0.0, deadline - time.monotonic())
