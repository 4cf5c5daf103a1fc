"""Fourier transforms of complex numbers over the last one, two or three dimensions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, with_rank_at_least
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.math.cast import cast
from tinytf.ops.reduce.reduction import reduce_prod

COMPLEX = "Tcomplex: complextype = DT_COMPLEX64"


def check_rank(value: Any, rank: int) -> None:
    """InvalidArgumentError unless the value has the dimensions that are transformed."""
    if np.ndim(value) < rank:
        raise invalid(f"Input must have rank of at least {rank} but got: {shown(value)}")


def size_of(value: Tensor, rank: int) -> Tensor:
    """How many elements the last dimensions have together, while running."""
    sizes: Any = ops.shape(value)
    return reduce_prod(sizes[-rank:])


def _transform_card(op_type: str, rank: int, transform: Callable[..., Any]) -> OpCard:
    card = define_op(op_type, "input: Tcomplex -> output: Tcomplex", COMPLEX)
    axes = tuple(range(-rank, 0))

    @card.shape
    def shape(c: InferenceContext) -> TensorShape:
        return with_rank_at_least(c.input(0), rank)

    @card.kernel
    def kernel(value: Any) -> Any:
        check_rank(value, rank)
        if 0 in value.shape:
            return value
        return transform(value, axes=axes).astype(value.dtype, copy=False)

    return card


def _differentiate(card: OpCard, inverse: OpCard, rank: int) -> None:
    """The gradient of a transform, which is linear, is the other direction with its scale."""

    @card.gradient
    def gradient(op: Operation, above: Any) -> Any:
        size = cast(size_of(above, rank), above.dtype)
        return inverse(above) * size

    @inverse.gradient
    def gradient_of_inverse(op: Operation, above: Any) -> Any:
        size: Any = cast(size_of(above, rank), above.dtype.real_dtype)
        return card(above) * cast(1.0 / size, above.dtype)


# FFT, IFFT; FFT2D, IFFT2D; FFT3D, IFFT3D ----------------------------------------------------------

_fft = _transform_card("FFT", 1, np.fft.fftn)
_ifft = _transform_card("IFFT", 1, np.fft.ifftn)
_fft2d = _transform_card("FFT2D", 2, np.fft.fftn)
_ifft2d = _transform_card("IFFT2D", 2, np.fft.ifftn)
_fft3d = _transform_card("FFT3D", 3, np.fft.fftn)
_ifft3d = _transform_card("IFFT3D", 3, np.fft.ifftn)
_differentiate(_fft, _ifft, 1)
_differentiate(_fft2d, _ifft2d, 2)
_differentiate(_fft3d, _ifft3d, 3)


def fft(input: Any, name: str | None = None) -> Tensor:
    """The discrete Fourier transform over the last dimension (TensorFlow: `tf.signal.fft`).

    Args:
      input: [..., n], complex64 or complex128.
      name: of the operation.

    Returns:
      a tensor like `input`: element k is the sum of `input[j] exp(-2 pi i j k / n)` over j.

    Raises:
      ValueError: if the rank is known and too low. InvalidArgumentError: in a run, if it was not.

    Example:
      >>> tf.signal.fft([1.0, 2.0, 3.0, 4.0])  # [10.+0.j, -2.+2.j, -2.+0.j, -2.-2.j]
    """
    return _fft(input, name=name)


def ifft(input: Any, name: str | None = None) -> Tensor:
    """The inverse of `fft` (TensorFlow: `tf.signal.ifft`); see there.

    Example:
      >>> tf.signal.ifft([4.0, 0.0, 0.0, 0.0])  # [1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j]
    """
    return _ifft(input, name=name)


def fft2d(input: Any, name: str | None = None) -> Tensor:
    """The Fourier transform over the last two dimensions (TensorFlow: `tf.signal.fft2d`).

    Args:
      input: [..., m, n], complex64 or complex128.
      name: of the operation.

    Raises:
      ValueError: if the rank is known and too low. InvalidArgumentError: in a run, if it was not.

    Example:
      >>> tf.signal.fft2d([[1.0, 2.0], [3.0, 4.0]])  # [[10.+0.j, -2.+0.j], [-4.+0.j, 0.+0.j]]
    """
    return _fft2d(input, name=name)


def ifft2d(input: Any, name: str | None = None) -> Tensor:
    """The inverse of `fft2d` (TensorFlow: `tf.signal.ifft2d`); see there.

    Example:
      >>> tf.signal.ifft2d([[4.0, 0.0], [0.0, 0.0]])  # [[1.+0.j, 1.+0.j], [1.+0.j, 1.+0.j]]
    """
    return _ifft2d(input, name=name)


def fft3d(input: Any, name: str | None = None) -> Tensor:
    """The Fourier transform over the last three dimensions (TensorFlow: `tf.signal.fft3d`).

    Args:
      input: [..., l, m, n], complex64 or complex128.
      name: of the operation.

    Raises:
      ValueError: if the rank is known and too low. InvalidArgumentError: in a run, if it was not.

    Example:
      >>> tf.signal.fft3d([[[1.0, 2.0], [3.0, 4.0]]])  # [[[10.+0.j, -2.+0.j], [-4.+0.j, 0.+0.j]]]
    """
    return _fft3d(input, name=name)


def ifft3d(input: Any, name: str | None = None) -> Tensor:
    """The inverse of `fft3d` (TensorFlow: `tf.signal.ifft3d`); see there.

    Example:
      >>> tf.signal.ifft3d([[[4.0, 0.0], [0.0, 0.0]]])  # [[[1.+0.j, 1.+0.j], [1.+0.j, 1.+0.j]]]
    """
    return _ifft3d(input, name=name)
