"""Where values belong in what is sorted: searchsorted."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.array_types import Array
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.shape_inference import InferenceContext, with_rank
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.array.shape import shape_of_any


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

    @card.kernel(types={"T": ["floattype", "integertype"]})
    def kernel(sorted_inputs: Array, values: Array, *, out_type: dtypes.DType) -> np.ndarray:
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
    sorted_sequence: Any,
    values: Any,
    side: str = "left",
    out_type: Any = dtypes.int32,
    name: str | None = None,
) -> Tensor:
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
    sequences = ops.reshape(sorted_sequence, [-1, length])
    rows = ops.reshape(values, [-1, count])
    if side not in ("left", "right"):
        raise ValueError(
            f"Argument `side` must be either 'right' or 'left'. Received: `side` = '{side}'."
        )
    card = _lower_bound if side == "left" else _upper_bound
    found = card(sequences, rows, name=name, out_type=out_type)
    return ops.reshape(found, shape_of_any(values))
