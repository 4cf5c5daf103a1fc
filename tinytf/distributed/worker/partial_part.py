"""A part of a partial run on one task: a step with a thread of its own; see `partial_parts`."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

from tinytf.distributed.wire.wire_errors import mark_derived
from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.dtypes import DType
from tinytf.framework.errors import CancelledError, InvalidArgumentError, OpError
from tinytf.framework.pending import Pending


class PartialPart:
    """A part of a partial run on one task.

    Args:
      run: runs the whole part; it ends when all has been fed and sent. rendezvous: of the step.
    """

    def __init__(self, run: Callable[[], None], rendezvous: Any):
        self._run, self._rendezvous = run, rendezvous
        self._ended = Pending("the end of its part of the partial run")
        threading.Thread(target=self._work, name="tinytf-partial-run", daemon=True).start()

    def _work(self) -> None:
        try:
            self._run()
        except OpError as error:
            self._rendezvous.abort(error)
            self._ended.set_error(error)
        except BaseException as error:
            failure = CancelledError(f"{type(error).__name__}: {error}")
            self._rendezvous.abort(mark_derived(failure))
            self._ended.set_error(failure)
        else:
            self._ended.set_result(None)

    def feed(self, values: Mapping[str, Any], dtypes: Mapping[str, DType]) -> None:
        """Values have come, by rendezvous key."""
        for key, value in values.items():
            if key not in dtypes:
                raise InvalidArgumentError(f"Nothing of this part receives {key}")
            self._rendezvous.send(key, value, dtypes[key])

    def fetch(self, key: str, withdrawn: CancellationManager) -> Any:
        """The value that the part sends under a key, or a `Pending` for it."""
        return self._rendezvous.take(key, withdrawn)

    @property
    def ended(self) -> Pending:
        """Completed when all of the part has run, or failed."""
        return self._ended
