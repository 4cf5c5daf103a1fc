"""Flat indices as coordinates: unravel_index."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework.array_types import Array
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.shape_inference import InferenceContext, with_rank
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.base.shape_rules import shown

_unravel_index = define_op(
    "UnravelIndex",
    "indices: Tidx, dims: Tidx -> output: Tidx",
    "Tidx: {int32, int64} = DT_INT32",
    no_gradient="indices are integers",
)


@_unravel_index.shape
def _unravel_index_shape(c: InferenceContext) -> TensorShape:
    indices, dims = c.input(0), with_rank(c.input(1), 1).sizes
    count = None if dims is None else dims[0]
    if indices.sizes is None:
        return unknown_shape()
    return TensorShape.of((count,) if not indices.sizes else (count, indices.num_elements()))


@_unravel_index.kernel
def _unravel_index_kernel(indices: Array, dims: Array) -> np.ndarray:
    if indices.ndim > 1:
        raise invalid(f'The indices can only be scalar or vector, got "{shown(indices)}"')
    if dims.ndim != 1:
        raise invalid(f'The indices can only be 1-D, got "{shown(dims)}"')
    sizes = dims.tolist()
    if 0 in sizes:
        raise invalid(
            f"Input dims cannot contain a dim of zero, but dims contains zero at index "
            f"{sizes.index(0)}"
        )
    if (indices >= np.prod(dims, dtype=np.int64)).any():
        raise invalid("index is out of bound as with dims")
    rest, rows = np.asarray(indices), []
    for size in reversed(sizes[1:]):
        rest, row = np.trunc(rest / size).astype(dims.dtype), np.fmod(rest, size)
        rows.append(row)
    return np.array([rest, *reversed(rows)], dims.dtype)


def unravel_index(indices: Any, dims: Any, name: str | None = None) -> Tensor:
    """Indices into a flat array as coordinates (TensorFlow: `tf.unravel_index`).

    Args:
      indices: integers, a scalar or vector.
      dims: the shape of the array, a vector of the same dtype.
      name: of the operation.

    Returns:
      [rank, number of indices], or [rank] for a scalar.

    Raises:
      ValueError, InvalidArgumentError: for an index out of range, or if shapes do not fit.

    Example:
      >>> tf.unravel_index([2, 5], [3, 3])  # [[0, 1], [2, 2]]
    """
    return _unravel_index(indices, dims, name=name)
