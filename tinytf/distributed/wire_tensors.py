"""Tensors in messages of the cluster protocol: raw bytes in, raw bytes out.

TensorFlow's peers send `tensor_content` whatever the size, strings included. Typed fields are
read as well (`make_ndarray`), and strings are written as `string_val`, which every peer reads.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework import dtypes, tensor_value
from tinytf.framework.errors import InvalidArgumentError
from tinytf.protos import tensor_pb2


def encode_into(proto: tensor_pb2.TensorProto, value: Any, dtype: dtypes.DType) -> None:
    """Write `value` (an array or numpy scalar of type `dtype`) into an empty `TensorProto`.

    Raises:
      InvalidArgumentError: for values that stay in their process (resource handles, variants).
    """
    dtype = dtype.base_dtype
    if not dtype.is_numpy_compatible or dtype.name in ("resource", "variant"):
        raise InvalidArgumentError(
            None, None,
            f"A tensor of type {dtype.name} stays in its own process and cannot be fed or fetched "
            f"through a server. Fetch what you read from it (a variable's value) instead.",
        )  # fmt: skip
    # Of bytes alone numpy would make fixed-length text, which loses zeros at the end.
    array = np.asarray(value, object) if dtype is dtypes.string else np.asarray(value)
    proto.dtype = dtype.as_datatype_enum
    proto.tensor_shape.SetInParent()
    for size in array.shape:
        proto.tensor_shape.dim.add(size=size)
    if dtype is dtypes.string:
        proto.string_val.extend(
            item if isinstance(item, bytes) else str(item).encode() for item in array.reshape(-1)
        )
    elif array.size:
        if array.dtype.byteorder == ">":
            array = array.astype(array.dtype.newbyteorder("<"))
        proto.tensor_content = array.tobytes()


def decode(proto: tensor_pb2.TensorProto) -> Any:
    """The value in a message, as a read-only array or numpy scalar.

    Numeric `tensor_content` is not copied: the array is a view of the message's bytes.

    Raises:
      InvalidArgumentError: if the message is malformed.
    """
    content = proto.tensor_content
    dtype = dtypes._BY_ENUM.get(proto.dtype)
    try:
        if content and dtype is not None and _is_numeric(dtype):
            array = _view(proto, content, np.dtype(dtype.as_numpy_dtype))
        else:
            array = tensor_value.make_ndarray(proto)
            array.flags.writeable = False
    except (ValueError, TypeError, OverflowError) as error:
        raise InvalidArgumentError(None, None, f"Malformed tensor: {error}") from None
    return array[()] if array.ndim == 0 and array.dtype != object else array


def _is_numeric(dtype: dtypes.DType) -> bool:
    return dtype.is_numpy_compatible and dtype.name not in ("string", "resource", "variant")


def _view(proto: tensor_pb2.TensorProto, content: bytes, numpy_dtype: np.dtype) -> np.ndarray:
    shape = tuple(dim.size for dim in proto.tensor_shape.dim)
    count = 1
    for size in shape:
        count *= size
    if (
        proto.tensor_shape.unknown_rank
        or any(size < 0 for size in shape)
        or len(content) != count * numpy_dtype.itemsize
    ):
        return tensor_value.make_ndarray(proto)  # says what is wrong with it
    return np.frombuffer(content, numpy_dtype).reshape(shape)
