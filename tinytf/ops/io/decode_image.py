"""`tf.image.decode_png`, `decode_jpeg` and their kin. What they do is in `image_files.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

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
from tinytf.ops.math.cast import cast
from tinytf.ops.math.comparison import equal
from tinytf.ops.strings.string_cards import NO_DERIVATIVE, texts
from tinytf.ops.strings.text import substr

_JPEG_ATTRS = (
    "channels: int = 0, ratio: int = 1, fancy_upscaling: bool = true, "
    "try_recover_truncated: bool = false, acceptable_fraction: float = 1, "
    "dct_method: string = ''"
)


def _image_shape(c: InferenceContext) -> TensorShape:
    """[height, width, channels], of which at most the last is known."""
    shape_inference.with_rank(c.input(0), 0)
    channels = c.attrs["channels"]
    if channels < 0:
        raise ValueError(f"channels must be non-negative, got {channels}")
    return TensorShape.of((None, None, channels or None))


def _content(contents: Any, channels: int = 0) -> tuple[bytes, Header]:
    """The bytes of an image file, and its header."""
    if channels not in (0, 1, 3, 4):
        raise invalid(f"`channels` must be 0, 1, 3 or 4 but got {channels}")
    if np.ndim(contents):
        raise invalid(f"`contents` must be scalar but got shape{shown(contents)}")
    data = texts(contents)[0]
    return data, header(data)


def _decoded(
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
    shape=_image_shape,
    no_gradient=NO_DERIVATIVE,
)


@_decode_png.kernel
def _decode_png_kernel(
    step: StepContext, contents: Any, *, channels: int, dtype: dtypes.DType
) -> np.ndarray:
    data, head = _content(contents, channels)
    return _decoded("DecodePng", data, head, channels, dtype is dtypes.uint16)


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


# DecodeJpeg, DecodeAndCropJpeg, ExtractJpegShape --------------------------------------------------

_decode_jpeg = define_op(
    "DecodeJpeg",
    "contents: string -> image: uint8",
    _JPEG_ATTRS,
    shape=_image_shape,
    no_gradient=NO_DERIVATIVE,
)


def _check_jpeg(ratio: int, dct_method: bytes) -> None:
    if ratio not in (1, 2, 4, 8):
        raise invalid(f"ratio must be 1, 2, 4, or 8, got {ratio}")
    if dct_method not in (b"", b"INTEGER_FAST", b"INTEGER_ACCURATE"):
        raise invalid("dct_method must be one of {'', 'INTEGER_FAST', 'INTEGER_ACCURATE'}")


@_decode_jpeg.kernel
def _decode_jpeg_kernel(
    step: StepContext,
    contents: Any,
    *,
    channels: int,
    ratio: int,
    try_recover_truncated: bool,
    dct_method: bytes,
) -> np.ndarray:
    _check_jpeg(ratio, dct_method)
    data, head = _content(contents, channels)
    return _decoded("DecodeJpeg", data, head, channels, ratio=ratio, recover=try_recover_truncated)


def decode_jpeg(
    contents: Any,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """The pixels of a JPEG file (TensorFlow: `tf.image.decode_jpeg`). It needs Pillow.

    Values may differ by a few from TensorFlow's, whose decoder takes other shortcuts.

    Args:
      contents: the file's bytes, a single string.
      channels: 0 for those of the file, 1 for grey, 3 for RGB.
      ratio: make it 2, 4 or 8 times smaller while decoding.
      try_recover_truncated: read a file that is cut off, as far as it goes.
      fancy_upscaling, acceptable_fraction, dct_method: taken for TensorFlow's sake.
      name: of the operation.

    Returns:
      uint8 [height, width, channels].

    Raises:
      InvalidArgumentError: in a run, for bytes that are no image. UnimplementedError: without
        Pillow; the message says how to install it.

    Example:
      >>> file = tf.image.encode_jpeg(tf.zeros([8, 6, 3], tf.uint8))
      >>> tf.shape(tf.image.decode_jpeg(file, ratio=2))  # [4, 3, 3]
    """
    return _decode_jpeg(
        contents,
        name=name,
        channels=channels,
        ratio=ratio,
        fancy_upscaling=fancy_upscaling,
        try_recover_truncated=try_recover_truncated,
        acceptable_fraction=acceptable_fraction,
        dct_method=dct_method,
    )


_decode_and_crop_jpeg = define_op(
    "DecodeAndCropJpeg",
    "contents: string, crop_window: int32 -> image: uint8",
    _JPEG_ATTRS,
    no_gradient=NO_DERIVATIVE,
)


@_decode_and_crop_jpeg.shape
def _decode_and_crop_jpeg_shape(c: InferenceContext) -> TensorShape:
    channels = _image_shape(c).as_list()[2]
    window = shape_inference.with_rank(c.input(1), 1).sizes
    if window is not None and window[0] not in (None, 4):
        raise ValueError(f"Dimension must be 4 but is {window[0]}")
    height, width = (c.shape_value(1).sizes or (None,) * 4)[2:]
    return TensorShape.of((height, width, channels))


@_decode_and_crop_jpeg.kernel
def _decode_and_crop_jpeg_kernel(
    step: StepContext,
    contents: Any,
    crop_window: Any,
    *,
    channels: int,
    ratio: int,
    try_recover_truncated: bool,
    dct_method: bytes,
) -> np.ndarray:
    if np.shape(crop_window) != (4,):
        raise invalid(f"crop_window must have four elements {shown(crop_window)}")
    _check_jpeg(ratio, dct_method)
    data, head = _content(contents, channels)
    pixels = _decoded(
        "DecodeAndCropJpeg", data, head, channels, ratio=ratio, recover=try_recover_truncated
    )
    top, left, height, width = crop_window.tolist()
    tall, wide = pixels.shape[:2]
    inside = 0 <= top <= tall - height and 0 <= left <= wide - width
    if not inside or height <= 0 or width <= 0:
        raise invalid(
            f"Invalid JPEG data or crop window, data size {len(data)}: a window of {height} x "
            f"{width} from row {top} and column {left} on is not in an image of {tall} x {wide}"
        )
    return pixels[top : top + height, left : left + width]


def decode_and_crop_jpeg(
    contents: Any,
    crop_window: Any,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """A part of a JPEG file's pixels (TensorFlow: `tf.image.decode_and_crop_jpeg`).

    It needs Pillow.

    Args:
      contents: the file's bytes, a single string.
      crop_window: four numbers: the first row, the first column, height and width.
      channels, ratio, fancy_upscaling, try_recover_truncated, acceptable_fraction, dct_method,
        name: as of `decode_jpeg`.

    Returns:
      uint8 [height, width, channels].

    Raises:
      InvalidArgumentError: in a run, for bytes that are no image, or a window that is not in it.

    Example:
      >>> file = tf.image.encode_jpeg(tf.zeros([8, 6, 3], tf.uint8))
      >>> tf.shape(tf.image.decode_and_crop_jpeg(file, [2, 1, 5, 4]))  # [5, 4, 3]
    """
    return _decode_and_crop_jpeg(
        contents,
        crop_window,
        name=name,
        channels=channels,
        ratio=ratio,
        fancy_upscaling=fancy_upscaling,
        try_recover_truncated=try_recover_truncated,
        acceptable_fraction=acceptable_fraction,
        dct_method=dct_method,
    )


_extract_jpeg_shape = define_op(
    "ExtractJpegShape",
    "contents: string -> image_shape: output_type",
    "output_type: {int32, int64} = DT_INT32",
    no_gradient=NO_DERIVATIVE,
)


@_extract_jpeg_shape.shape
def _extract_jpeg_shape_shape(c: InferenceContext) -> TensorShape:
    shape_inference.with_rank(c.input(0), 0)
    return TensorShape.of((3,))


@_extract_jpeg_shape.kernel
def _extract_jpeg_shape_kernel(
    step: StepContext, contents: Any, *, output_type: dtypes.DType
) -> np.ndarray:
    head = _content(contents)[1]
    if head.format != "JPEG":
        raise invalid(f"Invalid JPEG data, size {len(texts(contents)[0])}: it is {head.format}")
    return np.array([head.height, head.width, head.channels], output_type.as_numpy_dtype)


def extract_jpeg_shape(
    contents: Any, output_type: Any = dtypes.int32, name: str | None = None
) -> Tensor:
    """Height, width and channels of a JPEG file, undecoded.

    TensorFlow: `tf.image.extract_jpeg_shape`.

    Args:
      contents: the file's bytes. output_type: int32 or int64. name: of the operation.

    Raises:
      InvalidArgumentError: in a run, for another file.

    Example:
      >>> file = tf.image.encode_jpeg(tf.zeros([8, 6, 3], tf.uint8))
      >>> tf.image.extract_jpeg_shape(file)  # [8, 6, 3]
    """
    return _extract_jpeg_shape(contents, name=name, output_type=dtypes.as_dtype(output_type))


# DecodeGif, DecodeBmp, DecodeImage ----------------------------------------------------------------

_decode_gif = define_op("DecodeGif", "contents: string -> image: uint8", no_gradient=NO_DERIVATIVE)


@_decode_gif.shape
def _decode_gif_shape(c: InferenceContext) -> TensorShape:
    shape_inference.with_rank(c.input(0), 0)
    return TensorShape.of((None, None, None, 3))


@_decode_gif.kernel
def _decode_gif_kernel(step: StepContext, contents: Any) -> np.ndarray:
    data, head = _content(contents)
    if head.format == "GIF":
        return image_files.decode_gif(data, head)
    return _decoded("DecodeGif", data, head, 3)[np.newaxis]


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
    shape=_image_shape,
    no_gradient=NO_DERIVATIVE,
)


@_decode_bmp.kernel
def _decode_bmp_kernel(step: StepContext, contents: Any, *, channels: int) -> np.ndarray:
    data, head = _content(contents, channels)
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
def _decode_image_shape(c: InferenceContext) -> TensorShape:
    shape = _image_shape(c)
    return unknown_shape() if c.attrs["expand_animations"] else shape


@_decode_image.kernel
def _decode_image_kernel(
    step: StepContext, contents: Any, *, channels: int, dtype: dtypes.DType, expand_animations: bool
) -> np.ndarray:
    data, head = _content(contents, channels)
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
        pixels = _decoded("DecodeImage", data, head, channels)
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
      dtype: uint8, uint16, or floating-point numbers from 0 to 1.
      name: of the scope.
      expand_animations: a GIF gives [pictures, height, width, 3]; without, only its first picture.

    Raises:
      ValueError: for another dtype. InvalidArgumentError: in a run, for bytes that are no image.

    Example:
      >>> file = tf.image.encode_png(tf.zeros([8, 6, 1], tf.uint8))
      >>> tf.reduce_max(tf.image.decode_image(file, dtype=tf.float32))  # 0.0
    """
    wanted = dtypes.as_dtype(dtype)
    with op_scope(name, "decode_image", [contents]):
        if wanted in (dtypes.uint8, dtypes.uint16, dtypes.float32):
            return _decode_image(
                contents, channels=channels or 0, dtype=wanted, expand_animations=expand_animations
            )
        if not wanted.is_floating:
            raise ValueError(
                f"decode_image gives uint8, uint16 or floating-point numbers, not {wanted.name}: "
                "tf.cast turns them into others"
            )

        whole: Any = _decode_image(
            contents,
            channels=channels or 0,
            dtype=dtypes.uint16,
            expand_animations=expand_animations,
        )
        return cast(whole, wanted) * (1.0 / 65535)


def is_jpeg(contents: Any, name: str | None = None) -> Tensor:
    """Whether a file's bytes begin like a JPEG file (TensorFlow: `tf.image.is_jpeg`).

    Args:
      contents: the file's bytes, a single string. name: of the scope.

    Example:
      >>> file = tf.image.encode_jpeg(tf.zeros([8, 6, 3], tf.uint8))
      >>> tf.image.is_jpeg(file)  # True
    """
    with op_scope(name, "is_jpeg", [contents]):
        return equal(substr(contents, 0, 3), b"\xff\xd8\xff", name=name)
