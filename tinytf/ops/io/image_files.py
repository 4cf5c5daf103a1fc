"""Image files as pixels, and back. Pillow does it, an optional package: `pip install pillow`.

PNG files give the pixels that TensorFlow's decoder gives. JPEG leaves a choice to decoders, so
that values may be a few apart.
"""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from tinytf.framework.errors import UnimplementedError, invalid
from tinytf.ops.io import png_files
from tinytf.ops.io.image_headers import Header


def _pillow() -> Any:
    """Pillow's module `Image`; UnimplementedError with advice if it is not installed."""
    try:
        from PIL import Image
    except ImportError:
        raise UnimplementedError(
            "Images are decoded with Pillow, which is not installed. Type: pip install pillow"
        ) from None
    return Image


def _open(contents: bytes, head: Header) -> Any:
    image_module = _pillow()
    try:
        return image_module.open(io.BytesIO(contents), formats=[head.format])
    except (OSError, SyntaxError, ValueError) as error:
        raise _damaged(contents, head, error) from None


def _damaged(contents: bytes, head: Header, error: Exception) -> Exception:
    if head.format == "JPEG":
        text = "jpeg::Uncompress failed. Invalid JPEG data or crop window."
    else:
        text = f"Invalid {head.format} data, size {len(contents)}"
    return invalid(f"{text} ({error})")


def _pixels(image: Any, contents: bytes, head: Header) -> np.ndarray:
    try:
        found = np.asarray(image)
    except (OSError, SyntaxError, ValueError, EOFError) as error:
        raise _damaged(contents, head, error) from None
    return found[:, :, np.newaxis] if found.ndim == 2 else found


# PNG ----------------------------------------------------------------------------------------------


def decode_png(contents: bytes, head: Header, channels: int, wide: bool) -> np.ndarray:
    """The pixels of a PNG file: uint8, or uint16 if `wide`; channels 0 for those of the file."""
    if head.depth == 16 and (wide or head.channels != 1):
        pixels = with_channels(png_files.decode_16_bits(contents), channels)
        return pixels if wide else (pixels >> 8).astype(np.uint8)
    pixels = _narrow_png(contents, head)
    if wide and pixels.dtype == np.uint8:
        pixels = pixels.astype(np.uint16) * np.uint16(257)
    return with_channels(pixels, channels)


def _narrow_png(contents: bytes, head: Header) -> np.ndarray:
    image = _open(contents, head)
    if image.mode == "P":
        image = image.convert("RGBA" if "transparency" in image.info else "RGB")
    elif image.mode == "1":
        image = image.convert("L")
    pixels = _pixels(image, contents, head)
    if pixels.dtype != np.uint8:  # 16 bits of grey: the higher 8 of them
        pixels = (pixels.astype(np.uint16) >> 8).astype(np.uint8)
    return pixels


def with_channels(pixels: np.ndarray, channels: int) -> np.ndarray:
    """Pixels [height, width, any] as grey (1), RGB (3) or RGBA (4); 0: as they are."""
    there = pixels.shape[2]
    if channels in (0, there):
        return np.ascontiguousarray(pixels)
    color = pixels[:, :, : there - 1] if there in (2, 4) else pixels
    if channels == 1:
        return color if color.shape[2] == 1 else _grey(color)
    if color.shape[2] == 1:
        color = np.repeat(color, 3, axis=2)
    if channels == 3:
        return np.ascontiguousarray(color)
    full = np.full(pixels.shape[:2] + (1,), np.iinfo(pixels.dtype).max, pixels.dtype)
    return np.concatenate([color, pixels[:, :, -1:] if there == 2 else full], axis=2)


def _grey(color: np.ndarray) -> np.ndarray:
    """How bright colours are, in the fixed-point numbers of libpng."""
    red, green = 29900 * 32768 // 100000, 58700 * 32768 // 100000
    weights = np.array([red, green, 32768 - red - green], np.int64)
    total = color.astype(np.int64) @ weights
    if color.dtype == np.uint16:
        total += 16384
    same = (color == color[:, :, :1]).all(axis=2)
    grey = np.where(same, color[:, :, 0], total >> 15)
    return grey.astype(color.dtype)[:, :, np.newaxis]


# JPEG, GIF and BMP --------------------------------------------------------------------------------


def decode_jpeg(
    contents: bytes, head: Header, channels: int, ratio: int = 1, recover: bool = False
) -> np.ndarray:
    """The pixels of a JPEG file, uint8; `ratio` makes it smaller, `recover` reads one cut off."""
    if recover:
        contents += b"\xff\xd9"  # the marker of the end: the rest stays grey
    image = _open(contents, head)
    mode = "L" if channels == 1 or (channels == 0 and head.channels == 1) else "RGB"
    height, width = -(-head.height // ratio), -(-head.width // ratio)
    if image.mode != "CMYK":
        image.draft(mode, (max(head.width // ratio, 1), max(head.height // ratio, 1)))
    try:
        if image.mode != mode:
            image = image.convert(mode)
        if image.size != (width, height):
            image = image.resize((width, height))
    except (OSError, SyntaxError, ValueError) as error:
        raise _damaged(contents, head, error) from None
    return _pixels(image, contents, head)


def decode_gif(contents: bytes, head: Header) -> np.ndarray:
    """The pixels of all pictures of a GIF file: uint8 [pictures, height, width, 3]."""
    image = _open(contents, head)
    count = getattr(image, "n_frames", 1)
    if count * head.height * head.width > 1 << 28:
        raise invalid(f"GIF size too large for int: {count} of {head.width} by {head.height}")
    frames = []
    try:
        for number in range(count):
            image.seek(number)
            frames.append(np.asarray(image.convert("RGB")))
    except (OSError, SyntaxError, ValueError, EOFError) as error:
        raise _damaged(contents, head, error) from None
    return np.stack(frames)


def decode_bmp(contents: bytes, head: Header, channels: int) -> np.ndarray:
    """The pixels of a BMP file, uint8."""
    if channels not in (0, 3, 4):
        raise invalid(f"`channels` must be 0, 3 or 4 for BMP, but got {channels}")
    image = _open(contents, head)
    if image.mode not in ("L", "RGB", "RGBA"):
        image = image.convert("RGB")
    return with_channels(_pixels(image, contents, head), channels)


def encode_jpeg(pixels: np.ndarray, **options: Any) -> bytes:
    """A JPEG file of uint8 pixels [height, width, 1 or 3]; `options` are Pillow's."""
    image_module = _pillow()
    plain = pixels[:, :, 0] if pixels.shape[2] == 1 else pixels
    file = io.BytesIO()
    image_module.fromarray(np.ascontiguousarray(plain)).save(file, "JPEG", **options)
    return file.getvalue()
