"""`tf.image.crop_and_resize`: rectangles of images, all of one size afterwards."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.array_types import Array
from tinytf.framework.errors import OutOfRangeError, invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, merge_dimension, with_rank
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.base.shape_rules import shown, shown_list
from tinytf.ops.image.resize_ops import resized_shape

_KINDS = "T: {uint8, uint16, int8, int16, int32, int64, half, float, double}"
_METHOD = "method: {'bilinear', 'nearest'} = 'bilinear'"


class _Places(NamedTuple):
    """Where along an axis the pixels of each crop are, (boxes, pixels).

    Attributes:
      inside: whether they are in the image. before, after: the pixels around a place.
      share: how much the second counts, float32.
    """

    inside: Any
    before: Any
    after: Any
    share: Any


def _places(starts: Any, ends: Any, size: int, count: int) -> _Places:
    last = np.float32(size - 1)
    if count > 1:
        steps = (ends - starts) * last / np.float32(count - 1)
        places = (starts * last)[:, None] + np.arange(count, dtype=np.float32) * steps[:, None]
    else:
        places = (np.float32(0.5) * (starts + ends) * last)[:, None]
    inside = (places >= 0) & (places <= last)
    within = np.where(inside, places, np.float32(0))
    floor = np.floor(within)
    before, after = floor.astype(int), np.ceil(within).astype(int)
    return _Places(inside, before, after, within - floor)


def _both_places(boxes: Array, shape: Any, size: Any) -> tuple[_Places, _Places]:
    """Of rows and of columns, in images of a shape and crops of a size."""
    rows, columns = (
        _places(boxes[:, axis], boxes[:, axis + 2], shape[axis + 1], size[axis]) for axis in (0, 1)
    )
    return rows, columns


def _check(image_shape: Any, boxes: Array, box_ind: Array) -> None:
    if len(image_shape) != 4:
        raise invalid(f"input image must be 4-D{shown_list(image_shape)}")
    if min(image_shape[1:3]) <= 0:
        raise invalid("image dimensions must be positive")
    if boxes.ndim != 2:
        raise invalid(f"boxes must be 2-D{shown(boxes)}")
    if boxes.shape[1] != 4:
        raise invalid(f"boxes must have 4 columns{shown(boxes)}")
    if box_ind.shape != boxes.shape[:1]:
        raise invalid(f"box_index has incompatible shape: {shown(box_ind)} for {shown(boxes)}")
    if box_ind.size and not 0 <= box_ind.min() <= box_ind.max() < image_shape[0]:
        raise OutOfRangeError(
            f"box_index has values outside [0, batch_size): {box_ind.min()} to {box_ind.max()} "
            f"for {image_shape[0]} images"
        )


def _at(box_ind: Array, rows: Any, columns: Any) -> tuple[Any, Any, Any]:
    """The index of pixels (boxes, height, width) in images."""
    return box_ind[:, None, None], rows[:, :, None], columns[:, None, :]


def _nearest(places: _Places) -> Any:
    return np.where(places.share >= 0.5, places.after, places.before)


# CropAndResize ------------------------------------------------------------------------------------

_crop_and_resize = define_op(
    "CropAndResize",
    "image: T, boxes: float, box_ind: int32, crop_size: int32 -> crops: float",
    _KINDS,
    _METHOD,
    "extrapolation_value: float = 0",
)


def _boxes_of(c: InferenceContext, index: int) -> int | None:
    """How many boxes the inputs `index` and the one after it have."""
    boxes = with_rank(c.input(index), 2).sizes or (None, None)
    if boxes[1] not in (None, 4):
        raise ValueError(f"Dimension must be 4 but is {boxes[1]}")
    numbers = with_rank(c.input(index + 1), 1).sizes or (None,)
    return merge_dimension(boxes[0], numbers[0])


@_crop_and_resize.shape
def _crop_and_resize_shape(c: InferenceContext) -> TensorShape:
    sizes = resized_shape(c, c.input(0), 3).as_list()
    return TensorShape.of((_boxes_of(c, 1), *sizes[1:]))


@_crop_and_resize.kernel
def _crop_and_resize_kernel(
    image: Array,
    boxes: Array,
    box_ind: Array,
    crop_size: Array,
    *,
    method: bytes,
    extrapolation_value: float,
) -> Array:
    _check(image.shape, boxes, box_ind)
    if crop_size.ndim != 1:
        raise invalid(f"crop_size must be 1-D{shown(crop_size)}")
    if len(crop_size) != 2:
        raise invalid(f"crop_size must have two elements{shown(crop_size)}")
    if min(size := crop_size.tolist()) <= 0:
        raise invalid(f"crop dimensions must be positive: crop_size is {size}")
    rows, columns = _both_places(boxes, image.shape, size)

    def pixels(row: Any, column: Any) -> Any:
        return image[_at(box_ind, row, column)].astype(np.float32)

    if method == b"nearest":
        result = pixels(_nearest(rows), _nearest(columns))
    else:
        share = columns.share[:, None, :, None]
        top, bottom = (
            left + (pixels(row, columns.after) - left) * share
            for row in (rows.before, rows.after)
            for left in [pixels(row, columns.before)]
        )
        result = top + (bottom - top) * rows.share[:, :, None, None]
    inside = (rows.inside[:, :, None] & columns.inside[:, None, :])[..., None]
    return np.where(inside, result, np.float32(extrapolation_value))


@_crop_and_resize.gradient
def _crop_and_resize_gradient(op: Operation, gradient: Tensor) -> list[Any]:
    image, boxes, box_ind, _ = op.inputs
    of_image = None
    if image.dtype in (dtypes.float16, dtypes.float32, dtypes.float64):
        known = image.shape.is_fully_defined()
        size = image.shape.as_list() if known else ops.shape(image)
        attrs = {"T": image.dtype, "method": op.attrs["method"]}
        of_image = _grad_image(gradient, boxes, box_ind, size, **attrs)
    return [of_image, _grad_boxes(gradient, image, boxes, box_ind), None, None]


# CropAndResizeGradImage, CropAndResizeGradBoxes; TensorFlow has no gradients for them -------------

_grad_image = define_op(
    "CropAndResizeGradImage",
    "grads: float, boxes: float, box_ind: int32, image_size: int32 -> output: T",
    "T: {float, half, double}",
    _METHOD,
    shape=lambda c: with_rank(c.shape_value(3), 4),
)


@_grad_image.kernel
def _grad_image_kernel(
    grads: Array,
    boxes: Array,
    box_ind: Array,
    image_size: Array,
    *,
    method: bytes,
    T: dtypes.DType,
) -> Array:
    size = image_size.tolist()
    _check(size, boxes, box_ind)
    rows, columns = _both_places(boxes, size, grads.shape[1:3])
    kind = np.float64 if T is dtypes.float64 else np.float32
    result = np.zeros(size, kind)
    inside = rows.inside[:, :, None] & columns.inside[:, None, :]
    grads = np.where(inside[..., None], grads, 0).astype(kind)
    if method == b"nearest":
        np.add.at(result, _at(box_ind, _nearest(rows), _nearest(columns)), grads)
        return result.astype(T.as_numpy_dtype, copy=False)
    for row, tall in ((rows.before, 1 - rows.share), (rows.after, rows.share)):
        for column, wide in ((columns.before, 1 - columns.share), (columns.after, columns.share)):
            weights = (tall[:, :, None] * wide[:, None, :])[..., None]
            np.add.at(result, _at(box_ind, row, column), grads * weights)
    return result.astype(T.as_numpy_dtype, copy=False)


_grad_boxes = define_op(
    "CropAndResizeGradBoxes",
    "grads: float, image: T, boxes: float, box_ind: int32 -> output: float",
    _KINDS,
    "method: {'bilinear'} = 'bilinear'",
    shape=lambda c: with_rank(c.input(2), 2),
)


@_grad_boxes.kernel
def _grad_boxes_kernel(grads: Array, image: Array, boxes: Array, box_ind: Array) -> Array:
    _check(image.shape, boxes, box_ind)
    rows, columns = _both_places(boxes, image.shape, grads.shape[1:3])
    top_left, top_right, low_left, low_right = (
        image[_at(box_ind, row, column)].astype(np.float32)
        for row in (rows.before, rows.after)
        for column in (columns.before, columns.after)
    )
    tall, wide = rows.share[:, :, None, None], columns.share[:, None, :, None]
    down = (1 - wide) * (low_left - top_left) + wide * (low_right - top_right)
    across = (1 - tall) * (top_right - top_left) + tall * (low_right - low_left)
    inside = (rows.inside[:, :, None] & columns.inside[:, None, :])[..., None]
    grads = np.where(inside, grads, 0)
    result = np.zeros(boxes.shape, np.float32)
    for axis, slope in ((0, down), (1, across)):
        of_places = (grads * slope).sum(3).sum(2 - axis)  # (boxes, pixels)
        last, count = np.float32(image.shape[axis + 1] - 1), grads.shape[axis + 1]
        if count > 1:
            far = np.arange(count, dtype=np.float32) * (last / np.float32(count - 1))
        else:
            far = np.full(1, last / 2, np.float32)
        result[:, axis] = (of_places * (last - far)).sum(1)
        result[:, axis + 2] = (of_places * far).sum(1)
    return result


def crop_and_resize(
    image: Any,
    boxes: Any,
    box_ind: Any = None,
    crop_size: Any = None,
    method: str = "bilinear",
    extrapolation_value: float = 0,
    name: str | None = None,
    box_indices: Any = None,
) -> Tensor:
    """Rectangles of images, resized to one size (TensorFlow: `tf.image.crop_and_resize`).

    Args:
      image: [batch, height, width, channels].
      boxes: float32 [n, 4]: the first row and column, the last row and column, each from 0 to 1.
        A box that ends before it begins gives a mirrored crop.
      box_ind, box_indices: int32 [n]: the image that each box is of.
      crop_size: two numbers, height and width.
      method: "bilinear" or "nearest".
      extrapolation_value: for what of a box is outside the image.
      name: of the operation.

    Returns:
      float32 [n, height, width, channels].

    Raises:
      ValueError: for other shapes. InvalidArgumentError: in a run, for an image that is not there.

    Example:
      >>> image = [[[[1.0], [2.0], [3.0]]]]
      >>> crops = tf.image.crop_and_resize(image, [[0.0, 0.5, 0.0, 1.0]], [0], [1, 3])
      >>> crops[0, 0, :, 0]  # [2., 2.5, 3.]
    """
    box_ind = ops.deprecated_lookup("box_indices", box_indices, "box_ind", box_ind)
    return _crop_and_resize(
        image,
        boxes,
        box_ind,
        crop_size,
        name=name,
        method=method,
        extrapolation_value=extrapolation_value,
    )
