"""Windows: how much each sample of a frame counts."""

from __future__ import annotations

import math
from typing import Any

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.constant_value import constant_value
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.constant import constant
from tinytf.ops.array.range import range as range_of
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.control_flow.cond import cond
from tinytf.ops.math.cast import cast
from tinytf.ops.math.comparison import equal
from tinytf.ops.math.cumsum import cumsum
from tinytf.ops.math.exp_log import exp
from tinytf.ops.math.power import pow, sqrt, square
from tinytf.ops.math.special.bessel import bessel_i0e
from tinytf.ops.math.trigonometry import cos, sin
from tinytf.ops.nn.relu import relu


def _length(window_length: Any, dtype: Any, name: str | None = None) -> tuple[Any, Any]:
    kind = dtypes.as_dtype(dtype)
    if not kind.is_floating:
        raise ValueError(f"dtype must be a floating point type. Found {kind}")
    length = convert_to_tensor(window_length, dtype=dtypes.int32, name=name)
    length.shape.assert_has_rank(0)
    return length, kind


def _raised_cosine(
    name: str | None,
    default: str,
    window_length: Any,
    periodic: Any,
    dtype: Any,
    middle: float,
    swing: float,
) -> Tensor:
    with op_scope(name, default, (window_length, periodic)):
        length, kind = _length(window_length, dtype, "window_length")
        known = constant_value(length)
        if known == 1:
            return ops.ones([1], dtype=kind)
        is_periodic: Any = convert_to_tensor(periodic, dtype=dtypes.bool_, name="periodic")
        one_more: Any = cast(is_periodic, dtypes.int32)
        is_even = 1 - length % 2
        steps: Any = cast(length + one_more * is_even - 1, kind)
        places: Any = cast(range_of(length), kind)
        angles = constant(2 * math.pi, dtype=kind) * places / steps
        if known is not None:
            return _raised(angles, middle, swing)
        return cond(
            equal(length, 1),
            lambda: ops.ones([length], dtype=kind),
            lambda: _raised(angles, middle, swing),
        )


def _raised(angles: Any, middle: float, swing: float) -> Any:
    cosines: Any = cos(angles)
    return middle - swing * cosines


def hann_window(
    window_length: Any, periodic: Any = True, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """A period of a cosine, raised to between 0 and 1 (TensorFlow: `tf.signal.hann_window`).

    Args:
      window_length: how many samples.
      periodic: whether a window of even length is one sample short of being symmetric: those for
        spectra are.
      dtype: a floating-point dtype.
      name: of the scope.

    Raises:
      ValueError: for another dtype, or a length that is no scalar.

    Example:
      >>> tf.signal.hann_window(4)  # [0., 0.5, 1., 0.5]
    """
    return _raised_cosine(name, "hann_window", window_length, periodic, dtype, 0.5, 0.5)


def hamming_window(
    window_length: Any, periodic: Any = True, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """A period of a cosine, raised to between 0.08 and 1 (TensorFlow: `tf.signal.hamming_window`).

    The arguments are those of `hann_window`.

    Example:
      >>> tf.signal.hamming_window(4)  # [0.08, 0.54, 1., 0.54]
    """
    return _raised_cosine(name, "hamming_window", window_length, periodic, dtype, 0.54, 0.46)


def kaiser_window(
    window_length: Any, beta: Any = 12.0, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """The window of Kaiser, out of Bessel functions (TensorFlow: `tf.signal.kaiser_window`).

    Args:
      window_length: how many samples.
      beta: the larger, the narrower.
      dtype: a floating-point dtype.
      name: of the scope.

    Raises:
      ValueError: for another dtype, or a length that is no scalar.

    Example:
      >>> tf.signal.kaiser_window(3, beta=0.0)  # [1., 1., 1.]
    """
    with op_scope(name, "kaiser_window"):
        length, kind = _length(window_length, dtype)
        if constant_value(length) == 1:
            return ops.ones([1], dtype=kind)
        half: Any = (cast(length, dtypes.float32) - 1.0) / 2.0
        places: Any = cast(range_of(-half, half + 0.1, 1.0), kind)
        width: Any = cast(beta, kind)
        one: Any = cast(1.0, kind)
        argument = width * sqrt(relu(one - square(places / cast(half, kind))))
        return exp(argument - width) * (bessel_i0e(argument) / bessel_i0e(width))


def kaiser_bessel_derived_window(
    window_length: Any, beta: Any = 12.0, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """Sums of Kaiser's window, as `mdct` needs (`tf.signal.kaiser_bessel_derived_window`).

    Args:
      window_length: how many samples; even.
      beta: of the window of Kaiser.
      dtype: a floating-point dtype.
      name: of the scope.

    Raises:
      ValueError: for another dtype, or a length that is no scalar.

    Example:
      >>> tf.signal.kaiser_bessel_derived_window(2)  # [0.70710677, 0.70710677]
    """
    with op_scope(name, "kaiser_bessel_derived_window"):
        length, kind = _length(window_length, dtype)
        sums: Any = cumsum(kaiser_window(length // 2 + 1, beta, kind))
        half: Any = sqrt(sums[:-1] / sums[-1])
        return ops.concat([half, half[::-1]], axis=0)


def vorbis_window(
    window_length: Any, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """The window of the Vorbis codec, as `mdct` needs (TensorFlow: `tf.signal.vorbis_window`).

    Args:
      window_length: how many samples; even.
      dtype: a floating-point dtype.
      name: of the scope.

    Raises:
      ValueError: for another dtype, or a length that is no scalar.

    Example:
      >>> tf.signal.vorbis_window(2)  # [0.70710677, 0.70710677]
    """
    with op_scope(name, "vorbis_window"):
        length, kind = _length(window_length, dtype)
        places: Any = cast(range_of(length), kind)
        inner: Any = sin(math.pi / cast(length, kind) * (places + 0.5))
        squared: Any = pow(inner, 2.0)
        return sin(math.pi / 2.0 * squared)
