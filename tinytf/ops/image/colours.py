"""Colours and types of images: conversions, grey, YIQ and YUV; how light, how strong, by chance."""

from __future__ import annotations

import warnings
from typing import Any

from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.concat import concat
from tinytf.ops.array.fill import ones
from tinytf.ops.array.identity import identity
from tinytf.ops.array.reshape import expand_dims
from tinytf.ops.array.tile import tile
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.check.assert_values import assert_equal, assert_greater_equal
from tinytf.ops.control_flow.grouping import with_dependencies
from tinytf.ops.image.colour_ops import adjust_contrast_op, adjust_hue_op, adjust_saturation_op
from tinytf.ops.image.shapes import LAYOUT, asserted_3d, is_tensor, rank_of, require, shape_of
from tinytf.ops.io.decode_jpeg import decode_jpeg
from tinytf.ops.io.encode_image import encode_jpeg_variable_quality
from tinytf.ops.linalg.contraction import tensordot
from tinytf.ops.math.arithmetic import add, maximum, multiply
from tinytf.ops.math.cast import cast, saturate_cast
from tinytf.ops.math.division import divide, floordiv
from tinytf.ops.math.power import rsqrt
from tinytf.ops.random.basic import random_uniform
from tinytf.ops.reduce.reduction import reduce_mean, reduce_prod
from tinytf.ops.reduce.variance import reduce_std

# Types --------------------------------------------------------------------------------------------

#: What these give has numbers as large as what they are given.
_KEEPING = {"ExpandDims", "Squeeze", "Identity", "Slice", "StridedSlice", "Reshape", "ReverseV2"}
_KEEPING |= {"Cast", "ResizeBilinear", "ResizeBicubic", "ResizeArea", "Pad"}


def _warn_of_large_numbers(image: Tensor, function: str) -> None:
    """Say so if floats are made of whole numbers without a division: these go from 0 to 255."""
    op = image.op
    while op.type in _KEEPING and not op.inputs[0].dtype.is_integer:
        op = op.inputs[0].op
    if op.type in _KEEPING:
        given = op.inputs[0].dtype
        warnings.warn(
            f"{function} takes {image.dtype.name} images for numbers from 0 to 1, and {image.name} "
            f"is made of {given.name} by {op.name} ({op.type}), so that it goes up to {given.max}. "
            f"Begin with tf.image.convert_image_dtype(image, tf.float32) instead, or end with "
            f"tf.cast.",
            stacklevel=3,
        )


def convert_image_dtype(
    image: Any, dtype: Any, saturate: bool = False, name: str | None = None
) -> Tensor:
    """Images of another type, as light as before (TensorFlow: `tf.image.convert_image_dtype`).

    Floats go from 0 (black) to 1 (white), whole numbers from 0 to the largest of their type.

    Args:
      image: a tensor of floats or of whole numbers.
      dtype: the type wanted.
      saturate: whether what the type cannot hold becomes its nearest bound.
      name: of the scope.

    Raises:
      AttributeError: for types of another kind.

    Example:
      >>> image = tf.constant([0, 51, 255], tf.uint8)
      >>> tf.image.convert_image_dtype(image, tf.float32)  # [0., 0.2, 1.]
    """
    image = convert_to_tensor(image, name="image")
    dtype = dtypes.as_dtype(dtype)
    for what, kind in (("dtype", dtype), ("image dtype", image.dtype)):
        if not kind.is_floating and not kind.is_integer:
            raise AttributeError(
                f"{what} must be either floating point or integer; it is {kind.name}"
            )
    if dtype == image.dtype:
        return identity(image, name=name)
    with op_scope(name, "convert_image", (image,)) as name:
        if dtype.is_floating:
            if image.dtype.is_floating:
                return cast(image, dtype, name=name)
            return multiply(cast(image, dtype), 1.0 / int(image.dtype.max), name=name)
        bounded = saturate_cast if saturate else cast
        if image.dtype.is_floating:
            _warn_of_large_numbers(image, "tf.image.convert_image_dtype")
            return bounded(multiply(image, int(dtype.max) + 0.5), dtype, name=name)
        largest, wanted = int(image.dtype.max), int(dtype.max)
        if largest > wanted:
            scale = (largest + 1) // (wanted + 1)
            return bounded(floordiv(image, scale), dtype, name=name)
        return multiply(bounded(image, dtype), (wanted + 1) // (largest + 1), name=name)


def rgb_to_grayscale(images: Any, name: str | None = None) -> Tensor:
    """Colours as grey, as light as they look (TensorFlow: `tf.image.rgb_to_grayscale`).

    Args:
      images: [..., 3]. name: of the scope.

    Returns:
      [..., 1], of the type of the images.

    Raises:
      ValueError: if the last dimension is not 3.

    Example:
      >>> tf.image.rgb_to_grayscale(tf.constant([[[255, 0, 0]]], tf.uint8))  # [[[76]]]
    """
    with op_scope(name, "rgb_to_grayscale", (images,)) as name:
        images = convert_to_tensor(images, name="images")
        floats = convert_image_dtype(images, dtypes.float32)
        grey = expand_dims(tensordot(floats, [0.2989, 0.587, 0.114], [-1, -1]), -1)
        return convert_image_dtype(grey, images.dtype, name=name)


def grayscale_to_rgb(images: Any, name: str | None = None) -> Tensor:
    """Grey as a colour with three equal channels (TensorFlow: `tf.image.grayscale_to_rgb`).

    Args:
      images: [..., 1]. name: of the scope.

    Raises:
      ValueError: if the last dimension is not 1.

    Example:
      >>> tf.image.grayscale_to_rgb([[[7]]])  # [[[7, 7, 7]]]
    """
    with op_scope(name, "grayscale_to_rgb", (images,)) as name:
        images = convert_to_tensor(images, name="images")
        images = with_dependencies(_checks_of_grey(images), images)
        others = expand_dims(rank_of(images) - 1, 0)
        multiples = concat([ones(others, dtype=dtypes.int32), expand_dims(3, 0)], 0)
        colours = tile(images, multiples, name=name)
        if images.shape.ndims is not None:
            colours.set_shape(images.shape[:-1].concatenate([3]))
        return colours


def _checks_of_grey(images: Any) -> list[Any]:
    shape = images.shape
    if shape.ndims is not None and shape.ndims < 2:
        raise ValueError(
            f"A grayscale image (shape {shape}) must be at least two-dimensional. {LAYOUT}."
        )
    message = "Last dimension of a grayscale image should be size 1."
    if shape.is_fully_defined():
        return require(shape[-1] == 1, message, f" The shape is {shape}. {LAYOUT}.")
    return [
        assert_equal(shape_of(images)[-1], 1, message=message),
        assert_greater_equal(
            rank_of(images), 3, message="A grayscale image must be at least two-dimensional."
        ),
    ]


# Other spaces of colours: products with a matrix --------------------------------------------------


_YIQ = [
    [0.299, 0.59590059, 0.2115],
    [0.587, -0.27455667, -0.52273617],
    [0.114, -0.32134392, 0.31119955],
]
_OF_YIQ = [[1, 1, 1], [0.95598634, -0.27201283, -1.10674021], [0.6208248, -0.64720424, 1.70423049]]
_YUV = [
    [0.299, -0.14714119, 0.61497538],
    [0.587, -0.28886916, -0.51496512],
    [0.114, 0.43601035, -0.10001026],
]
_OF_YUV = [[1, 1, 1], [0, -0.394642334, 2.03206185], [1.13988303, -0.58062185, 0]]


def _times(images: Any, matrix: Any) -> Tensor:
    images = convert_to_tensor(images, name="images")
    kernel = convert_to_tensor(matrix, dtype=images.dtype, name="kernel")
    return tensordot(images, kernel, axes=[[images.shape.ndims - 1], [0]])


def rgb_to_yiq(images: Any) -> Tensor:
    """Red, green, blue as luma and NTSC's two chromas (TensorFlow: `tf.image.rgb_to_yiq`).

    Args:
      images: floats [..., 3] from 0 to 1.

    Raises:
      ValueError: if the last dimension is not 3.

    Example:
      >>> tf.image.rgb_to_yiq([[0.0, 0.0, 0.0]])  # [[0., 0., 0.]]
    """
    return _times(images, _YIQ)


def yiq_to_rgb(images: Any) -> Tensor:
    """What `rgb_to_yiq` gives, as red, green, blue (TensorFlow: `tf.image.yiq_to_rgb`).

    Example:
      >>> tf.image.yiq_to_rgb([[1.0, 0.0, 0.0]])  # [[1., 1., 1.]]
    """
    return _times(images, _OF_YIQ)


def rgb_to_yuv(images: Any) -> Tensor:
    """Red, green, blue as luma and PAL's two chromas (TensorFlow: `tf.image.rgb_to_yuv`).

    Args:
      images: floats [..., 3] from 0 to 1.

    Raises:
      ValueError: if the last dimension is not 3.

    Example:
      >>> tf.image.rgb_to_yuv([[0.0, 0.0, 0.0]])  # [[0., 0., 0.]]
    """
    return _times(images, _YUV)


def yuv_to_rgb(images: Any) -> Tensor:
    """What `rgb_to_yuv` gives, as red, green, blue (TensorFlow: `tf.image.yuv_to_rgb`).

    Example:
      >>> tf.image.yuv_to_rgb([[1.0, 0.0, 0.0]])  # [[1., 1., 1.]]
    """
    return _times(images, _OF_YUV)


# Light, contrast, hue, saturation -----------------------------------------------------------------


def per_image_standardization(image: Any) -> Tensor:
    """Each image with mean 0 and deviation 1 (TensorFlow: `tf.image.per_image_standardization`).

    Args:
      image: [..., height, width, channels].

    Returns:
      float32. Images of one colour become 0.

    Raises:
      ValueError: for fewer than three dimensions.

    Example:
      >>> tf.image.per_image_standardization([[[1.0], [3.0]]])[:, :, 0]  # [[-1., 1.]]
    """
    with op_scope(None, "per_image_standardization", (image,)) as name:
        image = asserted_3d(convert_to_tensor(image, name="image"))
        image = cast(image, dtypes.float32)
        pixels = reduce_prod(shape_of(image)[-3:])
        mean = reduce_mean(image, axis=[-1, -2, -3], keepdims=True)
        deviation = reduce_std(image, axis=[-1, -2, -3], keepdims=True)
        deviation = maximum(deviation, rsqrt(cast(pixels, dtypes.float32)))
        return divide(image - mean, deviation, name=name)


def _as_floats(image: Any) -> Any:
    """An image of floats; float16 and float32 stay what they are."""
    if image.dtype in (dtypes.float16, dtypes.float32):
        return image
    return convert_image_dtype(image, dtypes.float32)


def adjust_brightness(image: Any, delta: Any) -> Tensor:
    """A number added to all channels (TensorFlow: `tf.image.adjust_brightness`).

    Args:
      image: floats from 0 to 1, or whole numbers, which are added to as if they were.
      delta: from -1 to 1, a number or a scalar tensor.

    Returns:
      of the image's type; whole numbers stay within it.

    Example:
      >>> tf.image.adjust_brightness(tf.constant([0.25, 0.5]), 0.25)  # [0.5, 0.75]
    """
    with op_scope(None, "adjust_brightness", (image, delta)) as name:
        image = convert_to_tensor(image, name="image")
        floats = _as_floats(image)
        lighter = add(floats, cast(delta, floats.dtype), name=name)
        return convert_image_dtype(lighter, image.dtype, saturate=True)


def adjust_contrast(images: Any, contrast_factor: Any) -> Tensor:
    """Each channel's distance from its mean, times a factor.

    TensorFlow: `tf.image.adjust_contrast`.

    Args:
      images: [..., height, width, channels]. contrast_factor: a number or a scalar tensor.

    Returns:
      of the images' type; whole numbers stay within it.

    Raises:
      ValueError: for fewer than three dimensions.

    Example:
      >>> tf.image.adjust_contrast([[[0.25], [0.75]]], 2.0)[:, :, 0]  # [[0., 1.]]
    """
    with op_scope(None, "adjust_contrast", (images, contrast_factor)) as name:
        images = convert_to_tensor(images, name="images")
        adjusted = adjust_contrast_op(_as_floats(images), contrast_factor, name=name)
        return convert_image_dtype(adjusted, images.dtype, saturate=True)


def adjust_gamma(image: Any, gamma: Any = 1, gain: Any = 1) -> Tensor:
    """Gain times the image to the power of gamma (TensorFlow: `tf.image.adjust_gamma`).

    Args:
      image: a tensor. gamma: above 1 for darker images, below for lighter ones. gain: a factor.

    Returns:
      of the image's type; whole numbers stay within it.

    Raises:
      ValueError: for a negative gamma.

    Example:
      >>> tf.image.adjust_gamma(tf.constant([0.5, 1.0]), 2.0)  # [0.25, 1.]
    """
    with op_scope(None, "adjust_gamma", (image, gamma, gain)):
        image = convert_to_tensor(image, name="image")
        floats = _as_floats(image)
        message = "Gamma should be a non-negative real number."
        if checks := require(gamma >= 0, message, f" It is {gamma}."):
            gamma = with_dependencies(checks, gamma)
        return convert_image_dtype(gain * floats**gamma, image.dtype, saturate=True)


def adjust_hue(image: Any, delta: Any, name: str | None = None) -> Tensor:
    """Colours moved along the circle of hues (TensorFlow: `tf.image.adjust_hue`).

    Args:
      image: [..., height, width, 3]. delta: from -1 to 1, where 1 is once around; a number or a
        scalar tensor. name: of the scope.

    Raises:
      ValueError: for fewer than three dimensions. InvalidArgumentError: in a run, if there are not
        three channels.

    Example:
      >>> tf.image.adjust_hue([[[1.0, 0.0, 0.0]]], 0.5)  # [[[0., 1., 1.]]]
    """
    with op_scope(name, "adjust_hue", (image,)):
        image = convert_to_tensor(image, name="image")
        return convert_image_dtype(adjust_hue_op(_as_floats(image), delta), image.dtype)


def adjust_saturation(image: Any, saturation_factor: Any, name: str | None = None) -> Tensor:
    """Stronger or weaker colours (TensorFlow: `tf.image.adjust_saturation`).

    Args:
      image: [..., height, width, 3]. saturation_factor: 0 for grey, a number or a scalar tensor.
      name: of the scope.

    Raises:
      ValueError: for fewer than three dimensions. InvalidArgumentError: in a run, if there are not
        three channels.

    Example:
      >>> tf.image.adjust_saturation([[[1.0, 0.5, 0.5]]], 2.0)  # [[[1., 0., 0.]]]
    """
    with op_scope(name, "adjust_saturation", (image,)):
        image = convert_to_tensor(image, name="image")
        adjusted = adjust_saturation_op(_as_floats(image), saturation_factor)
        return convert_image_dtype(adjusted, image.dtype)


def adjust_jpeg_quality(image: Any, jpeg_quality: Any, name: str | None = None) -> Tensor:
    """What is left of an image in a JPEG file (TensorFlow: `tf.image.adjust_jpeg_quality`).

    It needs Pillow, and values may differ by a few from TensorFlow's, whose encoder is another.

    Args:
      image: [height, width, 1 or 3]. jpeg_quality: 0 to 100, a number or a scalar tensor.
      name: of the scope.

    Example:
      >>> tf.shape(tf.image.adjust_jpeg_quality(tf.zeros([8, 6, 3]), 50))  # [8, 6, 3]
    """
    with op_scope(name, "adjust_jpeg_quality", (image,)):
        image = convert_to_tensor(image, name="image")
        whole = convert_image_dtype(image, dtypes.uint8, saturate=True)
        if not is_tensor(jpeg_quality):
            jpeg_quality = convert_to_tensor(jpeg_quality, dtype=dtypes.int32)
        file = encode_jpeg_variable_quality(whole, jpeg_quality)
        decoded = decode_jpeg(file, channels=image.shape.as_list()[-1])
        return convert_image_dtype(decoded, image.dtype, saturate=True)


# By chance ----------------------------------------------------------------------------------------


def _check_range(lower: Any, upper: Any) -> None:
    if upper <= lower:
        raise ValueError(f"upper must be > lower. They are {upper} and {lower}.")
    if lower < 0:
        raise ValueError(f"lower must be non-negative. It is {lower}.")


def _check_delta(max_delta: Any, largest: float = float("inf")) -> None:
    if max_delta > largest:
        raise ValueError(f"max_delta must be <= {largest}. It is {max_delta}.")
    if max_delta < 0:
        raise ValueError(f"max_delta must be non-negative. It is {max_delta}.")


def random_brightness(image: Any, max_delta: float, seed: int | None = None) -> Tensor:
    """`adjust_brightness` by up to `max_delta` (TensorFlow: `tf.image.random_brightness`).

    Args:
      image: a tensor. max_delta: a number of at least 0. seed: see `tf.set_random_seed`.

    Raises:
      ValueError: for a negative `max_delta`.

    Example:
      >>> tf.image.random_brightness(tf.constant([0.5]), 0.0)  # [0.5]
    """
    _check_delta(max_delta)
    return adjust_brightness(image, random_uniform([], -max_delta, max_delta, seed=seed))


def random_contrast(image: Any, lower: float, upper: float, seed: int | None = None) -> Tensor:
    """`adjust_contrast` by a factor from a range (TensorFlow: `tf.image.random_contrast`).

    Args:
      image: [..., height, width, channels]. lower, upper: the range. seed: see
        `tf.set_random_seed`.

    Raises:
      ValueError: for an empty range, or one below 0.

    Example:
      >>> tf.image.random_contrast([[[0.5], [0.5]]], 0.5, 1.5)[:, :, 0]  # [[0.5, 0.5]]
    """
    _check_range(lower, upper)
    return adjust_contrast(image, random_uniform([], lower, upper, seed=seed))


def random_hue(image: Any, max_delta: float, seed: int | None = None) -> Tensor:
    """`adjust_hue` by up to `max_delta` (TensorFlow: `tf.image.random_hue`).

    Args:
      image: [..., height, width, 3]. max_delta: from 0 to 0.5. seed: see `tf.set_random_seed`.

    Raises:
      ValueError: for another `max_delta`.

    Example:
      >>> tf.image.random_hue([[[0.5, 0.5, 0.5]]], 0.5)  # [[[0.5, 0.5, 0.5]]]
    """
    _check_delta(max_delta, 0.5)
    return adjust_hue(image, random_uniform([], -max_delta, max_delta, seed=seed))


def random_saturation(image: Any, lower: float, upper: float, seed: int | None = None) -> Tensor:
    """`adjust_saturation` by a factor from a range (TensorFlow: `tf.image.random_saturation`).

    Arguments and errors as of `random_contrast`.

    Example:
      >>> tf.image.random_saturation([[[0.5, 0.5, 0.5]]], 0.5, 1.5)  # [[[0.5, 0.5, 0.5]]]
    """
    _check_range(lower, upper)
    return adjust_saturation(image, random_uniform([], lower, upper, seed=seed))


def random_jpeg_quality(
    image: Any, min_jpeg_quality: int, max_jpeg_quality: int, seed: int | None = None
) -> Tensor:
    """`adjust_jpeg_quality` by chance (TensorFlow: `tf.image.random_jpeg_quality`).

    Args:
      image: [height, width, 1 or 3]. min_jpeg_quality, max_jpeg_quality: 0 to 100; the largest
        never comes. seed: see `tf.set_random_seed`.

    Raises:
      ValueError: for another range.

    Example:
      >>> tf.shape(tf.image.random_jpeg_quality(tf.zeros([8, 6, 3]), 50, 90))  # [8, 6, 3]
    """
    least, most = min_jpeg_quality, max_jpeg_quality
    if min(least, most) < 0 or max(least, most) > 100:
        raise ValueError(f"jpeg encoding range must be between 0 and 100. It is {least} to {most}.")
    if least >= most:
        raise ValueError(
            f"`min_jpeg_quality` must be less than `max_jpeg_quality`. They are {least} and {most}."
        )
    quality = random_uniform([], least, most, seed=seed, dtype=dtypes.int32)
    return adjust_jpeg_quality(image, quality)
