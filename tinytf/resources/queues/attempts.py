"""Operations that a queue could not serve at once, and that wait in its line."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.errors import OpError
from tinytf.framework.pending import Pending

Element = tuple[Any, ...]


class Attempt:
    """One operation in line.

    Attributes:
      waiting: the elements still to be put in. taken: those that a dequeue has so far.
      wanted: how many elements a dequeue is to have.
      few: whether fewer will do when the queue is closed (`dequeue_up_to`).
      finish: makes the result of a dequeue from its elements, with no lock held.
      serve: tries; True when it is over.
      result, error: how it ended; `is_over` once it has.
    """

    __slots__ = """
        _token cancellation error few finish is_over pending result serve taken waiting wanted
    """.split()

    def __init__(
        self,
        serve: Callable[[Attempt], bool],
        waiting: deque[Element] | None = None,
        wanted: int = 0,
        few: bool = False,
        finish: Callable[[list[Any]], Any] | None = None,
    ):
        self.serve = serve
        self.waiting: deque[Any] = deque() if waiting is None else waiting
        self.taken: list[Any] = []
        self.wanted = wanted
        self.few = few
        self.finish = finish
        self.is_over = False
        self.result: Any = ()
        self.error: BaseException | None = None
        self.pending: Pending | None = None
        self.cancellation: CancellationManager | None = None
        self._token: int | None = None

    def end(self, result: Any = (), error: BaseException | None = None) -> bool:
        """Note how it ended; True."""
        self.is_over, self.result, self.error = True, result, error
        return True

    def listen(self, cancellation: CancellationManager, give_up: Callable[[Attempt], None]) -> None:
        """Have `give_up(self)` called when the step is cancelled.

        Raises:
          the reason, if it is cancelled already.
        """
        self.cancellation = cancellation
        self._token = cancellation.register(lambda: give_up(self))
        if self._token is None:
            cancellation.check()

    def outcome(self) -> Any:
        """The result.

        Raises:
          the error that it ended with.
        """
        if self.error is not None:
            raise self.error
        return self.result if self.finish is None else self.finish(self.taken)

    def tell(self) -> None:
        """Tell the step that waits how it ended. Hold no lock: a listener may go on from here.

        Telling twice does no harm.
        """
        if self.cancellation is not None:
            self.cancellation.deregister(self._token)
        if self.pending is None:
            return
        if self.error is not None:
            self.pending.set_error(self.error)
            return
        try:
            result = self.outcome()
        except OpError as error:  # elements that make no batch
            self.pending.set_error(error)
        else:
            self.pending.set_result(result)
