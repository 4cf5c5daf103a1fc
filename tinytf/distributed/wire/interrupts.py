"""Interrupts from the keyboard that wait until a library has let go of its locks.

Python lets one in nearly anywhere in the main thread, even between the taking of a lock and the
block that gives it back. gRPC's Python takes locks for every call, which its own threads need as
well: one that is never given back would stop all later calls of a connection without a word.
"""

from __future__ import annotations

import _thread
import contextlib
import signal
import threading
from typing import Any

#: After so many seconds it is looked again whether an interrupt may come.
_SOON = 0.001
_HANDS = (threading.__name__, __name__)


class held_back:
    """A block, which must not last, at whose end an interrupt comes that came in it.

    Example:
      >>> with held_back():
      ...     future = stub.future(request)  # doctest: +SKIP
    """

    __slots__ = ("_came", "_handler")

    def __enter__(self) -> None:
        self._came: tuple[Any, ...] | None = None
        is_main = threading.get_ident() == threading.main_thread().ident  # they come nowhere else
        self._handler: Any = signal.getsignal(signal.SIGINT) if is_main else None
        if callable(self._handler):
            signal.signal(signal.SIGINT, self._note)

    def __exit__(self, *exception: object) -> None:
        if callable(self._handler):
            signal.signal(signal.SIGINT, self._handler)
            came, self._came = self._came, None
            if came is not None:
                self._handler(*came)

    def _note(self, *arguments: Any) -> None:
        self._came = arguments


class between_locks(held_back):
    """A block, which may last, in which an interrupt does not come while a lock changes hands.

    Those of gRPC do in functions of `threading`: an interrupt comes as soon as they are left.
    """

    __slots__ = ()

    def _note(self, number: Any, frame: Any) -> None:
        if not _must_not_come(frame):
            self._came = None
            self._handler(number, frame)
            return
        self._came = number, frame
        with contextlib.suppress(RuntimeError):  # no more threads: it comes at the end
            _thread.start_new_thread(self._come_again, ())

    def _come_again(self) -> None:
        threading.Event().wait(_SOON)
        if self._came is not None:
            _thread.interrupt_main()


def _must_not_come(frame: Any) -> bool:
    """Whether a lock, or the handler, may change hands; or it would be lost: in a `__del__`."""
    while frame is not None:
        if frame.f_globals.get("__name__") in _HANDS or frame.f_code.co_name == "__del__":
            return True
        frame = frame.f_back
    return False
