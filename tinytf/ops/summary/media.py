"""Summaries of images and sounds: `tf.summary.image`, `tf.summary.audio`.

Mirrors the kernels summary_image_op.cc and summary_audio_op.cc. The files inside (PNG, WAV) are
written here, with nothing but zlib.
"""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np

from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.op_card import define_op
from tinytf.framework.summaries import type_text
from tinytf.framework.tensor import Tensor
from tinytf.ops.summary import summaries
from tinytf.protos import summary_pb2


def _tags(tag: Any, kind: str, limit: int, count: int) -> list[str]:
    """ "name/image/0", "name/image/1" ...; "name/image" if at most one is wanted."""  # noqa: D210
    base = f"{summaries.text_of(tag).decode()}/{kind}"
    return [base if limit == 1 else f"{base}/{index}" for index in range(min(limit, count))]


# Images -------------------------------------------------------------------------------------------

_image_summary = define_op(
    "ImageSummary",
    "tag: string, tensor: T -> summary: string",
    "max_images: int >= 1 = 3, T: {uint8, float, half, double} = DT_FLOAT",
    "bad_color: tensor = { dtype: DT_UINT8 tensor_shape: { dim { size: 4 } } "
    "int_val: 255 int_val: 0 int_val: 0 int_val: 255 }",
    shape=summaries.scalar_shape,
    no_gradient=summaries.NO_GRADIENT,
)


@_image_summary.kernel
def _image_summary_kernel(
    tag: Any, tensor: Any, *, max_images: int, bad_color: np.ndarray
) -> np.ndarray:
    shape = tensor.shape
    if bad_color.dtype != np.uint8:
        found = type_text(dtypes.as_dtype(bad_color.dtype)).removeprefix("DT_").lower()
        raise invalid(f"bad_color must be uint8, got {found}")
    if np.ndim(tag):
        raise invalid("Tags must be a scalar")
    if len(shape) != 4 or shape[3] not in (1, 3, 4):
        sizes = ",".join(map(str, shape))
        raise invalid(f"Tensor must be 4-D with last dim 1, 3, or 4, not [{sizes}]")
    count, height, width, depth = shape
    if count and not (height and width):
        raise invalid(f"input tensor must have non-zero dims. Found: {list(shape)}.")
    if tensor.dtype != np.uint8 and depth > bad_color.size:
        raise invalid(
            f"expected depth <= bad_color.size, got depth = {depth}, bad_color.size = "
            f"{bad_color.size}"
        )
    summary = summary_pb2.Summary()
    for name, pixels in zip(_tags(tag, "image", max_images, count), tensor, strict=False):
        if pixels.dtype != np.uint8:
            pixels = as_bytes(pixels, bad_color[:depth])
        value = summary.value.add(tag=name)
        value.image.height, value.image.width, value.image.colorspace = height, width, depth
        value.image.encoded_image_string = encode_png(pixels)
    return summaries.serialised(summary)


def as_bytes(pixels: np.ndarray, bad_color: np.ndarray) -> np.ndarray:
    """Pixels as 0 to 255, by TensorFlow's rule.

    From 0 upwards, the largest value becomes 255; with negative values, 0 becomes 128 and the one
    that is furthest from it 1 or 255. A pixel that is not finite gets `bad_color`.

    Args:
      pixels: floating-point numbers [height, width, depth].
      bad_color: uint8 [depth].
    """
    finite = np.isfinite(pixels).all(axis=-1)
    good = pixels[finite].astype(np.float32)
    low, high = good.min(initial=np.inf), good.max(initial=-np.inf)
    kind = pixels.dtype.type
    largest = np.float32(max(abs(low), abs(high)) if low < 0 else high)
    room, offset = (127, 128) if low < 0 else (255, 0)
    scale = kind(0) if largest < np.float32(1e-6) else kind(np.float32(room) / largest)
    result = np.empty(pixels.shape, np.uint8)
    result[finite] = (pixels[finite] * scale + kind(offset)).astype(np.uint8)
    result[~finite] = bad_color
    return result


def encode_png(pixels: np.ndarray) -> bytes:
    """A PNG file of uint8 pixels [height, width, depth]; depth 1 is grey, 3 RGB, 4 RGBA."""
    height, width, depth = pixels.shape
    color_type = {1: 0, 3: 2, 4: 6}[depth]
    rows = np.zeros((height, 1 + width * depth), np.uint8)  # each row begins with its filter: none
    rows[:, 1:] = pixels.reshape(height, -1)

    def chunk(kind: bytes, content: bytes) -> bytes:
        checked = kind + content
        return struct.pack(">I", len(content)) + checked + struct.pack(">I", zlib.crc32(checked))

    header = struct.pack(">IIBBBBB", width, height, 8, color_type, 0, 0, 0)
    return b"".join(
        [
            b"\x89PNG\r\n\x1a\n",
            chunk(b"IHDR", header),
            chunk(b"IDAT", zlib.compress(rows.tobytes())),
            chunk(b"IEND", b""),
        ]
    )


def image(
    name: str, tensor: Any, max_outputs: int = 3, collections: Any = None, family: str | None = None
) -> Tensor:
    """A summary of images (TensorFlow: `tf.summary.image`).

    Args:
      name: of the node; the tags are "name/image/0", "name/image/1" ...
      tensor: [images, height, width, channels] of uint8 or floating-point numbers; 1 channel is
        grey, 3 are RGB, 4 RGBA. Numbers are scaled, each image by itself: the largest becomes 255;
        if some are negative, 0 becomes the middle.
      max_outputs: how many images to take; with 1, the tag is "name/image".
      collections, family: as for `tf.summary.scalar`.

    Returns:
      a scalar string tensor: a serialised `Summary`, with PNG files.

    Raises:
      TypeError: for another type. InvalidArgumentError: at the run, for another shape.

    Example:
      >>> ramp = tf.reshape(tf.constant([0.0, 1.0, 2.0, 3.0]), [1, 2, 2, 1])
      >>> summary = tf.Summary.FromString(tf.summary.image("ramp", ramp).eval())
      >>> summary.value[0].tag, summary.value[0].image.height
      ('ramp/image/0', 2)
    """
    with summaries.summary_scope(name, family, [tensor]) as (tag, scope):
        made = _image_summary(tag, tensor, name=scope, max_images=max_outputs)
        return summaries.collect(made, collections, (GraphKeys.SUMMARIES,))


# Sounds -------------------------------------------------------------------------------------------

_audio_summary = define_op(
    "AudioSummaryV2",
    "tag: string, tensor: float, sample_rate: float -> summary: string",
    "max_outputs: int >= 1 = 3",
    shape=summaries.scalar_shape,
    no_gradient=summaries.NO_GRADIENT,
)


@_audio_summary.kernel
def _audio_summary_kernel(
    tag: Any, tensor: Any, sample_rate: Any, *, max_outputs: int
) -> np.ndarray:
    if np.ndim(tag):
        raise invalid("Tag must be a scalar")
    shape = np.shape(tensor)
    if len(shape) not in (2, 3):
        raise invalid(f"Tensor must be 3-D or 2-D, got: [{','.join(map(str, shape))}]")
    if np.size(sample_rate) != 1:
        raise invalid(f"sample_rate must be a scalar, got shape {list(np.shape(sample_rate))}")
    rate = float(np.asarray(sample_rate).item())
    if not rate > 0:
        raise invalid("sample_rate must be > 0")
    clips = tensor if len(shape) == 3 else tensor[:, :, np.newaxis]
    summary = summary_pb2.Summary()
    for name, clip in zip(_tags(tag, "audio", max_outputs, len(clips)), clips, strict=False):
        value = summary.value.add(tag=name)
        value.audio.sample_rate = rate
        value.audio.length_frames, value.audio.num_channels = clip.shape
        value.audio.encoded_audio_string = encode_wav(clip, rate)
        value.audio.content_type = "audio/wav"
    return summaries.serialised(summary)


def encode_wav(clip: np.ndarray, sample_rate: float) -> bytes:
    """A WAV file of 16-bit samples from float32 values [frames, channels] between -1 and 1."""
    frames, channels = clip.shape
    rate = max(int(sample_rate), 1)
    if rate >= 1 << 32:
        raise invalid(f"sample_rate must be in (0, 2^32), got: {rate}")
    if frames and not channels:
        raise invalid("audio is null")
    if not 0 < channels < 1 << 16:
        raise invalid(f"num_channels must be in (0, 2^16), got: {channels}")
    scaled = clip * np.float32(1 << 15)
    rounded = np.trunc(scaled + np.copysign(np.float32(0.5), scaled))  # halves away from zero
    samples = rounded.clip(-(1 << 15), (1 << 15) - 1).astype("<i2").tobytes()
    layout = struct.pack(
        "<IHHIIHH", 16, 1, channels, rate, rate * channels * 2 & 0xFFFFFFFF, channels * 2, 16
    )
    body = b"WAVEfmt " + layout + b"data" + struct.pack("<I", len(samples)) + samples
    return b"RIFF" + struct.pack("<I", len(body)) + body


def audio(
    name: str,
    tensor: Any,
    sample_rate: Any,
    max_outputs: int = 3,
    collections: Any = None,
    family: str | None = None,
) -> Tensor:
    """A summary of sounds (TensorFlow: `tf.summary.audio`).

    Args:
      name: of the node; the tags are "name/audio/0", "name/audio/1" ...
      tensor: float32 [sounds, frames, channels] or [sounds, frames], between -1 and 1.
      sample_rate: frames in a second, a scalar.
      max_outputs: how many sounds to take; with 1, the tag is "name/audio".
      collections, family: as for `tf.summary.scalar`.

    Returns:
      a scalar string tensor: a serialised `Summary`, with WAV files.

    Raises:
      InvalidArgumentError: at the run, for another shape or a rate of 0.

    Example:
      >>> tone = tf.sin(tf.linspace(0.0, 600.0, 1000))
      >>> summary = tf.Summary.FromString(tf.summary.audio("tone", [tone], 8000.0).eval())
      >>> summary.value[0].tag, summary.value[0].audio.length_frames
      ('tone/audio/0', 1000)
    """
    with summaries.summary_scope(name, family, [tensor]) as (tag, scope):
        rate = convert_to_tensor(sample_rate, dtype=dtypes.float32, name="sample_rate")
        made = _audio_summary(tag, tensor, rate, name=scope, max_outputs=max_outputs)
        return summaries.collect(made, collections, (GraphKeys.SUMMARIES,))
