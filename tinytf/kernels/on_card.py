"""How tinytf's kernels run on a CUDA card: on its arrays, or through host memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tinytf.framework.operation import Operation
from tinytf.framework.registry import Kernel


def function_on_card(op: Operation, kernel: Kernel) -> Callable[..., Any] | None:
    """What computes a node with a card's arrays; None: it has to go through host memory."""
    return None
