"""`IndexedSlices`: some rows of a larger tensor, the form in which gradients of lookups come."""

from __future__ import annotations

from typing import Any, NamedTuple

from tinytf.framework.constant_value import constant_value_as_shape
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape


class IndexedSlices:
    """Some rows of a dense tensor, and where they belong (TensorFlow: `tf.IndexedSlices`).

    `dense[indices[i], ...] = values[i, ...]`; rows that share an index are added. The gradient of
    `tf.gather` is one: writing it out as a tensor of the parameter's size would be waste.

    Attributes:
      values: a tensor [n, ...], or in gradients of nested lookups another `IndexedSlices`.
      indices: an integer tensor [n].
      dense_shape: an integer vector, the shape of the whole; None if it is not known.

    Example:
      >>> rows = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([2]), tf.constant([3, 2]))
      >>> tf.convert_to_tensor(rows)  # [[0., 0.], [0., 0.], [1., 2.]]
    """

    __slots__ = ("dense_shape", "indices", "values")

    def __init__(self, values: Any, indices: Any, dense_shape: Tensor | None = None):
        self.values = values
        self.indices = indices
        self.dense_shape = dense_shape

    @property
    def shape(self) -> TensorShape:
        """The static shape of the dense tensor, as far as it is known."""
        if self.dense_shape is None:
            return unknown_shape()
        return constant_value_as_shape(self.dense_shape)

    @property
    def name(self) -> str:
        """The name of `values`."""
        return self.values.name

    @property
    def device(self) -> str:
        """The device requested for `values`."""
        return self.values.device

    @property
    def op(self) -> Any:
        """The operation that produces `values`."""
        return self.values.op

    @property
    def _as_control_input(self) -> Any:
        """What waits for it waits for `values`."""
        return self.op

    @property
    def dtype(self) -> Any:
        """The element type of `values`."""
        return self.values.dtype

    @property
    def graph(self) -> Any:
        """The graph the parts belong to."""
        return self.values.graph

    def consumers(self) -> list[Any]:
        """The operations that take one of the parts as input."""
        parts = [self.values, self.indices, self.dense_shape]
        found = (op for part in parts if part is not None for op in part.consumers())
        return list(dict.fromkeys(found))

    def _fetch_components(self) -> tuple[list[Any], Any]:
        """For sessions: what to fetch, and how to put the values together."""
        parts = [self.values, self.indices]
        if self.dense_shape is None:
            return parts, lambda values: IndexedSlicesValue(values[0], values[1], None)
        return [*parts, self.dense_shape], lambda values: IndexedSlicesValue(*values)

    def __neg__(self) -> IndexedSlices:
        return IndexedSlices(-self.values, self.indices, self.dense_shape)

    def __repr__(self) -> str:
        dense = "" if self.dense_shape is None else f", dense_shape={self.dense_shape}"
        return f"IndexedSlices(indices={self.indices}, values={self.values}{dense})"


class IndexedSlicesValue(NamedTuple):
    """What a session returns for a fetched `IndexedSlices`: three numpy arrays.

    Example:
      >>> sess.run(tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([2]))).indices  # [2]
    """

    values: Any
    indices: Any
    dense_shape: Any


def convert_to_tensor_or_indexed_slices(
    value: Any, dtype: Any = None, name: str | None = None, as_ref: bool = False
) -> Any:
    """`value` itself if it is an `IndexedSlices`, otherwise as a tensor.

    TensorFlow: `tf.convert_to_tensor_or_indexed_slices`.

    Raises:
      ValueError: if it is of another type than `dtype`.

    Example:
      >>> tf.convert_to_tensor_or_indexed_slices([1, 2])  # [1, 2]
    """
    if not isinstance(value, IndexedSlices):
        return convert_to_tensor(value, dtype, name=name, as_ref=as_ref)
    if dtype is not None and value.dtype.base_dtype != dtype:
        raise ValueError(
            f"Tensor conversion requested dtype {dtype} for Tensor with dtype "
            f"{value.dtype.name}: {value!r}"
        )
    return value
