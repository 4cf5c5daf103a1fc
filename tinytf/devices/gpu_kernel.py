"""A kernel on a GPU: what it computes with there, and which of its values are in host memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tinytf.framework.registry import Kernel


@dataclass(slots=True)
class GpuKernel(Kernel):
    """What `kernel_for(op, "GPU")` gives: for a simulated GPU, and for a CUDA card.

    Attributes:
      function: computes with numpy's arrays, as on the CPU; that is what a simulated GPU runs.
      on_card: computes with a card's arrays; None: a card has numpy compute it in host memory.
      host_inputs, host_outputs: for each value of the node, whether it is in host memory.
    """

    on_card: Callable[..., Any] | None = None
    host_inputs: tuple[bool, ...] = ()
    host_outputs: tuple[bool, ...] = ()
