"""How images differ, from others and from pixel to pixel: psnr, ssim, edges, variation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.concat import concat
from tinytf.ops.array.constant import constant
from tinytf.ops.array.fill import zeros
from tinytf.ops.array.identity import identity
from tinytf.ops.array.pad import pad
from tinytf.ops.array.range import range as range_of
from tinytf.ops.array.reshape import expand_dims, reshape
from tinytf.ops.array.shape import shape_n
from tinytf.ops.array.shape import size as size_of
from tinytf.ops.array.stack import stack, unstack
from tinytf.ops.array.tile import tile
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.check.assert_op import Assert
from tinytf.ops.control_flow.cond import cond
from tinytf.ops.image.colours import convert_image_dtype
from tinytf.ops.image.shapes import LAYOUT, shape_of
from tinytf.ops.math.arithmetic import squared_difference, subtract
from tinytf.ops.math.cast import cast
from tinytf.ops.math.comparison import equal, greater_equal, not_equal
from tinytf.ops.math.exp_log import log as _log
from tinytf.ops.math.power import pow
from tinytf.ops.math.power import square as _square
from tinytf.ops.math.sign import absolute
from tinytf.ops.nn.depthwise import depthwise_conv2d
from tinytf.ops.nn.pooling import avg_pool
from tinytf.ops.nn.relu import relu
from tinytf.ops.nn.softmax import softmax
from tinytf.ops.reduce.reduction import reduce_all, reduce_any, reduce_mean, reduce_prod, reduce_sum

#: What they give is calculated with.
log: Any = _log
square: Any = _square

# Within one image ---------------------------------------------------------------------------------


def total_variation(images: Any, name: str | None = None) -> Tensor:
    """The sum of differences between neighbouring pixels (TensorFlow: `tf.image.total_variation`).

    Args:
      images: a tensor [height, width, channels], or a batch of them. name: of the scope.

    Returns:
      a number, or one for each image.

    Raises:
      ValueError: for another rank.

    Example:
      >>> tf.image.total_variation(tf.constant([[[1.0], [3.0]], [[1.0], [3.0]]]))  # 4.0
    """
    with op_scope(name, "total_variation"):
        ndims = images.shape.ndims
        if ndims not in (3, 4):
            raise ValueError(
                f"'images' must be either 3 or 4-dimensional. Their shape is {images.shape}. "
                f"{LAYOUT}."
            )
        if ndims == 3:
            down, across = (
                images[1:, :, :] - images[:-1, :, :],
                images[:, 1:, :] - images[:, :-1, :],
            )
            axes = None
        else:
            down, across = _steps(images)
            axes = [1, 2, 3]
        first: Any = reduce_sum(absolute(down), axis=axes)
        return first + reduce_sum(absolute(across), axis=axes)


def _steps(images: Any) -> tuple[Any, Any]:
    """From row to row and from column to column of a batch."""
    down = images[:, 1:, :, :] - images[:, :-1, :, :]
    return down, images[:, :, 1:, :] - images[:, :, :-1, :]


def image_gradients(image: Any) -> tuple[Tensor, Tensor]:
    """Differences to the next row and to the next column (TensorFlow: `tf.image.image_gradients`).

    Args:
      image: a tensor [batch, height, width, channels].

    Returns:
      (dy, dx) of the image's shape; the last row and the last column are 0.

    Raises:
      ValueError: for another rank.

    Example:
      >>> tf.image.image_gradients(tf.constant([[[[1.0], [3.0]]]]))[1][0, :, :, 0]  # [[2., 0.]]
    """
    if image.shape.ndims != 4:
        raise ValueError(
            f"image_gradients expects a 4D tensor [batch_size, h, w, d], not {image.shape}. Of "
            f"one image, take tf.expand_dims(image, 0)."
        )
    shape = shape_of(image)
    batch, height, width, depth = unstack(shape)
    dy, dx = _steps(image)
    row = zeros(stack([batch, 1, width, depth]), image.dtype)
    dy = reshape(concat([dy, row], 1), shape)
    column = zeros(stack([batch, height, 1, depth]), image.dtype)
    return dy, reshape(concat([dx, column], 2), shape)


_SOBEL = np.array([[[-1, -2, -1], [0, 0, 0], [1, 2, 1]], [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]])


def sobel_edges(image: Any) -> Tensor:
    """Sobel's filters, down and across (TensorFlow: `tf.image.sobel_edges`).

    Args:
      image: a tensor of floats [batch, height, width, channels].

    Returns:
      [batch, height, width, channels, 2]: how much lighter it is below, and to the right.

    Raises:
      ValueError: for another rank.

    Example:
      >>> image = tf.constant([[[[0.0], [0.0], [1.0]], [[0.0], [0.0], [1.0]]]])
      >>> tf.image.sobel_edges(image)[0, 0, :, 0, 1]  # [0., 4., 0.]
    """
    static, shape = image.shape, shape_of(image)
    filters = constant(_SOBEL.transpose(1, 2, 0)[:, :, None, :], dtype=image.dtype)
    filters = tile(filters, [1, 1, shape[-1], 1], name="sobel_filters")
    padded = pad(image, [[0, 0], [1, 1], [1, 1], [0, 0]], mode="REFLECT")
    edges = depthwise_conv2d(padded, filters, [1, 1, 1, 1], "VALID")
    edges = reshape(edges, concat([shape, [2]], 0))
    edges.set_shape(static.concatenate([2]))
    return edges


# Between two images -------------------------------------------------------------------------------


def _checked_shapes(first: Any, second: Any) -> tuple[Any, Any, list[Any]]:
    """The shapes of images that are compared, and assertions that this can be done."""
    static: Any = [image.shape.with_rank_at_least(3) for image in (first, second)]
    if static[0].ndims is not None and static[1].ndims is not None:
        static[0][-3:].assert_is_compatible_with(static[1][-3:])
        outer = (shape[:-3].as_list()[::-1] for shape in static)
        for one, other in zip(*outer):  # as broadcasting does
            if 1 not in (one, other) and None not in (one, other) and one != other:
                raise ValueError(f"Two images are not compatible: {static[0]} and {static[1]}")
    shapes: Any = shape_n([first, second])
    checks = [
        Assert(greater_equal(size_of(shapes[0]), 3), shapes, summarize=10),
        Assert(reduce_all(equal(shapes[0][-3:], shapes[1][-3:])), shapes, summarize=10),
    ]
    return shapes[0], shapes[1], checks


def psnr(a: Any, b: Any, max_val: Any, name: str | None = None) -> Tensor:
    """The peak signal-to-noise ratio of images, in decibel (TensorFlow: `tf.image.psnr`).

    Args:
      a, b: tensors [..., height, width, channels].
      max_val: the largest number that a pixel can have: 255 for uint8, 1 for floats.
      name: of the scope.

    Returns:
      float32: one number for each pair of images; infinite for equal ones.

    Raises:
      ValueError: for shapes that do not fit.

    Example:
      >>> tf.image.psnr(tf.zeros([4, 4, 1]), tf.ones([4, 4, 1]), max_val=10.0)  # 20.0
    """
    with op_scope(name, "PSNR", (a, b)):
        max_val = convert_image_dtype(cast(max_val, a.dtype), dtypes.float32)
        a, b = (convert_image_dtype(image, dtypes.float32) for image in (a, b))
        error = reduce_mean(squared_difference(a, b), [-3, -2, -1])
        peak = 20 * log(max_val) / log(10.0)
        result = subtract(peak, np.float32(10 / np.log(10)) * log(error), name="psnr")
        _, _, checks = _checked_shapes(a, b)
        with get_default_graph().control_dependencies(checks):
            return identity(result)


def _gaussian(size: Any, sigma: Any) -> Any:
    """A bell of weights that sum up to 1, [size, size, 1, 1]."""
    size = convert_to_tensor(size, dtype=dtypes.int32)
    sigma = convert_to_tensor(sigma)
    distances: Any = cast(range_of(size), sigma.dtype)
    last: Any = cast(size - 1, sigma.dtype)
    distances -= last / 2.0
    powers = square(distances)
    powers *= -0.5 / square(sigma)
    row: Any = reshape(powers, [1, -1])
    weights = softmax(reshape(row + reshape(powers, [-1, 1]), [1, -1]))
    return reshape(weights, [size, size, 1, 1])


def _check_size(image: Any, filter_size: int) -> None:
    sides = image.shape.as_list()[-3:-1] if image.shape.ndims else []
    if small := [side for side in sides if side is not None and side < filter_size]:
        raise ValueError(
            f"Negative dimension size caused by subtracting {filter_size} from {small[0]}: images "
            f"are to be at least as large as the filter, at the smallest scale too. Take a smaller "
            f"filter_size, or fewer power_factors."
        )


def _by_channel(
    images: list[Any],
    max_val: Any,
    filter_size: Any,
    filter_sigma: Any,
    k1: float,
    k2: float,
    as_map: bool = False,
) -> tuple[Any, Any]:
    """The index of each channel, and its part that is about contrast and structure."""
    first, second = images
    _check_size(first, filter_size)
    filter_size = constant(filter_size, dtype=dtypes.int32)
    filter_sigma = constant(filter_sigma, dtype=first.dtype)
    shapes: Any = shape_n([first, second])
    checks = [
        Assert(
            reduce_all(greater_equal(shape[-3:-1], filter_size)), [shape, filter_size], summarize=8
        )
        for shape in shapes
    ]
    with get_default_graph().control_dependencies(checks):
        first = identity(first)
    kernel = tile(_gaussian(filter_size, filter_sigma), [1, 1, shapes[0][-1], 1])

    def smooth(x: Any) -> Any:
        shape = shape_of(x)
        flat = reshape(x, concat([[-1], shape[-3:]], 0))
        y = depthwise_conv2d(flat, kernel, [1, 1, 1, 1], "VALID")
        return reshape(y, concat([shape[:-3], shape_of(y)[1:]], 0))

    luminance, structure = _luminance_and_structure(first, second, smooth, max_val, k1, k2)
    if as_map:
        return luminance * structure, structure
    axes = constant([-3, -2], dtype=dtypes.int32)
    index = reduce_mean(luminance * structure, axes)
    return index, reduce_mean(structure, axes)


def _luminance_and_structure(
    x: Any, y: Any, smooth: Any, max_val: Any, k1: float, k2: float
) -> tuple[Any, Any]:
    """The two factors of the index at each pixel."""
    small = (k1 * max_val) ** 2
    less_small = (k2 * max_val) ** 2
    means = smooth(x), smooth(y)
    product = means[0] * means[1] * 2.0
    squares = square(means[0]) + square(means[1])
    luminance = (product + small) / (squares + small)
    common = smooth(x * y) * 2.0
    own = smooth(square(x) + square(y))
    less_small *= 1.0  # TensorFlow's room for a bias
    return luminance, (common - product + less_small) / (own - squares + less_small)


def _prepared(first: Any, second: Any, max_val: Any) -> tuple[list[Any], list[Any], Any]:
    """Two images as float32, their shapes, and their largest number."""
    first = convert_to_tensor(first, name="img1")
    second = convert_to_tensor(second, name="img2")
    *shapes, checks = _checked_shapes(first, second)
    with get_default_graph().control_dependencies(checks):
        first = identity(first)
    max_val = convert_image_dtype(cast(max_val, first.dtype), dtypes.float32)
    images = [convert_image_dtype(image, dtypes.float32) for image in (first, second)]
    return images, shapes, max_val


def ssim(
    img1: Any,
    img2: Any,
    max_val: Any,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
    return_index_map: bool = False,
) -> Tensor:
    """The structural similarity of images (TensorFlow: `tf.image.ssim`; Wang and others, 2004).

    Args:
      img1, img2: [..., height, width, channels], at least as large as the filter.
      max_val: the largest number that a pixel can have: 255 for uint8, 1 for floats.
      filter_size, filter_sigma: of the bell in which pixels are compared.
      k1, k2: small numbers that keep quotients finite.
      return_index_map: whether to give a number for each place instead of their mean.

    Returns:
      float32: one number for each pair of images; 1 for equal ones.

    Raises:
      ValueError: for shapes that do not fit. InvalidArgumentError: in a run, for small images.

    Example:
      >>> tf.image.ssim(tf.ones([11, 11, 1]), tf.ones([11, 11, 1]), max_val=1.0)  # 1.0
    """
    with op_scope(None, "SSIM", (img1, img2)):
        images, _, max_val = _prepared(img1, img2, max_val)
        options = filter_size, filter_sigma, k1, k2, return_index_map
        index, _ = _by_channel(images, max_val, *options)
        return reduce_mean(index, [-1])


#: How much each scale counts, as its authors found by asking people.
_SCALES = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)


def ssim_multiscale(
    img1: Any,
    img2: Any,
    max_val: Any,
    power_factors: Sequence[float] = _SCALES,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
) -> Tensor:
    """`ssim` at several sizes, each half of the one before.

    TensorFlow: `tf.image.ssim_multiscale`; Wang, Simoncelli, Bovik, 2003.

    Args:
      power_factors: how much each size counts; with the default of five, images are to be 176 x
        176 or larger.
      img1, img2, max_val, filter_size, filter_sigma, k1, k2: as of `ssim`.

    Raises:
      ValueError: for shapes that do not fit. InvalidArgumentError: in a run, for small images.

    Example:
      >>> image = tf.ones([32, 32, 1])
      >>> tf.image.ssim_multiscale(image, image, 1.0, power_factors=(0.5, 0.5))  # 1.0
    """
    with op_scope(None, "MS-SSIM", (img1, img2)):
        images, shapes, max_val = _prepared(img1, img2, max_val)
        heads, tails = [shape[:-3] for shape in shapes], [shape[-3:] for shape in shapes]
        divisor = constant([2, 2, 1], dtype=dtypes.int32)
        factors: list[Any] = []
        for number in range(len(power_factors)):
            with op_scope(None, f"Scale{number}", images):
                if number:
                    images, tails = _halved(images, heads, tails, divisor)
                options = filter_size, filter_sigma, k1, k2
                index, structure = _by_channel(images, max_val, *options)
                factors.append(relu(structure))
        factors[-1] = relu(index)
        powers = pow(stack(factors, axis=-1), power_factors)
        return reduce_mean(reduce_prod(powers, [-1]), [-1])


def _halved(
    images: list[Any], heads: list[Any], tails: list[Any], divisor: Any
) -> tuple[list[Any], list[Any]]:
    """Images of half the size, and their last three sizes; odd ones get a mirrored border."""
    flat = [reshape(x, concat([[-1], tail], 0)) for x, tail in zip(images, tails, strict=True)]
    rest = tails[0] % divisor

    def padded() -> list[Any]:
        borders = pad(expand_dims(rest, -1), [[1, 0], [1, 0]])
        return [pad(x, borders, mode="SYMMETRIC") for x in flat]

    even = cond(reduce_any(not_equal(rest, 0)), padded, lambda: flat)
    small = [avg_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "VALID") for x in even]
    shapes: Any = shape_n(small)
    tails = [shape[1:] for shape in shapes]
    parts = zip(small, heads, tails, strict=True)
    return [reshape(x, concat([head, tail], 0)) for x, head, tail in parts], tails
