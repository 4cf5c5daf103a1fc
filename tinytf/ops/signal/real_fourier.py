"""Fourier transforms of real numbers, and back: half of a spectrum mirrors the other half."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.constant_value import constant_value, constant_value_as_shape
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import InternalError, invalid
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, with_rank, with_rank_at_least
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.array.range import range as range_of
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.math.arithmetic import maximum
from tinytf.ops.math.cast import cast
from tinytf.ops.math.comparison import equal
from tinytf.ops.math.complex_numbers import real
from tinytf.ops.signal.fourier import COMPLEX, check_rank, ifft, ifft2d, size_of

_REAL = "Treal: {float, double} = DT_FLOAT"


def _half(length: int) -> int:
    """How many numbers of the spectrum of so many real ones are kept."""
    return int(length / 2) + 1 if length else 0


def _shape(c: InferenceContext, rank: int, forward: bool) -> TensorShape:
    sizes = with_rank_at_least(c.input(0), rank).sizes
    given = with_rank(c.input(1), 1).sizes
    if given is not None and given[0] not in (None, rank):
        raise ValueError(f"Dimension must be {rank} but is {given[0]}")
    if sizes is None:
        return unknown_shape()
    lengths: Any = c.constant(1)
    inner: list[int | None] = [None] * rank
    if lengths is not None:
        inner = [int(length) for length in lengths]
        if forward:
            inner[-1] = _half(int(lengths[-1]))
    inner = [None if size is None or size < 0 else size for size in inner]
    return TensorShape.of((*sizes[:-rank], *inner))


def _check(value: Any, lengths: Any, rank: int, forward: bool) -> list[int]:
    """The lengths of a transform, which its input must be long enough for."""
    check_rank(value, rank)
    if np.shape(lengths) != (rank,):
        raise invalid(f"fft_length must have shape [{rank}]")
    sizes: list[int] = lengths.tolist()
    for index, size in enumerate(sizes):
        if size < 0:
            raise invalid(f"fft_length[{index}] must >= 0, but got: {size}")
        is_half = not forward and index == rank - 1
        needed, place = _half(size) if is_half else size, value.ndim - rank + index
        if 0 < value.shape[place] < needed:
            raise invalid(
                f"Input dimension {place} must have length of at least {needed} but got: "
                f"{value.shape[place]}"
            )
    if value.size and 0 in sizes:
        raise InternalError(f"A transform of length 0 of something: fft_length is {sizes}")
    return sizes


def _card(op_type: str, rank: int, forward: bool) -> OpCard:
    first, last = ("Treal", "Tcomplex") if forward else ("Tcomplex", "Treal")
    card = define_op(
        op_type, f"input: {first}, fft_length: int32 -> output: {last}", _REAL, COMPLEX
    )
    axes = tuple(range(-rank, 0))
    transform: Callable[..., Any] = np.fft.rfftn if forward else np.fft.irfftn

    @card.shape
    def shape(c: InferenceContext) -> TensorShape:
        return _shape(c, rank, forward)

    @card.kernel
    def kernel(value: Any, lengths: Any, *, Treal: dtypes.DType, Tcomplex: dtypes.DType) -> Any:
        if Tcomplex.real_dtype is not Treal:
            way = f"in={Treal.as_datatype_enum} out={Tcomplex.as_datatype_enum}"
            if not forward:
                way = f"in={Tcomplex.as_datatype_enum} out={Treal.as_datatype_enum}"
            raise invalid(f"Wrong types for {'for' if forward else 'back'}ward real FFT: {way}")
        sizes = _check(value, lengths, rank, forward)
        result = (Tcomplex if forward else Treal).as_numpy_dtype
        if not value.size:
            inner = [*sizes[:-1], _half(sizes[-1])] if forward else sizes
            return np.zeros((*value.shape[:-rank], *inner), result)
        return transform(value, s=sizes, axes=axes).astype(result, copy=False)

    return card


# RFFT, IRFFT; RFFT2D, IRFFT2D; RFFT3D, IRFFT3D ----------------------------------------------------

_rfft, _irfft = _card("RFFT", 1, True), _card("IRFFT", 1, False)
_rfft2d, _irfft2d = _card("RFFT2D", 2, True), _card("IRFFT2D", 2, False)
# TensorFlow has no gradient of these two either.
_rfft3d, _irfft3d = _card("RFFT3D", 3, True), _card("IRFFT3D", 3, False)


def _fitted(x: Tensor, sizes: Any, rank: int) -> Tensor:
    """Zeros behind, or a part taken off, until the last dimensions have these sizes."""
    for index in range(rank):
        axis = index - rank
        wanted: Any = sizes[index]
        x = _cut(x, axis, wanted)
        had: Any = ops.shape(x)
        ranks: Any = ops.rank(x)
        ends: Any = ops.one_hot(ranks + axis, ranks, wanted - had[axis])
        x = ops.pad(x, ops.stack([ops.zeros_like(ends), ends], axis=1))
    return x


def _cut(x: Any, axis: int, size: Any) -> Any:
    return x[..., :size, :] if axis == -2 else x[..., :size]


def _differentiate_forward(card: OpCard, rank: int, inverse: Callable[..., Any]) -> None:
    @card.gradient
    def gradient(op: Operation, above: Any) -> Any:
        """The half that is kept decides; the complex inverse takes zeros for the other."""
        x, lengths = op.inputs
        sizes: Any = ops.shape(x)
        full = _fitted(above, lengths, rank)
        scale = cast(size_of(full, rank), x.dtype)
        result = _fitted(real(inverse(full)) * scale, sizes[-rank:], rank)
        result.set_shape(x.shape)
        return result, None


def _differentiate_inverse(card: OpCard, rank: int, forward: OpCard) -> None:
    @card.gradient
    def gradient(op: Operation, above: Any) -> Any:
        """All but the first number, and the last of an even length, stand for two."""
        x = op.inputs[0]
        lengths: Any = op.inputs[1]
        sizes: Any = ops.shape(x)
        last: Any = lengths[-1]
        spectrum = forward(above, lengths, Tcomplex=x.dtype)
        places: Any = range_of(last // 2 + 1)
        alone: Any = cast(equal(places * 2 % last, 0), above.dtype)
        weights = (2.0 - alone) / cast(size_of(above, rank), above.dtype)
        result = _fitted(spectrum * cast(weights, x.dtype), sizes[-rank:], rank)
        result.set_shape(x.shape)
        return result, None


_differentiate_forward(_rfft, 1, ifft)
_differentiate_forward(_rfft2d, 2, ifft2d)
_differentiate_inverse(_irfft, 1, _rfft)
_differentiate_inverse(_irfft2d, 2, _rfft2d)


# Public functions ---------------------------------------------------------------------------------


def _lengths(x: Tensor, rank: int, forward: bool) -> Any:
    """The length that a transform has where none was given."""
    inner = x.shape[-rank:]
    if inner.is_fully_defined():
        sizes: list[Any] = inner.as_list()
        if not forward:
            sizes[-1] = max(0, 2 * (sizes[-1] - 1))
        return convert_to_tensor(sizes, dtypes.int32)
    running: Any = ops.shape(x)
    if forward:
        return running[-rank:]
    parts: list[Any] = ops.unstack(running[-rank:])
    parts[-1] = maximum(0, 2 * (parts[-1] - 1))
    return ops.stack(parts)


def _padded(x: Tensor, rank: int, lengths: Tensor, forward: bool) -> Tensor:
    """The input with zeros behind it, where it is shorter than the transform."""
    sizes = x.shape.sizes
    if sizes is not None and 0 in sizes:
        return x
    wanted = constant_value_as_shape(lengths).sizes
    if sizes is None or wanted is None or None in (*wanted, *sizes[-len(wanted) :]):
        return _padded_in_a_run(x, rank, lengths, forward)
    needed: list[Any] = list(wanted)
    if not forward:
        needed[-1] = needed[-1] // 2 + 1
    inner: Any = sizes[-len(wanted) :]
    ends = [max(n - had, 0) for n, had in zip(needed, inner, strict=False)]
    if not any(ends):
        return x
    return ops.pad(x, [[0, 0]] * max(len(sizes) - len(wanted), 0) + [[0, end] for end in ends])


def _padded_in_a_run(x: Tensor, rank: int, lengths: Any, forward: bool) -> Tensor:
    ranks: Any = ops.rank(x)
    sizes: Any = ops.shape(x)
    inner = sizes[-rank:]
    outside = ops.zeros([maximum(0, ranks - rank)], lengths.dtype)
    if not forward:
        lengths = ops.concat([lengths[:-1], lengths[-1:] // 2 + 1], 0)
    ends: Any = ops.concat([outside, maximum(0, lengths - inner)], 0)
    return ops.pad(x, ops.stack([ops.zeros_like(ends), ends], axis=1))


def _real_transform(
    card: OpCard, rank: int, forward: bool, input_tensor: Any, fft_length: Any, name: str | None
) -> Tensor:
    default = card.op_def.name.lower()
    with op_scope(name, default, (input_tensor, fft_length)) as scope:
        preferred = dtypes.float32 if forward else dtypes.complex64
        x = convert_to_tensor(input_tensor, preferred_dtype=preferred)
        x.shape.with_rank_at_least(rank)
        allowed = (
            (dtypes.float32, dtypes.float64) if forward else (dtypes.complex64, dtypes.complex128)
        )
        if x.dtype not in allowed:
            kind, kinds = ("RFFT", "float32 or tf.float64")
            if not forward:
                kind, kinds = ("IRFFT", "complex64 or tf.complex128")
            raise ValueError(f"{kind} requires tf.{kinds} inputs, got: {x}")
        if fft_length is None:
            lengths = _lengths(x, rank, forward)
        else:
            lengths = convert_to_tensor(fft_length, dtypes.int32)
        x = _padded(x, rank, lengths, forward)
        known = constant_value(lengths)
        if known is not None:
            lengths = known
        if forward:
            wide = x.dtype is dtypes.float64
            result = dtypes.complex128 if wide else dtypes.complex64
            return card(x, lengths, name=scope, Tcomplex=result)
        return card(x, lengths, name=scope, Treal=x.dtype.real_dtype)


def rfft(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """The Fourier transform of real numbers (TensorFlow: `tf.signal.rfft`).

    Args:
      input_tensor: [..., n], float32 or float64.
      fft_length: [1], int32: how many numbers to take; zeros stand for those that are missing. By
        default n.
      name: of the operation.

    Returns:
      [..., fft_length // 2 + 1], complex64 or complex128: the rest of the spectrum is the mirror
      image of this half.

    Raises:
      ValueError: for another dtype, or if the rank is known and too low.
      InternalError: in a run, for a length of 0.

    Example:
      >>> tf.signal.rfft([1.0, 2.0, 3.0, 4.0])  # [10.+0.j, -2.+2.j, -2.+0.j]
    """
    return _real_transform(_rfft, 1, True, input_tensor, fft_length, name)


def irfft(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """The real numbers that a half spectrum belongs to (TensorFlow: `tf.signal.irfft`).

    Args:
      input_tensor: [..., k], complex64 or complex128.
      fft_length: [1], int32: how many numbers to give. By default `2 (k - 1)`; an odd number has
        to be given.
      name: of the operation.

    Returns:
      [..., fft_length], float32 or float64.

    Raises:
      ValueError: for another dtype, or if the rank is known and too low.
      InternalError: in a run, for a length of 0.

    Example:
      >>> tf.signal.irfft([4.0, 0.0, 0.0])  # [1., 1., 1., 1.]
    """
    return _real_transform(_irfft, 1, False, input_tensor, fft_length, name)


def rfft2d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """`rfft` over the last two dimensions (TensorFlow: `tf.signal.rfft2d`); see there.

    Example:
      >>> tf.signal.rfft2d([[1.0, 2.0], [3.0, 4.0]])  # [[10.+0.j, -2.+0.j], [-4.+0.j, 0.+0.j]]
    """
    return _real_transform(_rfft2d, 2, True, input_tensor, fft_length, name)


def irfft2d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """`irfft` over the last two dimensions (TensorFlow: `tf.signal.irfft2d`); see there.

    Example:
      >>> tf.signal.irfft2d([[4.0, 0.0], [0.0, 0.0]])  # [[1., 1.], [1., 1.]]
    """
    return _real_transform(_irfft2d, 2, False, input_tensor, fft_length, name)


def rfft3d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """`rfft` over the last three dimensions (TensorFlow: `tf.signal.rfft3d`); without a gradient.

    Example:
      >>> tf.signal.rfft3d([[[1.0, 2.0]]])  # [[[3.+0.j, -1.+0.j]]]
    """
    return _real_transform(_rfft3d, 3, True, input_tensor, fft_length, name)


def irfft3d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """`irfft` over the last three dimensions (TensorFlow: `tf.signal.irfft3d`); without a gradient.

    Example:
      >>> tf.signal.irfft3d([[[2.0, 0.0]]])  # [[[1., 1.]]]
    """
    return _real_transform(_irfft3d, 3, False, input_tensor, fft_length, name)
