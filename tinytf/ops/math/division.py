"""Division, in the five ways TensorFlow has it, and the remainders that go with them.

RealDiv      7 / -2 = -3.5     floats only
FloorDiv     7 / -2 = -4       rounds down; FloorMod's remainder has the sign of the divisor
TruncateDiv  7 / -2 = -3       rounds towards zero, as C does; so does Mod's remainder
Div                            TruncateDiv for integers, RealDiv for floats
DivNoNan     7 / 0 = 0
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from tinytf.framework import dtypes
from tinytf.framework.array_types import Array
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.ops.base.broadcast_gradients import reduce_to_inputs
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.math.cast import cast
from tinytf.ops.math.complex_numbers import conj
from tinytf.ops.math.elementwise import binary_card
from tinytf.ops.math.sign import negative

_ALL = "T: {floattype, uint8, int8, uint16, int16, int32, uint32, uint64, int64, complextype}"


def _check_divisor(x: Any, y: Any) -> None:
    if not (y if y.ndim == 0 else np.all(y)) and x.size:  # np.all takes long for one number
        raise invalid("Integer division by zero")


# RealDiv ----------------------------------------------------------------------------------------

_real_div = binary_card("RealDiv", _ALL)
_real_div.kernel(operator.truediv, types={"T": ["inexacttype"]})


@_real_div.gradient
def _real_div_gradient(op: Operation, gradient: Any) -> tuple[Any, Any]:
    x, y = op.inputs
    cx: Any = conj(x)
    cy = conj(y)
    gx = _real_div(gradient, cy)
    return reduce_to_inputs(x, y, gx, gradient * _real_div(_real_div(-cx, cy), cy))


def realdiv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """`x / y` of floats or complex numbers, broadcast (TensorFlow: `tf.realdiv`).

    Args:
      x, y: tensors of one dtype. Integers have no kernel; `truediv` converts them.
      name: of the operation.

    Example:
      >>> tf.realdiv([7.0, 1.0], 2.0)  # [3.5, 0.5]
    """
    return _real_div(x, y, name=name)


#: What `/` computes in; None: in the dtype itself.
_TRUEDIV: dict[dtypes.DType, dtypes.DType | None] = {
    dtypes.uint8: dtypes.float32,
    dtypes.int8: dtypes.float32,
    dtypes.uint16: dtypes.float32,
    dtypes.int16: dtypes.float32,
    dtypes.uint32: dtypes.float64,
    dtypes.int32: dtypes.float64,
    dtypes.uint64: dtypes.float64,
    dtypes.int64: dtypes.float64,
    dtypes.bfloat16: None,
    dtypes.float16: None,
    dtypes.float32: None,
    dtypes.float64: None,
    dtypes.complex64: None,
    dtypes.complex128: None,
}


def truediv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """`x / y` as in Python 3: integers give floats (TensorFlow: `tf.truediv`).

    Args:
      x, y: numeric tensors of one dtype. Integers of 8 and 16 bits become float32, longer ones
        float64.
      name: of the operation.

    Raises:
      TypeError: if the dtypes differ or are not numeric.

    Example:
      >>> tf.truediv([7], [2])  # [3.5], float64
    """
    name = "truediv" if name is None else name
    if isinstance(x, Tensor) and isinstance(y, Tensor):
        dtype = x.dtype.base_dtype
        if dtype is y.dtype.base_dtype and dtype.is_floating:
            return _real_div(x, y, name=name)  # the common case: nothing to convert
    with op_scope(name, "truediv", (x, y)) as scope:
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, dtype_hint=x.dtype.base_dtype, name="y")
        return _real_div(*as_fractions(x, y, "__truediv__"), name=scope)


def as_fractions(x: Tensor, y: Tensor, function: str) -> tuple[Tensor, Tensor]:
    """Both in the type that their quotient has; `function` is for the message of an error."""
    _check_same_dtype(x, y)
    dtype = x.dtype.base_dtype
    if dtype not in _TRUEDIV:
        known = ", ".join(repr(known) for known in _TRUEDIV)
        raise TypeError(f"Invalid dtype {dtype!r} in {function}. Expected one of {{{known}}}.")
    wider = _TRUEDIV[dtype]
    return (x, y) if wider is None else (cast(x, wider), cast(y, wider))


def _check_same_dtype(x: Tensor, y: Tensor) -> None:
    if x.dtype.base_dtype is not y.dtype.base_dtype:
        raise TypeError(
            f"`x` and `y` must have the same dtype, got {x.dtype.base_dtype!r} != "
            f"{y.dtype.base_dtype!r}."
        )


def divide(x: Any, y: Any, name: str | None = None) -> Tensor:
    """`x / y` as Python's operator has it (TensorFlow: `tf.divide`).

    Args:
      x, y: tensors or numbers, at least one of them a tensor.
      name: of the operation.

    Example:
      >>> tf.divide(tf.constant([7, 1]), 2)  # [3.5, 0.5], float64
    """
    if name is not None:
        return truediv(x, y, name=name)
    if not isinstance(x, Tensor):
        x = convert_to_tensor(x, dtype=y.dtype.base_dtype if isinstance(y, Tensor) else None)
    return x / y


def div(x: Any, y: Any, name: str | None = None) -> Tensor:
    """`x / y` as in Python 2: floor division for integers (TensorFlow 1.x: `tf.div`).

    Args:
      x, y: numeric tensors of one dtype.
      name: of the operation.

    Raises:
      TypeError: if the dtypes differ.

    Example:
      >>> tf.div([7], [2])  # [3]
    """
    with op_scope(name, "div", (x, y)) as scope:
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, name="y", dtype=x.dtype.base_dtype)
        _check_same_dtype(x, y)
        is_real = x.dtype.is_floating or x.dtype.is_complex
        return (_real_div if is_real else _floor_div)(x, y, name=scope)


# Div --------------------------------------------------------------------------------------------

_div = binary_card("Div", _ALL, np.divide)


@_div.gradient
def _div_gradient(op: Operation, gradient: Any) -> tuple[Any, Any]:
    x, y = op.inputs
    cx: Any = conj(x)
    cy = conj(y)
    gx = divide(gradient, cy)
    return reduce_to_inputs(x, y, gx, gradient * divide(divide(-cx, cy), cy))


# TruncateDiv ------------------------------------------------------------------------------------

_truncate_div = binary_card("TruncateDiv", _ALL, no_gradient="the quotient is a step function")


@_truncate_div.kernel(types={"T": ["floattype"]})
def _truncate_quotient(x: Array, y: Array) -> Array:
    return np.trunc(np.divide(x, y))


@_truncate_div.kernel(types={"T": ["integertype"]})
def truncated_quotient(x: Array, y: Array) -> Array:
    """Of integers, rounded towards zero; InvalidArgumentError for a divisor that is 0."""
    _check_divisor(x, y)
    quotient = np.floor_divide(x, y)
    if quotient.dtype.kind == "u":
        return quotient
    # Rounding down went too far where the signs differ and something is left over.
    too_low = np.logical_and(np.not_equal(np.fmod(x, y), 0), np.less(np.bitwise_xor(x, y), 0))
    return np.add(quotient, too_low.astype(quotient.dtype))


_div.kernel(truncated_quotient, types={"T": ["integertype"]})


def truncatediv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The quotient rounded towards zero, as in C (TensorFlow: `tf.truncatediv`).

    Args:
      x, y: real tensors of one dtype.
      name: of the operation.

    Raises:
      InvalidArgumentError: for an integer divided by zero.

    Example:
      >>> tf.truncatediv(-7, 5)  # -1
    """
    return _truncate_div(x, y, name=name)


# FloorDiv ---------------------------------------------------------------------------------------

_floor_div = binary_card("FloorDiv", _ALL, no_gradient="the quotient is a step function")


@_floor_div.kernel(types={"T": ["floattype"]})
def _floor_quotient(x: Array, y: Array) -> Array:
    # Not np.floor_divide: it gives 9 for 1.0 // 0.1, TensorFlow rounds the quotient, 10.
    return np.floor(np.divide(x, y))


@_floor_div.kernel(types={"T": ["integertype"]})
def _floor_integer_quotient(x: Array, y: Array) -> Array:
    _check_divisor(x, y)
    return np.floor_divide(x, y)


def floor_div(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The quotient rounded down (TensorFlow: `tf.floor_div`); node name "FloorDiv".

    Example:
      >>> tf.floor_div([7, -7], 2)  # [3, -4]
    """
    return _floor_div(x, y, name=name)


def floordiv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The quotient rounded down, Python's `//` (TensorFlow: `tf.floordiv`).

    Args:
      x, y: real tensors of one dtype.
      name: of the operation.

    Raises:
      InvalidArgumentError: for an integer divided by zero.

    Example:
      >>> tf.floordiv(-7, 5)  # -2
    """
    return _floor_div(x, y, name="floordiv" if name is None else name)


# FloorMod ---------------------------------------------------------------------------------------

_floor_mod = binary_card("FloorMod", "T: {integertype, floattype}", operator.mod)


@_floor_mod.kernel(types={"T": ["integertype"]})
def _integer_remainder(x: Array, y: Array) -> Array:
    _check_divisor(x, y)
    return operator.mod(x, y)


@_floor_mod.gradient
def _floor_mod_gradient(op: Operation, gradient: Any) -> tuple[Any, Any]:
    x, y = conj(op.inputs[0]), conj(op.inputs[1])
    return reduce_to_inputs(x, y, gradient, gradient * negative(floor_div(x, y)))


def floormod(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The remainder with the sign of the divisor (TensorFlow: `tf.floormod`, `tf.mod`).

    Args:
      x, y: real tensors of one dtype.
      name: of the operation.

    Raises:
      InvalidArgumentError: for an integer divided by zero.

    Example:
      >>> tf.floormod(-7, 5)  # 3
    """
    return _floor_mod(x, y, name=name)


# Mod, TruncateMod -------------------------------------------------------------------------------

# "half" twice: so it stands in TensorFlow's schema.
_mod, _truncate_mod = (
    binary_card(op_type, types, no_gradient="TensorFlow has no gradient for it")
    for op_type, types in (
        ("Mod", "T: {int32, int64, half, half, bfloat16, float, double}"),
        ("TruncateMod", "T: {int32, int64, floattype}"),
    )
)
_mod.kernel(np.fmod, types={"T": ["float", "double"]})
_truncate_mod.kernel(np.fmod, types={"T": ["float", "double"]})


@_mod.kernel(types={"T": ["int32", "int64"]})
@_truncate_mod.kernel(types={"T": ["int32", "int64"]})
def _integer_rest(x: Any, y: Any) -> Any:
    _check_divisor(x, y)
    return np.fmod(x, y)


def truncatemod(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The remainder with the sign of the dividend, as in C (TensorFlow: `tf.truncatemod`).

    Args:
      x, y: int32, int64, float32 or float64 tensors of one dtype.
      name: of the operation.

    Raises:
      InvalidArgumentError: for an integer divided by zero.

    Example:
      >>> tf.truncatemod(-7, 5)  # -2
    """
    return _truncate_mod(x, y, name=name)


# DivNoNan ---------------------------------------------------------------------------------------

div_no_nan_op = binary_card("DivNoNan", "T: {half, float, bfloat16, double, complextype}")


@div_no_nan_op.kernel
def _div_no_nan_kernel(x: Array, y: Array) -> Array:
    quotient = np.divide(x, y)
    return np.where(np.equal(y, 0), quotient.dtype.type(0), quotient)


@div_no_nan_op.gradient
def _div_no_nan_gradient(op: Operation, gradient: Any) -> tuple[Any, Any]:
    x: Any = conj(op.inputs[0])
    y = conj(op.inputs[1])
    gx = div_no_nan(gradient, y)
    return reduce_to_inputs(x, y, gx, gradient * div_no_nan(div_no_nan(-x, y), y))


def div_no_nan(x: Any, y: Any, name: str | None = None) -> Tensor:
    """`x / y`, but 0 where y is 0 (TensorFlow: `tf.div_no_nan`, `tf.math.divide_no_nan`).

    Args:
      x, y: numeric tensors of one dtype; integers are converted as by `truediv`.
      name: of the operation.

    Raises:
      TypeError: if the dtypes differ or are not numeric.

    Example:
      >>> tf.div_no_nan([1.0, 2.0], [0.0, 4.0])  # [0., 0.5]
    """
    with op_scope(name, "div_no_nan", (x, y)) as scope:
        if isinstance(y, Tensor) and not isinstance(x, Tensor):
            x = convert_to_tensor(x, dtype=y.dtype.base_dtype, name="x")
        else:
            x = convert_to_tensor(x, name="x")
            y = convert_to_tensor(y, dtype_hint=x.dtype.base_dtype, name="y")
        return div_no_nan_op(*as_fractions(x, y, "tf.math.divide_no_nan"), name=scope)
