"""What a kernel may see of the step it runs in; the runtime implements it."""

from __future__ import annotations

from typing import Any, Protocol

from tinytf.framework.cancellation import CancellationManager


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
