"""Reductions beyond the simple ones: variance, standard deviation, the Euclidean norm."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.math.arithmetic import mul_op
from tinytf.ops.math.complex_numbers import conj_op, real_op
from tinytf.ops.math.division import truediv
from tinytf.ops.math.power import sqrt_op, square_op
from tinytf.ops.reduce.axes import as_scalar, axes_or_all, reduced_shape
from tinytf.ops.reduce.reduction import accumulating, add_reduce, reduce_mean, reduction_card

# EuclideanNorm ----------------------------------------------------------------------------------

_euclidean_norm = reduction_card("EuclideanNorm", "T: numbertype")


def _norm_over(x: Any, axes: Any, keep: bool) -> Any:
    squares = np.multiply(x, np.conj(x)) if x.dtype.kind == "c" else np.multiply(x, x)
    return np.sqrt(add_reduce(squares, axes, x.dtype, None, keep)).astype(x.dtype)


accumulating(_euclidean_norm, _norm_over)


@_euclidean_norm.gradient
def _euclidean_norm_gradient(op: Operation, gradient: Any) -> list[Any]:
    x, norm = op.inputs[0], op.outputs[0]
    if not op.attrs["keep_dims"]:
        kept = reduced_shape(ops.shape(x), op.inputs[1])
        norm = ops.reshape(norm, kept)
        gradient = ops.reshape(gradient, kept)
    return [truediv(x, norm / gradient), None]


def reduce_euclidean_norm(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The root of the sum of squares (TensorFlow: `tf.math.reduce_euclidean_norm`).

    Args:
      input_tensor: a numeric tensor of any shape; of complex numbers the absolute values count.
      axis: a number or list from -rank to rank - 1, or a tensor; None for all axes.
      keepdims: whether a reduced axis stays, with size 1.
      name: of the operation.

    Raises:
      ValueError, InvalidArgumentError: for an axis out of range.

    Example:
      >>> tf.math.reduce_euclidean_norm([3.0, 4.0])  # 5.0
    """
    keep = bool(keepdims)
    result = _euclidean_norm(
        input_tensor, axes_or_all(input_tensor, axis), name=name, keep_dims=keep
    )
    return as_scalar(result, axis, keep)


# Made of others ---------------------------------------------------------------------------------


def reduce_variance(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The mean of squared distances from the mean (TensorFlow: `tf.math.reduce_variance`).

    Arguments as of `reduce_euclidean_norm`.

    Raises:
      TypeError: for integers. ValueError, InvalidArgumentError: for an axis out of range.

    Example:
      >>> tf.math.reduce_variance([1.0, 3.0])  # 1.0
    """
    with op_scope(name, "reduce_variance"):
        x: Any = convert_to_tensor(input_tensor)
        means = reduce_mean(x, axis=axis, keepdims=True)
        if means.dtype.is_integer:
            raise TypeError(
                f"Input must be either real or complex. Received integer type {means.dtype}."
            )
        distance = x - means
        if distance.dtype.is_complex:
            kind = distance.dtype.real_dtype
            squares = real_op(mul_op(conj_op(distance), distance), Tout=kind)
        else:
            squares = square_op(distance)
        return reduce_mean(squares, axis=axis, keepdims=keepdims)


def reduce_std(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The standard deviation (TensorFlow: `tf.math.reduce_std`); as `reduce_variance`.

    Example:
      >>> tf.math.reduce_std([1.0, 5.0])  # 2.0
    """
    with op_scope(name, "reduce_std"):
        x = convert_to_tensor(input_tensor)
        return sqrt_op(reduce_variance(x, axis=axis, keepdims=keepdims))
