"""Which op types are sharded, and how."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tinytf.kernels.sharding.pool import ShardPool

if TYPE_CHECKING:
    from tinytf.framework.operation import Operation


def sharded(
    op: Operation, function: Callable[..., Any], pool: ShardPool
) -> Callable[..., Any] | None:
    """The bound kernel of a node as a function that splits its work; None if its type is not.

    Args:
      op: the node, on a CPU.
      function: its kernel, as `kernel_binding.bind` gives it, or as `fusion.writing` does where
        the result goes to an array of the caller's (`out=`).
      pool: whose threads share the work.

    Returns:
      a function with the arguments, the result (to the last bit) and the errors of `function`.
      Inputs that are too small to share, or odd, it passes on to `function` as they are.
    """
    return None
