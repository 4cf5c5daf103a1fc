"""`tf.image.resize_images` and its kin."""

from __future__ import annotations

from typing import Any

from tinytf.framework import dtypes
from tinytf.framework.constant_value import constant_value_as_shape
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import dimension_at_index
from tinytf.ops.array.reshape import expand_dims
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.image.resize_ops import area_op, bicubic_op, bilinear_op, nearest_op
from tinytf.ops.image.shapes import LAYOUT, as_given, sizes_of
from tinytf.ops.math.arithmetic import minimum
from tinytf.ops.math.cast import cast
from tinytf.ops.math.rounding import round


class ResizeMethod:
    """Numbers of the methods of `tf.image.resize_images` (TensorFlow: `tf.image.ResizeMethod`).

    Example:
      >>> tf.image.ResizeMethod.BICUBIC  # 2
    """

    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3


_METHODS: dict[Any, Any] = {
    ResizeMethod.BILINEAR: bilinear_op,
    ResizeMethod.NEAREST_NEIGHBOR: nearest_op,
    ResizeMethod.BICUBIC: bicubic_op,
    ResizeMethod.AREA: area_op,
    "bilinear": bilinear_op,
    "nearest": nearest_op,
    "bicubic": bicubic_op,
    "area": area_op,
}


def resize_images(
    images: Any,
    size: Any,
    method: Any = ResizeMethod.BILINEAR,
    align_corners: bool = False,
    preserve_aspect_ratio: bool = False,
    name: str | None = None,
) -> Tensor:
    """Images of another size (TensorFlow: `tf.image.resize_images`, `tf.image.resize`).

    Except for nearest neighbour the result is float32, with numbers as large as those of the
    images: divide by 255, or use `tf.image.convert_image_dtype` before.

    Args:
      images: [batch, height, width, channels], or one image [height, width, channels].
      size: two numbers, height and width.
      method: one of `tf.image.ResizeMethod`, or "bilinear", "nearest", "bicubic", "area".
      align_corners: whether the centres of the corners' pixels stay at the corners.
      preserve_aspect_ratio: whether the result may be smaller than `size`, so that it is not
        distorted.
      name: of the scope.

    Returns:
      images; the same tensor if they have the size already.

    Raises:
      ValueError: for another rank, another method, or a size that is not two numbers.

    Example:
      >>> tf.shape(tf.image.resize_images(tf.zeros([2, 50, 40, 3]), [100, 80]))  # [2, 100, 80, 3]
    """
    keep = not preserve_aspect_ratio
    return resized(images, size, method, align_corners, preserve_aspect_ratio, name, keep)


def resized(
    images: Any,
    size: Any,
    method: Any,
    align_corners: bool,
    preserve_aspect_ratio: bool,
    name: str | None,
    keep: bool,
) -> Tensor:
    """As `resize_images`.

    Args:
      keep: whether images that have the size already stay as they are, with their type. A size
        that is computed from theirs is never taken for the same, as in TensorFlow.
    """
    with op_scope(name, "resize", (images, size)):
        images = convert_to_tensor(images, name="images")
        if images.shape.ndims is None:
            raise ValueError(
                "'images' contains no shape. Say how many dimensions there are: "
                "images.set_shape([None, None, 3]), or [None, None, None, 3] for a batch."
            )
        if images.shape.ndims not in (3, 4):
            raise ValueError(
                f"'images' must have either 3 or 4 dimensions. Their shape is {images.shape}. "
                f"{LAYOUT}."
            )
        is_batch = images.shape.ndims == 4
        if not is_batch:
            images = expand_dims(images, 0)
        size = _as_size(size)
        if preserve_aspect_ratio:
            size = _without_distortion(images, size)
        known = constant_value_as_shape(size)
        wanted = [dimension_at_index(known, axis).value for axis in (0, 1)]
        if not keep or None in wanted or wanted != images.shape.as_list()[1:3]:
            if method not in _METHODS:
                raise ValueError(
                    f"Resize method is not implemented: {method}. There are "
                    f"{', '.join(repr(known) for known in _METHODS if isinstance(known, str))} "
                    f"and the numbers in tf.image.ResizeMethod."
                )
            images = _METHODS[method](images, size, align_corners=align_corners)
            images.set_shape([None, *wanted, None])
        return as_given(images, is_batch)


def _as_size(size: Any) -> Tensor:
    try:
        given = convert_to_tensor(size, dtype=dtypes.int32, name="size")
    except (TypeError, ValueError):
        raise ValueError(
            f"'size' must be a 1-D int32 Tensor, and is {size!r}: write [height, width], whole "
            "numbers."
        ) from None
    if not given.shape.is_compatible_with([2]):
        raise ValueError(
            f"'size' must be a 1-D Tensor of 2 elements: new_height, new_width; it is of shape "
            f"{given.shape}."
        )
    return given


def _without_distortion(images: Any, size: Any) -> Tensor:
    """The largest size within `size` that has the images' proportions."""
    height, width = sizes_of(images)[1:3]
    tall = cast(size[0], dtypes.float32) / cast(height, dtypes.float32)
    wide = cast(size[1], dtypes.float32) / cast(width, dtypes.float32)
    factor: Any = minimum(tall, wide)
    scaled = [
        cast(round(factor * cast(side, dtypes.float32)), dtypes.int32) for side in (height, width)
    ]
    return convert_to_tensor(scaled, dtype=dtypes.int32, name="size")


def resize_bilinear(
    images: Any,
    size: Any,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Tensor:
    """Images of another size, between pixels in proportion.

    TensorFlow: `tf.image.resize_bilinear`.

    Args:
      images: [batch, height, width, channels].
      size: two numbers, height and width.
      align_corners: whether the centres of the corners' pixels stay at the corners.
      name: of the operation.
      half_pixel_centers: whether pixels are squares with centres (TensorFlow 2's way) instead of
        points.

    Returns:
      float32.

    Raises:
      ValueError: for another rank. InvalidArgumentError: in a run, for images or a size with 0.

    Example:
      >>> tf.image.resize_bilinear([[[[0.0], [4.0]]]], [1, 4])[0, 0, :, 0]  # [0., 2., 4., 4.]
    """
    return bilinear_op(
        images, size, name=name, align_corners=align_corners, half_pixel_centers=half_pixel_centers
    )


def resize_nearest_neighbor(
    images: Any,
    size: Any,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Tensor:
    """Images of another size, of the pixels there are; of the images' type.

    TensorFlow: `tf.image.resize_nearest_neighbor`. Arguments and errors as of `resize_bilinear`.

    Example:
      >>> tf.image.resize_nearest_neighbor([[[[0], [4]]]], [1, 4])[0, 0, :, 0]  # [0, 0, 4, 4]
    """
    return nearest_op(
        images, size, name=name, align_corners=align_corners, half_pixel_centers=half_pixel_centers
    )


def resize_bicubic(
    images: Any,
    size: Any,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Tensor:
    """Images of another size, by cubic curves through four pixels; may overshoot.

    TensorFlow: `tf.image.resize_bicubic`. Arguments and errors as of `resize_bilinear`.

    Example:
      >>> tf.image.resize_bicubic([[[[0.0], [8.0]]]], [1, 4])[0, 0, :, 0]  # [0., 4., 8., 8.75]
    """
    return bicubic_op(
        images, size, name=name, align_corners=align_corners, half_pixel_centers=half_pixel_centers
    )


def resize_area(
    images: Any, size: Any, align_corners: bool = False, name: str | None = None
) -> Tensor:
    """Images of another size, means over what each pixel covers.

    TensorFlow: `tf.image.resize_area`. Arguments and errors as of `resize_bilinear`.

    Example:
      >>> tf.image.resize_area([[[[1.0], [3.0], [5.0], [9.0]]]], [1, 2])[0, 0, :, 0]  # [2., 7.]
    """
    return area_op(images, size, name=name, align_corners=align_corners)
