"""Discrete cosine transforms, out of Fourier transforms of twice the length."""

from __future__ import annotations

import math
from typing import Any

from tinytf import ops
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.range import range as range_of
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.math.cast import cast
from tinytf.ops.math.complex_numbers import make_complex, real
from tinytf.ops.math.exp_log import exp
from tinytf.ops.math.power import rsqrt, sqrt
from tinytf.ops.signal.real_fourier import irfft, rfft
from tinytf.ops.signal.sizes import largest, padded_behind, size_along

#: the transform of a type -> the type that undoes it
_INVERSE = {1: 1, 2: 3, 3: 2, 4: 4}


def _check(input: Any, kind: int, n: Any, axis: int, norm: str | None) -> None:
    if axis != -1:
        raise NotImplementedError(f"axis must be -1. Got: {axis}")
    if n is not None and n < 1:
        raise ValueError(f"n should be a positive integer or None, and is {n}")
    if kind not in _INVERSE:
        raise ValueError(f"Types I, II, III and IV (I)DCT are supported. This one is {kind!r}")
    if kind == 1:
        if norm == "ortho":
            raise ValueError("Normalization is not supported for the Type-I DCT.")
        size = convert_to_tensor(input).shape[-1:].as_list()[0]
        if size is not None and size < 2:
            raise ValueError("Type-I DCT requires the dimension to be greater than one.")
    if norm not in (None, "ortho"):
        raise ValueError(f"Unknown normalization. Expected None or 'ortho', got: {norm}")


def _turned(zero: Any, places: Any, length: Any) -> Any:
    """Twice the points of the unit circle a quarter turn long, by which the spectrum is turned."""
    points: Any = exp(make_complex(zero, places * math.pi * 0.5 / length))
    return 2.0 * points


def _weights(first: Any, others: Any, size: Any) -> Any:
    """The first number is weighted otherwise than all others."""
    behind = ops.pad(ops.expand_dims(first, 0), [[0, size - 1]], constant_values=others)
    return behind


def _first(x: Any, zero: Any, size: Any, length: Any, norm: str | None) -> Any:
    mirrored = ops.concat([x, x[..., -2:0:-1]], axis=-1)
    return real(rfft(mirrored))


def _second(x: Any, zero: Any, size: Any, length: Any, norm: str | None) -> Any:
    places: Any = range_of(length)
    scale = _turned(zero, -places, length)
    spectrum: Any = rfft(x, fft_length=[2 * size])
    result: Any = real(spectrum[..., :size] * scale)
    if norm is None:
        return result
    root: Any = rsqrt(length)
    first: Any = 0.5 * root
    return result * _weights(first, first * math.sqrt(2.0), size)


def _third(x: Any, zero: Any, size: Any, length: Any, norm: str | None) -> Any:
    if norm is None:
        x = x * length
    else:
        first: Any = sqrt(length)
        x = x * _weights(first, first * math.sqrt(0.5), size)
    places: Any = range_of(length)
    scale = _turned(zero, places, length)
    result: Any = irfft(scale * make_complex(x, zero), fft_length=[2 * size])
    return result[..., :size]


def _fourth(x: Any, zero: Any, size: Any, length: Any, norm: str | None) -> Any:
    """Every other number of the second type's, for as many zeros again."""
    result: Any = _transform(x, 2, 2 * size, None, None)
    result = result[..., 1::2]
    if norm is None:
        return result
    root: Any = rsqrt(length)
    return result * (math.sqrt(0.5) * root)


_BY_TYPE = {1: _first, 2: _second, 3: _third, 4: _fourth}


def _transform(input: Any, kind: int, n: Any, norm: str | None, name: str | None) -> Tensor:
    with op_scope(name, "dct", (input,)):
        x: Any = convert_to_tensor(input)
        zero = convert_to_tensor(0.0, dtype=x.dtype)
        size = size_along(x, -1)
        if n is not None:
            x = _of_length(x, size, n)
            size = size_along(x, -1)
        return _BY_TYPE[kind](x, zero, size, cast(size, x.dtype), norm)


def _of_length(x: Any, size: Any, n: Any) -> Any:
    """The first n numbers; zeros stand for those that are missing."""
    is_known = not isinstance(size, Tensor) and not isinstance(n, Tensor)
    if is_known and n <= size:
        return x[..., 0:n]
    if is_known:
        return padded_behind(x, -1, n - size)
    return padded_behind(x[..., 0:n], -1, largest(0, n - size))


def dct(
    input: Any,
    type: int = 2,
    n: Any = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The discrete cosine transform over the last dimension (TensorFlow: `tf.signal.dct`).

    Args:
      input: [..., samples], float32 or float64.
      type: 1, 2, 3 or 4, as in SciPy.
      n: how many samples to take; zeros stand for those that are missing. All by default.
      axis: must be -1.
      norm: "ortho" for an orthonormal transform (not for type 1), None for one without scale.
      name: of the scope.

    Raises:
      ValueError: for another type, normalization or n. NotImplementedError: for another axis.

    Example:
      >>> tf.signal.dct([1.0, 2.0])  # [6., -1.4142135]
    """
    _check(input, type, n, axis, norm)
    return _transform(input, type, n, norm, name)


def idct(
    input: Any,
    type: int = 2,
    n: Any = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The inverse of `dct` (TensorFlow: `tf.signal.idct`); see there.

    Without `norm="ortho"` the result is 2 n times the samples (2 (n - 1) times for type 1).

    Example:
      >>> tf.signal.idct(tf.signal.dct([1.0, 2.0], norm="ortho"), norm="ortho")  # [1., 2.]
    """
    _check(input, type, n, axis, norm)
    return _transform(input, _INVERSE[type], n, norm, name)
