"""A `Tensor`: one output of an operation, an edge of the graph. It has no value of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tinytf.framework import dtypes
from tinytf.framework.tensor_shape import TensorShape, as_shape

if TYPE_CHECKING:
    from tinytf.framework.graph import Graph
    from tinytf.framework.operation import Operation


class Tensor:
    """A symbolic handle to one output of an `Operation` (TensorFlow: `tf.Tensor`).

    Arithmetic operators and indexing are attached when the operations are loaded, and so is what
    `float(t)` or `t.numpy()` say (`tinytf.ops.base.operators`, `tinytf.ops.base.no_value`): what a
    tensor *is* does not depend on them.

    Attributes:
      op: the operation that produces it.
      value_index: which of the operation's outputs it is.
      dtype: the type of its elements.

    Example:
      >>> print(tf.add(3, 5))
      Tensor("Add:0", shape=(), dtype=int32)
    """

    __slots__ = ("__weakref__", "_consumers", "_shape", "dtype", "op", "value_index")

    # numpy must not take `array + tensor` for itself: the tensor's __radd__ comes first.
    __array_priority__ = 100

    def __init__(self, op: Operation, value_index: int, dtype: dtypes.DType, shape: TensorShape):
        self.op = op
        self.value_index = value_index
        self.dtype = dtype
        self._shape = shape
        self._consumers: list[Operation] | None = None

    @property
    def name(self) -> str:
        """The name "operation:index", as used in feeds, fetches and protocol messages."""
        return f"{self.op.name}:{self.value_index}"

    @property
    def graph(self) -> Graph:
        """The graph the tensor belongs to."""
        return self.op.graph

    @property
    def device(self) -> str:
        """The device requested for its operation, possibly partial or empty."""
        return self.op.device

    @property
    def shape(self) -> TensorShape:
        """The static shape: what is known before anything runs."""
        return self._shape

    def get_shape(self) -> TensorShape:
        """The static shape (TensorFlow's older name for `shape`)."""
        return self._shape

    def set_shape(self, shape: Any) -> None:
        """Add what is known about the static shape; ValueError if it contradicts it."""
        try:
            self._shape = self._shape.merge_with(shape)
        except ValueError:
            from tinytf.framework.shape_inference import merge

            try:
                merge(self._shape, as_shape(shape))  # says it in the words of shape functions
            except ValueError as error:
                raise ValueError(f"{error}\n{self.op.describe_origin()}") from None
            raise

    def consumers(self) -> list[Operation]:
        """The operations that take this tensor as input."""
        return list(self._consumers or ())

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """The value, computed by `session` or the default session.

        Raises:
          ValueError: if there is no session.
        """
        from tinytf.framework.stacks import session_for

        return session_for(self.graph, session, "evaluate tensor", "eval()").run(self, feed_dict)

    def __repr__(self) -> str:
        return f"<tf.Tensor {self.name!r} shape={self._shape} dtype={self.dtype.name}>"

    def __str__(self) -> str:
        shape = "" if self._shape.sizes is None else f", shape={self._shape}"
        device = f", device={self.device}" if self.device else ""
        return f'Tensor("{self.name}"{shape}, dtype={self.dtype.name}{device})'

    __hash__ = object.__hash__  # by identity, and quicker than a function

    def __eq__(self, other: object) -> bool:
        # As in TensorFlow 1.x: a tensor equals only itself, so it can be a dictionary key.
        return self is other
