"""Sparse tensors written out as dense ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext
from tinytf.framework.sparse_tensor import SparseTensor
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops import arrays
from tinytf.ops.shape_rules import invalid, shape_from_input, shown, shown_list
from tinytf.ops.sparse.conversion import convert_to_tensor_or_sparse_tensor

# SparseToDense ------------------------------------------------------------------------------------

_sparse_to_dense = define_op(
    "SparseToDense",
    ["sparse_indices: Tindices", "output_shape: Tindices", "sparse_values: T", "default_value: T"],
    ["dense: T"],
    ["validate_indices: bool = true", "T: type", "Tindices: {int32, int64}"],
)


@_sparse_to_dense.shape
def _sparse_to_dense_shape(c: InferenceContext) -> TensorShape:
    return shape_from_input(c, 1)


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
    from tinytf.ops.nd_indices import gather_nd
    from tinytf.ops.reduction import reduce_sum

    of_values: Any = gather_nd(gradient, op.inputs[0])
    total: Any = reduce_sum(gradient)
    rest = total - reduce_sum(of_values)
    return [arrays.zeros_like(op.inputs[0]), arrays.zeros_like(op.inputs[1]), of_values, rest]


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
        sparse_indices, output_shape, sparse_values, default_value, name=name,
        validate_indices=validate_indices,
    )  # fmt: skip


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
    sparse = convert_to_tensor_or_sparse_tensor(sp_input)
    if not isinstance(sparse, SparseTensor):
        raise TypeError("Input must be a SparseTensor.")
    if default_value is None:
        default_value = arrays.zeros([], dtype=sparse.dtype)
    return sparse_to_dense(
        sparse.indices, sparse.dense_shape, sparse.values, default_value, validate_indices, name
    )
