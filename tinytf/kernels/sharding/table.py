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


def is_shardable(op: Operation) -> bool:
    """Whether `sharded` has a form that splits its work for this op type on a CPU.

    The runtime asks for the operations that were measured to be expensive, before it compiles
    a plan in which they are split. To be kept true to `sharded`: a test compares them.
    """
    return False
