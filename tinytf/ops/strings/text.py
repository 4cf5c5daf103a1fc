"""Joining, measuring, cutting and encoding strings, which are bytes; see `tf.strings`.

Splitting, regular expressions, numbers as text and hashes have modules of their own.
"""

from __future__ import annotations

import base64
import math
from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import shape_inference
from tinytf.framework.cancellation import looking
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import OutOfRangeError, invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.array.constant import constant
from tinytf.ops.array.range import range as range_of
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.reduce.axes import one_of, reduction_shape
from tinytf.ops.strings.string_cards import NO_DERIVATIVE, map_texts, string_array, text_card, texts

# StringJoin ---------------------------------------------------------------------------------------

_join = define_op(
    "StringJoin",
    "inputs: N*string -> output: string",
    "N: int >= 0, separator: string = ''",
    no_gradient=NO_DERIVATIVE,
)


@_join.shape
def _join_shape(c: shape_inference.InferenceContext) -> TensorShape:
    shapes = c.shapes()
    result = unknown_shape() if any(s.sizes is None for s in shapes) else TensorShape.of(())
    for shape in shapes:
        if shape.sizes:
            result = shape_inference.merge(result, shape) if result.sizes else shape
    return result


@_join.kernel
def _join_kernel(*inputs: Any, separator: bytes) -> np.ndarray:
    shapes = [np.shape(x) for x in inputs if np.ndim(x)]
    for shape in shapes[1:]:
        if shape != shapes[0]:
            raise invalid(
                f"Input shapes do not match: {shown(np.empty(shapes[0], bool))} vs. "
                f"{shown(np.empty(shape, bool))}"
            )
    shape = shapes[0] if shapes else ()
    columns = [texts(np.broadcast_to(np.asarray(x, object), shape)) for x in inputs]
    rows = zip(*columns, strict=True) if columns else [()]
    return string_array(map(separator.join, looking(rows)), shape)


def string_join(inputs: Any, separator: str = "", name: str | None = None) -> Tensor:
    """The strings of several tensors, one behind the other (TensorFlow: `tf.strings.join`).

    Args:
      inputs: a list of tensors of one shape, or single strings.
      separator: what to put between them.
      name: of the operation.

    Raises:
      ValueError: if shapes differ.

    Example:
      >>> tf.strings.join([["a", "b"], "x"], separator="-")  # [b"a-x", b"b-x"]
    """
    return _join(inputs, name=name, separator=separator)


# ReduceJoin ---------------------------------------------------------------------------------------

_reduce_join = define_op(
    "ReduceJoin",
    "inputs: string, reduction_indices: int32 -> output: string",
    "keep_dims: bool = false, separator: string = ''",
    shape=reduction_shape,
    no_gradient=NO_DERIVATIVE,
)


@_reduce_join.kernel
def _reduce_join_kernel(
    inputs: Any, reduction_indices: Any, *, keep_dims: bool, separator: bytes
) -> np.ndarray:
    x = np.asarray(inputs, object)
    axes: list[int] = []
    for axis in np.reshape(reduction_indices, -1).tolist():
        if not -x.ndim <= axis < x.ndim:
            raise OutOfRangeError(
                f"Invalid reduction dimension {axis} for input with {x.ndim} dimension(s)"
            )
        if axis % x.ndim in axes:
            raise invalid(f"Duplicate reduction dimension {axis}")
        axes.append(axis % x.ndim)
    if not axes:
        return x
    kept = [axis for axis in range(x.ndim) if axis not in axes]
    count, length = (math.prod(x.shape[a] for a in some) for some in (kept, axes))
    # The first axis named runs fastest.
    rows = x.transpose(kept + axes[::-1]).reshape(count, length).tolist()
    left = (1 if a in axes else n for a, n in enumerate(x.shape) if keep_dims or a in kept)
    return string_array(map(separator.join, looking(rows)), tuple(left))


def reduce_join(
    inputs: Any,
    axis: Any = None,
    keep_dims: bool | None = None,
    separator: str = "",
    name: str | None = None,
    reduction_indices: Any = None,
    keepdims: bool | None = None,
) -> Tensor:
    """Strings joined along dimensions (TensorFlow: `tf.reduce_join`).

    Args:
      inputs: a tensor of strings.
      axis, reduction_indices: the dimensions, by the newer or the older name, joined in this
        order; by default all, the last one first.
      keepdims, keep_dims: keep them, with size 1.
      separator: what to put between the strings.
      name: of the operation, in a scope "ReduceJoin".

    Raises:
      ValueError: if a dimension does not exist, or both names of an argument are given.

    Example:
      >>> tf.reduce_join([["a", "b"], ["c", "d"]], 1)  # [b"ab", b"cd"]
    """
    keep = one_of("keepdims", keepdims, "keep_dims", keep_dims)
    axis = one_of("axis", axis, "reduction_indices", reduction_indices)
    with op_scope(None, "ReduceJoin", (inputs, axis)):
        inputs = convert_to_tensor(inputs)
        if axis is None:
            axis = _all_axes(inputs)
        return _reduce_join(inputs, axis, name=name, keep_dims=bool(keep), separator=separator)


def _all_axes(inputs: Tensor) -> Tensor:
    if inputs.shape.ndims is not None:
        return constant(np.arange(inputs.shape.ndims - 1, -1, -1), dtype="int32")
    rank: Any = ops.rank(inputs)
    return range_of(rank - 1, -1, -1)


# UnsortedSegmentJoin ------------------------------------------------------------------------------

_segment_join = define_op(
    "UnsortedSegmentJoin",
    "inputs: string, segment_ids: Tindices, num_segments: Tnumsegments -> output: string",
    "separator: string = '', Tindices: {int32, int64}, Tnumsegments: {int32, int64} = DT_INT32",
    no_gradient=NO_DERIVATIVE,
)


@_segment_join.shape
def _segment_join_shape(c: shape_inference.InferenceContext) -> TensorShape:
    shape_inference.with_rank(c.input(2), 0)
    data, ids, count = c.input(0).sizes, c.input(1).sizes, c.constant(2)
    if count is not None and count < 0:
        raise ValueError(
            f"Dimension size, given by scalar input 2, must be non-negative but is {count}"
        )
    if data is None or ids is None:
        return unknown_shape()
    if len(ids) > len(data):
        raise ValueError(f"Shape must be at least rank {len(ids)} but is rank {len(data)}")
    for first, second in zip(data, ids, strict=False):
        shape_inference.merge_dimension(first, second)
    return TensorShape.of((None if count is None else int(count), *data[len(ids) :]))


@_segment_join.kernel
def _segment_join_kernel(inputs: Any, ids: Any, count: Any, *, separator: bytes) -> np.ndarray:
    inputs, ids, count = np.asarray(inputs, object), np.asarray(ids), int(count)
    for axis, size in enumerate(ids.shape):
        if axis >= inputs.ndim or inputs.shape[axis] != size:
            raise invalid(  # TensorFlow, too, names the rank, not the size
                f"Segment dimension is {size} while input dimension is {inputs.ndim} in rank {axis}"
            )
    if ids.size and not (0 <= ids.min() and ids.max() < count):
        raise invalid(
            "segment_ids are not allowed to exceed num_segments or to have negative values."
        )
    rest = inputs.shape[ids.ndim :]
    rows = inputs.reshape(ids.size, -1) if ids.size else inputs.reshape(0, int(np.prod(rest)))
    joined = np.empty((count, rows.shape[1]), object)  # it may be far too many
    joined[:] = b""
    groups: dict[int, list[Any]] = {}
    for segment, row in zip(ids.reshape(-1).tolist(), looking(rows), strict=True):
        groups.setdefault(segment, []).append(row)
    for segment, some in looking(groups.items()):
        joined[segment] = [separator.join(parts) for parts in zip(*some, strict=True)]
    return joined.reshape(count, *rest)


def unsorted_segment_join(
    inputs: Any, segment_ids: Any, num_segments: Any, separator: str = "", name: str | None = None
) -> Tensor:
    """Strings joined by groups (TensorFlow: `tf.strings.unsorted_segment_join`).

    Args:
      inputs: a tensor of strings.
      segment_ids: the number of the group of each, in the shape of the first dimensions.
      num_segments: how many groups there are.
      separator: what to put between the strings.
      name: of the operation.

    Raises:
      InvalidArgumentError: in a run, for a number that is no group's.

    Example:
      >>> tf.strings.unsorted_segment_join(["a", "b", "c"], [1, 0, 1], 2)  # [b"b", b"ac"]
    """
    return _segment_join(inputs, segment_ids, num_segments, name=name, separator=separator)


# StringStrip, StringLength, StringLower, StringUpper ----------------------------------------------

_UNIT = "unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'"
_strip = text_card("StringStrip", kernel=lambda x: map_texts(bytes.strip, x))
_length = text_card("StringLength", _UNIT, "int32")
_lower = text_card("StringLower", "encoding: string = ''")
_upper = text_card("StringUpper", "encoding: string = ''")


def character_starts(text: bytes) -> list[int]:
    """Where the characters of UTF-8 begin: every byte that continues none."""
    return [index for index, byte in enumerate(text) if byte & 0xC0 != 0x80]


@_length.kernel
def _length_kernel(x: Any, *, unit: bytes) -> np.ndarray:
    strings = texts(x)
    count = len if unit == b"BYTE" else lambda text: len(character_starts(text))
    return np.fromiter(map(count, looking(strings)), np.int32, len(strings)).reshape(np.shape(x))


def _changed_case(x: Any, encoding: bytes, method: str) -> np.ndarray:
    if encoding not in (b"", b"utf-8"):
        raise invalid(f"only utf-8 or '' (no encoding) is supported, received {encoding.decode()}")
    if not encoding:
        return map_texts(getattr(bytes, method), x)
    change = getattr(str, method)
    return map_texts(lambda text: change(text.decode("utf-8", "replace")).encode(), x)


@_lower.kernel
def _lower_kernel(x: Any, *, encoding: bytes) -> np.ndarray:
    return _changed_case(x, encoding, "lower")


@_upper.kernel
def _upper_kernel(x: Any, *, encoding: bytes) -> np.ndarray:
    return _changed_case(x, encoding, "upper")


def string_strip(input: Any, name: str | None = None) -> Tensor:
    """Without the white space at both ends (TensorFlow: `tf.strings.strip`).

    Example:
      >>> tf.strings.strip(["  a b ", "c"])  # [b"a b", b"c"]
    """
    return _strip(input, name=name)


def string_length(input: Any, name: str | None = None, unit: str = "BYTE") -> Tensor:
    """How long each string is (TensorFlow: `tf.strings.length`).

    Args:
      input: a tensor of strings.
      name: of the operation.
      unit: "BYTE", or "UTF8_CHAR" to count characters of UTF-8.

    Returns:
      an int32 tensor.

    Example:
      >>> tf.strings.length(["abc", ""])  # [3, 0]
    """
    return _length(input, name=name, unit=unit)


def string_lower(input: Any, encoding: str = "", name: str | None = None) -> Tensor:
    """In lower case (TensorFlow: `tf.strings.lower`).

    Args:
      input: a tensor of strings.
      encoding: "" changes the letters of ASCII alone; "utf-8" all.
      name: of the operation.

    Example:
      >>> tf.strings.lower("Hello")  # b"hello"
    """
    return _lower(input, name=name, encoding=encoding)


def string_upper(input: Any, encoding: str = "", name: str | None = None) -> Tensor:
    """In upper case (TensorFlow: `tf.strings.upper`); see `lower`.

    Example:
      >>> tf.strings.upper("Hello")  # b"HELLO"
    """
    return _upper(input, name=name, encoding=encoding)


# Substr -------------------------------------------------------------------------------------------

_substr = define_op(
    "Substr",
    "input: string, pos: T, len: T -> output: string",
    "T: {int32, int64}",
    _UNIT,
    no_gradient=NO_DERIVATIVE,
)


@_substr.shape
def _substr_shape(c: shape_inference.InferenceContext) -> TensorShape:
    pos, length = c.input(1), c.input(2)
    if pos.sizes is None:
        return unknown_shape()
    if length.sizes is not None:
        shape_inference.with_rank(pos, len(length.sizes))
        pos = shape_inference.merge(pos, length)
    return shape_inference.broadcast_shapes(c.input(0), pos)


@_substr.kernel
def _substr_kernel(x: Any, pos: Any, length: Any, *, unit: bytes) -> np.ndarray:
    if np.shape(pos) != np.shape(length):
        raise invalid(
            f"pos and len should have the same shape, got: {shown(pos)} vs. {shown(length)}"
        )
    try:
        shape = np.broadcast_shapes(np.shape(x), np.shape(pos))
    except ValueError:
        raise invalid(f"Incompatible shapes: {shown(x)} vs. {shown(pos)}") from None
    strings = texts(np.broadcast_to(np.asarray(x, object), shape))
    starts, lengths = (np.broadcast_to(v, shape).reshape(-1).tolist() for v in (pos, length))
    cut = _cut_bytes if unit == b"BYTE" else _cut_characters
    parts = map(cut, looking(strings), starts, lengths, range(len(strings)))
    return string_array(parts, shape)


def _cut_bytes(text: bytes, start: int, length: int, index: int) -> bytes:
    if not -len(text) <= start <= len(text):
        shown_text = text.decode("utf-8", "backslashreplace")
        raise invalid(f"pos {start} out of range for string b'{shown_text}' at index {index}")
    start = start if start >= 0 else start + len(text)
    return text[start:] if length < 0 else text[start : start + length]


def _cut_characters(text: bytes, start: int, length: int, index: int) -> bytes:
    starts = [*character_starts(text), len(text)]
    count = len(starts) - 1
    if not -count <= start <= count:
        raise invalid(f"pos {start} out of range for string at index {index}")
    start = start if start >= 0 else start + count
    end = count if length < 0 else min(start + length, count)
    return text[starts[start] : starts[end]]


def substr(input: Any, pos: Any, len: Any, name: str | None = None, unit: str = "BYTE") -> Tensor:
    """A part of each string (TensorFlow: `tf.substr`).

    Args:
      input: a tensor of strings.
      pos: where the part begins, counted from the end if negative.
      len: how long it is, at most. Integers of one shape, broadcast with `input`.
      name: of the operation.
      unit: "BYTE", or "UTF8_CHAR" to count characters of UTF-8.

    Raises:
      InvalidArgumentError: in a run, for a position outside a string.

    Example:
      >>> tf.substr(["hello", "world"], 1, 3)  # [b"ell", b"orl"]
    """
    return _substr(input, pos, len, name=name, unit=unit)


# EncodeBase64, DecodeBase64 -----------------------------------------------------------------------

_encode_base64 = text_card("EncodeBase64", "pad: bool = false")


@_encode_base64.kernel
def _encode_base64_kernel(x: Any, *, pad: bool) -> np.ndarray:
    made = map_texts(base64.urlsafe_b64encode, x)
    return made if pad else map_texts(lambda text: text.rstrip(b"="), made)


_BASE64 = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")


def _from_base64(text: bytes) -> bytes:
    bare = text
    if text and len(text) % 4 == 0:
        bare = text[:-2] + text[-2:].removesuffix(b"=").removesuffix(b"=")
    if len(bare) % 4 == 1 and _BASE64.issuperset(bare[:-1]):
        raise invalid("Base64 string length cannot be 1 modulo 4.")
    if not _BASE64.issuperset(bare):
        raise invalid("Invalid character found in base64.")
    return base64.urlsafe_b64decode(bare + b"=" * (-len(bare) % 4))


_decode_base64 = text_card("DecodeBase64", kernel=lambda x: map_texts(_from_base64, x))


def encode_base64(input: Any, pad: bool = False, name: str | None = None) -> Tensor:
    """Bytes as letters, digits, "-" and "_" (TensorFlow: `tf.encode_base64`).

    Args:
      input: a tensor of strings.
      pad: end with "=" up to a length divisible by four.
      name: of the operation.

    Example:
      >>> tf.encode_base64("abcd", pad=True)  # b"YWJjZA=="
    """
    return _encode_base64(input, name=name, pad=pad)


def decode_base64(input: Any, name: str | None = None) -> Tensor:
    """What `encode_base64` has encoded, with padding or without (TensorFlow: `tf.decode_base64`).

    Raises:
      InvalidArgumentError: in a run, for anything else.

    Example:
      >>> tf.decode_base64("YWJjZA")  # b"abcd"
    """
    return _decode_base64(input, name=name)
