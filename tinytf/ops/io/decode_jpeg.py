"""`tf.image.decode_jpeg` and its kin. What they do is in `image_files.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework import dtypes, shape_inference
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.shape_inference import InferenceContext
from tinytf.framework.step_context import StepContext
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.io.decode_image import content_of, decoded, image_shape
from tinytf.ops.math.comparison import equal
from tinytf.ops.strings.string_cards import NO_DERIVATIVE, texts
from tinytf.ops.strings.text import substr

_ATTRS = (
    "channels: int = 0, ratio: int = 1, fancy_upscaling: bool = true, "
    "try_recover_truncated: bool = false, acceptable_fraction: float = 1, "
    "dct_method: string = ''"
)


# DecodeJpeg, DecodeAndCropJpeg, ExtractJpegShape --------------------------------------------------

_decode_jpeg = define_op(
    "DecodeJpeg",
    "contents: string -> image: uint8",
    _ATTRS,
    shape=image_shape,
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
    data, head = content_of(contents, channels)
    return decoded("DecodeJpeg", data, head, channels, ratio=ratio, recover=try_recover_truncated)


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
    _ATTRS,
    no_gradient=NO_DERIVATIVE,
)


@_decode_and_crop_jpeg.shape
def _decode_and_crop_jpeg_shape(c: InferenceContext) -> TensorShape:
    channels = image_shape(c).as_list()[2]
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
    data, head = content_of(contents, channels)
    pixels = decoded(
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
    head = content_of(contents)[1]
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
