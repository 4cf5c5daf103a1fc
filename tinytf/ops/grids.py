"""Coordinates, masks and matrices made of ranges: meshgrid, sequence_mask, linspace, eye."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.shape_inference import InferenceContext, with_rank
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops import filling, shapes, slicing
from tinytf.ops.arithmetic import _maximum, minimum
from tinytf.ops.broadcasting import broadcast_dynamic_shape
from tinytf.ops.casting import _cast, cast
from tinytf.ops.comparison import equal
from tinytf.ops.constants import constant
from tinytf.ops.filling import zeros, zeros_like
from tinytf.ops.joining import concat, stack
from tinytf.ops.matrix_diagonals import matrix_diag, matrix_set_diag
from tinytf.ops.op_scope import op_scope
from tinytf.ops.ranges import _range
from tinytf.ops.ranges import range as range_of
from tinytf.ops.rearranging import broadcast_to
from tinytf.ops.reduction import _max
from tinytf.ops.selection import where_v2
from tinytf.ops.shape_rules import shown
from tinytf.ops.shapes import expand_dims, reshape

# Made of other ops ------------------------------------------------------------------------------


def meshgrid(*args: Any, **kwargs: Any) -> list[Tensor]:
    """Vectors of coordinates, repeated over a grid (TensorFlow: `tf.meshgrid`).

    Args:
      *args: n vectors of one dtype.
      indexing: "xy" (the default: the first vector runs along the columns) or "ij" (the rows).
      name: of the operations' scope.

    Returns:
      n tensors of rank n: the coordinates of every point of the grid.

    Raises:
      ValueError: for another `indexing`. TypeError: for another keyword.

    Example:
      >>> x, y = tf.meshgrid([1, 2], [3, 4])
      >>> x  # [[1, 2], [1, 2]]
      >>> y  # [[3, 3], [4, 4]]
    """
    indexing, name = kwargs.pop("indexing", "xy"), kwargs.pop("name", "meshgrid")
    if kwargs:
        raise TypeError(f"'{next(iter(kwargs))}' is an invalid keyword argument for this function")
    if indexing not in ("xy", "ij"):
        raise ValueError(
            f"Argument `indexing` parameter must be either 'xy' or 'ij', got '{indexing}'"
        )
    with op_scope(name, "meshgrid", args):
        count = len(args)
        if not count:
            return []
        order = list(range(count))
        if indexing == "xy" and count > 1:
            order[:2] = [1, 0]
        spread: list[Any] = [
            reshape(stack(x), (1,) * i + (-1,) + (1,) * (count - i - 1)) for i, x in enumerate(args)
        ]
        sizes = [shapes.size(x) for x in args]
        kind = convert_to_tensor(args[0]).dtype.base_dtype
        for i in range(count):
            if order[i] != i:
                along = (1,) * order[i] + (-1,) + (1,) * (count - order[i] - 1)
                spread[i] = reshape(spread[i], along)
        ones = filling.ones([sizes[i] for i in order], dtype=kind)
        return [x * ones for x in spread]


def sequence_mask(
    lengths: Any, maxlen: Any = None, dtype: Any = dtypes.bool_, name: str | None = None
) -> Tensor:
    """For each length, that many true values at the start (TensorFlow: `tf.sequence_mask`).

    Args:
      lengths: an integer tensor of any shape.
      maxlen: how long the rows are, a scalar; by default as long as the longest.
      dtype: of the result; ones and zeros for numbers.
      name: of the operations' scope.

    Returns:
      a tensor lengths.shape + [maxlen].

    Raises:
      ValueError: if `maxlen` is no scalar.

    Example:
      >>> tf.sequence_mask([1, 3])  # [[True, False, False], [True, True, True]]
    """
    with op_scope(name, "SequenceMask", (lengths, maxlen)):
        lengths = convert_to_tensor(lengths)
        if maxlen is None:
            maxlen = _max(lengths, all_axes(lengths))
            maxlen = _maximum(constant(0, maxlen.dtype), maxlen)
        else:
            maxlen = convert_to_tensor(maxlen)
        if maxlen.shape.ndims not in (None, 0):
            raise ValueError(
                f"Argument `maxlen` must be scalar for sequence_mask, received `maxlen` = "
                f"{maxlen} with shape '{maxlen.shape}' instead"
            )
        kind = maxlen.dtype
        row: Any = _range(constant(0, kind), maxlen, constant(1, kind))
        result = row < _cast(expand_dims(lengths, -1), DstT=kind)
        if dtype is None or dtypes.as_dtype(dtype).base_dtype == dtypes.bool_:
            return result
        return _cast(result, DstT=dtype)


def all_axes(x: Tensor) -> Tensor:
    """All axes of a tensor, for a reduction."""
    rank = x.shape.ndims
    if rank is not None:
        return constant(np.arange(rank, dtype=np.int32))
    return _range(0, shapes.rank(x), 1)


def eye(
    num_rows: Any, num_columns: Any = None, batch_shape: Any = None, dtype: Any = dtypes.float32,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The identity matrix, or a batch of it (TensorFlow: `tf.eye`).

    Args:
      num_rows: how many rows, a number or a scalar int32 tensor.
      num_columns: likewise; by default as many as rows.
      batch_shape: leading dimensions, a list or an int32 vector.
      dtype: of the result.
      name: of the operations' scope.

    Raises:
      TypeError: if a size is no integer. ValueError: if it is negative.

    Example:
      >>> tf.eye(2)  # [[1., 0.], [0., 1.]]
    """
    with op_scope(name, "eye", (num_rows, num_columns, batch_shape)):
        square = num_columns is None
        batch_shape = [] if batch_shape is None else batch_shape
        num_columns = num_rows if num_columns is None else num_columns
        if isinstance(num_rows, Tensor) or isinstance(num_columns, Tensor):
            length: Any = minimum(num_rows, num_columns)
        else:
            for size in (num_rows, num_columns):
                if not isinstance(size, int | np.integer):
                    raise TypeError(
                        f"Arguments `num_rows` and `num_columns` must be positive integer values. "
                        f"Received: num_rows={num_rows}, num_columns={num_columns}"
                    )
            square = num_rows == num_columns
            length = min(num_rows, num_columns)
        if isinstance(batch_shape, Tensor) or isinstance(length, Tensor):
            batch: Any = convert_to_tensor(batch_shape, name="shape", dtype=dtypes.int32)
            diagonal_shape: Any = concat((batch, [length]), axis=0)
            if not square:
                sizes: Any = concat((batch, [num_rows, num_columns]), axis=0)
        else:
            diagonal_shape = [*batch_shape, length]
            sizes = [*batch_shape, num_rows, num_columns]
        ones = filling.ones(diagonal_shape, dtype=dtype)
        if square:
            return matrix_diag(ones)
        return matrix_set_diag(zeros(sizes, dtype=dtype), ones)


# LinSpace ---------------------------------------------------------------------------------------

_lin_space = define_op(
    "LinSpace",
    "start: T, stop: T, num: Tidx -> output: T",
    "T: {bfloat16, half, float, double}, Tidx: {int32, int64} = DT_INT32",
    no_gradient="TensorFlow defines none; tf.linspace is made of ops that have one",
)


@_lin_space.shape
def _lin_space_shape(c: InferenceContext) -> TensorShape:
    for index, what in enumerate(("start", "stop", "num")):
        try:
            with_rank(c.input(index), 0)
        except ValueError as error:
            raise ValueError(f"{error}\n\t for '{what}'") from None
    num = c.constant(2)
    if num is not None and num <= 0:
        raise ValueError(f"Requires num > 0: {int(num)}")
    return TensorShape.of((None if num is None else int(num),))


@_lin_space.kernel(types={"T": ["float", "double"]})
def _lin_space_kernel(start: Any, stop: Any, num: Any) -> np.ndarray:
    for what, value in (("start", start), ("stop", stop), ("num", num)):
        if value.ndim:
            raise invalid(f"{what} must be a scalar, not shape {shown(value)}")
    if num <= 0:
        raise invalid(f"Requires num > 0: {int(num)}")
    step = (stop - start) / start.dtype.type(max(int(num) - 1, 1))
    result = start + step * np.arange(int(num), dtype=start.dtype)
    if num > 1:
        result[-1] = stop
    return result


def linspace(start: Any, stop: Any, num: Any, name: str | None = None, axis: Any = 0) -> Tensor:
    """Evenly spaced numbers between two bounds, both included (TensorFlow: `tf.linspace`).

    Args:
      start, stop: the bounds, numbers or tensors whose shapes broadcast.
      num: how many, an integer scalar; 0 gives none.
      name: of the operations' scope.
      axis: where the new dimension goes, if the bounds are no scalars.

    Returns:
      a tensor of the dtype of the bounds (float64 for integers).

    Raises:
      TypeError: if `num` is no integer. ValueError, InvalidArgumentError: if it is negative.

    Example:
      >>> tf.linspace(0.0, 1.0, 5)  # [0., 0.25, 0.5, 0.75, 1.]
    """
    with op_scope(name, "linspace", (start, stop)):
        start = convert_to_tensor(start, name="start")
        stop = convert_to_tensor(stop, name="stop", dtype=start.dtype)
        count: Any = as_integers(num, "num")
        cast(count, start.dtype)  # TensorFlow's graph has this node as well; nothing uses it
        both = broadcast_dynamic_shape(shapes.shape(start), shapes.shape(stop))
        start, stop = broadcast_to(start, both), broadcast_to(stop, both)
        first: Any = expand_dims(start, axis=axis)
        last: Any = expand_dims(stop, axis=axis)
        sizes: Any = shapes.shape(first)
        rank: Any = shapes.shape(sizes)[0]  # type: ignore[index]
        axis = where_v2(axis >= 0, axis, rank + axis)
        inner = _maximum(count - 2, 0)
        steps = _maximum(count - 1, 1)
        delta: Any = (last - first) / cast(steps, last.dtype)
        first, last = cast(first, delta.dtype), cast(last, delta.dtype)
        end = where_v2(count >= 0, steps, -1)
        numbers = cast(range_of(1, end, dtype=dtypes.int64), delta.dtype)
        shape = where_v2(equal(axis, range_of(rank)), inner, 1)
        between: Any = first + delta * reshape(numbers, shape)
        whole = concat((first, between, last), axis=axis)
        begin = zeros_like(sizes)
        size = concat((sizes[0:axis], reshape(count, [1]), sizes[axis + 1 :]), axis=0)
        return slicing.slice(whole, begin, size)


def as_integers(value: Any, name: str, dtype: Any = dtypes.int32) -> Tensor:
    """A tensor of this integer dtype; TypeError if the value holds no integers."""
    tensor = convert_to_tensor(value, name=name, preferred_dtype=dtype)
    if not tensor.dtype.is_integer:
        raise TypeError(
            f"Argument `tensor` (name: {name}) must be of type integer. Received `tensor` = "
            f"{tensor} of dtype: {tensor.dtype}"
        )
    return _cast(tensor, DstT=dtype)
