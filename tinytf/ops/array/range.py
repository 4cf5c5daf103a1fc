"""Range: numbers in even steps."""

from __future__ import annotations

import builtins
import math
from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.array_types import Array
from tinytf.framework.conversion import convert_to_tensor, register_tensor_conversion_function
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.shape_inference import InferenceContext, with_rank
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.math.cast import cast

range_op = define_op(
    "Range",
    "start: Tidx, limit: Tidx, delta: Tidx -> output: Tidx",
    "Tidx: {floattype, int8, int16, int32, int64, uint16, uint32} = DT_INT32",
    no_gradient="the number of elements depends on the arguments",
)
_LONGEST = 2**63 - 1


@range_op.shape
def _range_shape(c: InferenceContext) -> TensorShape:
    for index, what in enumerate(("start", "limit", "delta")):
        try:
            with_rank(c.input(index), 0)
        except ValueError as error:
            raise ValueError(f"{error}\n\t for '{what}'") from None
    values = [c.constant(index) for index in builtins.range(3)]
    start, limit, delta = values
    if start is None or limit is None or delta is None:
        return unknown_shape(1)
    if delta == 0:
        raise ValueError("Requires delta != 0")
    return TensorShape.of((_length(start, limit, delta),))


def _length(start: Any, limit: Any, delta: Any) -> int:
    """The number of elements; ValueError, in TensorFlow's words, if the step leads away."""
    if delta > 0 and start > limit:
        raise ValueError(f"Requires start <= limit when delta > 0: {start:g}/{limit:g}")
    if delta < 0 and start < limit:
        raise ValueError(f"Requires start >= limit when delta < 0: {start:g}/{limit:g}")
    if start.dtype.kind in "iu":
        return -(-abs(int(limit) - int(start)) // abs(int(delta)))
    # In the dtype itself: the quotient of two float32 decides how many float32 there are.
    steps = float(np.abs(np.divide(np.subtract(limit, start), delta)))
    if not steps <= _LONGEST:
        raise ValueError(f"Requires ((limit - start) / delta) <= {_LONGEST}")
    return math.ceil(steps)


@range_op.kernel(types={"Tidx": ["float", "double", "int32", "int64"]})
def _range_kernel(start: Array, limit: Array, delta: Array) -> np.ndarray:
    for what, value in (("start", start), ("limit", limit), ("delta", delta)):
        if value.shape not in ((), (1,)):
            raise invalid(f"{what} must be a scalar, not shape {shown(value)}")
    if start.ndim or limit.ndim or delta.ndim:
        start, limit, delta = (value.reshape(()) for value in (start, limit, delta))
    if delta == 0:
        raise invalid(f"Requires delta != 0: {delta:g}")
    try:
        count = _length(start, limit, delta)
    except ValueError as error:
        raise invalid(str(error)) from None
    # Not np.arange with all three: its length may be one more for floats, and its steps differ.
    return np.add(np.multiply(np.arange(count, dtype=start.dtype), delta), start)


#: Where dtypes of the three differ, the last of these wins.
_ORDER = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64)


def range(
    start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str | None = "range"
) -> Tensor:
    """Numbers from `start` up to, but without, `limit` (TensorFlow: `tf.range`).

    Args:
      start: the first number; the limit, if none is given.
      limit: where to stop. delta: the step, which may be negative.
      dtype: int32, int64, float32 or float64; by default the widest of the arguments.
      name: of the operation.

    Returns:
      a vector of `ceil((limit - start) / delta)` elements.

    Raises:
      ValueError, InvalidArgumentError: if delta is 0 or leads away from the limit.

    Example:
      >>> tf.range(3, 18, 3)  # [3, 6, 9, 12, 15]
    """
    if limit is None:
        start, limit = 0, start
    with op_scope(name, "Range", (start, limit, delta)) as scope:
        arguments = [
            value if isinstance(value, Tensor) else convert_to_tensor(value, dtype, name=argument)
            for argument, value in (("start", start), ("limit", limit), ("delta", delta))
        ]
        if dtype is None:
            kinds = [argument.dtype.base_dtype for argument in arguments]
            for kind in kinds:
                if kind not in _ORDER:
                    raise TypeError(
                        f"tf.range takes {', '.join(k.name for k in _ORDER)}, got {kind.name}. "
                        f"Pass dtype=... to convert the arguments."
                    )
            dtype = max(kinds, key=_ORDER.index)
        return range_op(*(cast(argument, dtype) for argument in arguments), name=scope)


def _convert_range(
    value: builtins.range, dtype: Any = None, name: str | None = None, as_ref: bool = False
) -> Tensor:
    return range(value.start, value.stop, value.step, dtype=dtype, name=name)


register_tensor_conversion_function(builtins.range, _convert_range)


def all_axes(x: Tensor) -> Tensor:
    """All axes of a tensor, for a reduction."""
    rank = x.shape.ndims
    if rank is not None:
        return ops.constant(np.arange(rank, dtype=np.int32))
    return range_op(0, ops.rank(x), 1)
