"""Spectra as the ear hears them: mel frequencies, and cepstral coefficients."""

from __future__ import annotations

from typing import Any

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.constant_value import constant_value
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.linspace import linspace
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.math.arithmetic import maximum, minimum
from tinytf.ops.math.cast import cast
from tinytf.ops.math.exp_log import log
from tinytf.ops.math.power import rsqrt
from tinytf.ops.signal.cosine import dct
from tinytf.ops.signal.sizes import size_along

#: A frequency of f Hertz is 1127 ln(1 + f / 700) mel.
_BREAK, _SCALE = 700.0, 1127.0


def _mel(hertz: Any) -> Any:
    logarithm: Any = log(1.0 + hertz / _BREAK)
    return _SCALE * logarithm


def _check(bins: Any, rate: Any, lower: float, upper: float, kind: dtypes.DType) -> None:
    if bins <= 0:
        raise ValueError(f"num_mel_bins must be positive. Got: {bins}")
    if lower < 0.0:
        raise ValueError(f"lower_edge_hertz must be non-negative. Got: {lower}")
    if lower >= upper:
        raise ValueError(f"lower_edge_hertz {lower} >= upper_edge_hertz {upper}")
    if not isinstance(rate, Tensor):
        if rate <= 0.0:
            raise ValueError(f"sample_rate must be positive. Got: {rate}")
        if upper > rate / 2:
            raise ValueError(
                f"upper_edge_hertz must not be larger than the Nyquist frequency (sample_rate / "
                f"2). Got {upper} for sample_rate: {rate}"
            )
    if not kind.is_floating:
        raise ValueError(f"dtype must be a floating point type. Got: {kind}")


def linear_to_mel_weight_matrix(
    num_mel_bins: int = 20,
    num_spectrogram_bins: Any = 129,
    sample_rate: Any = 8000,
    lower_edge_hertz: float = 125.0,
    upper_edge_hertz: float = 3800.0,
    dtype: Any = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Weights from the bins of spectra to mel frequencies (`linear_to_mel_weight_matrix`).

    TensorFlow: `tf.signal.linear_to_mel_weight_matrix`. The bands are triangles, whose tops are
    equally far apart in mel; a spectrum times the matrix is the energy in each.

    Args:
      num_mel_bins: how many bands.
      num_spectrogram_bins: how many bins a spectrum has, from 0 to half of the sample rate.
      sample_rate: samples a second.
      lower_edge_hertz, upper_edge_hertz: where the lowest band begins and the highest ends.
      dtype: a floating-point dtype.
      name: of the operation.

    Returns:
      [num_spectrogram_bins, num_mel_bins].

    Raises:
      ValueError: for numbers that make no bands, or another dtype.

    Example:
      >>> tf.signal.linear_to_mel_weight_matrix(2, 5).shape  # (5, 2)
    """
    with op_scope(name, "linear_to_mel_weight_matrix") as scope:
        rate = sample_rate
        if isinstance(rate, Tensor):
            known = constant_value(rate)
            rate = rate if known is None else known.item()
        kind = dtypes.as_dtype(dtype)
        _check(num_mel_bins, rate, lower_edge_hertz, upper_edge_hertz, kind)
        half: Any = cast(rate, kind) / 2.0
        zero: Any = convert_to_tensor(0.0, kind)
        # The bin of frequency 0 is in no band.
        frequencies: Any = linspace(zero, half, num_spectrogram_bins)
        mels = ops.expand_dims(_mel(frequencies[1:]), 1)
        edges: Any = linspace(
            _mel(convert_to_tensor(lower_edge_hertz, kind)),
            _mel(convert_to_tensor(upper_edge_hertz, kind)),
            num_mel_bins + 2,
        )
        left, top, right = edges[:-2], edges[1:-1], edges[2:]
        rising = (mels - left) / (top - left)
        falling = (right - mels) / (right - top)
        weights = maximum(zero, minimum(rising, falling))
        return ops.pad(weights, [[1, 0], [0, 0]], name=scope)


def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: Any, name: str | None = None) -> Tensor:
    """Cepstral coefficients of logarithms of energies (`mfccs_from_log_mel_spectrograms`).

    TensorFlow: `tf.signal.mfccs_from_log_mel_spectrograms`.

    Args:
      log_mel_spectrograms: [..., num_mel_bins], float32 or float64.
      name: of the scope.

    Returns:
      a tensor of the same shape; the first 13 or so are in use.

    Raises:
      ValueError: if there are no bins, or the rank is 0.

    Example:
      >>> tf.signal.mfccs_from_log_mel_spectrograms([[1.0, 1.0]])  # [[2., 0.]]
    """
    with op_scope(name, "mfccs_from_log_mel_spectrograms", (log_mel_spectrograms,)):
        x = convert_to_tensor(log_mel_spectrograms)
        x.shape.with_rank_at_least(1)
        bins = size_along(x, -1)
        if not isinstance(bins, Tensor) and bins == 0:
            raise ValueError(f"num_mel_bins must be positive. Got: {x}")
        cosines: Any = dct(x, type=2)
        size: Any = cast(bins, x.dtype)
        return cosines * rsqrt(size * 2.0)
