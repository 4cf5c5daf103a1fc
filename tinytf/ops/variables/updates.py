"""The methods of variables that read or write a part: `v.scatter_add(...)`, `v[1:3].assign(...)`.

Mirrors the methods of these names in tensorflow/python/ops/ref_variable.py and
resource_variable_ops.py.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from tinytf import ops
from tinytf.framework.indexed_slices import IndexedSlices
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.identity import identity
from tinytf.ops.array.slice import getitem
from tinytf.ops.variables.parts import resource_gather, resource_gather_nd
from tinytf.ops.variables.scatter_nd_updates import update_slices
from tinytf.ops.variables.scatter_updates import scatter


class VariableUpdates:
    """What both kinds of variables do with their parts; a base class of `tf.Variable`.

    The `scatter_` methods take `IndexedSlices`, of which `indices` says which rows; they return
    what `assign` returns. `use_locking` is kept in the graph, every update is indivisible here.
    """

    if TYPE_CHECKING:
        dtype: Any
        _lazy_read: Any

        def value(self) -> Tensor:
            """The value, as everything in the graph reads it."""

    def scatter_update(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Replace rows.

        Raises:
          TypeError: if `sparse_delta` is no IndexedSlices.
        """
        return self._scatter("Update", sparse_delta, use_locking, name)

    def scatter_add(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Add to rows; rows given twice add up. See `scatter_update`."""
        return self._scatter("Add", sparse_delta, use_locking, name)

    def scatter_sub(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Subtract from rows. See `scatter_update`."""
        return self._scatter("Sub", sparse_delta, use_locking, name)

    def scatter_mul(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Multiply rows. See `scatter_update`."""
        return self._scatter("Mul", sparse_delta, use_locking, name)

    def scatter_div(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Divide rows. See `scatter_update`."""
        return self._scatter("Div", sparse_delta, use_locking, name)

    def scatter_min(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Keep the smaller elements. See `scatter_update`."""
        return self._scatter("Min", sparse_delta, use_locking, name)

    def scatter_max(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Keep the larger elements. See `scatter_update`."""
        return self._scatter("Max", sparse_delta, use_locking, name)

    def batch_scatter_update(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Replace rows in each of several leading batches; see `tf.batch_scatter_update`."""
        with self._ordered():
            after = ops.batch_scatter_update(
                self, sparse_delta.indices, sparse_delta.values, use_locking=use_locking, name=name
            )
            return after if self.dtype.is_ref else self._lazy_read(after.op)

    def scatter_nd_update(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Replace elements or slices; see `tf.scatter_nd_update`."""
        return self._scatter_nd("Update", indices, updates, name)

    def scatter_nd_add(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Add to elements or slices; equal indices add up. See `tf.scatter_nd_update`."""
        return self._scatter_nd("Add", indices, updates, name)

    def scatter_nd_sub(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Subtract from elements or slices. See `tf.scatter_nd_update`."""
        return self._scatter_nd("Sub", indices, updates, name)

    def scatter_nd_min(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Keep the smaller elements. See `tf.scatter_nd_update`."""
        return self._scatter_nd("Min", indices, updates, name)

    def scatter_nd_max(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Keep the larger elements. See `tf.scatter_nd_update`."""
        return self._scatter_nd("Max", indices, updates, name)

    def count_up_to(self, limit: int) -> Tensor:
        """Increase the variable by 1 up to a limit; see `tf.count_up_to`."""
        return ops.count_up_to(self, limit)

    def __getitem__(self, slice_spec: Any) -> Tensor:
        """A slice of the value, which can be assigned to: `v[1:3].assign(x)`."""
        return getitem(self.value(), slice_spec, var=self)

    # How the two kinds differ ---------------------------------------------------------------------

    def _scatter(self, kind: str, delta: IndexedSlices, use_locking: bool, name: str | None) -> Any:

        if not isinstance(delta, IndexedSlices):
            raise TypeError(
                f"Argument `sparse_delta` must be a `tf.IndexedSlices`. Received arg: {delta} "
                f"(sparse_delta is not IndexedSlices: {delta})"
            )
        with self._ordered():
            return scatter(kind, self, delta.indices, delta.values, use_locking, name)

    def _scatter_nd(self, kind: str, indices: Any, updates: Any, name: str | None) -> Any:

        with self._ordered():
            return update_slices(kind, self, indices, updates, True, name)

    def _ordered(self) -> AbstractContextManager[Any]:
        """Where a write is built: after the one before it, for what an assignment returned."""
        return nullcontext()


class RowReads:
    """Reads of parts, which only resource variables have."""

    if TYPE_CHECKING:
        handle: Any
        dtype: Any

    def sparse_read(self, indices: Any, name: str | None = None) -> Tensor:
        """Rows of the value, without a read of all of it; what `tf.gather` does with a variable.

        Args:
          indices: integers of any shape.
        """
        with get_default_graph().name_scope("Gather" if name is None else name) as scope:
            return resource_gather(self.handle, indices, dtype=self.dtype, name=scope)

    def gather_nd(self, indices: Any, name: str | None = None) -> Tensor:
        """Elements or slices of the value; what `tf.gather_nd` does with a variable."""
        with get_default_graph().name_scope("GatherNd" if name is None else name) as scope:
            value = resource_gather_nd(self.handle, indices, dtype=self.dtype, name=scope)
        return identity(value)
