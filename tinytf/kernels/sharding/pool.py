"""What a sharded kernel asks of a pool of threads."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol


class ShardPool(Protocol):
    """Runs the shards of one kernel; `tinytf.runtime.intra_op.IntraOpPool` is one.

    Attributes:
      threads: how many threads work at once, the calling one included.
      holds_blas: whether BLAS is held to one thread whatever the steps that use this pool run. The
        last bits of a product depend on how many threads BLAS has: only then are products split.
    """

    @property
    def threads(self) -> int:
        """See the class."""

    @property
    def holds_blas(self) -> bool:
        """See the class."""

    def run(self, count: int, work: Callable[[int], object]) -> None:
        """Run `work(0)` to `work(count - 1)`, and return when all of them have ended.

        The calling thread takes part; in what order shards run, and where, is not said.

        Raises:
          what a shard raised: the first one; shards that had not begun are left out then.
        """

    def one_blas_thread(self) -> AbstractContextManager[bool]:
        """A `with` block in which each product of matrices keeps to the thread that asks for it.

        Its value says whether that is so: False where BLAS has no switch that we know.
        """
