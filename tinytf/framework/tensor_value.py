"""Tensor values between Python, numpy and `TensorProto`.

Values are numpy arrays throughout; strings are object arrays of `bytes`. As in
`tensorflow/python/framework/tensor_util.py`, Python floats become float32 and Python integers
int32 (int64 when they do not fit), while numpy arrays keep their type.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterator
from typing import Any

import numpy as np

from tinytf.framework import dtypes
from tinytf.framework.errors import InvalidArgumentError
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, as_shape
from tinytf.protos import tensor_pb2

_POINTER_BYTES = 8
#: No message may ask for a larger tensor than protobuf itself could carry.
MAX_BYTES = 1 << 31

_FIELD = {
    "float32": "float_val",
    "float64": "double_val",
    "int32": "int_val",
    "uint8": "int_val",
    "int16": "int_val",
    "int8": "int_val",
    "uint16": "int_val",
    "int64": "int64_val",
    "bool": "bool_val",
    "uint32": "uint32_val",
    "uint64": "uint64_val",
    "qint8": "int_val",
    "quint8": "int_val",
    "qint32": "int_val",
    "qint16": "int_val",
    "quint16": "int_val",
    "int4": "int_val",
    "uint4": "int_val",
}
_BIT_PATTERN = {"float16": "half_val", "bfloat16": "half_val"}
_COMPLEX = {"complex64": "scomplex_val", "complex128": "dcomplex_val"}


def to_array(
    values: Any, dtype: Any = None, shape: Any = None, verify_shape: bool = False
) -> np.ndarray:
    """Convert a Python value to the array a constant of it would hold.

    Args:
      values: a number, string, (nested) list or tuple of them, or a numpy array.
      dtype: the wanted type; inferred when None.
      shape: a fully known shape. Where `values` has too few elements, the last one repeats.
      verify_shape: whether `values` must have that very shape.

    Returns:
      an array that shares no memory with `values`.

    Raises:
      TypeError: if a value is not of type `dtype`, or of no type TensorFlow has.
      ValueError: for None, lists of uneven lengths, or more elements than `shape` has room for.
    """
    if dtype is not None:
        dtype = dtypes.as_dtype(dtype).base_dtype
    if shape is None:  # single numbers, by far the most frequent, need no search for their type
        kind = type(values)
        if kind is int and (dtype is None or dtype is dtypes.int32):
            if -(2**31) <= values < 2**31:
                return np.array(values, np.int32)
        elif kind is float and (dtype is None or dtype is dtypes.float32) and abs(values) < 3e38:
            return np.array(values, np.float32)
    if isinstance(values, TensorShape):
        values = values.as_list()
    if isinstance(values, np.ndarray | np.generic):
        array = _numpy_to_array(values, dtype)
    elif hasattr(values, "__array__") and not isinstance(values, Tensor):
        array = _numpy_to_array(np.asarray(values), dtype)
    else:
        array = _python_to_array(values, dtype)
    if shape is None:
        return array
    wanted = as_shape(shape)
    if verify_shape and wanted.sizes != array.shape:
        raise TypeError(f"Expected Tensor's shape: {wanted}, but got {TensorShape(array.shape)}.")
    return _fill(array, wanted)


def quantized_type(value: Any) -> dtypes.DType | None:
    """The type of an array of quantized numbers; None for anything else."""
    kind = getattr(value, "dtype", None)
    if isinstance(kind, np.dtype) and dtypes.is_quantized_numpy(kind):
        return dtypes.as_dtype(kind)
    return None


def unquantized(array: np.ndarray) -> np.ndarray:
    """The numbers of an array of quantized ones, [("qint8", np.int8)]; others as they are."""
    if dtypes.is_quantized_numpy(array.dtype):
        numbers: np.ndarray = array[array.dtype.names[0]]  # type: ignore[index]
        return numbers
    return array


def _numpy_to_array(values: Any, dtype: dtypes.DType | None) -> np.ndarray:
    values = unquantized(np.asarray(values))
    if dtype is dtypes.string or (dtype is None and values.dtype.kind in "SUO"):
        return _string_array(values)
    if dtype is None:
        dtype = dtypes.as_dtype(values.dtype)  # TypeError for a type TensorFlow does not have
    if dtype.is_bool and values.dtype.kind in "SU":
        values = values.astype(np.int64)  # "1", as numpy 1 has it; to numpy 2 any text is true
    with np.errstate(all="ignore"):
        return np.array(values, dtype=dtype.as_numpy_dtype, order="C")


def _python_to_array(values: Any, dtype: dtypes.DType | None) -> np.ndarray:
    if values is None:
        raise ValueError(
            "None values not supported. None is what tf.gradients gives for something that y does "
            "not depend on (leave it out: `if g is not None`), and a Python function without "
            "`return`."
        )
    if dtype is not None:
        _check_elements(values, dtype)
        if dtype is dtypes.string:
            return _string_array(_dense(values, object))
        return _to_integers(values, dtype) if dtype.is_integer else _typed(values, dtype)
    if _is_text(values):
        return _string_array(_dense(values, object))
    array = _dense(values, None)
    if array.dtype == object:
        raise _not_convertible(values)
    if array.dtype == np.float64:
        with np.errstate(over="ignore"):
            return array.astype(np.float32)
    if array.dtype == np.int64:
        narrow = array.astype(np.int32)
        return narrow if np.array_equal(narrow, array) else array
    dtypes.as_dtype(array.dtype)
    return array


def _leaves(values: Any) -> Iterator[Any]:
    """The elements of nested lists, in order."""
    pending = [values]
    while pending:
        value = pending.pop()
        if isinstance(value, list | tuple | range):
            pending.extend(reversed(value))
        else:
            yield value


def _is_text(values: Any) -> bool:
    """Whether the elements are strings; TypeError if only some are, or for None and tensors."""
    kinds = set()
    for value in _leaves(values):
        if isinstance(value, Tensor):
            raise TypeError(
                f"Expected any non-tensor type, but got a tensor instead: {value}. A constant "
                f"holds a value that is known now; use the tensor itself, or tf.stack for a list."
            )
        if value is None:
            raise _not_convertible(values)
        kinds.add(isinstance(value, str | bytes))
        if len(kinds) == 2:
            raise _not_convertible(values)
    return True in kinds


def _not_convertible(values: Any) -> TypeError:
    return TypeError(
        f"Failed to convert elements of {short_repr(values)} to Tensor. Consider casting elements "
        f"to a supported type: all numbers, all booleans or all strings; None is none of these."
    )


def _check_elements(values: Any, dtype: dtypes.DType) -> None:
    """TypeError at the first element that is not of type `dtype`."""
    for value in _leaves(values):
        if not _fits(value, dtype):
            shown = value if isinstance(value, np.generic | Tensor) else short_repr(value)
            raise TypeError(
                f"Expected {dtype.name}, but got {shown} of type '{type(value).__name__}'."
            )


def short_repr(values: Any) -> str:
    """A value for an error message, cut short: it may be a list of a million numbers."""
    text = repr(values)
    return text if len(text) <= 200 else f"{text[:200]}..."


def _fits(value: Any, dtype: dtypes.DType) -> bool:
    if isinstance(value, np.ndarray):
        return True
    if isinstance(value, Tensor):
        return False
    if dtype is dtypes.string:
        return isinstance(value, str | bytes)
    if dtype.is_bool:
        return isinstance(value, bool | np.bool_)
    if dtype.is_integer or dtype.is_quantized:
        return isinstance(value, numbers.Integral) or hasattr(value, "__index__")
    if dtype.is_floating:
        return isinstance(value, numbers.Real)
    return dtype.is_complex and isinstance(value, numbers.Complex)


def _typed(values: Any, dtype: dtypes.DType) -> np.ndarray:
    try:
        with np.errstate(all="ignore"):
            return _dense(values, dtype.as_numpy_dtype)
    except OverflowError as error:
        raise TypeError(f"Expected {dtype.name}, but got {short_repr(values)}: {error}.") from None


def _to_integers(values: Any, dtype: dtypes.DType) -> np.ndarray:
    """Integers that must fit: numpy 1 and TensorFlow would wrap them around without a word."""
    array = _dense(values, None)
    if array.dtype == object:  # something with __index__, or beyond 64 bits
        array = _typed([value.__index__() for value in _leaves(values)], dtypes.int64).reshape(
            array.shape
        )
    if array.size and not (dtype.min <= array.min() and array.max() <= dtype.max):
        wrong = next(v for v in array.reshape(-1).tolist() if not dtype.min <= v <= dtype.max)
        raise TypeError(
            f"Expected {dtype.name}, but got {wrong} of type 'int', which does not fit: "
            f"{dtype.name} reaches from {dtype.min} to {dtype.max}. Use a larger type (e.g. int64)."
        )
    return array.astype(dtype.as_numpy_dtype)


def _dense(values: Any, numpy_dtype: Any) -> np.ndarray:
    try:
        return _object_array(values) if numpy_dtype is object else np.array(values, numpy_dtype)
    except ValueError as error:
        raise ValueError(
            f"Expected values {short_repr(values)} to be a dense tensor, but the lists in it have "
            f"different lengths or depths; pad them to one shape. ({error})"
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
    for index, value in enumerate(flat):
        result.flat[index] = value
    return result


def _flatten(values: Any, depth: int) -> list[Any]:
    if depth == 0 and not isinstance(values, list | tuple):
        return [values]
    if depth == 0 or not isinstance(values, list | tuple):
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
            raise TypeError(
                f"Expected binary or unicode string, got {value} of type '{type(value).__name__}'."
            )
    return result


def _fill(array: np.ndarray, shape: TensorShape) -> np.ndarray:
    if shape.sizes is None:
        raise ValueError(f"A constant needs a fully defined shape, got {shape}")
    sizes = tuple(size for size in shape.sizes if size is not None)
    if len(sizes) < len(shape.sizes):
        raise TypeError(f"A constant needs a fully defined shape, got {shape}")
    count = math.prod(sizes)
    if array.size > count > 0:
        raise ValueError(
            f"Too many elements provided. Takes at most {count}, but got {array.size}: `shape` is "
            f"{shape}, the value {numpy_text(array)}."
        )
    if array.size == count:
        return array.reshape(sizes)
    return _repeat_last(array.reshape(-1)[:count], count).reshape(sizes)


def _repeat_last(values: np.ndarray, count: int) -> np.ndarray:
    """`values`, then the last of them (zero or empty if there is none) until there are `count`."""
    result = np.zeros(count, values.dtype)  # memory is touched only where it is written
    result[: len(values)] = values
    if len(values):
        result[len(values) :] = values[-1]
    elif values.dtype == object:
        result[:] = b""
    return result


# TensorProto ----------------------------------------------------------------------------------


def make_tensor_proto(
    values: Any, dtype: Any = None, shape: Any = None, verify_shape: bool = False
) -> tensor_pb2.TensorProto:
    """A `TensorProto` holding `values` (TensorFlow: `tf.make_tensor_proto`).

    Args and errors as `to_array`; with `verify_shape` a single value does not fill `shape`.

    Example:
      >>> tf.make_tensor_proto([1, 2]).dtype == tf.int32.as_datatype_enum  # True
    """
    if isinstance(values, tensor_pb2.TensorProto):
        return values
    dtype = quantized_type(values) if dtype is None else dtype
    array = to_array(values, dtype, shape, verify_shape)
    return encode(array, dtypes.as_dtype(dtype) if dtype is not None else None)


def check_size(array: np.ndarray) -> None:
    """ValueError if an array is too large for a message."""
    if array.nbytes >= MAX_BYTES:
        raise ValueError(
            f"Cannot create a tensor proto whose content is larger than 2GB: shape "
            f"{array.shape}, {array.dtype.name}, {array.nbytes:,} bytes. Feed it to a placeholder."
        )


def encode(
    array: Any, dtype: dtypes.DType | None = None, typed: bool = False
) -> tensor_pb2.TensorProto:
    """An array as `TensorProto`; more than one number goes as raw bytes, unless `typed`."""
    array = np.asarray(array)
    check_size(array)
    dtype = (dtype or dtypes.as_dtype(array.dtype)).base_dtype
    proto = tensor_pb2.TensorProto(dtype=dtype.as_datatype_enum)
    proto.tensor_shape.SetInParent()
    for size in array.shape:
        proto.tensor_shape.dim.add().size = size
    flat = array.reshape(-1)
    if dtype is dtypes.string:
        proto.string_val.extend(v if isinstance(v, bytes) else str(v).encode() for v in flat)
    elif array.size > 1 and not typed:
        proto.tensor_content = array.tobytes()
    elif dtype.name in _BIT_PATTERN:
        proto.half_val.extend(flat.view(np.uint16).tolist())
    elif dtype.name in _COMPLEX:
        getattr(proto, _COMPLEX[dtype.name]).extend(flat.view(flat.real.dtype).tolist())
    elif dtype.name in _FIELD:
        getattr(proto, _FIELD[dtype.name]).extend(flat.tolist())
    else:
        proto.tensor_content = array.tobytes()
    return proto


def make_ndarray(proto: tensor_pb2.TensorProto) -> np.ndarray:
    """The array a `TensorProto` holds (TensorFlow: `tf.make_ndarray`); it owns its memory.

    Accepts every form TensorFlow writes: raw bytes (strings as lengths then bytes), typed
    fields, and typed fields cut short, whose last element repeats.

    Raises:
      ValueError: if the message is malformed: an unknown type, negative or enormous sizes, or
        content whose length does not agree with the shape.

    Example:
      >>> tf.make_ndarray(tf.make_tensor_proto([1, 2]))  # [1, 2]
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
    if count * (dtype.size or _POINTER_BYTES) > MAX_BYTES:
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
        if len(pairs) % 2:
            raise ValueError(f"TensorProto holds {len(pairs)} halves of complex numbers")
        values = pairs.view(numpy_dtype)
    elif dtype.name in _FIELD:
        values = np.array(getattr(proto, _FIELD[dtype.name])).astype(numpy_dtype)
    else:
        values = np.frombuffer(proto.float8_val, numpy_dtype)
    if len(values) > count:
        raise ValueError(f"TensorProto holds {len(values)} values for {count} elements")
    return values.copy() if len(values) == count else _repeat_last(values, count)


def _decode_strings(proto: Any, count: int) -> np.ndarray:
    if proto.tensor_content:
        values = split_strings(proto.tensor_content, count)
    else:
        values = list(proto.string_val)
    if count == 0 and values == [b""]:
        values = []  # so TensorFlow writes no element
    if len(values) > count:
        raise ValueError(f"TensorProto holds {len(values)} strings for {count} elements")
    array = np.empty(len(values), object)
    array[:] = values
    return _repeat_last(array, count)


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


def truth(predicate: Any) -> bool:
    """What a Switch decides by: True and False alone, not what Python or numpy would call so.

    Raises:
      InvalidArgumentError: if it is no scalar.
    """
    if predicate.ndim:
        shape = ",".join(map(str, predicate.shape))
        raise InvalidArgumentError(f"The second input must be a scalar, but it has shape [{shape}]")
    return bool(predicate)


def numpy_text(array: np.ndarray, limit: int = 6) -> str:
    """A short text of a value, for error messages and reprs."""
    array = np.asarray(array)
    if array.size <= limit:
        return str(array.tolist())
    head = ", ".join(str(v) for v in array.reshape(-1)[:limit].tolist())
    return f"[{head}, ...] of shape {array.shape}"


__all__ = ["encode", "make_ndarray", "make_tensor_proto", "numpy_text", "split_strings", "to_array"]
__all__ += ["truth"]
