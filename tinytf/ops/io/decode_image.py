"""`tf.image.decode_png`, `decode_image` and their kin. What they do is in `image_files.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import dtypes, shape_inference
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.shape_inference import InferenceContext
from tinytf.framework.step_context import StepContext
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.io import image_files
from tinytf.ops.io.image_headers import Header, header
from tinytf.ops.strings.string_cards import NO_DERIVATIVE, texts


def image_shape(c: InferenceContext) -> TensorShape:
    """[height, width, channels], of which at most the last is known."""
    shape_inference.with_rank(c.input(0), 0)
    channels = c.attrs["channels"]
    if channels < 0:
        raise ValueError(f"channels must be non-negative, got {channels}")
    return TensorShape.of((None, None, channels or None))


def content_of(contents: Any, channels: int = 0) -> tuple[bytes, Header]:
    """The bytes of an image file, and its header."""
    if channels not in (0, 1, 3, 4):
        raise invalid(f"`channels` must be 0, 1, 3 or 4 but got {channels}")
    if np.ndim(contents):
        raise invalid(f"`contents` must be scalar but got shape{shown(contents)}")
    data = texts(contents)[0]
    return data, header(data)


def decoded(
    op_type: str, data: bytes, head: Header, channels: int, wide: bool = False, **jpeg: Any
) -> np.ndarray:
    """One image of a PNG, JPEG or GIF file, whichever of these the operation is named after."""
    if head.format == "PNG":
        return image_files.decode_png(data, head, channels, wide)
    if head.format == "JPEG":
        if channels == 4:
            raise invalid("JPEG does not support 4 channels")
        pixels = image_files.decode_jpeg(data, head, channels, **jpeg)
    elif head.format == "GIF":
        if channels not in (0, 3):
            raise invalid(f"channels must be 0 or 3 for GIF, got {channels}")
        frames = image_files.decode_gif(data, head)
        if len(frames) > 1:
            raise invalid(
                f"Got {len(frames)} frames, but animated gifs can only be decoded by "
                "tf.io.decode_gif or tf.io.decode_image"
            )
        pixels = frames[0]
    else:
        raise invalid(
            "Trying to decode BMP format using a wrong op. Use `decode_bmp` or `decode_image` "
            f"instead. Op used: {op_type}"
        )
    return pixels.astype(np.uint16) << np.uint16(8) if wide else pixels


# DecodePng ----------------------------------------------------------------------------------------

_decode_png = define_op(
    "DecodePng",
    "contents: string -> image: dtype",
    "channels: int = 0, dtype: {uint8, uint16} = DT_UINT8",
    shape=image_shape,
    no_gradient=NO_DERIVATIVE,
)


@_decode_png.kernel
def _decode_png_kernel(
    step: StepContext, contents: Any, *, channels: int, dtype: dtypes.DType
) -> np.ndarray:
    data, head = content_of(contents, channels)
    return decoded("DecodePng", data, head, channels, dtype is dtypes.uint16)


def decode_png(
    contents: Any, channels: int = 0, dtype: Any = dtypes.uint8, name: str | None = None
) -> Tensor:
    """The pixels of a PNG file (TensorFlow: `tf.image.decode_png`). It needs Pillow.

    Args:
      contents: the file's bytes, a single string.
      channels: 0 for those of the file, 1 for grey, 3 for RGB, 4 for RGBA.
      dtype: uint8 or uint16.
      name: of the operation.

    Returns:
      [height, width, channels].

    Raises:
      InvalidArgumentError: in a run, for bytes that are no image. UnimplementedError: without
        Pillow; the message says how to install it.

    Example:
      >>> file = tf.image.encode_png(tf.zeros([8, 6, 1], tf.uint8))
      >>> tf.shape(tf.image.decode_png(file, channels=3))  # [8, 6, 3]
    """
    return _decode_png(contents, name=name, channels=channels, dtype=dtypes.as_dtype(dtype))


# DecodeGif, DecodeBmp, DecodeImage ----------------------------------------------------------------

_decode_gif = define_op("DecodeGif", "contents: string -> image: uint8", no_gradient=NO_DERIVATIVE)


@_decode_gif.shape
def _decode_gif_shape(c: InferenceContext) -> TensorShape:
    shape_inference.with_rank(c.input(0), 0)
    return TensorShape.of((None, None, None, 3))


@_decode_gif.kernel
def _decode_gif_kernel(step: StepContext, contents: Any) -> np.ndarray:
    data, head = content_of(contents)
    if head.format == "GIF":
        return image_files.decode_gif(data, head)
    return decoded("DecodeGif", data, head, 3)[np.newaxis]


def decode_gif(contents: Any, name: str | None = None) -> Tensor:
    """All pictures of a GIF file (TensorFlow: `tf.image.decode_gif`). It needs Pillow.

    Args:
      contents: the file's bytes. name: of the operation.

    Returns:
      uint8 [pictures, height, width, 3].

    Raises:
      InvalidArgumentError: in a run, for bytes that are no image.

    Example:
      >>> file = tf.placeholder(tf.string)  # sess.run(frames, {file: open("cat.gif", "rb").read()})
      >>> frames = tf.image.decode_gif(file)
    """
    return _decode_gif(contents, name=name)


_decode_bmp = define_op(
    "DecodeBmp",
    "contents: string -> image: uint8",
    "channels: int = 0",
    shape=image_shape,
    no_gradient=NO_DERIVATIVE,
)


@_decode_bmp.kernel
def _decode_bmp_kernel(step: StepContext, contents: Any, *, channels: int) -> np.ndarray:
    data, head = content_of(contents, channels)
    if head.format != "BMP":
        raise invalid(
            f"Trying to decode {head.format} format using DecodeBmp op. Use "
            f"`decode_{head.format.lower()}` or `decode_image` instead."
        )
    return image_files.decode_bmp(data, head, channels)


def decode_bmp(contents: Any, channels: int = 0, name: str | None = None) -> Tensor:
    """The pixels of a BMP file (TensorFlow: `tf.image.decode_bmp`). It needs Pillow.

    Args:
      contents: the file's bytes. channels: 0, 3 or 4. name: of the operation.

    Raises:
      InvalidArgumentError: in a run, for another file.

    Example:
      >>> file = tf.placeholder(tf.string)  # sess.run(image, {file: open("cat.bmp", "rb").read()})
      >>> image = tf.image.decode_bmp(file)
    """
    return _decode_bmp(contents, name=name, channels=channels)


_decode_image = define_op(
    "DecodeImage",
    "contents: string -> image: dtype",
    "channels: int = 0, dtype: {uint8, uint16, float} = DT_UINT8, expand_animations: bool = true",
    no_gradient=NO_DERIVATIVE,
)


@_decode_image.shape
def _decodeimage_shape(c: InferenceContext) -> TensorShape:
    shape = image_shape(c)
    return unknown_shape() if c.attrs["expand_animations"] else shape


@_decode_image.kernel
def _decode_image_kernel(
    step: StepContext, contents: Any, *, channels: int, dtype: dtypes.DType, expand_animations: bool
) -> np.ndarray:
    data, head = content_of(contents, channels)
    if head.format == "PNG":
        pixels = image_files.decode_png(data, head, channels, dtype is not dtypes.uint8)
        if dtype is dtypes.float32:
            return pixels.astype(np.float32) * np.float32(1 / 65535)
        return pixels
    if head.format == "BMP":
        pixels = image_files.decode_bmp(data, head, channels)
    elif head.format == "GIF":
        if channels not in (0, 3):
            raise invalid(f"channels must be 0 or 3 for GIF, got {channels}")
        pixels = image_files.decode_gif(data, head)
        pixels = pixels if expand_animations else pixels[0]
    else:
        pixels = decoded("DecodeImage", data, head, channels)
    if dtype is dtypes.float32:
        return pixels.astype(np.float32) * np.float32(1 / 255)
    return pixels.astype(np.uint16) << np.uint16(8) if dtype is dtypes.uint16 else pixels


def decode_image(
    contents: Any,
    channels: int | None = None,
    dtype: Any = dtypes.uint8,
    name: str | None = None,
    expand_animations: bool = True,
) -> Tensor:
    """The pixels of a PNG, JPEG, GIF or BMP file (TensorFlow: `tf.image.decode_image`).

    It needs Pillow.

    Args:
      contents: the file's bytes.
      channels: 0 or None for those of the file, 1 for grey, 3 for RGB, 4 for RGBA.
      dtype: uint8, uint16, or floating-point numbers from 0 to 1; others as
        `tf.image.convert_image_dtype` makes them.
      name: of the scope.
      expand_animations: a GIF gives [pictures, height, width, 3]; without, only its first picture.

    Raises:
      AttributeError: for a dtype that is no number's.
      InvalidArgumentError: in a run, for bytes that are no image.

    Example:
      >>> file = tf.image.encode_png(tf.zeros([8, 6, 1], tf.uint8))
      >>> tf.reduce_max(tf.image.decode_image(file, dtype=tf.float32))  # 0.0
    """
    wanted = dtypes.as_dtype(dtype)
    direct = wanted in (dtypes.uint8, dtypes.uint16, dtypes.float32)
    with op_scope(name, "decode_image", [contents]):
        image = _decode_image(
            contents,
            channels=channels or 0,
            dtype=wanted if direct else dtypes.uint16,
            expand_animations=expand_animations,
        )
        return image if direct else ops.convert_image_dtype(image, wanted)
