"""One at a time, with a way out: a lock whose wait can be cancelled."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from tinytf.framework.cancellation import CancellationManager


class Turn:
    """What one thread at a time has; who has it may be waiting for another task, for long.

    Example:
      >>> turn = Turn()
      >>> with turn.taken(cancellation):
      ...     ask_another_task()
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._is_taken = False  # guarded by self._changed

    @contextmanager
    def taken(self, cancellation: CancellationManager) -> Iterator[None]:
        """Wait for the turn, and have it inside the block.

        Raises:
          the reason of `cancellation`, if that comes first.
        """
        with cancellation.on_cancel(self._notify), self._changed:
            while self._is_taken and not cancellation.is_cancelled:
                self._changed.wait()
            cancellation.check()
            self._is_taken = True
        try:
            yield
        finally:
            with self._changed:
                self._is_taken = False
                self._changed.notify_all()

    def _notify(self) -> None:
        with self._changed:
            self._changed.notify_all()
