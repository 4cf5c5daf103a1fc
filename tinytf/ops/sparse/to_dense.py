"""Sparse tensors as dense ones, and the other way round."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.sparse_tensor import SparseTensor
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.gather_nd import gather_nd
from tinytf.ops.array.range import range as range_of
from tinytf.ops.array.where import where_v2
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.base.shape_rules import shape_from_input, shown, shown_list
from tinytf.ops.math.arithmetic import minimum
from tinytf.ops.math.cast import cast
from tinytf.ops.math.comparison import not_equal
from tinytf.ops.reduce.reduction import reduce_sum
from tinytf.ops.sparse.conversion import convert_to_sparse_tensor

_sparse_to_dense = define_op(
    "SparseToDense",
    "sparse_indices: Tindices, output_shape: Tindices, sparse_values: T, default_value: T -> "
    "dense: T",
    "validate_indices: bool = true, T: type, Tindices: {int32, int64}",
    shape=lambda c: shape_from_input(c, 1),
)


@_sparse_to_dense.kernel
def _sparse_to_dense_kernel(
    indices: Any, shape: Any, values: Any, default: Any, *, validate_indices: bool
) -> np.ndarray:
    if np.ndim(indices) > 2:
        raise invalid(
            f"sparse_indices should be a scalar, vector, or matrix, got shape {shown(indices)}"
        )
    places = np.asarray(indices).reshape(-1, 1) if np.ndim(indices) < 2 else indices
    _check_parts(places, shape, values, default)
    sizes = shape.tolist()
    if validate_indices:
        check_indices(places, sizes)
    elif not ((places >= 0) & (places < shape)).all():
        raise invalid(f"Indices are not valid (out of bounds).  Shape: {shown_list(sizes)}")
    dense = np.empty(sizes, np.asarray(values).dtype)
    dense[...] = default
    dense[tuple(places.T)] = values
    return dense


def _check_parts(places: Any, shape: Any, values: Any, default: Any) -> None:
    count, rank = places.shape
    if shape.ndim != 1:
        raise invalid(f"output_shape must be rank 1, got shape {shown(shape)}")
    if len(shape) != rank:
        raise invalid(
            f"output_shape has incorrect number of elements: {len(shape)} should be: {rank}"
        )
    if np.shape(values) not in ((), (count,)):
        raise invalid(
            f"sparse_values has incorrect shape {shown(values)}, should be [] or [{count}]"
        )
    if np.ndim(default):
        raise invalid("default_value should be a scalar.")
    if (shape < 0).any():
        raise invalid(f"Dimension {shape[shape < 0][0]} must be >= 0")


def check_indices(places: np.ndarray, sizes: list[int]) -> None:
    """InvalidArgumentError for the first index that is outside, or not behind the one before."""
    outside: Any = np.logical_or(places < 0, places >= np.array(sizes)).any(axis=1)
    steps = np.diff(places, axis=0)
    first = np.argmax(steps != 0, axis=1) if steps.size else np.zeros(len(steps), int)
    ahead = np.append(1, steps[np.arange(len(steps)), first])[: len(places)]
    wrong = np.flatnonzero(outside | (ahead <= 0))
    if not wrong.size:
        return
    number = wrong[0]
    text = f"indices[{number}] = {shown_list(places[number].tolist())} is "
    if outside[number]:
        raise invalid(f"{text}out of bounds: need 0 <= index < {shown_list(sizes)}")
    if ahead[number] == 0:
        raise invalid(f"{text}repeated")
    raise invalid(
        f"{text}out of order. Many sparse ops require sorted indices.\n"
        "  Use `tf.sparse.reorder` to create a correctly ordered copy.\n\n"
    )


@_sparse_to_dense.gradient
def _sparse_to_dense_gradient(op: Operation, gradient: Any) -> list[Any]:

    of_values: Any = gather_nd(gradient, op.inputs[0])
    total: Any = reduce_sum(gradient)
    rest = total - reduce_sum(of_values)
    return [ops.zeros_like(op.inputs[0]), ops.zeros_like(op.inputs[1]), of_values, rest]


def sparse_to_dense(
    sparse_indices: Any,
    output_shape: Any,
    sparse_values: Any,
    default_value: Any = 0,
    validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:
    """A dense tensor with values in some places (TensorFlow: `tf.sparse_to_dense`).

    Args:
      sparse_indices: where: [n, rank]; [n] or a number for a vector.
      output_shape: the shape of the result.
      sparse_values: what to put there: [n], or one value for all.
      default_value: what to put elsewhere.
      validate_indices: refuse places that are repeated or not row after row.
      name: of the operation.

    Raises:
      InvalidArgumentError: in a run, for a place outside.

    Example:
      >>> tf.sparse_to_dense([0, 2], [4], [5, 6])  # [5, 0, 6, 0]
    """
    return _sparse_to_dense(
        sparse_indices,
        output_shape,
        sparse_values,
        default_value,
        name=name,
        validate_indices=validate_indices,
    )


def sparse_tensor_to_dense(
    sp_input: SparseTensor,
    default_value: Any = None,
    validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:
    """A sparse tensor written out (TensorFlow: `tf.sparse_tensor_to_dense`, `tf.sparse.to_dense`).

    Args:
      sp_input: the sparse tensor.
      default_value: what to put where it has nothing; zero, or "", by default.
      validate_indices: refuse places that are repeated or not row after row.
      name: of the operation.

    Raises:
      TypeError: if it is no `SparseTensor`.

    Example:
      >>> x = tf.SparseTensor([[0, 1], [2, 0]], [1.0, 2.0], [3, 2])
      >>> tf.sparse_tensor_to_dense(x, -1.0)  # [[-1., 1.], [-1., -1.], [2., -1.]]
    """
    sparse = convert_to_sparse_tensor(sp_input)
    if default_value is None:
        default_value = ops.zeros([], dtype=sparse.dtype)
    return sparse_to_dense(
        sparse.indices, sparse.dense_shape, sparse.values, default_value, validate_indices, name
    )


def from_dense(tensor: Any, name: str | None = None) -> SparseTensor:
    """The elements of a tensor that are not zero (TensorFlow: `tf.sparse.from_dense`).

    Args:
      tensor: of any shape; of text, what is not empty.
      name: of the operation.

    Example:
      >>> tf.sparse.from_dense([[0, 5], [6, 0]]).indices  # [[0, 1], [1, 0]], int64
    """
    with op_scope(name, "dense_to_sparse"):
        tensor = convert_to_tensor(tensor)
        places = where_v2(not_equal(tensor, ops.zeros_like(tensor)))
        values = gather_nd(tensor, places)
        return SparseTensor(places, values, ops.shape(tensor, out_type=dtypes.int64))


def sparse_eye(
    num_rows: Any, num_columns: Any = None, dtype: Any = dtypes.float32, name: str | None = None
) -> SparseTensor:
    """A sparse matrix with ones on its diagonal (TensorFlow: `tf.sparse.eye`).

    Args:
      num_rows, num_columns: its shape, integers or scalars; square by default.
      dtype: of its elements.
      name: of the operation.

    Raises:
      TypeError: for sizes that are no integers.

    Example:
      >>> tf.sparse.to_dense(tf.sparse.eye(2, 3))  # [[1., 0., 0.], [0., 1., 0.]]
    """
    with op_scope(name, "eye", [num_rows, num_columns]):
        rows = _size(num_rows, "num_rows")
        columns = rows if num_columns is None else _size(num_columns, "num_columns")
        length = minimum(rows, columns)
        diagonal = range_of(length, dtype=dtypes.int64)
        places = ops.stack([diagonal, diagonal], axis=1)
        return SparseTensor(places, ops.ones(length, dtype=dtype), [rows, columns])


def _size(value: Any, name: str) -> Tensor:
    if isinstance(value, int | np.integer):
        return convert_to_tensor(value, name=name, dtype=dtypes.int64)
    if not isinstance(value, Tensor):
        raise TypeError(f"{name} must be an integer value")
    return value if value.dtype == dtypes.int64 else cast(value, dtypes.int64)
