"""Spectra of frames: short-time Fourier transforms, and the modified cosine transform."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.tensor import Tensor
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.math.cast import cast
from tinytf.ops.math.exp_log import log
from tinytf.ops.math.power import pow, square
from tinytf.ops.math.rounding import ceil
from tinytf.ops.reduce.reduction import reduce_sum
from tinytf.ops.signal.cosine import dct, idct
from tinytf.ops.signal.frames import frame, overlap_and_add
from tinytf.ops.signal.real_fourier import irfft, rfft
from tinytf.ops.signal.sizes import as_number, largest, padded_behind, size_along
from tinytf.ops.signal.windows import hann_window, vorbis_window

Window = Callable[..., Any]


def _power_of_two(length: Any) -> Any:
    """The smallest power of two that is not smaller."""
    if not isinstance(length, Tensor):
        return 1 << max(length - 1, 0).bit_length()
    logarithm: Any = log(cast(length, dtypes.float32))
    powers: Any = ceil(logarithm / log(2.0))
    return cast(pow(2.0, powers), dtypes.int32)


def _fft_length(length: Any, fft_length: Any) -> Any:
    return _power_of_two(length) if fft_length is None else as_number(fft_length, "fft_length")


def stft(
    signals: Any,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: Window | None = hann_window,
    pad_end: bool = False,
    name: str | None = None,
) -> Tensor:
    """The spectrum of each frame of a signal (TensorFlow: `tf.signal.stft`).

    Args:
      signals: [..., samples], float32 or float64.
      frame_length: how many samples a frame has.
      frame_step: how far one frame begins behind the one before.
      fft_length: the length of the transforms; the smallest power of two that a frame fits in by
        default.
      window_fn: makes the window of a frame from its length and `dtype`; None for none.
      pad_end: whether frames that end behind the signal count as well.
      name: of the scope.

    Returns:
      [..., frames, fft_length // 2 + 1], complex64 or complex128.

    Raises:
      ValueError: if a length is no scalar, or the signals are of another dtype.

    Example:
      >>> tf.signal.stft(tf.zeros([8]), 4, 2).shape  # (3, 3)
    """
    with op_scope(name, "stft", (signals, frame_length, frame_step)):
        x = convert_to_tensor(signals, name="signals")
        x.shape.with_rank_at_least(1)
        length = as_number(frame_length, "frame_length")
        step = as_number(frame_step, "frame_step")
        transformed = _fft_length(length, fft_length)
        frames: Any = frame(x, length, step, pad_end=pad_end)
        if window_fn is not None:
            frames = frames * window_fn(length, dtype=frames.dtype)
        return rfft(frames, [transformed])


def inverse_stft_window_fn(
    frame_step: Any, forward_window_fn: Window = hann_window, name: str | None = None
) -> Window:
    """The window with which `inverse_stft` undoes `stft` (`tf.signal.inverse_stft_window_fn`).

    Args:
      frame_step: of the frames.
      forward_window_fn: the window that `stft` had.
      name: of the scope.

    Returns:
      a function of the frame's length and `dtype`.

    Example:
      >>> tf.signal.inverse_stft_window_fn(2)(4, dtype=tf.float32)  # [0., 1., 1., 1.]
    """

    def inverse_window(frame_length: Any, dtype: Any) -> Tensor:
        with op_scope(name, "inverse_stft_window_fn", (frame_step, frame_length)):
            step = as_number(frame_step, "frame_step")
            length = as_number(frame_length, "frame_length")
            window: Any = forward_window_fn(length, dtype=dtype)
            overlaps = -(-length // step)
            energy = padded_behind(square(window), 0, overlaps * step - length)
            rows = ops.reshape(energy, [overlaps, step])
            total = reduce_sum(rows, 0, keepdims=True)
            everywhere: Any = ops.reshape(ops.tile(total, [overlaps, 1]), [overlaps * step])
            return window / everywhere[:length]

    return inverse_window


def inverse_stft(
    stfts: Any,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: Window | None = hann_window,
    name: str | None = None,
) -> Tensor:
    """The signal that spectra of frames belong to (TensorFlow: `tf.signal.inverse_stft`).

    Args:
      stfts: [..., frames, fft_length // 2 + 1], complex64 or complex128.
      frame_length, frame_step, fft_length: as `stft` had them.
      window_fn: of the frames before they are added up: `inverse_stft_window_fn` makes the one
        that gives the signal back. None for none.
      name: of the scope.

    Returns:
      [..., samples], float32 or float64.

    Raises:
      ValueError: for a rank below 2, another dtype, or if a length is no scalar.

    Example:
      >>> tf.signal.inverse_stft(tf.zeros([2, 3], tf.complex64), 4, 2).shape  # (6,)
    """
    with op_scope(name, "inverse_stft", (stfts,)):
        spectra = convert_to_tensor(stfts, name="stfts")
        spectra.shape.with_rank_at_least(2)
        length = as_number(frame_length, "frame_length")
        step = as_number(frame_step, "frame_step")
        transformed = _fft_length(length, fft_length)
        frames: Any = irfft(spectra, [transformed])
        frames = _of_length(frames, length, transformed)
        if window_fn is not None:
            frames = frames * window_fn(length, dtype=frames.dtype)
        return overlap_and_add(frames, step)


def _of_length(frames: Any, length: Any, transformed: Any) -> Any:
    """What a frame has of a transform's samples; zeros if it has more."""
    known = not isinstance(length, Tensor) and not isinstance(transformed, Tensor)
    if not (known and length >= transformed):
        frames = frames[..., :length]
    if not (known and length <= transformed):
        frames = padded_behind(frames, -1, largest(0, length - transformed))
    return frames


# MDCT ---------------------------------------------------------------------------------------------


def mdct(
    signals: Any,
    frame_length: Any,
    window_fn: Window | None = vorbis_window,
    pad_end: bool = False,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The modified cosine transform of frames that overlap by half (TensorFlow: `tf.signal.mdct`).

    Args:
      signals: [..., samples], float32 or float64.
      frame_length: how many samples a frame has; a multiple of 4.
      window_fn: makes the window of a frame from its length and `dtype`; None for one with which
        the signal can be had back.
      pad_end: whether frames that end behind the signal count as well.
      norm: "ortho" or None, as for `dct`.
      name: of the scope.

    Returns:
      [..., frames, frame_length // 2].

    Raises:
      ValueError: for a length that is no multiple of 4, another normalization, or a rank of 0.

    Example:
      >>> tf.signal.mdct(tf.zeros([8]), 4).shape  # (3, 2)
    """
    with op_scope(name, "mdct", (signals, frame_length)):
        x = convert_to_tensor(signals, name="signals")
        x.shape.with_rank_at_least(1)
        length = as_number(frame_length, "frame_length")
        if not isinstance(length, Tensor) and length % 4:
            raise ValueError(f"The frame length must be a multiple of 4. Got: {length}")
        half = length // 2
        frames: Any = frame(x, length, half, pad_end=pad_end)
        frames = frames * _window(window_fn, length, frames.dtype)
        # The first half is folded onto the second one, whose cosines are of the fourth type.
        quarters: Any = ops.split(frames, 4, axis=-1)
        a, b, c, d = quarters
        folded = ops.concat([-c[..., ::-1] - d, a - b[..., ::-1]], axis=-1)
        return dct(folded, type=4, norm=norm)


def inverse_mdct(
    mdcts: Any,
    window_fn: Window | None = vorbis_window,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The signal that `mdct` had, but for its two ends (TensorFlow: `tf.signal.inverse_mdct`).

    Args:
      mdcts: [..., frames, frame_length // 2].
      window_fn, norm: as `mdct` had them.
      name: of the scope.

    Raises:
      ValueError: for a rank below 2, or another normalization.

    Example:
      >>> tf.signal.inverse_mdct(tf.zeros([3, 2])).shape  # (8,)
    """
    with op_scope(name, "inverse_mdct", (mdcts,)):
        x = convert_to_tensor(mdcts, name="mdcts")
        x.shape.with_rank_at_least(2)
        half = size_along(x, -1)
        folded: Any = idct(x, type=4, norm=norm)
        if norm is None:
            folded = folded * (0.5 / cast(half, x.dtype))
        halves: Any = ops.split(folded, 2, axis=-1)
        first, second = halves
        frames: Any = ops.concat([second, -second[..., ::-1], -first[..., ::-1], -first], axis=-1)
        return overlap_and_add(frames * _window(window_fn, 2 * half, x.dtype), half)


def _window(window_fn: Window | None, length: Any, dtype: Any) -> Any:
    if window_fn is None:
        return convert_to_tensor(2.0**-0.5, dtype)
    return window_fn(length, dtype=dtype)
