"""A partial run on a master: which of its feeds and fetches are still to come."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Any

from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.errors import InvalidArgumentError
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.session.local import LocalPartialStep


class PartialRun:
    """See the module.

    Args:
      step: what runs. cancellation: of all of it. feeds, fetches: what was announced.
    """

    def __init__(
        self,
        step: LocalPartialStep,
        cancellation: CancellationManager,
        feeds: Iterable[Tensor],
        fetches: Iterable[Tensor],
    ):
        self.cancellation = cancellation
        self._step = step
        self._lock = threading.Lock()  # the calls of one run come one after the other
        self._feeds = dict.fromkeys(feeds, True)
        self._fetches = dict.fromkeys(fetches, True)

    @property
    def is_over(self) -> bool:
        """Whether all has come."""
        return not any(self._feeds.values()) and not any(self._fetches.values())

    def check(self, feeds: list[Tensor], fetches: list[Tensor]) -> None:
        """Refuse what was not announced, or came before; otherwise note that it came."""
        tables = ((self._feeds, feeds, "feed", "fed"), (self._fetches, fetches, "fetch", "fetched"))
        for table, tensors, what, past in tables:
            for tensor in tensors:
                if tensor not in table:
                    text = f"The {what} {tensor.name} was not specified in partial_run_setup."
                elif not table[tensor]:
                    text = f"The {what} {tensor.name} has already been {past}."
                else:
                    continue
                raise InvalidArgumentError(text)
        for table, tensors, _, _ in tables:
            table.update(dict.fromkeys(tensors, False))

    def run(
        self, feeds: dict[Tensor, Any], fetches: list[Tensor], targets: list[Operation]
    ) -> list[Any]:
        """See `PartialStep.run`."""
        with self._lock:
            return self._step.run(feeds, fetches, targets)
