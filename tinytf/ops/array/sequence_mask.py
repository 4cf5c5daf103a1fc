"""Masks of sequences of different lengths: sequence_mask."""

from __future__ import annotations

from typing import Any

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.constant import constant
from tinytf.ops.array.range import all_axes, range_op
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.math.arithmetic import maximum_op
from tinytf.ops.math.cast import cast_op
from tinytf.ops.reduce.reduction import max_op


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
            maxlen = max_op(lengths, all_axes(lengths))
            maxlen = maximum_op(constant(0, maxlen.dtype), maxlen)
        else:
            maxlen = convert_to_tensor(maxlen)
        if maxlen.shape.ndims not in (None, 0):
            raise ValueError(
                f"Argument `maxlen` must be scalar for sequence_mask, received `maxlen` = "
                f"{maxlen} with shape '{maxlen.shape}' instead"
            )
        kind = maxlen.dtype
        row: Any = range_op(constant(0, kind), maxlen, constant(1, kind))
        result = row < cast_op(ops.expand_dims(lengths, -1), DstT=kind)
        if dtype is None or dtypes.as_dtype(dtype).base_dtype == dtypes.bool_:
            return result
        return cast_op(result, DstT=dtype)
