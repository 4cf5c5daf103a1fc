"""`SparseTensor`: the elements of a tensor that are not zero, and where they are."""

from __future__ import annotations

from typing import Any, NamedTuple

from tinytf.framework import dtypes
from tinytf.framework.constant_value import constant_value_as_shape
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.scope_functions import name_scope
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape


class SparseTensorValue(NamedTuple):
    """What a session takes and returns for a `SparseTensor`: three numpy arrays.

    Example:
      >>> x = tf.sparse_placeholder(tf.float32)
      >>> value = tf.SparseTensorValue([[0, 1]], [4.0], [1, 2])
      >>> sess.run(tf.sparse_tensor_to_dense(x), {x: value})
      array([[0., 4.]], dtype=float32)
    """

    indices: Any
    values: Any
    dense_shape: Any


class SparseTensor:
    """A tensor by its elements other than zero (TensorFlow: `tf.SparseTensor`).

    `dense[indices[i]] = values[i]`. Most operations expect the indices row after row.

    Args:
      indices: where the elements are, int64 [n, rank].
      values: the elements, [n].
      dense_shape: the shape of the whole, int64 [rank].

    Raises:
      ValueError: if the three do not fit together.

    Example:
      >>> x = tf.SparseTensor([[0, 1], [2, 0]], [1.0, 2.0], [3, 2])
      >>> tf.sparse_tensor_to_dense(x)  # [[0., 1.], [0., 0.], [2., 0.]]
    """

    __slots__ = ("_static_shape", "dense_shape", "indices", "values")

    def __init__(self, indices: Any, values: Any, dense_shape: Any):
        with name_scope(None, "SparseTensor", [indices, values, dense_shape]):
            self.indices = convert_to_tensor(indices, dtypes.int64, name="indices")
            self.values: Tensor = convert_to_tensor(values, name="values")
            self.dense_shape = convert_to_tensor(dense_shape, dtypes.int64, name="dense_shape")
        self._static_shape = constant_value_as_shape(self.dense_shape)
        places = self.indices.shape.with_rank(2)
        count, rank = self.values.shape.with_rank(1), self.dense_shape.shape.with_rank(1)
        places[0].assert_is_compatible_with(count[0])
        places[1].assert_is_compatible_with(rank[0])

    @classmethod
    def from_value(cls, sparse_tensor_value: Any) -> SparseTensor:
        """A sparse tensor out of a `SparseTensorValue`, or another sparse tensor."""
        return cls(*(getattr(sparse_tensor_value, part) for part in SparseTensorValue._fields))

    def with_values(self, new_values: Any) -> SparseTensor:
        """The same places with other elements."""
        return SparseTensor(self.indices, new_values, self.dense_shape)

    @property
    def shape(self) -> TensorShape:
        """The static shape of the whole, as far as it is known."""
        return self._static_shape

    def get_shape(self) -> TensorShape:
        """The same as `shape`."""
        return self.shape

    def set_shape(self, shape: Any) -> None:
        """Add what is known about the static shape of the whole.

        Raises:
          ValueError: if it contradicts what is known already.
        """
        self._static_shape = self._static_shape.merge_with(shape)

    @property
    def dtype(self) -> Any:
        """The type of the elements."""
        return self.values.dtype

    @property
    def op(self) -> Any:
        """The operation that produces `values`."""
        return self.values.op

    @property
    def graph(self) -> Any:
        """The graph of the three tensors."""
        return self.indices.graph

    def consumers(self) -> list[Any]:
        """The operations that take `values` as input."""
        return self.values.consumers()

    def eval(self, feed_dict: Any = None, session: Any = None) -> SparseTensorValue:
        """The value in a session, by default the default one."""
        parts = (getattr(self, p).eval(feed_dict, session) for p in SparseTensorValue._fields)
        return SparseTensorValue(*parts)

    def _fetch_components(self) -> tuple[list[Any], Any]:
        """For sessions: what to fetch, and how to put the values together."""
        parts = [self.indices, self.values, self.dense_shape]
        return parts, lambda values: SparseTensorValue(*values)

    def __repr__(self) -> str:
        return (
            f"SparseTensor(indices={self.indices}, values={self.values}, "
            f"dense_shape={self.dense_shape})"
        )
