"""Tensor values between Python, numpy and `TensorProto`.

Values are numpy arrays throughout; strings are object arrays of `bytes`. As in
`tensorflow/python/framework/tensor_util.py`, Python floats become float32 and Python integers
int32 (int64 when they do not fit), while numpy arrays keep their type.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework import dtypes
from tinytf.framework.tensor_shape import TensorShape, as_shape
from tinytf.protos import tensor_pb2

#: No message may ask for a larger tensor than protobuf itself could carry.
MAX_BYTES = 1 << 31

_FIELD = {
    "float32": "float_val", "float64": "double_val", "int32": "int_val", "uint8": "int_val",
    "int16": "int_val", "int8": "int_val", "uint16": "int_val", "int64": "int64_val",
    "bool": "bool_val", "uint32": "uint32_val", "uint64": "uint64_val", "qint8": "int_val",
    "quint8": "int_val", "qint32": "int_val", "qint16": "int_val", "quint16": "int_val",
    "int4": "int_val", "uint4": "int_val",
}  # fmt: skip
_BIT_PATTERN = {"float16": "half_val", "bfloat16": "half_val"}
_COMPLEX = {"complex64": "scomplex_val", "complex128": "dcomplex_val"}


def to_array(values: Any, dtype: dtypes.DType | None = None, shape: Any = None) -> np.ndarray:
    """Convert a Python value to the array a constant of it would hold.

    Args:
      values: a number, string, (nested) list or tuple of them, or a numpy array.
      dtype: the wanted type; inferred when None.
      shape: a fully known shape. A single value fills it; otherwise the number of elements must
        agree.

    Returns:
      an array that shares no memory with `values`.

    Raises:
      TypeError: if a value is not of type `dtype`. ValueError: for None, ragged lists, or a
        number of elements that does not fit `shape`.
    """
    if dtype is not None:
        dtype = dtypes.as_dtype(dtype).base_dtype
    if isinstance(values, np.ndarray | np.generic):
        array = _numpy_to_array(values, dtype)
    else:
        array = _python_to_array(values, dtype)
    return array if shape is None else _fill(array, as_shape(shape))


def _numpy_to_array(values: Any, dtype: dtypes.DType | None) -> np.ndarray:
    values = np.asarray(values)
    if values.dtype.kind in "SUO" or dtype is dtypes.string:
        if dtype not in (None, dtypes.string):
            raise TypeError(f"Expected {dtype.name}, but got an array of type '{values.dtype}'.")
        return _string_array(values)
    if dtype is None:
        dtypes.as_dtype(values.dtype)  # raises TypeError for a type TensorFlow does not have
        return np.array(values, order="C")
    return np.array(values, dtype=dtype.as_numpy_dtype, order="C")


def _python_to_array(values: Any, dtype: dtypes.DType | None) -> np.ndarray:
    if values is None:
        raise ValueError("None values not supported.")
    first = _check_elements(values, dtype)
    if dtype is dtypes.string or (dtype is None and isinstance(first, str | bytes)):
        return _string_array(_dense(values, object))
    if dtype is not None:
        return _dense(values, dtype.as_numpy_dtype)
    array = _dense(values, None)
    if array.dtype == np.float64:
        return array.astype(np.float32)
    if array.dtype == np.int64:
        narrow = array.astype(np.int32)
        return narrow if np.array_equal(narrow, array) else array
    dtypes.as_dtype(array.dtype)
    return array


def _check_elements(values: Any, dtype: dtypes.DType | None) -> Any:
    """Walk nested lists; return the first leaf; TypeError at the first leaf of a wrong type."""
    first = None
    pending = [values]
    while pending:
        value = pending.pop()
        if isinstance(value, list | tuple):
            pending.extend(reversed(value))
            continue
        if value is None:
            raise ValueError("None values not supported.")
        if dtype is not None and not _fits(value, dtype):
            raise TypeError(
                f"Expected {dtype.name}, but got {value!r} of type '{type(value).__name__}'."
            )
        if first is None:
            first = value
    return first


def _fits(value: Any, dtype: dtypes.DType) -> bool:
    if isinstance(value, np.ndarray | np.generic):
        return True
    if isinstance(value, str | bytes):
        return dtype is dtypes.string
    if isinstance(value, bool):
        return dtype.is_bool
    if isinstance(value, int):
        return dtype.is_integer or dtype.is_floating or dtype.is_complex or dtype.is_quantized
    if isinstance(value, float):
        return dtype.is_floating or dtype.is_complex
    if isinstance(value, complex):
        return dtype.is_complex
    if hasattr(value, "__array__") or hasattr(value, "__index__"):
        return True
    return dtype.name in ("resource", "variant")


def _dense(values: Any, numpy_dtype: Any) -> np.ndarray:
    try:
        if numpy_dtype is object:
            return _object_array(values)
        return np.array(values, dtype=numpy_dtype)
    except ValueError as error:
        raise ValueError(
            f"Can't convert Python sequence with mixed or ragged shapes to Tensor: {values!r} "
            f"({error})"
        ) from None


def _object_array(values: Any) -> np.ndarray:
    shape = []
    level = values
    while isinstance(level, list | tuple):
        shape.append(len(level))
        if not level:
            break
        level = level[0]
    result = np.empty(shape, object)
    flat = _flatten(values, len(shape))
    if len(flat) != result.size:
        raise ValueError(f"expected {result.size} elements for shape {shape}, got {len(flat)}")
    result.reshape(-1)[:] = flat
    return result


def _flatten(values: Any, depth: int) -> list[Any]:
    if depth == 0:
        if isinstance(values, list | tuple):
            raise ValueError("the nesting is uneven")
        return [values]
    if not isinstance(values, list | tuple):
        raise ValueError("the nesting is uneven")
    return [leaf for value in values for leaf in _flatten(value, depth - 1)]


def _string_array(values: np.ndarray) -> np.ndarray:
    result = np.empty(values.shape, object)
    flat_in, flat_out = values.reshape(-1), result.reshape(-1)
    for index, value in enumerate(flat_in):
        if isinstance(value, str):
            flat_out[index] = value.encode("utf-8")
        elif isinstance(value, bytes):
            flat_out[index] = bytes(value)
        else:
            raise TypeError(f"Expected string, but got {value!r} of type '{type(value).__name__}'.")
    return result


def _fill(array: np.ndarray, shape: TensorShape) -> np.ndarray:
    wanted = tuple(shape.as_list())
    count = shape.num_elements()
    if count is None:
        raise ValueError(f"A constant needs a fully defined shape, got {shape}")
    if array.size == count:
        return array.reshape(wanted)
    if array.size == 1:
        return np.full(wanted, array.reshape(-1)[0], dtype=array.dtype)
    raise TypeError(
        f"Eager execution of tf.constant with unsupported shape. Tensor {array.tolist()} "
        f"(converted from the value) has {array.size} elements, but got `shape` {shape} "
        f"with {count} elements)."
        if array.size > count
        else f"The value has {array.size} elements, but `shape` {shape} needs {count}."
    )


# TensorProto ----------------------------------------------------------------------------------


def make_tensor_proto(
    values: Any, dtype: Any = None, shape: Any = None, verify_shape: bool = False
) -> tensor_pb2.TensorProto:
    """A `TensorProto` holding `values` (TensorFlow: `tf.make_tensor_proto`).

    Args and errors as `to_array`; with `verify_shape` a single value does not fill `shape`.
    """
    if isinstance(values, tensor_pb2.TensorProto):
        return values
    array = to_array(values, dtype, None if verify_shape else shape)
    if verify_shape and tuple(as_shape(shape).as_list()) != array.shape:
        raise TypeError(
            f"Expected Tensor's shape: {tuple(as_shape(shape).as_list())}, got {array.shape}."
        )
    return encode(array, dtypes.as_dtype(dtype) if dtype is not None else None)


def encode(array: Any, dtype: dtypes.DType | None = None) -> tensor_pb2.TensorProto:
    """An array (or numpy scalar) as `TensorProto`; more than one number goes as raw bytes."""
    array = np.asarray(array)
    dtype = (dtype or dtypes.as_dtype(array.dtype)).base_dtype
    proto = tensor_pb2.TensorProto(dtype=dtype.as_datatype_enum)
    proto.tensor_shape.SetInParent()
    for size in array.shape:
        proto.tensor_shape.dim.add().size = size
    flat = array.reshape(-1)
    if dtype is dtypes.string:
        proto.string_val.extend(v if isinstance(v, bytes) else str(v).encode() for v in flat)
    elif array.size > 1 or dtype.name not in _FIELD:
        if dtype.name in _BIT_PATTERN and array.size == 1:
            proto.half_val.append(int(flat.view(np.uint16)[0]))
        elif dtype.name in _COMPLEX and array.size == 1:
            getattr(proto, _COMPLEX[dtype.name]).extend([float(flat[0].real), float(flat[0].imag)])
        else:
            proto.tensor_content = array.tobytes()
    elif array.size == 1:
        getattr(proto, _FIELD[dtype.name]).append(flat[0].item())
    return proto


def make_ndarray(proto: tensor_pb2.TensorProto) -> np.ndarray:
    """The array a `TensorProto` holds (TensorFlow: `tf.make_ndarray`); it owns its memory.

    Accepts every form TensorFlow writes: raw bytes (strings as lengths then bytes), typed
    fields, and typed fields cut short, whose last element repeats.

    Raises:
      ValueError: if the message is malformed: an unknown type, negative or enormous sizes, or
        content whose length does not agree with the shape.
    """
    if proto.dtype not in dtypes._BY_ENUM:
        raise ValueError(f"TensorProto with unknown dtype {proto.dtype}")
    dtype = dtypes.as_dtype(proto.dtype).base_dtype
    shape = tuple(d.size for d in proto.tensor_shape.dim)
    if proto.tensor_shape.unknown_rank or any(size < 0 for size in shape):
        raise ValueError(f"TensorProto with a shape that is not fully defined: {shape}")
    count = 1
    for size in shape:
        count *= size
    if count * max(dtype.size, 1) > MAX_BYTES:
        raise ValueError(f"TensorProto of shape {shape} would take more than {MAX_BYTES} bytes")
    if dtype is dtypes.string:
        return _decode_strings(proto, count).reshape(shape)
    if not dtype.is_numpy_compatible:
        raise ValueError(f"A TensorProto of type {dtype.name} has no array value")
    numpy_dtype = np.dtype(dtype.as_numpy_dtype)
    if proto.tensor_content:
        if len(proto.tensor_content) != count * numpy_dtype.itemsize:
            raise ValueError(
                f"TensorProto of shape {shape} and type {dtype.name} needs "
                f"{count * numpy_dtype.itemsize} bytes of content, got {len(proto.tensor_content)}"
            )
        return np.frombuffer(proto.tensor_content, numpy_dtype).reshape(shape).copy()
    return _decode_typed(proto, dtype, numpy_dtype, count).reshape(shape)


def _decode_typed(proto: Any, dtype: dtypes.DType, numpy_dtype: np.dtype, count: int) -> np.ndarray:
    if dtype.name in _BIT_PATTERN:
        values = np.array(proto.half_val, np.uint16).view(numpy_dtype)
    elif dtype.name in _COMPLEX:
        pairs = np.array(getattr(proto, _COMPLEX[dtype.name]), numpy_dtype.type(0).real.dtype)
        values = pairs.view(numpy_dtype) if len(pairs) % 2 == 0 else pairs[:0].view(numpy_dtype)
    elif dtype.name in _FIELD:
        values = np.array(getattr(proto, _FIELD[dtype.name])).astype(numpy_dtype)
    else:
        values = np.frombuffer(proto.float8_val, numpy_dtype)
    if len(values) > count:
        raise ValueError(f"TensorProto holds {len(values)} values for {count} elements")
    if len(values) == count:
        return values.copy()
    result = np.zeros(count, numpy_dtype)
    if len(values):
        result[: len(values)] = values
        result[len(values) :] = values[-1]
    return result


def _decode_strings(proto: Any, count: int) -> np.ndarray:
    result = np.empty(count, object)
    if proto.tensor_content:
        result[:] = split_strings(proto.tensor_content, count)
        return result
    values = list(proto.string_val)
    if len(values) > count:
        raise ValueError(f"TensorProto holds {len(values)} strings for {count} elements")
    padding = values[-1] if values else b""
    result[:] = values + [padding] * (count - len(values))
    return result


def split_strings(content: bytes, count: int) -> list[bytes]:
    """Undo TensorFlow's packing of strings: all lengths as varints, then all bytes."""
    lengths, position = [], 0
    for _ in range(count):
        length = shift = 0
        while True:
            if position >= len(content) or shift > 63:
                raise ValueError("String tensor content is cut short in its lengths")
            byte = content[position]
            position += 1
            length |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                break
        lengths.append(length)
    if position + sum(lengths) != len(content):
        raise ValueError(
            f"String tensor content has {len(content) - position} bytes of text where its "
            f"lengths add up to {sum(lengths)}"
        )
    strings = []
    for length in lengths:
        strings.append(content[position : position + length])
        position += length
    return strings


def numpy_text(array: np.ndarray, limit: int = 6) -> str:
    """A short text of a value, for error messages and reprs."""
    array = np.asarray(array)
    if array.size <= limit:
        return str(array.tolist())
    head = ", ".join(str(v) for v in array.reshape(-1)[:limit].tolist())
    return f"[{head}, ...] of shape {array.shape}"


__all__ = ["encode", "make_ndarray", "make_tensor_proto", "numpy_text", "split_strings", "to_array"]
