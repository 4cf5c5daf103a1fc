"""Running sums and products, and running sums of what is given by its logarithm."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework import shape_inference
from tinytf.framework.array_types import Array
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.where import where_v2
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.math.comparison import greater, less
from tinytf.ops.math.division import div_no_nan
from tinytf.ops.math.exp_log import exp, log

# Cumsum, Cumprod --------------------------------------------------------------------------------


def _scan(op_type: str, types: str = "T: numbertype") -> OpCard:
    return define_op(
        op_type,
        "x: T, axis: Tidx -> out: T",
        "exclusive: bool = false, reverse: bool = false",
        types,
        "Tidx: {int32, int64} = DT_INT32",
        shape=shape_inference.unchanged,
    )


_cumsum = _scan("Cumsum")
_cumprod = _scan("Cumprod")


@_cumsum.kernel
def _cumsum_kernel(x: Array, axis: Array, *, exclusive: bool, reverse: bool) -> np.ndarray:
    return _accumulate(np.add, x, axis, exclusive, reverse, 0)


@_cumprod.kernel
def _cumprod_kernel(x: Array, axis: Array, *, exclusive: bool, reverse: bool) -> np.ndarray:
    return _accumulate(np.multiply, x, axis, exclusive, reverse, 1)


def _accumulate(
    ufunc: np.ufunc, x: Any, axis: Any, exclusive: bool, reverse: bool, neutral: float
) -> np.ndarray:
    if axis.ndim != 0:
        raise invalid(f"ScanOp: axis must be a scalar, not {shown(axis)}")
    along = int(axis)
    if not -x.ndim <= along < x.ndim:
        raise invalid(
            f"ScanOp: Expected scan axis in the range [{-x.ndim}, {x.ndim}), but got {along}"
        )
    if reverse:
        x = np.flip(x, along)
    result = ufunc.accumulate(x, axis=along, dtype=x.dtype)
    if exclusive and x.size:
        # Everything one place further on, and the neutral element before it.
        rows = np.moveaxis(result, along, 0)
        moved = np.empty_like(rows)
        moved[0] = neutral
        moved[1:] = rows[:-1]
        result = np.moveaxis(moved, 0, along)
    return np.flip(result, along) if reverse else result


@_cumsum.gradient
def _cumsum_gradient(op: Operation, gradient: Any) -> list[Any]:
    exclusive, reverse = op.attrs["exclusive"], op.attrs["reverse"]
    return [cumsum(gradient, op.inputs[1], exclusive=exclusive, reverse=not reverse), None]


@_cumprod.gradient
def _cumprod_gradient(op: Operation, gradient: Any) -> list[Any]:
    x, axis = op.inputs
    exclusive, reverse = op.attrs["exclusive"], op.attrs["reverse"]
    product: Any = cumprod(x, axis, exclusive=exclusive, reverse=reverse)
    total = cumsum(product * gradient, axis, exclusive=exclusive, reverse=not reverse)
    return [div_no_nan(total, x), None]


def cumsum(
    x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """Running sums along an axis (TensorFlow: `tf.cumsum`).

    Args:
      x: a numeric tensor of rank 1 or more.
      axis: from -rank to rank - 1.
      exclusive: whether a sum leaves out the element itself.
      reverse: whether to begin at the end.
      name: of the operation.

    Raises:
      InvalidArgumentError: in a run, for an axis out of range.

    Example:
      >>> tf.cumsum([1, 2, 3])                  # [1, 3, 6]
      >>> tf.cumsum([1, 2, 3], exclusive=True)  # [0, 1, 3]
    """
    return _cumsum(x, axis, name=name, exclusive=exclusive, reverse=reverse)


def cumprod(
    x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """Running products along an axis (TensorFlow: `tf.cumprod`); arguments as of `cumsum`.

    Example:
      >>> tf.cumprod([2, 3, 4])  # [2, 6, 24]
    """
    return _cumprod(x, axis, name=name, exclusive=exclusive, reverse=reverse)


# CumulativeLogsumexp ----------------------------------------------------------------------------

_cumulative_logsumexp = _scan("CumulativeLogsumexp", "T: floattype")


@_cumulative_logsumexp.kernel
def _cumulative_logsumexp_kernel(
    x: Array, axis: Array, *, exclusive: bool, reverse: bool
) -> np.ndarray:
    return _accumulate(np.logaddexp, x, axis, exclusive, reverse, -np.inf)


@_cumulative_logsumexp.gradient
def _cumulative_logsumexp_gradient(op: Operation, gradient: Any) -> list[Any]:
    # By the logarithms of the positive and of the negative parts of the gradient.

    (x, axis), result = op.inputs, op.outputs[0]
    smallest = gradient.dtype.min

    def part(logarithm: Any) -> Any:
        total: Any = cumulative_logsumexp(
            logarithm - result,
            axis=axis,
            exclusive=op.attrs["exclusive"],
            reverse=not op.attrs["reverse"],
        )
        return exp(total + x)

    positive = where_v2(greater(gradient, 0), log(gradient), smallest)
    negative = where_v2(less(gradient, 0), log(-gradient), smallest)
    return [part(positive) - part(negative), None]


def cumulative_logsumexp(
    x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """`log(cumsum(exp(x)))`, without overflow (TensorFlow: `tf.math.cumulative_logsumexp`).

    Arguments and errors as of `cumsum`, for floating-point numbers.

    Example:
      >>> tf.math.cumulative_logsumexp([1000.0, 1000.0])  # [1000., 1000.6931]
    """
    with op_scope(name, "CumulativeLogsumexp", (x,)) as scope:
        x = convert_to_tensor(x, name="x")
        return _cumulative_logsumexp(x, axis, name=scope, exclusive=exclusive, reverse=reverse)
