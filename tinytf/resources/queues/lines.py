"""What a barrier, a staging area, an accumulator and a mutex share: lines of operations that wait.

An operation that can be served at once is, on the thread that asks. Otherwise it waits, as an
`Attempt`, at the end of a line, and each line is served first come, first served. Whoever changes
the resource serves the lines and tells those who are done after letting go of the lock. (Queues
have two lines of their own, whose operations are served in parts: `queue.py`.)
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Hashable, Mapping
from typing import Any, NamedTuple

from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.errors import CancelledError
from tinytf.framework.pending import Pending
from tinytf.resources.queues.attempts import Attempt

#: Called with the lock held; adds whom it ended.
Change = Callable[[list[Attempt]], None]


class Request(NamedTuple):
    """What an operation wants, and how a report puts it.

    Attributes:
      serve: called with the lock held: ends the attempt and returns True, or returns False.
      needs: a key of the resource's `served_by`. what: "3 gradients".
      line: where it stands; those of one line do not pass one another.
      if_cancelled: the error's message, if its step is cancelled meanwhile.
    """

    serve: Callable[[Attempt], bool]
    needs: str
    what: str
    line: Hashable
    if_cancelled: str


class Served:
    """Something that operations wait on, in lines. Thread-safe; its methods never block.

    Args:
      name: of the resource, as in messages.
    """

    #: TensorFlow's name of the kind, as in messages.
    kind = "resource"
    #: See `waiting.Waitable`.
    served_by: Mapping[str, frozenset[str]] = {}

    def __init__(self, name: str):
        self.name = name
        self._lock = threading.Lock()
        self._lines: dict[Hashable, deque[Attempt]] = {}  # guarded by self._lock

    def _ask(self, request: Request, cancellation: CancellationManager) -> Any:
        """Serve a request in its turn.

        Returns:
          its result, or a `Pending` for it.

        Raises:
          what it ends with.
        """
        attempt = Attempt(request.serve)

        def stand_in_line(ended: list[Attempt]) -> None:
            self._lines.setdefault(request.line, deque()).append(attempt)
            self._serve_into(ended)
            if not attempt.is_over:
                attempt.pending = Pending(request.what, self, request.needs)

        def leave(ended: list[Attempt]) -> None:
            line = self._lines.get(request.line, deque())
            if attempt in line:  # or it is not yet, or was served
                if not attempt.is_over:
                    attempt.end(error=CancelledError(request.if_cancelled))
                ended.append(attempt)
                line.remove(attempt)

        # Registered before it stands in line, and with no lock held that a cancellation takes.
        attempt.listen(cancellation, lambda _: self._change(leave))
        self._change(stand_in_line, leave)
        if attempt.pending is not None:
            if cancellation.is_cancelled:  # between registering and standing in line
                self._change(leave)
            return attempt.pending
        return attempt.outcome()

    def _change(self, change: Change, if_interrupted: Change | None = None) -> None:
        """Change the resource with the lock held; who can be served then, is, and is told.

        So it is if an error of the change, or Ctrl-C at any line, ends it in its middle. (A context
        manager written as a generator would keep the lock if Ctrl-C came on the way into it.)

        Args:
          if_interrupted: called then, likewise.
        """
        ended: list[Attempt] = []
        try:
            with self._lock:
                change(ended)
                self._serve_into(ended)
            tell(ended)
        except BaseException:
            with self._lock:
                if if_interrupted is not None:
                    if_interrupted(ended)
                self._serve_into(ended)
            tell(ended)  # telling twice does no harm
            raise

    def _serve_into(self, ended: list[Attempt]) -> None:
        """Serve all lines as far as possible; the lock is held. Who is done goes to `ended`."""
        progress = True
        while progress:
            progress = False
            for place, line in list(self._lines.items()):
                while line and (line[0].is_over or line[0].serve(line[0])):
                    ended.append(line[0])
                    line.popleft()
                    progress = True
                if not line:
                    del self._lines[place]

    def close(self) -> None:
        """The container it is in is cleared: nobody waits on it any longer."""

        def end_all(ended: list[Attempt]) -> None:
            text = f"The {self.kind} '{self.name}' was cleared away."
            for line in self._lines.values():
                for attempt in line:
                    attempt.end(error=CancelledError(text))

        self._change(end_all)

    def waiting(self) -> int:
        """How many operations wait."""
        with self._lock:
            return sum(map(len, self._lines.values()))

    def describe(self) -> str:
        """See `waiting.Waitable`."""
        return f"the {self.kind} '{self.name}'"


def tell(ended: list[Attempt]) -> None:
    """Tell those who are done. Hold no lock."""
    for attempt in ended:
        attempt.tell()
