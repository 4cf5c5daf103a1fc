"""Parts of images, and images with borders: crops, pads, and resizing by both."""

from __future__ import annotations

from typing import Any

from tinytf.framework import dtypes
from tinytf.framework.constant_value import constant_value
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.pad import pad
from tinytf.ops.array.reshape import reshape
from tinytf.ops.array.slice import slice
from tinytf.ops.array.stack import stack
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.control_flow.grouping import with_dependencies
from tinytf.ops.image.resizing import ResizeMethod
from tinytf.ops.image.resizing import resized as resize
from tinytf.ops.image.shapes import (
    LAYOUT,
    as_given,
    asserted_3d,
    at_least_3d,
    batched,
    is_tensor,
    require,
    shape_of,
    sizes_of,
    static,
)
from tinytf.ops.math.arithmetic import maximum, minimum
from tinytf.ops.math.cast import cast
from tinytf.ops.math.comparison import equal
from tinytf.ops.math.logical import logical_or
from tinytf.ops.math.rounding import floor

# Functions of numbers that are known now, or of tensors.


def _larger(x: Any, y: Any) -> Any:
    return maximum(x, y) if is_tensor(x) or is_tensor(y) else max(x, y)


def _smaller(x: Any, y: Any) -> Any:
    return minimum(x, y) if is_tensor(x) or is_tensor(y) else min(x, y)


def _same(x: Any, y: Any) -> Any:
    return equal(x, y) if is_tensor(x) or is_tensor(y) else x == y


def _bounds(ending: str, **numbers: Any) -> list[Any]:
    """Checks that offsets are not below 0, and targets above."""
    checks = []
    for name, value in numbers.items():
        if name.startswith("offset"):
            checks += require(value >= 0, f"{name} must be >= 0{ending}", f" It is {value}.")
        else:
            checks += require(value > 0, f"{name} must be > 0{ending}", f" It is {value}.")
    return checks


def crop_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    """A rectangle of each image (TensorFlow: `tf.image.crop_to_bounding_box`).

    Args:
      image: [height, width, channels], or a batch of them.
      offset_height, offset_width: where the rectangle begins, numbers or scalar tensors.
      target_height, target_width: how large it is.

    Raises:
      ValueError: for another rank, or if the rectangle is not in the image.
      InvalidArgumentError: likewise, in a run, for what is known only then.

    Example:
      >>> tf.image.crop_to_bounding_box([[[1], [2], [3]]], 0, 1, 1, 2)[:, :, 0]  # [[2, 3]]
    """
    with op_scope(None, "crop_to_bounding_box", (image,)):
        image, is_batch = batched(image)
        checks = at_least_3d(image)
        batch, height, width, depth = sizes_of(image)
        checks += _bounds(
            ".",
            offset_width=offset_width,
            offset_height=offset_height,
            target_width=target_width,
            target_height=target_height,
        )
        for side, size, target, offset in (
            ("width", width, target_width, offset_width),
            ("height", height, target_height, offset_height),
        ):
            checks += require(
                size >= target + offset,
                f"{side} must be >= target + offset.",
                f" The image's {side} is {size}, the target's {target}, from {offset} on: the "
                f"crop is larger than the image.",
            )
        image = with_dependencies(checks, image)
        begin = stack([0, offset_height, offset_width, 0])
        size = stack([shape_of(image)[0], target_height, target_width, shape_of(image)[3]])
        cropped = slice(image, begin, size)
        cropped.set_shape(static([batch, target_height, target_width, depth]))
        return as_given(cropped, is_batch)


def pad_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    """Each image somewhere in a larger one of zeros (TensorFlow: `tf.image.pad_to_bounding_box`).

    Args:
      image: [height, width, channels], or a batch of them.
      offset_height, offset_width: where in the result the image begins, numbers or tensors.
      target_height, target_width: how large the result is.

    Raises:
      ValueError: for another rank, or if the image is not in the result.
      InvalidArgumentError: likewise, in a run, for what is known only then.

    Example:
      >>> tf.image.pad_to_bounding_box([[[1], [2]]], 0, 1, 1, 4)[:, :, 0]  # [[0, 1, 2, 0]]
    """
    with op_scope(None, "pad_to_bounding_box", (image,)):
        image, is_batch = batched(image)
        batch, height, width, depth = sizes_of(image)
        after_width = target_width - offset_width - width
        after_height = target_height - offset_height - height
        checks = at_least_3d(image)
        checks += _bounds("", offset_height=offset_height, offset_width=offset_width)
        for side, size, target, offset, after in (
            ("width", width, target_width, offset_width, after_width),
            ("height", height, target_height, offset_height, after_height),
        ):
            checks += require(
                after >= 0,
                f"{side} must be <= target - offset",
                f": the image's {side} is {size}, the target's {target}, from {offset} on.",
            )
        image = with_dependencies(checks, image)
        borders = [0, 0, offset_height, after_height, offset_width, after_width, 0, 0]
        padded = pad(image, reshape(stack(borders), [4, 2]))
        padded.set_shape(static([batch, target_height, target_width, depth]))
        return as_given(padded, is_batch)


def resize_image_with_crop_or_pad(image: Any, target_height: Any, target_width: Any) -> Tensor:
    """Images of another size with pixels as large as before: the middle, or with zeros around.

    TensorFlow: `tf.image.resize_image_with_crop_or_pad`, `tf.image.resize_with_crop_or_pad`.

    Args:
      image: [height, width, channels], or a batch of them.
      target_height, target_width: numbers or scalar tensors.

    Raises:
      ValueError: for another rank, or a size that is not positive.

    Example:
      >>> tf.image.resize_image_with_crop_or_pad([[[1], [2], [3]]], 1, 1)[:, :, 0]  # [[2]]
    """
    with op_scope(None, "resize_image_with_crop_or_pad", (image,)):
        image, is_batch = batched(image)
        targets = _bounds(".", target_width=target_width, target_height=target_height)
        checks = at_least_3d(image) + targets
        image = with_dependencies(checks, image)
        if is_tensor(target_height):
            target_height = with_dependencies(checks, target_height)
        if is_tensor(target_width):
            target_width = with_dependencies(checks, target_width)
        _, height, width, _ = sizes_of(image)
        crop_left, pad_left = _halves(target_width - width)
        crop_top, pad_top = _halves(target_height - height)
        smaller = _smaller(target_height, height), _smaller(target_width, width)
        cropped = crop_to_bounding_box(image, crop_top, crop_left, *smaller)
        result = pad_to_bounding_box(cropped, pad_top, pad_left, target_height, target_width)
        _, height, width, _ = sizes_of(result)
        checks = require(_same(height, target_height), "resized height is not correct.")
        checks += require(_same(width, target_width), "resized width is not correct.")
        return as_given(with_dependencies(checks, result), is_batch)


def _halves(difference: Any) -> tuple[Any, Any]:
    """Half of what there is too much, half of what is missing."""
    return _larger(-difference // 2, 0), _larger(difference // 2, 0)


def resize_image_with_pad(
    image: Any,
    target_height: Any,
    target_width: Any,
    method: Any = ResizeMethod.BILINEAR,
    align_corners: bool = False,
) -> Tensor:
    """Images of another size, undistorted, with zeros around what is not filled.

    TensorFlow: `tf.image.resize_image_with_pad`.

    Args:
      image: [height, width, channels], or a batch of them.
      target_height, target_width: numbers or scalar tensors.
      method, align_corners: as of `tf.image.resize_images`.

    Raises:
      ValueError: for another rank, or a size that is not positive.

    Example:
      >>> tf.image.resize_image_with_pad([[[1.0], [1.0]]], 2, 2)[:, :, 0]  # [[1., 1.], [0., 0.]]
    """
    with op_scope(None, "resize_image_with_pad", (image,)):
        image, is_batch = batched(image)
        targets = _bounds(".", target_width=target_width, target_height=target_height)
        checks = at_least_3d(image) + targets
        image = with_dependencies(checks, image)
        _, *sizes = sizes_of(image)
        tall, wide, to_tall, to_wide = (
            cast(size, dtypes.float32) for size in (*sizes[:2], target_height, target_width)
        )
        ratio = _larger(wide / to_wide, tall / to_tall)
        height, width = tall / ratio, wide / ratio
        size = [cast(floor(side), dtypes.int32) for side in (height, width)]
        borders = [(to_tall - height) / 2, (to_wide - width) / 2]
        floors = [floor(border) for border in borders]
        top, left = (_larger(0, cast(border, dtypes.int32)) for border in floors)
        resized = resize(image, size, method, align_corners, False, None, keep=False)
        padded = pad_to_bounding_box(resized, top, left, target_height, target_width)
        sizes_of(padded)
        return as_given(padded, is_batch)


def central_crop(image: Any, central_fraction: Any) -> Tensor:
    """The middle of each image (TensorFlow: `tf.image.central_crop`).

    Args:
      image: [height, width, channels], or a batch of them.
      central_fraction: how much of the height and of the width stays: above 0, at most 1; a
        number or a scalar tensor.

    Raises:
      ValueError: for another rank, or another fraction.

    Example:
      >>> tf.image.central_crop([[[1], [2], [3], [4]]], 0.5)[:, :, 0]  # [[2, 3]]
    """
    with op_scope(None, "central_crop", (image,)):
        image = convert_to_tensor(image, name="image")
        known = central_fraction
        if is_tensor(central_fraction):
            known = constant_value(central_fraction)
        if known is None:
            fits = logical_or(central_fraction > 0.0, central_fraction <= 1.0)
            image = with_dependencies(
                require(fits, "central_fraction must be within (0, 1]"), image
            )
        elif not 0.0 < known <= 1.0:
            raise ValueError(f"central_fraction must be within (0, 1]. It is {known}.")
        elif known == 1.0:
            return image
        asserted_3d(image)
        ndims = image.shape.ndims
        if ndims not in (3, 4):
            raise ValueError(
                "`image` should either be a Tensor with rank = 3 or rank = 4. Had rank = "
                f"{ndims}. {LAYOUT}."
            )
        return _middle(image, ndims - 3, central_fraction if known is None else known, known)


def _middle(image: Any, first: int, fraction: Any, known: Any) -> Tensor:
    """The middle of images whose rows are the axis `first`."""
    shape = image.shape.as_list()
    sizes = [
        shape_of(image)[axis] if shape[axis] is None else shape[axis] for axis in (first, first + 1)
    ]
    starts = []
    for size in sizes:
        if is_tensor(size) or known is None:
            wide: Any = cast(size, dtypes.float64)
            rest = (wide - wide * cast(fraction, dtypes.float64)) / 2
            starts.append(cast(rest, dtypes.int32))
        else:
            starts.append(int((float(size) - float(size) * known) / 2))
    lengths = [size - start * 2 for size, start in zip(sizes, starts, strict=True)]
    begin, size = stack([*[0] * first, *starts, 0]), stack([*[-1] * first, *lengths, -1])
    result = slice(image, begin, size)
    result.set_shape([*shape[:first], *static(lengths), shape[-1]])
    return result
