"""Numbers in even steps between two ends: linspace."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.array_types import Array
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.shape_inference import InferenceContext, with_rank
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.array.range import range as range_of
from tinytf.ops.array.where import where_v2
from tinytf.ops.base.broadcast_gradients import broadcast_dynamic_shape
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.math.arithmetic import maximum_op
from tinytf.ops.math.cast import cast, cast_op
from tinytf.ops.math.comparison import equal

_lin_space = define_op(
    "LinSpace",
    "start: T, stop: T, num: Tidx -> output: T",
    "T: floattype, Tidx: {int32, int64} = DT_INT32",
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
def _lin_space_kernel(start: Array, stop: Array, num: Array) -> np.ndarray:
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
        both = broadcast_dynamic_shape(ops.shape(start), ops.shape(stop))
        start, stop = ops.broadcast_to(start, both), ops.broadcast_to(stop, both)
        first: Any = ops.expand_dims(start, axis=axis)
        last: Any = ops.expand_dims(stop, axis=axis)
        sizes: Any = ops.shape(first)
        rank: Any = ops.shape(sizes)[0]  # type: ignore[index]
        axis = where_v2(axis >= 0, axis, rank + axis)
        inner = maximum_op(count - 2, 0)
        steps = maximum_op(count - 1, 1)
        delta: Any = (last - first) / cast(steps, last.dtype)
        first, last = cast(first, delta.dtype), cast(last, delta.dtype)
        end = where_v2(count >= 0, steps, -1)
        numbers = cast(range_of(1, end, dtype=dtypes.int64), delta.dtype)
        shape = where_v2(equal(axis, range_of(rank)), inner, 1)
        between: Any = first + delta * ops.reshape(numbers, shape)
        whole = ops.concat((first, between, last), axis=axis)
        begin = ops.zeros_like(sizes)
        size = ops.concat((sizes[0:axis], ops.reshape(count, [1]), sizes[axis + 1 :]), axis=0)
        return ops.slice(whole, begin, size)


def as_integers(value: Any, name: str, dtype: Any = dtypes.int32) -> Tensor:
    """A tensor of this integer dtype; TypeError if the value holds no integers."""
    tensor = convert_to_tensor(value, name=name, preferred_dtype=dtype)
    if not tensor.dtype.is_integer:
        raise TypeError(
            f"Argument `tensor` (name: {name}) must be of type integer. Received `tensor` = "
            f"{tensor} of dtype: {tensor.dtype}"
        )
    return cast_op(tensor, DstT=dtype)
