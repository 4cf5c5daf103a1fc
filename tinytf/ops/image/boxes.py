"""Boxes drawn into images, boxes by chance, and glimpses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tinytf.framework.array_types import Array
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, with_rank, with_rank_at_least
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.image.distorted_box import Box, Limits, distorted_box
from tinytf.ops.image.resize_ops import resized_shape
from tinytf.ops.random.sources import fresh_numbers, sequence_of
from tinytf.resources.manager import ResourceManager

# DrawBoundingBoxes, DrawBoundingBoxesV2 -----------------------------------------------------------

#: red, green, blue and opacity of the boxes, in turn; in halves
_CODES = "2202 0022 2002 0202 1012 1102 1002 0012 0222 2022"
_COLOURS = np.array([list(map(int, code)) for code in _CODES.split()]) / 2
_IMAGES = "T: {float, half} = DT_FLOAT"


def _drawn_shape(c: InferenceContext) -> TensorShape:
    images, boxes = with_rank(c.input(0), 4), with_rank(c.input(1), 3)
    if images[3].value not in (1, 3, 4, None):
        raise ValueError("Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA)")
    if boxes[2].value not in (4, None):
        raise ValueError(f"Dimension must be 4 but is {boxes[2]}")
    return images


_draw = define_op(
    "DrawBoundingBoxes",
    "images: T, boxes: float -> output: T",
    _IMAGES,
    shape=_drawn_shape,
    no_gradient="TensorFlow gives it none",
)
# TensorFlow says nothing of gradients of this one: to ask for one is an error there and here.
_draw_v2 = define_op(
    "DrawBoundingBoxesV2",
    "images: T, boxes: float, colors: float -> output: T",
    _IMAGES,
    shape=lambda c: with_rank_at_least(c.input(0), 3),
)


def _lines(box: Any, height: int, width: int) -> list[tuple[Any, Any]]:
    """The pixels of a box's sides, as indices into an image; none if it is not in the image."""
    scale = np.array([height - 1, width - 1] * 2, np.float32)
    top, left, low, right = (box * scale).astype(int).tolist()
    if top > low or left > right or top >= height or left >= width or low < 0 or right < 0:
        return []
    rows = slice(max(top, 0), min(low, height - 1) + 1)
    columns = slice(max(left, 0), min(right, width - 1) + 1)
    lines: list[tuple[Any, Any]] = [(row, columns) for row in (top, low) if 0 <= row < height]
    return lines + [(rows, column) for column in (left, right) if 0 <= column < width]


@_draw.kernel
def _draw_kernel(images: Array, boxes: Array) -> Array:
    return _draw_v2_kernel(images, boxes, np.zeros((0, 4)))


@_draw_v2.kernel
def _draw_v2_kernel(images: Array, boxes: Array, colors: Array) -> Array:
    if images.ndim != 4:
        raise invalid(f"The rank of the images should be 4: {shown(images)}")
    if boxes.ndim != 3 or boxes.shape[2] != 4 or len(boxes) != len(images):
        raise invalid(f"The boxes should be of shape [{len(images)}, boxes, 4]: {shown(boxes)}")
    _, height, width, depth = images.shape
    if depth not in (1, 3, 4):
        raise invalid(f"Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA): {depth}")
    if colors.ndim != 2 or colors.shape[1] < depth:
        raise invalid(
            f"colors must have equal or more channels than the image provided: {shown(colors)} "
            f"for {depth} channels"
        )
    default = np.ones((1, 1)) if depth == 1 else _COLOURS
    table = (colors if len(colors) else default).astype(images.dtype)
    result = images.copy()
    for image, of_image in zip(result, boxes, strict=True):
        for number, box in enumerate(of_image):
            for line in _lines(box, height, width):
                image[line] = table[number % len(table), :depth]
    return result


def draw_bounding_boxes(
    images: Any, boxes: Any, name: str | None = None, colors: Any = None
) -> Tensor:
    """Images with lines around boxes (TensorFlow: `tf.image.draw_bounding_boxes`).

    Args:
      images: floats from 0 to 1, [batch, height, width, 1, 3 or 4].
      boxes: float32 [batch, n, 4]: the first row and column, the last row and column, from 0 to 1.
      name: of the operation.
      colors: float32 [m, channels]: of the boxes, in turn; by default ten of its own.

    Raises:
      InvalidArgumentError: in a run, for other shapes.

    Example:
      >>> drawn = tf.image.draw_bounding_boxes(tf.zeros([1, 3, 3, 1]), [[[0.0, 0.0, 1.0, 1.0]]])
      >>> drawn[0, :, :, 0]  # [[1., 1., 1.], [1., 0., 1.], [1., 1., 1.]]
    """
    if colors is None:
        return _draw(images, boxes, name=name)
    return _draw_v2(images, boxes, colors, name=name)


# SampleDistortedBoundingBox, SampleDistortedBoundingBoxV2 -----------------------------------------

_SEEDS = "T: {uint8, int8, int16, int32, int64}, seed: int = 0, seed2: int = 0"
_SAMPLE_ATTRS = (
    "aspect_ratio_range: list(float) = [0.75, 1.33], area_range: list(float) = [0.05, 1]",
    "max_attempts: int = 100, use_image_if_no_bounding_boxes: bool = false",
)
_SAMPLE = "begin: T, size: T, bboxes: float"
_BY_CHANCE = "where the box is does not depend smoothly on anything"


def _sample_shape(c: InferenceContext) -> list[TensorShape]:
    merge_three = with_rank(c.input(0), 1).sizes or (None,)
    if merge_three[0] not in (None, 3):
        raise ValueError(f"Dimension must be 3 but is {merge_three[0]}")
    boxes = with_rank(c.input(1), 3).sizes or (None,) * 3
    if boxes[2] not in (None, 4):
        raise ValueError(f"Dimension must be 4 but is {boxes[2]}")
    if len(c.inputs) > 2:
        with_rank(c.input(2), 0)
    return [TensorShape.of((3,)), TensorShape.of((3,)), TensorShape.of((1, 1, 4))]


_sample = define_op(
    "SampleDistortedBoundingBox",
    f"image_size: T, bounding_boxes: float -> {_SAMPLE}",
    _SEEDS,
    "min_object_covered: float = 0.1",
    *_SAMPLE_ATTRS,
    stateful=True,
    shape=_sample_shape,
    no_gradient=_BY_CHANCE,
)
_sample_v2 = define_op(
    "SampleDistortedBoundingBoxV2",
    f"image_size: T, bounding_boxes: float, min_object_covered: float -> {_SAMPLE}",
    _SEEDS,
    *_SAMPLE_ATTRS,
    stateful=True,
    shape=_sample_shape,
    no_gradient=_BY_CHANCE,
)


def _words(resources: ResourceManager, node: Operation, attempts: int) -> Iterator[int]:
    """Random words, 32 bits each; as many blocks are taken from the sequence as attempts."""
    numbers = sequence_of(resources, node)
    block = 0
    if numbers is not None:
        sequence = numbers.reserve_blocks(attempts)
    while True:
        if numbers is not None:
            yield from sequence(np.array([block], np.uint64))[0].tolist()
        else:
            with fresh_numbers(resources) as generator:
                found = generator.integers(1 << 32, size=4).tolist()
            yield from found
        block += 1


def _check_sample(image_size: Array, boxes: Array, covered: Any, attrs: dict[str, Any]) -> None:
    areas, attempts = attrs["area_range"], attrs["max_attempts"]
    for name, values in (("Area", areas), ("Aspect ratio", attrs["aspect_ratio_range"])):
        if len(values) != 2:
            raise invalid(f"{name} range field must specify 2 dimensions: {values}")
        if min(values) <= 0:
            raise invalid(f"{name} range must be non-negative: {values}, and above 0")
    for wrong, message in (
        (max(areas) > 1, f"Area range must be less then or equal to 1.0: {areas}"),
        (attempts <= 0, f"Max attempts must be non-negative: {attempts}, and above 0"),
        (image_size.shape != (3,), f"image_size must contain 3 elements: {shown(image_size)}"),
        (boxes.ndim != 3 or boxes.shape[2] != 4, f"boxes must be [batch, n, 4]: {shown(boxes)}"),
        (covered < 0, f"Min object covered must be non-negative: {covered}"),
        (covered > 1, f"Min object covered must be less than 1.0: {covered}"),
    ):
        if wrong:
            raise invalid(message)
    if boxes.size and not 0 <= boxes.min() <= boxes.max() <= 1:
        raise invalid(
            f"All bounding box coordinates must be in [0.0, 1.0]: {boxes.min()} to {boxes.max()}. "
            f"Divide by the image's height and width."
        )
    if not boxes.size and not attrs["use_image_if_no_bounding_boxes"]:
        raise invalid(
            "No bounding boxes provided as input. One must enable use_image_if_no_bounding_boxes "
            "if you wish to not provide any bounding boxes."
        )


@_sample_v2.kernel
def _sample_v2_kernel(
    image_size: Array,
    bounding_boxes: Array,
    min_object_covered: Any,
    *,
    attrs: dict[str, Any],
    node: Operation,
    resources: ResourceManager,
) -> tuple[Array, Array, Array]:
    _check_sample(image_size, bounding_boxes, min_object_covered, attrs)
    height, width = image_size[:2].tolist()
    boxes = bounding_boxes.reshape(-1, 4)
    scale = np.array([height, width] * 2, np.float32)
    objects = [Box(*numbers) for numbers in (boxes * scale).astype(int).tolist()]
    whole = Box(0, 0, height, width)
    ranges = attrs["area_range"], attrs["aspect_ratio_range"]
    limits = Limits(*ranges, np.float32(min_object_covered), attrs["max_attempts"])
    words = _words(resources, node, limits.attempts)
    top, left, low, right = box = distorted_box(whole, objects or [whole], limits, words)
    kind = image_size.dtype
    size = np.array([low - top, right - left, -1]).astype(kind)
    return (
        np.array([top, left, 0], kind),
        size,
        (np.array(box, np.float32) / scale).reshape(1, 1, 4),
    )


@_sample.kernel
def _sample_kernel(
    image_size: Array,
    bounding_boxes: Array,
    *,
    attrs: dict[str, Any],
    node: Operation,
    resources: ResourceManager,
) -> tuple[Array, Array, Array]:
    covered = attrs["min_object_covered"]
    return _sample_v2_kernel(
        image_size, bounding_boxes, covered, attrs=attrs, node=node, resources=resources
    )


def sample_distorted_bounding_box(
    image_size: Any,
    bounding_boxes: Any,
    seed: int | None = None,
    seed2: int | None = None,
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> Any:
    """A random part of an image that has enough of an object in it.

    TensorFlow: `tf.image.sample_distorted_bounding_box`.

    Args:
      image_size: three whole numbers, height, width and channels: `tf.shape(image)`.
      bounding_boxes: float32 [batch, n, 4]: the objects' first rows and columns, last rows and
        columns, from 0 to 1.
      seed, seed2: unless both are 0 or None, the same boxes in every session; that of the graph
        (`tf.set_random_seed`) does not count.
      min_object_covered: how much of some object is to be in the part.
      aspect_ratio_range: of width to height, (0.75, 1.33) by default.
      area_range: of the part, in parts of the image, (0.05, 1) by default.
      max_attempts: after how many, 100 by default, the whole image is taken.
      use_image_if_no_bounding_boxes: whether no boxes stand for one around the image; otherwise
        they are an error.
      name: of the scope.

    Returns:
      (begin, size, bboxes): the first two for `tf.slice`, the third for
      `tf.image.draw_bounding_boxes`.

    Raises:
      ValueError: for other shapes. InvalidArgumentError: in a run, for boxes out of range.

    Example:
      >>> begin, size, box = tf.image.sample_distorted_bounding_box(
      ...     [20, 30, 3], tf.zeros([1, 0, 4]), use_image_if_no_bounding_boxes=True)
    """
    with op_scope(name, "sample_distorted_bounding_box"):
        given = {
            "seed": seed,
            "seed2": seed2,
            "aspect_ratio_range": aspect_ratio_range,
            "area_range": area_range,
            "max_attempts": max_attempts,
            "use_image_if_no_bounding_boxes": use_image_if_no_bounding_boxes,
        }
        attrs = {key: value for key, value in given.items() if value is not None}
        return _sample_v2(image_size, bounding_boxes, min_object_covered, name=name, **attrs)


# ExtractGlimpse -----------------------------------------------------------------------------------

_glimpse = define_op(
    "ExtractGlimpse",
    "input: float, size: int32, offsets: float -> glimpse: float",
    "centered: bool = true, normalized: bool = true, uniform_noise: bool = true",
    "noise: string = 'uniform'",
    no_gradient="TensorFlow gives it none",
)


@_glimpse.shape
def _glimpse_shape(c: InferenceContext) -> TensorShape:
    offsets = with_rank(c.input(2), 2).sizes or (None, None)
    if offsets[1] not in (None, 2):
        raise ValueError(f"Dimension must be 2 but is {offsets[1]}")
    images = with_rank(c.input(0), 4).as_list() if c.input(0).ndims else [None] * 4
    return resized_shape(c, c.input(0), 1, offsets[0] if images[0] is None else images[0])


def _window(offset: int, length: int, size: int) -> tuple[slice, slice, bool]:
    """Along one axis: which pixels are seen, where in the glimpse, and whether that is all."""
    seen = length
    if offset < 0:
        seen = max(0, length + offset)
    elif offset + length >= size:
        seen = max(0, size - offset)
    begin = length - seen if offset < 0 else 0
    seen, first = min(size, seen), max(offset, 0)
    return slice(first, first + seen), slice(begin, begin + seen), seen == length


def _noise(image: Any, shape: Any, uniform: bool, generator: Any) -> Any:
    """What is where a glimpse is outside the image: numbers like those of the image."""
    if uniform:
        least = image.min()
        return least + generator.random(shape, np.float32) * (image.max() - least)
    least, most = image.min((0, 1)), image.max((0, 1))
    normal = generator.standard_normal(shape, np.float32)
    return np.clip(image.mean((0, 1)) + normal * image.std((0, 1)), least, most)


@_glimpse.kernel
def _glimpse_kernel(
    input: Array, size: Array, offsets: Array, *, attrs: dict[str, Any], resources: ResourceManager
) -> Array:
    if input.ndim != 4:
        raise invalid(f"input must be a 4-dimensional tensor: {shown(input)}")
    if size.shape != (2,):
        raise invalid(f"size must be two numbers, height and width: {shown(size)}")
    if offsets.shape != (len(input), 2):
        raise invalid(f"offset should be of shape [{len(input)}, 2], got {shown(offsets)}")
    height, width = lengths = size.tolist()
    result = np.empty((len(input), height, width, input.shape[3]), np.float32)
    half = np.float32(2)
    for image, offset, glimpse in zip(input, offsets, result, strict=True):
        sides = np.array(image.shape[:2], np.float32)
        place = offset * sides if attrs["normalized"] else offset
        place = place / half + sides / half if attrs["centered"] else place
        corner = (place - np.array(lengths, np.float32) / half).astype(int).tolist()
        rows, columns = map(_window, corner, lengths, image.shape)
        if not (rows[2] and columns[2]):
            with fresh_numbers(resources) as generator:
                glimpse[:] = _noise(image, glimpse.shape, attrs["uniform_noise"], generator)
        glimpse[rows[1], columns[1]] = image[rows[0], columns[0]]
    return result


def extract_glimpse(
    input: Any,
    size: Any,
    offsets: Any,
    centered: bool = True,
    normalized: bool = True,
    uniform_noise: bool = True,
    name: str | None = None,
) -> Tensor:
    """A window of each image (TensorFlow: `tf.image.extract_glimpse`).

    What of it is outside the image is filled with noise, another one in each run.

    Args:
      input: float32 [batch, height, width, channels].
      size: two numbers, height and width of the windows.
      offsets: float32 [batch, 2]: the rows and columns of the windows' centres.
      centered: whether (0, 0) is the centre of the image, and an offset of the whole height half a
        height below it; otherwise the upper left corner.
      normalized: whether offsets are in parts of the image; otherwise in pixels.
      uniform_noise: whether all numbers of the image are equally likely; otherwise normal noise.
      name: of the operation.

    Raises:
      ValueError: for other shapes.

    Example:
      >>> image = [[[[1.0], [2.0], [3.0], [4.0]]]]
      >>> tf.image.extract_glimpse(image, [1, 2], [[0.0, 0.0]])[0, 0, :, 0]  # [2., 3.]
    """
    return _glimpse(
        input,
        size,
        offsets,
        name=name,
        centered=centered,
        normalized=normalized,
        uniform_noise=uniform_noise,
    )
