"""Tensors in messages of the cluster protocol: raw bytes in, raw bytes out.

TensorFlow's peers send `tensor_content` whatever the size, strings included. Typed fields are
read as well (`make_ndarray`), and strings are written as `string_val`, which every peer reads.
Whole messages are `tinytf.distributed.wire.framing`'s business.
"""

from __future__ import annotations

import functools
import math
import sys
from typing import Any

import numpy as np

from tinytf.framework import dtypes, tensor_value
from tinytf.framework.errors import InvalidArgumentError
from tinytf.protos import tensor_pb2

#: As many dimensions as TensorFlow allows.
MAX_DIMENSIONS = 254
#: What a short list of values, whose last one repeats, may grow to. Peers send all the bytes; a
#: message of a few bytes must not take the memory of a server.
MAX_REPEATED_BYTES = 64 << 20
_POINTER_BYTES = 8
#: A view of less takes longer to make than a copy.
_VIEWED_BYTES = 4096


def split(value: Any, dtype: dtypes.DType) -> tuple[bytes, Any]:
    r"""A value as the fields of a `TensorProto` but for `tensor_content`, and that.

    Args:
      value: an array or numpy scalar of type `dtype`.

    Returns:
      (bytes, bytes-like): content is a view of the array's own memory where that has the right
      order, and empty for strings and for what has no elements.

    Example:
      >>> split(np.float32([1, 2]), dtypes.float32)  # (b"\x08\x01...", <memory of 8 bytes>)
    """
    if dtype is dtypes.string:
        return _split_strings(value), b""
    if isinstance(value, np.generic) and sys.byteorder == "little":
        return _header(dtype.as_datatype_enum, ()), value.tobytes()
    array = np.asarray(value)
    header = _header(dtype.as_datatype_enum, array.shape)
    if array.dtype.byteorder == ">" or (sys.byteorder == "big" and array.dtype.byteorder == "="):
        array = array.astype(array.dtype.newbyteorder("<"))
    if array.nbytes < _VIEWED_BYTES or not array.flags.c_contiguous:
        return header, array.tobytes()
    flat: Any = array.reshape(-1).view(np.uint8)
    return header, memoryview(flat)


@functools.lru_cache(maxsize=1024)
def _header(number: int, shape: tuple[int, ...]) -> bytes:
    """The type and the shape of a tensor, as the first fields of its message."""
    proto = tensor_pb2.TensorProto(dtype=number)
    proto.tensor_shape.SetInParent()
    for size in shape:
        proto.tensor_shape.dim.add(size=size)
    return proto.SerializeToString()


def _split_strings(value: Any) -> bytes:
    # Of bytes alone numpy would make fixed-length text, which loses zeros at the end.
    array = np.asarray(value, object)
    proto = tensor_pb2.TensorProto(
        string_val=[v if isinstance(v, bytes) else str(v).encode() for v in array.reshape(-1)]
    )
    return _header(dtypes.string.as_datatype_enum, array.shape) + proto.SerializeToString()


def check_travels(dtype: dtypes.DType) -> None:
    """InvalidArgumentError for a type whose values stay in their process."""
    if dtype is not dtypes.string and dtype.as_datatype_enum not in _NUMERIC:
        raise InvalidArgumentError(
            f"A tensor of type {dtype.name} stays in its own process and cannot be fed or fetched "
            f"through a server. Fetch what you read from it (a variable's value) instead."
        )


def encode_into(proto: tensor_pb2.TensorProto, value: Any, dtype: dtypes.DType) -> None:
    """Write a value into an empty `TensorProto`.

    Raises:
      InvalidArgumentError: for values that stay in their process (resource handles, variants).
    """
    check_travels(dtype.base_dtype)
    header, content = split(value, dtype.base_dtype)
    proto.MergeFromString(header)
    proto.tensor_content = bytes(content)


def type_of(value: Any) -> dtypes.DType:
    """The type of an array or a numpy scalar; of bytes and of arrays of objects, string.

    Raises:
      InvalidArgumentError: for values that stay in their process.
    """
    numpy_dtype = getattr(value, "dtype", None)
    if numpy_dtype is not None and numpy_dtype.kind != "O":
        return dtypes.as_dtype(numpy_dtype)
    first = value.flat[0] if isinstance(value, np.ndarray) and value.size else value
    if isinstance(first, bytes | str | np.ndarray):
        return dtypes.string
    raise InvalidArgumentError(
        f"A value of type {type(first).__name__} stays in its own process: it cannot travel to "
        f"another task."
    )


def decode(proto: tensor_pb2.TensorProto) -> Any:
    """The value in a message, as a read-only array or numpy scalar.

    Numeric `tensor_content` is not copied: the array is a view of the message's bytes.

    Raises:
      InvalidArgumentError: if the message is malformed.
    """
    content = proto.tensor_content
    return decode_apart(proto, content, range(len(content)))


def decode_apart(proto: tensor_pb2.TensorProto, data: bytes, content: range) -> Any:
    """The same for a message whose `tensor_content` is that part of `data`.

    Where content is not aligned for its type (our own peers see to it), the array is a copy.
    """
    numpy_dtype = _NUMERIC.get(proto.dtype)
    try:
        shape = _checked_shape(proto)
        if not content or numpy_dtype is None:
            return _decode_values(proto, shape, data, content)
        count = math.prod(shape)
        if len(content) != count * numpy_dtype.itemsize:
            raise ValueError(
                f"TensorProto of shape {shape} and type {numpy_dtype} needs "
                f"{count * numpy_dtype.itemsize} bytes of content, got {len(content)}"
            )
        array = np.frombuffer(data, numpy_dtype, count, content.start)
        if not shape:
            return array[0]
        array = array.reshape(shape)
        if not array.flags.aligned:
            array = array.copy()
            array.flags.writeable = False
        return array
    except (ValueError, TypeError, OverflowError) as error:
        raise InvalidArgumentError(f"Malformed tensor: {error}") from None


def _decode_values(
    proto: tensor_pb2.TensorProto, shape: tuple[int, ...], data: bytes, content: range
) -> Any:
    """The same for typed fields, and for strings."""
    _check_repeated(proto, shape, len(content))
    if content and not proto.tensor_content:
        proto.tensor_content = bytes(data[content.start : content.stop])
    array = tensor_value.make_ndarray(proto)
    array.flags.writeable = False
    return array[()] if array.ndim == 0 and array.dtype != object else array


#: Number of a type, or of its reference -> numpy's type, of those whose elements are their bytes.
_NUMERIC = {
    number: np.dtype(dtype.base_dtype.as_numpy_dtype)
    for number, dtype in dtypes._BY_ENUM.items()
    if dtype.base_dtype.as_numpy_dtype not in (None, np.object_)
}


def _checked_shape(proto: tensor_pb2.TensorProto) -> tuple[int, ...]:
    dimensions = proto.tensor_shape.dim
    if not dimensions and not proto.tensor_shape.unknown_rank:
        return ()
    if len(dimensions) > MAX_DIMENSIONS:
        raise ValueError(
            f"TensorProto with {len(dimensions)} dimensions, more than {MAX_DIMENSIONS}"
        )
    shape = tuple([dim.size for dim in dimensions])
    if proto.tensor_shape.unknown_rank or (shape and min(shape) < 0):
        raise ValueError(f"TensorProto with a shape that is not fully defined: {shape}")
    return shape


def _check_repeated(
    proto: tensor_pb2.TensorProto, shape: tuple[int, ...], content_bytes: int
) -> None:
    """Refuse a short message that stands for an enormous tensor."""
    count = math.prod(shape)
    numpy_dtype = _NUMERIC.get(proto.dtype)
    size = _POINTER_BYTES if numpy_dtype is None else numpy_dtype.itemsize
    # A value takes at least one byte of its message.
    if count * size > MAX_REPEATED_BYTES and count > content_bytes + proto.ByteSize():
        raise ValueError(
            f"TensorProto of shape {shape} has fewer values than elements, and "
            f"more than {MAX_REPEATED_BYTES} bytes of them; send all of the values"
        )
