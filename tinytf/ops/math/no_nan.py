"""Products and quotients that are 0 where a factor is 0, whatever the other one is."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework.array_types import Array
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.op_card import OpCard
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.constant import constant
from tinytf.ops.base.broadcast_gradients import (
    all_of_one_known_shape,
    broadcast_gradient_args,
    reduce_to_inputs,
)
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.math.cast import cast
from tinytf.ops.math.comparison import not_equal
from tinytf.ops.math.division import div_no_nan_op
from tinytf.ops.math.elementwise import after, binary_card
from tinytf.ops.math.sign import negative
from tinytf.ops.math.special.gamma_functions import summed

_TYPES = "T: {half, bfloat16, float, double, complextype}"


def _card(op_type: str, function: Any, types: str = _TYPES, zero: int = 0) -> OpCard:
    """A card for `function`, but 0 where the input with index `zero` is 0."""
    card = binary_card(op_type, types)

    @card.kernel
    def kernel(x: Array, y: Array) -> Array:
        value = function(x, y)
        return np.where(np.equal(y if zero else x, 0), value.dtype.type(0), value)

    return card


# Xlogy, Xlog1py, Xdivy --------------------------------------------------------------------------

_xlogy = _card("Xlogy", lambda x, y: np.multiply(x, np.log(y)))
_xlog1py = _card("Xlog1py", lambda x, y: np.multiply(x, np.log1p(y)))
_xdivy = _card("Xdivy", np.divide)


def _register_gradient(card: OpCard, by_y: Any) -> None:
    """All three are linear in x: the derivative by x is the op with 1 for x (0 where x is 0)."""

    @card.gradient
    def gradient_of_x_and_y(op: Operation, gradient: Any) -> Any:
        x, y = op.inputs
        shape_x, shape_y = ops.shape(x), ops.shape(y)
        axes_x, axes_y = broadcast_gradient_args(shape_x, shape_y)
        with after(gradient):
            dtype = x.dtype.base_dtype
            one = cast(not_equal(x, cast(0.0, dtype)), dtype)
            partial_x, partial_y = card(one, y), by_y(x, y)
            return (
                summed(partial_x * gradient, shape_x, axes_x),
                summed(partial_y * gradient, shape_y, axes_y),
            )


_register_gradient(_xlogy, _xdivy)
_register_gradient(_xlog1py, lambda x, y: _xdivy(x, y + 1.0))
_register_gradient(_xdivy, lambda x, y: _xdivy(negative(x), y**2))


def xlogy(x: Any, y: Any, name: str | None = None) -> Any:
    """`x * log(y)`, but 0 where x is 0 (TensorFlow: `tf.math.xlogy`).

    Args:
      x, y: float or complex tensors of one dtype, broadcast.
      name: of the operation.

    Example:
      >>> tf.math.xlogy([0.0, 2.0], [0.0, 1.0])  # [0., 0.]
    """
    return _xlogy(x, y, name=name)


def xlog1py(x: Any, y: Any, name: str | None = None) -> Any:
    """`x * log(1 + y)`, but 0 where x is 0 (TensorFlow: `tf.math.xlog1py`).

    Args:
      x, y: float or complex tensors of one dtype, broadcast.
      name: a name scope, "xlog1py" by default.

    Example:
      >>> tf.math.xlog1py([0.0, 2.0], [-1.0, 0.0])  # [0., 0.]
    """
    with op_scope(name, "xlog1py", (x,)):
        return _xlog1py(x, y)


def xdivy(x: Any, y: Any, name: str | None = None) -> Any:
    """`x / y`, but 0 where x is 0 (TensorFlow: `tf.math.xdivy`).

    Args:
      x, y: float or complex tensors of one dtype, broadcast.
      name: a name scope, "xdivy" by default.

    Example:
      >>> tf.math.xdivy([0.0, 3.0], [0.0, 2.0])  # [0., 1.5]
    """
    with op_scope(name, "xdivy", (x,)):
        return _xdivy(x, y)


# MulNoNan ---------------------------------------------------------------------------------------

_mul_no_nan = _card("MulNoNan", np.multiply, "T: inexacttype", zero=1)


@_mul_no_nan.gradient
def _mul_no_nan_gradient(op: Operation, gradient: Any) -> Any:
    x, y = op.inputs
    gx, gy = _mul_no_nan(gradient, y), _mul_no_nan(x, gradient)
    return (gx, gy) if all_of_one_known_shape(x, y, gradient) else reduce_to_inputs(x, y, gx, gy)


def multiply_no_nan(x: Any, y: Any, name: str | None = None) -> Any:
    """`x * y`, but 0 where y is 0, even if x is infinite or NaN (`tf.math.multiply_no_nan`).

    Args:
      x, y: float or complex tensors of one dtype, broadcast.
      name: of the operation.

    Raises:
      TypeError: if the dtypes differ.

    Example:
      >>> tf.math.multiply_no_nan([np.nan, 2.0], [0.0, 3.0])  # [0., 6.]
    """
    with op_scope(name, "multiply_no_nan", (x, y)) as scope:
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, name="y", dtype=x.dtype.base_dtype)
        return _mul_no_nan(x, y, name=scope)


def reciprocal_no_nan(x: Any, name: str | None = None) -> Tensor:
    """`1 / x`, but 0 where x is 0 (TensorFlow: `tf.math.reciprocal_no_nan`).

    Args:
      x: a float or complex tensor of any shape.
      name: of the operation.

    Example:
      >>> tf.math.reciprocal_no_nan([0.0, 4.0])  # [0., 0.25]
    """
    with op_scope(name, "reciprocal_no_nan", (x,)) as scope:
        x = convert_to_tensor(x, name="x")
        one = constant(1, dtype=x.dtype.base_dtype, name="one")
        return div_no_nan_op(one, x, name=scope)
