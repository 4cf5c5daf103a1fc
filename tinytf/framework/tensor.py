"""A `Tensor`: one output of an operation, an edge of the graph. It has no value of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from tinytf.framework import dtypes
from tinytf.framework.tensor_shape import TensorShape, as_shape

if TYPE_CHECKING:
    from tinytf.framework.graph import Graph
    from tinytf.framework.operation import Operation


class NotOfTensors:
    """An attribute that raises AttributeError, with what to do instead.

    (`__getattr__` would do the same, and make reading every other attribute slower.)
    """

    def __init__(self, instead: str):
        self._instead = instead
        self._name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, tensor: Tensor | None, owner: type) -> NoReturn:
        which = owner.__name__ if tensor is None else tensor.name
        raise AttributeError(
            f"'{owner.__name__}' object has no attribute '{self._name}' ({which}): {self._instead}"
        )


class NotAnArray:
    """What arrays have and tensors have not: reaching for it says what to do instead."""

    __slots__ = ()

    numpy = NotOfTensors("it has no value while the graph is built: use sess.run(t) or t.eval()")
    reshape = NotOfTensors("use tf.reshape(t, shape)")
    astype = NotOfTensors("use tf.cast(t, dtype)")
    size = NotOfTensors("use tf.size(t), or t.shape.num_elements() if the shape is static")
    ndim = NotOfTensors("use t.shape.ndims, or tf.rank(t)")
    T = NotOfTensors("use tf.transpose(t)")
    dot = NotOfTensors("use tf.matmul(t, other)")
    sum = NotOfTensors("use tf.reduce_sum(t)")
    mean = NotOfTensors("use tf.reduce_mean(t)")
    max = NotOfTensors("use tf.reduce_max(t)")
    min = NotOfTensors("use tf.reduce_min(t)")
    argmax = NotOfTensors("use tf.argmax(t, axis)")
    copy = NotOfTensors("use tf.identity(t)")
    item = NotOfTensors("use sess.run(t) or t.eval(), and ask its result")
    tolist = NotOfTensors("use sess.run(t) or t.eval(), and ask its result")

    def __dir__(self) -> list[str]:
        # Completion offers what there is, not what only explains why it is not there.
        known = {n: c for kind in reversed(type(self).__mro__) for n, c in vars(kind).items()}
        return [n for n in super().__dir__() if not isinstance(known.get(n), NotOfTensors)]


class Tensor(NotAnArray):
    """A symbolic handle to one output of an `Operation` (TensorFlow: `tf.Tensor`).

    Arithmetic operators and indexing are attached when the operations are loaded, and so is what
    `float(t)` says, which needs a value (`tinytf.ops.base.operators`, `tinytf.ops.base.no_value`):
    what a tensor *is* does not depend on them.

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

    assign = NotOfTensors("only a tf.Variable can be assigned to")

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

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        # As in TensorFlow 1.x: a tensor equals only itself, so it can be a dictionary key.
        return self is other
