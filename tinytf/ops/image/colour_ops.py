"""Colours as operations: RGB and HSV, contrast, hue and saturation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework.array_types import Array
from tinytf.framework.errors import FailedPreconditionError, invalid
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, with_rank, with_rank_at_least
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.array.roll import roll
from tinytf.ops.array.stack import stack
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.math.arithmetic import subtract
from tinytf.ops.math.cast import cast
from tinytf.ops.math.comparison import equal, greater
from tinytf.ops.math.division import div_no_nan
from tinytf.ops.nn.relu import widened
from tinytf.ops.reduce.reduction import reduce_max, reduce_min, reduce_sum

#: For each sixth of the circle of hues: which of (least, middle, greatest) red, green and blue are.
_SIXTHS = np.int8([[2, 1, 0], [1, 2, 0], [0, 2, 1], [0, 1, 2], [1, 0, 2], [2, 0, 1]])


# RGBToHSV, HSVToRGB -------------------------------------------------------------------------------

_COLOURS = "T: {half, bfloat16, float, double} = DT_FLOAT"


def _colours_shape(c: InferenceContext) -> TensorShape:
    shape = with_rank_at_least(c.input(0), 1)
    if shape.sizes is not None and shape.sizes[-1] not in (None, 3):
        raise ValueError(f"Dimension must be 3 but is {shape.sizes[-1]}")
    return shape if shape.sizes is None else TensorShape.of((*shape.sizes[:-1], 3))


def _check_colours(images: Array) -> None:
    if not images.ndim:
        raise invalid("input must be at least 1D")
    if images.shape[-1] != 3:
        raise FailedPreconditionError(
            f"input must have 3 channels but input only has {images.shape[-1]} channels. Red, "
            "green and blue, or hue, saturation and value, are the last dimension."
        )


def _channels(rgb: Any) -> list[Any]:
    return [rgb[..., channel] for channel in range(3)]


def _sorted(red: Any, green: Any, blue: Any, xp: Any) -> tuple[Any, Any, Any]:
    """The least, the middle and the greatest of the three channels."""
    low, high = xp.minimum(red, green), xp.maximum(red, green)
    middle = xp.maximum(low, xp.minimum(high, blue))
    return xp.minimum(low, blue), middle, xp.maximum(high, blue)


def _hue(rgb: Any, value: Any, chroma: Any, xp: Any) -> Any:
    """The hues of pixels, from 0 to 1: red, yellow, green, cyan, blue, magenta."""
    kind = rgb.dtype.type
    red, green, blue = _channels(rgb)
    grey = chroma <= 0
    share = kind(1) / xp.where(grey, kind(1), chroma) * (kind(1) / kind(6))
    hue = xp.where(
        red == value,
        share * (green - blue),
        xp.where(
            green == value,
            share * (blue - red) + kind(2) / kind(6),
            share * (red - green) + kind(4) / kind(6),
        ),
    )
    hue = xp.where(grey, kind(0), hue)
    return xp.where(hue < 0, hue + kind(1), hue)


def _hsv(rgb: Any, xp: Any) -> tuple[Any, Any, Any]:
    """Hue, saturation and value of pixels."""
    least, _, value = _sorted(*_channels(rgb), xp)
    chroma = value - least
    lit = value > 0
    zero, one = rgb.dtype.type(0), rgb.dtype.type(1)
    saturation = xp.where(lit, chroma / xp.where(lit, value, one), zero)
    return _hue(rgb, value, chroma, xp), saturation, value


rgb_to_hsv_op = define_op("RGBToHSV", "images: T -> output: T", _COLOURS, shape=_colours_shape)


@rgb_to_hsv_op.kernel
def _rgb_to_hsv_kernel(images: Array, *, xp: Any) -> Array:
    _check_colours(images)
    return xp.stack(_hsv(widened(images), xp), -1).astype(images.dtype, copy=False)


@rgb_to_hsv_op.gradient
def _rgb_to_hsv_gradient(op: Operation, gradient: Any) -> Any:
    rgb: Any = op.inputs[0]
    hue, saturation, value = (gradient[..., channel : channel + 1] for channel in range(3))
    greatest: Any = reduce_max(rgb, -1, keepdims=True)
    least: Any = reduce_min(rgb, -1, keepdims=True)
    first, last = _one_of(rgb, greatest), _one_of(rgb, least)
    # With the channels in a circle, hue is a sixth of what the next one has more than the one
    # after it, in parts of the chroma.
    following: Any = subtract(roll(first, 1, -1), roll(first, 2, -1))
    inverse: Any = div_no_nan(ops.ones_like(greatest), greatest - least)
    apart = reduce_sum(following * rgb, -1, keepdims=True) * inverse * inverse
    of_hue = (following * inverse - apart * (first - last)) / 6.0
    one: Any = div_no_nan(ops.ones_like(greatest), greatest)
    above: Any = cast(greater(rgb, 0), rgb.dtype)  # of a channel with 0, as in TensorFlow, nothing
    of_saturation = (least * one * one * first - one * last) * above
    return hue * of_hue + saturation * of_saturation + value * first


def _one_of(rgb: Any, wanted: Any) -> Any:
    """1 at the first channel with the wanted number, 0 at the others."""
    same = [cast(equal(rgb[..., c], wanted[..., 0]), rgb.dtype) for c in range(3)]
    red: Any = same[0]
    green: Any = same[1] * (1 - red)
    return stack([red, green, 1 - red - green], -1)


hsv_to_rgb_op = define_op(
    "HSVToRGB",
    "images: T -> output: T",
    _COLOURS,
    shape=_colours_shape,
    no_gradient="TensorFlow gives it none",
)


@hsv_to_rgb_op.kernel
def _hsv_to_rgb_kernel(images: Array, *, xp: Any) -> Array:
    _check_colours(images)
    wide = widened(images)
    kind = wide.dtype.type
    sixths, saturation, value = wide[..., 0] * kind(6), wide[..., 1], wide[..., 2]
    red = abs(sixths - kind(3)) - kind(1)
    green = kind(2) - abs(sixths - kind(2))
    blue = kind(2) - abs(sixths - kind(4))
    white = kind(1) - saturation
    channels = [(white + saturation * xp.clip(c, 0, 1)) * value for c in (red, green, blue)]
    return xp.stack(channels, -1).astype(images.dtype, copy=False)


# AdjustContrastv2, AdjustHue, AdjustSaturation ----------------------------------------------------


def _of_images(c: InferenceContext) -> TensorShape:
    return with_rank_at_least(c.input(0), 3)


def _contrast_shape(c: InferenceContext) -> TensorShape:
    with_rank(c.input(1), 0)
    return _of_images(c)


def _adjusting(op_type: str, argument: str, shape: Callable[..., Any] = _of_images) -> OpCard:
    return define_op(
        op_type,
        f"images: T, {argument}: float -> output: T",
        "T: {half, float} = DT_FLOAT",
        shape=shape,
    )


def _check_numbers(images: Array, name: str, number: Array) -> None:
    if images.ndim < 3:
        raise invalid(f"input must be at least 3-D, got shape{shown(images)}")
    if np.ndim(number):
        raise invalid(f"{name} must be scalar: {shown(number)}")


def _check_adjusted(images: Array, name: str, number: Array) -> None:
    _check_numbers(images, name, number)
    if images.shape[-1] != 3:
        raise invalid(
            f"input must have 3 channels but instead has {images.shape[-1]} channels: red, green "
            f"and blue are the last dimension"
        )


# TensorFlow has no gradients for these three: to ask for one is an error there and here.
adjust_contrast_op = _adjusting("AdjustContrastv2", "contrast_factor", _contrast_shape)
adjust_hue_op = _adjusting("AdjustHue", "delta")
adjust_saturation_op = _adjusting("AdjustSaturation", "scale")


@adjust_contrast_op.kernel
def _adjust_contrast_kernel(images: Array, contrast_factor: Array) -> Array:
    _check_numbers(images, "contrast_factor", contrast_factor)
    wide = widened(images)
    mean = wide.mean((-3, -2), keepdims=True, dtype=np.float64).astype(wide.dtype)
    return (mean + (wide - mean) * contrast_factor).astype(images.dtype, copy=False)


def _sixth(hue: Any, xp: Any) -> Any:
    """Which sixth of the circle hues from 0 to 6 are in; the first where there is none."""
    return xp.clip(xp.nan_to_num(xp.floor(hue)), 0, 5).astype(int)


def _arranged(least: Any, middle: Any, greatest: Any, sixth: Any, xp: Any) -> Any:
    """The three numbers as red, green and blue."""
    result = xp.empty((*sixth.shape, 3), np.float32)
    for channel in range(3):
        which = xp.take(xp.asarray(_SIXTHS[:, channel]), sixth)
        others = xp.where(which == 1, middle, least)
        result[..., channel] = xp.where(which == 2, greatest, others)
    return result


@adjust_hue_op.kernel
def _adjust_hue_kernel(images: Array, delta: Array, *, xp: Any) -> Array:
    """The greatest and the least channel keep their numbers, so that whole ones stay whole."""
    _check_adjusted(images, "delta", delta)
    rgb = widened(images)
    red, green, blue = _channels(rgb)
    greener = xp.where(blue < red, 1, xp.where(blue > green, 3, 2))
    redder = xp.where(blue < green, 0, xp.where(blue > red, 4, 5))
    sixth = xp.where(red < green, greener, redder)
    least, middle, greatest = _sorted(red, green, blue, xp)
    chroma = greatest - least
    one, six = np.float32(1), np.float32(6)
    share = (middle - least) / xp.where(chroma == 0, one, chroma)
    hue = sixth.astype(np.float32) + xp.where(sixth % 2 == 0, share, one - share)
    hue = xp.where(chroma == 0, np.float32(0), hue) + delta * six
    hue = hue - six * xp.floor(hue / six)
    sixth = _sixth(hue, xp)
    share = hue - sixth.astype(np.float32)
    share = xp.where(sixth % 2 == 0, share, one - share)
    return _arranged(least, least + share * chroma, greatest, sixth, xp).astype(images.dtype)


@adjust_saturation_op.kernel
def _adjust_saturation_kernel(images: Array, scale: Array, *, xp: Any) -> Array:
    _check_adjusted(images, "scale", scale)
    rgb = widened(images)
    hue, saturation, value = _hsv(rgb, xp)
    chroma = xp.clip(saturation * scale, 0, 1) * value
    sixths = hue * np.float32(6)
    sixth = _sixth(sixths, xp)
    one, two = np.float32(1), np.float32(2)
    middle = chroma * (one - abs(sixths - two * xp.floor(sixths / two) - one))
    least = value - chroma
    return _arranged(least, middle + least, chroma + least, sixth, xp).astype(images.dtype)


# Public functions ---------------------------------------------------------------------------------


def rgb_to_hsv(images: Any, name: str | None = None) -> Tensor:
    """Red, green, blue as hue, saturation, value (TensorFlow: `tf.image.rgb_to_hsv`).

    Args:
      images: floats [..., 3] from 0 to 1. name: of the operation.

    Returns:
      the same shape, from 0 to 1.

    Raises:
      ValueError: if the last dimension is not 3.

    Example:
      >>> tf.image.rgb_to_hsv([[0.0, 0.5, 0.5]])  # [[0.5, 1., 0.5]]
    """
    return rgb_to_hsv_op(images, name=name)


def hsv_to_rgb(images: Any, name: str | None = None) -> Tensor:
    """Hue, saturation, value as red, green, blue (TensorFlow: `tf.image.hsv_to_rgb`).

    Args:
      images: floats [..., 3] from 0 to 1. name: of the operation.

    Raises:
      ValueError: if the last dimension is not 3.

    Example:
      >>> tf.image.hsv_to_rgb([[0.5, 1.0, 0.5]])  # [[0., 0.5, 0.5]]
    """
    return hsv_to_rgb_op(images, name=name)
