"""Complex numbers: conjugates, absolute values."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import dtypes, shape_inference
from tinytf.framework.array_types import Array
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.constant import constant
from tinytf.ops.array.where import where
from tinytf.ops.base.broadcast_gradients import reduce_to_inputs
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.math.elementwise import after

# Conj -------------------------------------------------------------------------------------------

conj_op = define_op(
    "Conj",
    "input: T -> output: T",
    "T: {complextype, variant} = DT_COMPLEX64",
    shape=shape_inference.unchanged,
    kernel=np.conjugate,
)


@conj_op.gradient
def _conj_gradient(op: Operation, gradient: Any) -> Tensor:
    return conj(gradient)


def conj(x: Any, name: str | None = None) -> Tensor:
    """The complex conjugate; a real tensor is returned as it is (TensorFlow: `tf.conj`).

    Args:
      x: a numeric tensor of any shape.
      name: of the operation.

    Raises:
      TypeError: if `x` is not numeric.

    Example:
      >>> tf.conj(tf.constant([1 + 2j]))  # [1 - 2j]
    """
    if isinstance(x, Tensor) and (x.dtype.is_floating or x.dtype.is_integer):
        return x
    with op_scope(name, "Conj", (x,)) as scope:
        x = convert_to_tensor(x, name="x")
        if x.dtype.is_complex or x.dtype == dtypes.variant:
            return conj_op(x, name=scope)
        if x.dtype.is_floating or x.dtype.is_integer:
            return x
        raise TypeError(f"Expected numeric or variant tensor, got dtype {x.dtype!r}.")


# ComplexAbs -------------------------------------------------------------------------------------

_complex_abs = define_op(
    "ComplexAbs",
    "x: T -> y: Tout",
    "T: complextype = DT_COMPLEX64, Tout: {float, double} = DT_FLOAT",
    shape=shape_inference.unchanged,
)


@_complex_abs.kernel
def _complex_abs_kernel(x: Array, *, Tout: dtypes.DType) -> Array:
    return np.absolute(x).astype(Tout.as_numpy_dtype, copy=False)


@_complex_abs.gradient
def _complex_abs_gradient(op: Operation, gradient: Any) -> Tensor:
    x, y = op.inputs[0], op.outputs[0]
    scaled: Any = make_complex(gradient, ops.zeros_like(gradient))
    return ops.div_no_nan(scaled * x, make_complex(y, ops.zeros_like(y)))


def complex_abs(x: Tensor, name: str | None = None) -> Tensor:
    """The absolute value of a complex tensor, in its real type; `tf.abs` calls this."""
    return _complex_abs(x, name=name, Tout=x.dtype.real_dtype)


# Complex ----------------------------------------------------------------------------------------

_complex = define_op(
    "Complex",
    "real: T, imag: T -> out: Tout",
    "T: {float, double} = DT_FLOAT, Tout: complextype = DT_COMPLEX64",
    shape=shape_inference.broadcast,
)


@_complex.kernel
def _complex_kernel(real: Array, imag: Array, *, Tout: dtypes.DType) -> Array:
    # Not real + 1j * imag: that makes NaN out of an infinite part.
    sizes = np.broadcast_shapes(real.shape, imag.shape)
    result = np.empty(sizes, Tout.as_numpy_dtype)
    result.real, result.imag = real, imag
    return result


@_complex.gradient
def _complex_gradient(op: Operation, gradient: Any) -> Any:
    x, y = op.inputs
    return reduce_to_inputs(x, y, real(gradient), imag(gradient))


def make_complex(real: Any, imag: Any, name: str | None = None) -> Tensor:
    """A complex tensor from its real and imaginary parts (TensorFlow: `tf.complex`).

    Args:
      real, imag: tensors of one type, float32 or float64, of shapes that broadcast.
      name: of the operation.

    Returns:
      a complex64 or complex128 tensor.

    Raises:
      TypeError: for other types, or two of them.

    Example:
      >>> tf.complex([1.0, 2.0], [3.0, 0.0])  # [1 + 3j, 2 + 0j]
    """
    real, imag = convert_to_tensor(real, name="real"), convert_to_tensor(imag, name="imag")
    results = {dtypes.float32: dtypes.complex64, dtypes.float64: dtypes.complex128}
    if real.dtype.base_dtype != imag.dtype.base_dtype or real.dtype.base_dtype not in results:
        raise TypeError(
            f"The `real` and `imag` components have incorrect types: {real.dtype.name} "
            f"{imag.dtype.name}. They must be consistent, and one of "
            f"{[dtypes.float32, dtypes.float64]}"
        )
    return _complex(real, imag, name=name, Tout=results[real.dtype.base_dtype])


# Real, Imag -------------------------------------------------------------------------------------

_PART = "T: complextype = DT_COMPLEX64, Tout: {float, double} = DT_FLOAT"
real_op = define_op("Real", "input: T -> output: Tout", _PART, shape=shape_inference.unchanged)
_imag = define_op("Imag", "input: T -> output: Tout", _PART, shape=shape_inference.unchanged)


@real_op.kernel
def _real_kernel(input: Array, *, Tout: dtypes.DType) -> Array:
    return input.real.astype(Tout.as_numpy_dtype, copy=False)


@_imag.kernel
def _imag_kernel(input: Array, *, Tout: dtypes.DType) -> Array:
    return input.imag.astype(Tout.as_numpy_dtype, copy=False)


@real_op.gradient
def _real_gradient(op: Operation, gradient: Any) -> Tensor:
    return make_complex(gradient, _zero(gradient))


@_imag.gradient
def _imag_gradient(op: Operation, gradient: Any) -> Tensor:
    return make_complex(_zero(gradient), gradient)


def _zero(like: Tensor) -> Tensor:
    return constant(0, dtype=like.dtype)


def real(input: Any, name: str | None = None) -> Tensor:
    """The real part of a tensor; a real tensor is returned as it is (TensorFlow: `tf.real`).

    Args:
      input: a numeric tensor of any shape.
      name: of the operation.

    Raises:
      TypeError: if `input` is not numeric.

    Example:
      >>> tf.real(tf.constant([1 + 3j]))  # [1.]
    """
    with op_scope(name, "Real", (input,)) as scope:
        input = convert_to_tensor(input, name="input")
        if input.dtype.is_complex:
            return real_op(input, name=scope, Tout=input.dtype.real_dtype)
        if input.dtype.is_floating or input.dtype.is_integer or input.dtype.is_quantized:
            return input
        raise TypeError(
            f"input must be a numeric tensor, but got tensor with dtype {input.dtype!r}"
        )


def imag(input: Any, name: str | None = None) -> Tensor:
    """The imaginary part of a tensor; zeros for a real one (TensorFlow: `tf.imag`).

    Args:
      input: a numeric tensor of any shape.
      name: of the operation.

    Example:
      >>> tf.imag(tf.constant([1 + 3j]))  # [3.]
    """
    with op_scope(name, "Imag", (input,)) as scope:
        input = convert_to_tensor(input, name="input")
        if input.dtype.is_complex:
            return _imag(input, name=scope, Tout=input.dtype.real_dtype)
        return ops.zeros_like(input)


# Angle ------------------------------------------------------------------------------------------

_angle = define_op("Angle", "input: T -> output: Tout", _PART, shape=shape_inference.unchanged)


@_angle.kernel
def _angle_kernel(input: Array, *, Tout: dtypes.DType) -> Array:
    return np.angle(input).astype(Tout.as_numpy_dtype, copy=False)


@_angle.gradient
def _angle_gradient(op: Operation, gradient: Tensor) -> Any:
    x = op.inputs[0]
    with after(gradient):
        re, im = real(x), imag(x)
        turned: Any = ops.reciprocal(make_complex(im, re))
        whole: Any = make_complex(gradient, _zero(gradient))
        return -whole * turned


def angle(input: Any, name: str | None = None) -> Tensor:
    """The argument of complex numbers; pi for negative ones, 0 for others (`tf.angle`).

    Args:
      input: a float or complex tensor of any shape.
      name: of the operation, or of the scope of several.

    Returns:
      angles between -pi and pi, float32 or float64.

    Example:
      >>> tf.angle([1j, -1.0 + 0j])  # [1.5707963, 3.1415927]
    """
    with op_scope(name, "Angle", (input,)) as scope:
        input = convert_to_tensor(input, name="input")
        if input.dtype.is_complex:
            return _angle(input, name=scope, Tout=input.dtype.real_dtype)
        negative: Any = input < 0
        ones: Any = ops.ones_like(input)
        return where(negative, np.pi * ones, ops.zeros_like(input))
