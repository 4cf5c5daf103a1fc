"""`tf.image.encode_png` and `tf.image.encode_jpeg`: pixels as files."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework import shape_inference
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.io import image_files, png_files
from tinytf.ops.strings.string_cards import NO_DERIVATIVE, string_array

_encode_png = define_op(
    "EncodePng",
    "image: T -> contents: string",
    "compression: int = -1, T: {uint8, uint16} = DT_UINT8",
    no_gradient=NO_DERIVATIVE,
)


@_encode_png.shape
def _encode_png_shape(c: InferenceContext) -> TensorShape:
    sizes = shape_inference.with_rank_at_least(c.input(0), 3).sizes
    return unknown_shape() if sizes is None else TensorShape.of(sizes[:-3])


@_encode_png.kernel
def _encode_png_kernel(image: Any, *, compression: int) -> np.ndarray:
    if not -1 <= compression <= 9:
        raise invalid(f"compression should be in [-1,9], got {compression}")
    if np.ndim(image) < 3:
        raise invalid(f"image must be at least rank 3, got {shown(image)}")
    channels = image.shape[-1]
    if channels not in (1, 2, 3, 4):
        raise invalid(f"image must have 1, 2, 3, or 4 channels, got {channels}")
    if not image.size:
        raise invalid(f"image cannot be empty, got shape {shown(image)}")
    pictures = image.reshape(-1, *image.shape[-3:])
    files = [png_files.encode(pixels, compression) for pixels in pictures]
    return string_array(files, image.shape[:-3])


def encode_png(image: Any, compression: int = -1, name: str | None = None) -> Tensor:
    """Pixels as a PNG file (TensorFlow: `tf.image.encode_png`).

    Args:
      image: uint8 or uint16 [..., height, width, channels]; 1 channel is grey, 2 grey with alpha,
        3 RGB, 4 RGBA.
      compression: 0 (none) to 9 (smallest), or -1.
      name: of the operation.

    Raises:
      InvalidArgumentError: in a run, for other shapes.

    Example:
      >>> sess.run(tf.write_file("black.png", tf.image.encode_png(tf.zeros([8, 8, 1], tf.uint8))))
    """
    return _encode_png(convert_to_tensor(image), name=name, compression=compression)


_encode_jpeg = define_op(
    "EncodeJpeg",
    "image: uint8 -> contents: string",
    "format: {'', 'grayscale', 'rgb'} = '', quality: int = 95, progressive: bool = false",
    "optimize_size: bool = false, chroma_downsampling: bool = true",
    "density_unit: {'in', 'cm'} = 'in', x_density: int = 300, y_density: int = 300",
    "xmp_metadata: string = ''",
    no_gradient=NO_DERIVATIVE,
)


@_encode_jpeg.shape
def _encode_jpeg_shape(c: InferenceContext) -> TensorShape:
    shape_inference.with_rank(c.input(0), 3)
    return TensorShape.of(())


@_encode_jpeg.kernel
def _encode_jpeg_kernel(
    image: Any, *, format: bytes, quality: int, x_density: int, y_density: int, node: Operation
) -> np.ndarray:
    channels = _channels(image, quality)
    wanted = {b"": (1, 3), b"grayscale": (1,), b"rgb": (3,)}[format]
    if channels not in wanted:
        raise invalid(f"format {format.decode()} expects {wanted[0]} channels, got {shown(image)}")
    attrs = node.attrs
    per_inch = 1 if attrs["density_unit"] == b"in" else 2.54
    options: dict[str, Any] = {
        "quality": quality,
        "progressive": attrs["progressive"],
        "optimize": attrs["optimize_size"],
        "dpi": (round(x_density * per_inch), round(y_density * per_inch)),
    }
    if channels == 3:
        options["subsampling"] = 2 if attrs["chroma_downsampling"] else 0
    if attrs["xmp_metadata"]:
        options["xmp"] = attrs["xmp_metadata"]
    return string_array([image_files.encode_jpeg(image, **options)], ())


def _channels(image: Any, quality: int) -> int:
    """How many channels the image of a JPEG file has, after checks of what both operations take."""
    if np.ndim(image) != 3:
        raise invalid(f"image must be 3-dimensional{shown(image)}")
    channels: int = image.shape[2]
    if channels not in (1, 3):
        raise invalid(f"image must have 1 or 3 channels, got {shown(image)}")
    if not 0 <= quality <= 100:
        raise invalid(f"quality must be in [0,100], got {quality}")
    if not image.size:
        raise invalid(f"image cannot be empty, got shape {shown(image)}")
    return channels


encode_jpeg_variable_quality = define_op(
    "EncodeJpegVariableQuality",
    "images: uint8, quality: int32 -> contents: string",
    shape=_encode_jpeg_shape,
    no_gradient=NO_DERIVATIVE,
)


@encode_jpeg_variable_quality.kernel
def _encode_jpeg_variable_quality_kernel(images: Any, quality: Any) -> np.ndarray:
    if np.ndim(quality):
        raise invalid(f"quality must be scalar: {shown(quality)}")
    options = {"subsampling": 2} if _channels(images, int(quality)) == 3 else {}
    return string_array([image_files.encode_jpeg(images, quality=int(quality), **options)], ())


def _pixels(image: Any) -> Any:
    """An array as it is, if converting it to uint8 loses nothing; 300 would become 44."""
    if isinstance(image, np.ndarray | np.generic) and image.dtype != np.uint8:
        with np.errstate(all="ignore"):
            pixels = image.astype(np.uint8) if image.dtype.kind in "biuf" else None
        if pixels is None or not np.array_equal(pixels, image):
            raise TypeError(
                f"Value passed to parameter 'image' has DataType {image.dtype} not in list of "
                f"allowed values: uint8, and values that do not fit it. Pixels are 0 to 255: "
                f"image.clip(0, 255).astype(np.uint8)."
            )
    return image


def encode_jpeg(
    image: Any,
    format: str = "",
    quality: int = 95,
    progressive: bool = False,
    optimize_size: bool = False,
    chroma_downsampling: bool = True,
    density_unit: str = "in",
    x_density: int = 300,
    y_density: int = 300,
    xmp_metadata: str = "",
    name: str | None = None,
) -> Tensor:
    """Pixels as a JPEG file (TensorFlow: `tf.image.encode_jpeg`). It needs Pillow.

    Args:
      image: uint8 [height, width, 1 or 3].
      format: "grayscale", "rgb", or "" for what the channels say.
      quality: 0 to 100.
      progressive, optimize_size, chroma_downsampling: how it is compressed.
      density_unit, x_density, y_density, xmp_metadata: what the file's header says.
      name: of the operation.

    Raises:
      InvalidArgumentError: in a run, for other shapes.

    Example:
      >>> sess.run(tf.write_file("black.jpg", tf.image.encode_jpeg(tf.zeros([8, 8, 3], tf.uint8))))
    """
    return _encode_jpeg(
        _pixels(image),
        name=name,
        format=format,
        quality=quality,
        progressive=progressive,
        optimize_size=optimize_size,
        chroma_downsampling=chroma_downsampling,
        density_unit=density_unit,
        x_density=x_density,
        y_density=y_density,
        xmp_metadata=xmp_metadata,
    )
