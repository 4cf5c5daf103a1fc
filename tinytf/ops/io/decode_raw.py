"""Raw bytes as numbers, and compressed bytes: `tf.decode_raw`, `tf.io.decode_compressed`."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from tinytf.framework import dtypes, shape_inference
from tinytf.framework.errors import DataLossError, invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.shape_inference import InferenceContext
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.strings.string_cards import NO_DERIVATIVE, map_texts, texts

#: What a few bytes may become at most when they are decompressed.
MOST_BYTES = 1 << 31

# DecodeRaw ----------------------------------------------------------------------------------------

_decode_raw = define_op(
    "DecodeRaw",
    "bytes: string -> output: out_type",
    "out_type: {half, float, double, int32, uint16, uint8, int16, int8, int64, "
    "complex64, complex128, bool, bfloat16}, little_endian: bool = true",
    no_gradient=NO_DERIVATIVE,
)


@_decode_raw.shape
def _decode_raw_shape(c: InferenceContext) -> TensorShape:
    sizes = c.input(0).sizes
    return unknown_shape() if sizes is None else TensorShape.of((*sizes, None))


@_decode_raw.kernel
def _decode_raw_kernel(bytes: Any, *, out_type: dtypes.DType, little_endian: bool) -> np.ndarray:
    pieces = texts(bytes)
    length = len(pieces[0]) if pieces else 0
    for number, piece in enumerate(pieces):
        if len(piece) != length:
            raise invalid(
                "DecodeRaw requires input strings to all be the same size, but element "
                f"{number} has size {len(piece)} != {length}. With fixed_length, "
                "tf.io.decode_raw fills or cuts them"
            )
    if length % out_type.size:
        raise invalid(
            f"Input to DecodeRaw has length {length} that is not a multiple of {out_type.size}, "
            f"the size of {out_type.name}"
        )
    flat = _numbers(b"".join(pieces), out_type, little_endian)
    return flat.reshape((*np.shape(bytes), length // out_type.size))


def _numbers(data: bytes, dtype: dtypes.DType, little_endian: bool) -> np.ndarray:
    numpy_dtype = np.dtype(dtype.as_numpy_dtype)
    if dtype is dtypes.bool_:
        return np.frombuffer(data, np.uint8) != 0
    if little_endian:
        return np.frombuffer(data, numpy_dtype)
    part = numpy_dtype.itemsize // 2 if dtype.is_complex else numpy_dtype.itemsize
    turned = np.frombuffer(data, np.uint8).reshape(-1, part)[:, ::-1]
    return np.frombuffer(turned.tobytes(), numpy_dtype)


# DecodePaddedRaw ----------------------------------------------------------------------------------

_decode_padded_raw = define_op(
    "DecodePaddedRaw",
    "input_bytes: string, fixed_length: int32 -> output: out_type",
    "out_type: {half, float, double, int32, uint16, uint8, int16, int8, int64, bfloat16}",
    "little_endian: bool = true",
    no_gradient=NO_DERIVATIVE,
)


@_decode_padded_raw.shape
def _decode_padded_raw_shape(c: InferenceContext) -> TensorShape:
    size, width = c.attrs["out_type"].size, c.constant(1)
    rank = c.input(1).ndims
    if rank:
        raise ValueError(f"Input must be scalar but has rank {rank}")
    sizes = c.input(0).sizes
    if sizes is None:
        return unknown_shape()
    if width is None:
        return TensorShape.of((*sizes, None))
    if width < 0:
        raise ValueError(
            f"Dimension size, given by scalar input 1, must be non-negative but is {width}"
        )
    if width % size:
        raise ValueError(f"Dimension size must be evenly divisible by {size} but is {width}")
    return TensorShape.of((*sizes, int(width) // size))


@_decode_padded_raw.kernel
def _decode_padded_raw_kernel(
    input_bytes: Any, fixed_length: Any, *, out_type: dtypes.DType, little_endian: bool
) -> np.ndarray:
    if np.ndim(fixed_length):
        raise invalid(f"k must be scalar, got shape {shown(fixed_length)}")
    length = int(fixed_length)
    if length <= 0:
        raise invalid(f"fixed_length ({length}) must be greater than zero.")
    if length % out_type.size:
        raise invalid(
            f"fixed_length ({length}) must be a multiple of the size of out_type ({out_type.size})"
        )
    data = b"".join([piece[:length].ljust(length, b"\0") for piece in texts(input_bytes)])
    flat = _numbers(data, out_type, little_endian)
    return flat.reshape((*np.shape(input_bytes), length // out_type.size))


def decode_raw(
    input_bytes: Any = None,
    out_type: Any = None,
    little_endian: bool = True,
    name: str | None = None,
    bytes: Any = None,
    fixed_length: Any = None,
) -> Tensor:
    r"""Bytes as numbers, one after the other (TensorFlow: `tf.decode_raw`, `tf.io.decode_raw`).

    Args:
      input_bytes, bytes: strings, by their newer or older name; all of the same length.
      out_type: the type of the numbers.
      little_endian: whether the least significant byte comes first.
      name: of the operation.
      fixed_length: fill with zeros, or cut, to so many bytes first; the strings may be of any
        length then. (TensorFlow has this argument in `tf.compat.v2.io.decode_raw`.)

    Returns:
      the shape of the strings with one dimension more.

    Raises:
      ValueError: for both names or none, or no type.
      InvalidArgumentError: in a run, for strings of several lengths, or of one that does not fit.

    Example:
      >>> tf.decode_raw([b"\x01\x00\x02\x00"], tf.int16)  # [[1, 2]]
    """
    if input_bytes is not None and bytes is not None:
        raise ValueError("Cannot specify both 'bytes' and 'input_bytes'.")
    if out_type is None:
        raise ValueError("decode_raw_v1() missing 1 positional argument: 'out_type'")
    given = input_bytes if bytes is None else bytes
    kind = dtypes.as_dtype(out_type)
    if fixed_length is None:
        return _decode_raw(given, name=name, out_type=kind, little_endian=little_endian)
    return _decode_padded_raw(
        given, fixed_length, name=name, out_type=kind, little_endian=little_endian
    )


# DecodeCompressed ---------------------------------------------------------------------------------

_decode_compressed = define_op(
    "DecodeCompressed",
    "bytes: string -> output: string",
    "compression_type: string = ''",
    shape=shape_inference.unchanged,
    no_gradient=NO_DERIVATIVE,
)


@_decode_compressed.kernel
def _decode_compressed_kernel(bytes: Any, *, compression_type: Any) -> Any:
    if compression_type not in (b"", b"ZLIB", b"GZIP"):
        kind = compression_type.decode("utf-8", "backslashreplace")
        raise invalid(f"Only ZLIB, GZIP or NONE are supported compressions, not {kind!r}")
    if not compression_type:
        return bytes
    wanted = 15 if compression_type == b"ZLIB" else 31
    return map_texts(lambda data: _inflated(data, wanted), bytes)


def _inflated(data: bytes, window_bits: int) -> bytes:
    """The content of compressed bytes; what is cut off gives what there is, as in TensorFlow."""
    import zlib  # few programs need it

    content = io.BytesIO()
    while data:
        inflater = zlib.decompressobj(window_bits)
        try:
            while data and not inflater.eof:
                content.write(inflater.decompress(data, 1 << 24))
                data = inflater.unconsumed_tail
                if content.tell() > MOST_BYTES:
                    raise DataLossError(
                        f"decompressing gives more than {MOST_BYTES} bytes: a decompression bomb?"
                    )
        except zlib.error as error:
            number, _, reason = str(error).partition(" while decompressing data: ")
            raise DataLossError(
                f"inflate() failed with error {number.split()[-1]}: {reason}"
            ) from None
        data = inflater.unused_data if window_bits == 31 else b""
    return content.getvalue()


def decode_compressed(bytes: Any, compression_type: str = "", name: str | None = None) -> Tensor:
    """Strings decompressed, each by itself (TensorFlow: `tf.io.decode_compressed`).

    Args:
      bytes: strings of any shape. compression_type: "ZLIB", "GZIP" or "" for none.
      name: of the operation.

    Raises:
      DataLossError: in a run, for bytes that were not compressed so.

    Example:
      >>> import zlib
      >>> tf.io.decode_compressed(zlib.compress(b"hello"), "ZLIB")  # b"hello"
    """
    return _decode_compressed(bytes, name=name, compression_type=compression_type)
