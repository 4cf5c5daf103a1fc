"""The largest elements of each row: top_k."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.array_types import Array
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, with_rank_at_least
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.array.range import range as range_of
from tinytf.ops.array.scatter_nd import scatter_nd
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.math.cast import cast
from tinytf.ops.reduce.reduction import reduce_prod

_REAL = "T: realnumbertype"
_top_k = define_op(
    "TopKV2",
    "input: T, k: Tk -> values: T, indices: index_type",
    "sorted: bool = true",
    _REAL,
    "Tk: {int16, int32, int64} = DT_INT32, index_type: {int16, int32, int64} = DT_INT32",
)


@_top_k.shape
def _top_k_shape(c: InferenceContext) -> list[TensorShape]:
    sizes = with_rank_at_least(c.input(0), 1).sizes
    if c.input(1).ndims not in (None, 0):
        raise ValueError(f"Input must be scalar but has rank {c.input(1).ndims}")
    value = c.constant(1)
    k = None if value is None else int(value)
    if k is not None and k < 0:
        raise ValueError(
            f"Dimension size, given by scalar input 1, must be non-negative but is {k}"
        )
    if sizes is None:
        return [unknown_shape()] * 2
    if k is not None and sizes[-1] is not None and sizes[-1] < k:
        raise ValueError(f"input must have last dimension >= k = {k} but is {sizes[-1]}")
    return [TensorShape.of((*sizes[:-1], k))] * 2


@_top_k.kernel
def _top_k_kernel(input: Array, k: Array, *, index_type: dtypes.DType) -> tuple[Any, Any]:
    if k.ndim:
        raise invalid(f"k must be scalar, got shape {shown(k)}")
    count = int(k)
    if count < 0:
        raise invalid(f"Need k >= 0, got {count}")
    if input.ndim < 1:
        raise invalid(f"input must be >= 1-D, got shape {shown(input)}")
    size = input.shape[-1]
    if size < count:
        raise invalid(f"input must have at least k columns. Had {size}, needed {count}")
    if count == 1:
        places = np.argmax(input, axis=-1)[..., None]
    else:
        chosen = _largest(input, count) if 0 < 4 * count < size else None
        rows = input if chosen is None else np.take_along_axis(input, chosen, -1)
        # Descending, and of equal elements the first one first: ascending and stable, from the end.
        backwards = np.argsort(rows[..., ::-1], axis=-1, kind="stable")[..., ::-1]
        places = rows.shape[-1] - 1 - backwards[..., :count]
        places = places if chosen is None else np.take_along_axis(chosen, places, -1)
    return np.take_along_axis(input, places, -1), places.astype(index_type.as_numpy_dtype)


def _largest(rows: Any, count: int) -> np.ndarray | None:
    """The places of the `count` largest elements of each row; None if there are NaN."""
    limit = np.partition(rows, -count, axis=-1)[..., -count, None]
    above, equal = rows > limit, rows == limit
    room = count - above.sum(axis=-1, keepdims=True)
    chosen = above | (equal & (np.cumsum(equal, axis=-1) <= room))  # the first ones of the equal
    places = np.nonzero(chosen)[-1]
    sizes = (*rows.shape[:-1], count)
    return places.reshape(sizes) if places.size == np.prod(sizes) else None


@_top_k.gradient
def _top_k_gradient(op: Operation, gradient: Any, _: Any) -> list[Any]:
    # The gradient goes to the places that were found, in the flat array.
    sizes, found = ops.shape(op.inputs[0]), ops.shape(op.outputs[1])

    def last(shape: Tensor) -> Any:
        count: Any = ops.size(shape)
        return ops.gather(cast(shape, dtypes.int64), count - 1)

    width = last(found)
    places: Any = ops.reshape(op.outputs[1], ops.stack([-1, width]))
    row_length = last(sizes)
    rows: Any = cast(ops.shape(places)[0], dtypes.int64)  # type: ignore[index]
    starts = ops.expand_dims(range_of(0, rows * row_length, row_length), -1)
    flat = ops.reshape(places + cast(starts, dtypes.int32), [-1])
    values = scatter_nd(
        ops.expand_dims(flat, -1), ops.reshape(gradient, [-1]), [reduce_prod(sizes)]
    )
    return [ops.reshape(values, sizes), ops.zeros([], dtype=dtypes.int32)]


def top_k(
    input: Any,
    k: Any = 1,
    sorted: bool = True,
    index_type: Any = dtypes.int32,
    name: str | None = None,
) -> Any:
    """The k largest elements of each row, and where they are (TensorFlow: `tf.nn.top_k`).

    Args:
      input: a real tensor of rank 1 or more; rows are along its last dimension.
      k: how many, a scalar.
      sorted: False if their order does not matter; they are sorted all the same.
      index_type: of the indices.
      name: of the operation.

    Returns:
      values and indices, of shape input.shape[:-1] + [k]. The largest element is the first; of
      equal ones the one of the smaller index.

    Raises:
      ValueError, InvalidArgumentError: if a row has less than k elements.

    Example:
      >>> values, indices = tf.nn.top_k([3, 9, 5], k=2)
      >>> values   # [9, 5]
      >>> indices  # [1, 2]
    """
    return _top_k(input, k, name=name, sorted=sorted, index_type=index_type)
