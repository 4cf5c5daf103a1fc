"""Interfaces between kernels and the step they run in.

The step context is what a kernel may see of its step; the rendezvous is where steps exchange
tensors. The runtime implements them, kernels and transports use them.
"""

from __future__ import annotations

from typing import Any, Protocol

from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.pending import Pending


class Rendezvous(Protocol):
    """Where a producer leaves a tensor and a consumer picks it up, by key; each key once.

    A key is "send_device;incarnation;recv_device;tensor_name;frame:iteration". Either side may
    come first. `abort` fails everything waiting, now and later.
    """

    def send(self, key: str, value: Any, is_dead: bool) -> None:
        """Leave a value; AbortedError after `abort`, InternalError for a second send."""

    def recv(self, key: str) -> Pending:
        """The value, as (value, is_dead), once it is there."""

    def abort(self, error: Exception) -> None:
        """Fail every waiting and later `recv` with `error`."""


class StepContext(Protocol):
    """Passed to kernels whose first parameter is called `step`.

    Attributes:
      step_id: unique among the steps of a session.
      cancellation: register here before waiting.
      resources: the session's resource manager.
      graph: the graph the step was compiled from.
    """

    step_id: int
    cancellation: CancellationManager
    resources: Any
    graph: Any
