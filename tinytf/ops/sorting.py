"""Elements by size: top_k, sort, argsort, and places in what is sorted already."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework import dtypes
from tinytf.framework.constant_value import constant_value
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, with_rank, with_rank_at_least
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops import shapes
from tinytf.ops.casting import cast
from tinytf.ops.constants import constant
from tinytf.ops.filling import zeros
from tinytf.ops.gathering import gather
from tinytf.ops.joining import stack
from tinytf.ops.nd_indices import scatter_nd, tensor_scatter_update
from tinytf.ops.op_scope import op_scope
from tinytf.ops.ranges import range as range_of
from tinytf.ops.rearranging import transpose
from tinytf.ops.reduction import reduce_prod
from tinytf.ops.shape_rules import shown
from tinytf.ops.shapes import expand_dims, reshape, shape_of_any

# TopKV2 -----------------------------------------------------------------------------------------

_REAL = (
    "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}"
)
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
def _top_k_kernel(input: Any, k: Any, *, index_type: dtypes.DType) -> tuple[Any, Any]:
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
    sizes, found = shapes.shape(op.inputs[0]), shapes.shape(op.outputs[1])

    def last(shape: Tensor) -> Any:
        count: Any = shapes.size(shape)
        return gather(cast(shape, dtypes.int64), count - 1)

    width = last(found)
    places: Any = reshape(op.outputs[1], stack([-1, width]))
    row_length = last(sizes)
    rows: Any = cast(shapes.shape(places)[0], dtypes.int64)  # type: ignore[index]
    starts = expand_dims(range_of(0, rows * row_length, row_length), -1)
    flat = reshape(places + cast(starts, dtypes.int32), [-1])
    values = scatter_nd(expand_dims(flat, -1), reshape(gradient, [-1]), [reduce_prod(sizes)])
    return [reshape(values, sizes), zeros([], dtype=dtypes.int32)]


def top_k(
    input: Any, k: Any = 1, sorted: bool = True, index_type: Any = dtypes.int32,
    name: str | None = None,
) -> Any:  # fmt: skip
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


# sort, argsort ----------------------------------------------------------------------------------


def sort(
    values: Any, axis: Any = -1, direction: str = "ASCENDING", name: str | None = None
) -> Tensor:
    """The elements in order, along an axis (TensorFlow: `tf.sort`).

    Args:
      values: a real tensor of rank 1 or more.
      axis: along which, a constant.
      direction: "ASCENDING" or "DESCENDING".
      name: of the operations' scope.

    Raises:
      ValueError: for another direction, or an axis out of range.

    Example:
      >>> tf.sort([3, 1, 2])  # [1, 2, 3]
    """
    with op_scope(name, "sort"):
        return _ordered(values, axis, direction, places=False)


def argsort(
    values: Any, axis: Any = -1, direction: str = "ASCENDING", stable: bool = False,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The indices that would put the elements in order (TensorFlow: `tf.argsort`).

    Arguments and errors as of `tf.sort`. Equal elements always stay in their order.

    Example:
      >>> tf.argsort([3, 1, 2])  # [1, 2, 0]
    """
    with op_scope(name, "argsort"):
        return _ordered(values, axis, direction, places=True)


def _ordered(values: Any, axis: Any, direction: str, places: bool) -> Tensor:
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(
            f"Argument `direction` should be one of ASCENDING, DESCENDING. Received: "
            f"direction={direction}"
        )
    axis = convert_to_tensor(axis, name="axis")
    known = constant_value(axis)
    if axis.shape.ndims not in (None, 0) or known is None:
        raise ValueError(f"Argument `axis` must be a constant scalar. Received: axis={axis}.")
    values = convert_to_tensor(values, name="values")
    if direction == "DESCENDING":
        return _descending(values, int(known), places)
    # Ascending is descending of the opposite numbers: of which unsigned ones have others.
    if values.dtype.is_unsigned:
        limit = values.dtype.max
        found = _descending(limit - values, int(known), places)
        return found if places else limit - found
    if values.dtype.is_integer:
        found = _descending(-values - 1, int(known), places)
        return found if places else -found - 1
    found = _descending(-values, int(known), places)
    return found if places else -found


def _descending(values: Any, axis: int, places: bool) -> Any:
    count = shapes.shape(values)[axis]  # type: ignore[index]
    rank: Any = shapes.rank(values)
    static = values.shape.ndims
    if axis == -1 or axis + 1 == static:
        values, indices = top_k(values, count)
        return indices if places else values
    # `axis` and the last one change places, and change back afterwards.
    where: Any = axis if axis >= 0 else axis + (static or rank)
    if static is not None:
        last = static - 1
        order: Any = constant(
            np.r_[np.arange(where), [last], np.arange(where + 1, last), [where]],
            name="transposition",
        )
    else:
        order = tensor_scatter_update(range_of(rank), [[where], [rank - 1]], [rank - 1, where])
    values, indices = top_k(transpose(values, order), count)
    return transpose(indices if places else values, order)


# LowerBound, UpperBound -------------------------------------------------------------------------

_NUMBERS = ["float", "double", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
            "uint64", "bfloat16", "half"]  # fmt: skip


def _bound(op_type: str, side: Any) -> OpCard:
    card = define_op(
        op_type,
        "sorted_inputs: T, values: T -> output: out_type",
        "T: type, out_type: {int32, int64} = DT_INT32",
    )

    @card.shape
    def shape(c: InferenceContext) -> TensorShape:
        with_rank(c.input(0), 2)
        with_rank(c.input(1), 2)
        return c.input(1)

    @card.kernel(types={"T": _NUMBERS})
    def kernel(sorted_inputs: Any, values: Any, *, out_type: dtypes.DType) -> np.ndarray:
        for what, value in (("sorted_inputs", sorted_inputs), ("values", values)):
            if value.ndim != 2:
                raise invalid(
                    f"Shape must be rank 2 but is rank {value.ndim} for `{what}` argument"
                )
        if len(sorted_inputs) != len(values):
            raise invalid("Leading dim_size of both tensors must match.")
        result = np.empty(values.shape, out_type.as_numpy_dtype)
        for row, (inputs, wanted) in enumerate(zip(sorted_inputs, values)):
            result[row] = np.searchsorted(inputs, wanted, side)
        return result

    card.not_differentiable("indices are integers")
    return card


_lower_bound = _bound("LowerBound", "left")
_upper_bound = _bound("UpperBound", "right")


def searchsorted(
    sorted_sequence: Any, values: Any, side: str = "left", out_type: Any = dtypes.int32,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Where values would go into sorted rows (TensorFlow: `tf.searchsorted`).

    Args:
      sorted_sequence: numbers in ascending order along the last dimension.
      values: of the same dtype and leading dimensions.
      side: "left": before what is equal; "right": after it.
      out_type: int32 or int64.
      name: of the operation.

    Returns:
      indices, of the shape of `values`.

    Raises:
      ValueError: for another side. InvalidArgumentError: if there are not as many rows.

    Example:
      >>> tf.searchsorted([1, 3, 5], [0, 3, 9])  # [0, 1, 3]
    """
    length = shape_of_any(sorted_sequence)[-1]  # type: ignore[index]
    count = shape_of_any(values)[-1]  # type: ignore[index]
    sequences = reshape(sorted_sequence, [-1, length])
    rows = reshape(values, [-1, count])
    if side not in ("left", "right"):
        raise ValueError(
            f"Argument `side` must be either 'right' or 'left'. Received: `side` = '{side}'."
        )
    card = _lower_bound if side == "left" else _upper_bound
    found = card(sequences, rows, name=name, out_type=out_type)
    return reshape(found, shape_of_any(values))
