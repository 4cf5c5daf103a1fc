"""Signals cut into frames that overlap, and put together again."""

from __future__ import annotations

from typing import Any

from tinytf import ops
from tinytf.framework.constant_value import constant_value
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.array.range import range as range_of
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.reduce.reduction import reduce_prod, reduce_sum
from tinytf.ops.signal.sizes import (
    as_number,
    joined,
    largest,
    outer_sizes,
    padded_behind,
    size_along,
    static_size,
)


def frame(
    signal: Any,
    frame_length: Any,
    frame_step: Any,
    pad_end: bool = False,
    pad_value: Any = 0,
    axis: Any = -1,
    name: str | None = None,
) -> Tensor:
    """Parts of one length, which may overlap (TensorFlow: `tf.signal.frame`).

    Args:
      signal: [..., samples, ...], of rank 1 or more.
      frame_length: how many samples a frame has.
      frame_step: how far one frame begins behind the one before.
      pad_end: whether frames that begin within the signal and end behind it count as well.
      pad_value: what stands for the samples behind the end.
      axis: the dimension that is cut; the last one by default.
      name: of the scope.

    Returns:
      [..., frames, frame_length, ...].

    Raises:
      ValueError: if the signal is a scalar, or another argument is not.
      InvalidArgumentError: in a run, for a step of 0.

    Example:
      >>> tf.signal.frame([1, 2, 3, 4, 5], 3, 2)  # [[1, 2, 3], [3, 4, 5]]
    """
    with op_scope(name, "frame", (signal, frame_length, frame_step, pad_value)):
        x = convert_to_tensor(signal, name="signal")
        length = as_number(frame_length, "frame_length")
        step = _positive(as_number(frame_step, "frame_step"))
        place = int(as_number(axis, "axis"))
        x.shape.with_rank_at_least(1)
        size = size_along(x, place)
        if pad_end:
            count = -(-size // step)
            missing = largest(0, length + step * (count - 1) - size)
            filler = convert_to_tensor(pad_value, x.dtype)
            x = padded_behind(x, place, missing, filler)
        else:
            count = largest(0, 1 + (size - length) // step)
        starts: Any = ops.expand_dims(range_of(count) * step, 1)
        return ops.gather(x, starts + range_of(length), axis=place)


def _positive(step: Any) -> Any:
    """A step of 0 stays a tensor: what divides by it says so in a run."""
    return step if isinstance(step, Tensor) or step > 0 else convert_to_tensor(step)


def overlap_and_add(signal: Any, frame_step: Any, name: str | None = None) -> Tensor:
    """The signal that frames add up to (TensorFlow: `tf.signal.overlap_and_add`).

    Args:
      signal: [..., frames, frame_length].
      frame_step: how far one frame begins behind the one before; an integer.
      name: of the scope.

    Returns:
      [..., (frames - 1) * frame_step + frame_length].

    Raises:
      ValueError: for a rank below 2, or a step that is no positive integer.

    Example:
      >>> tf.signal.overlap_and_add([[1, 2, 3], [10, 20, 30]], 1)  # [1, 12, 23, 30]
    """
    with op_scope(name, "overlap_and_add", (signal, frame_step)):
        x = convert_to_tensor(signal, name="signal")
        x.shape.with_rank_at_least(2)
        given = convert_to_tensor(frame_step, name="frame_step")
        given.shape.assert_has_rank(0)
        if not given.dtype.is_integer:
            raise ValueError(f"frame_step must be an integer. Got {given.dtype}")
        known = constant_value(given)
        step: Any = given if known is None else int(known)
        if known is not None and known < 1:
            raise ValueError(
                f"Paddings must be non-negative: frame_step must be positive, and is {known}"
            )
        return _added(x, step)


def _added(x: Tensor, step: Any) -> Tensor:
    """Every frame is cut into parts of one step; parts of several frames fall on one place.

    With the parts as the outer dimension, and zeros behind the frames, rows that are read as one
    frame shorter move each part by one place more than the part before.
    """
    outer, frames, length = outer_sizes(x, 2), size_along(x, -2), size_along(x, -1)
    parts = -(-length // step)
    x = padded_behind(x, -1, parts * step - length)
    count = reduce_prod(outer) if isinstance(outer, Tensor) else _product(outer)
    x = ops.reshape(x, [count, frames, parts, step])
    x = padded_behind(ops.transpose(x, [0, 2, 1, 3]), 2, parts)
    places = frames + parts - 1
    rows: Any = ops.reshape(x, [count, parts * (places + 1), step])
    shifted = ops.reshape(rows[:, : parts * places], [count, parts, places, step])
    summed: Any = reduce_sum(shifted, 1)
    whole: Any = ops.reshape(summed, joined(outer, [places * step]))
    result: Any = whole[..., : (frames - 1) * step + length]
    static = None if isinstance(outer, Tensor) else outer
    if static is not None:
        result.set_shape(TensorShape.of((*static, static_size((frames - 1) * step + length))))
    return result


def _product(sizes: Any) -> int:
    result = 1
    for size in sizes:
        result *= size
    return result
