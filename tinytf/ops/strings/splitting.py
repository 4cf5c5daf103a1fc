"""Splitting strings: into a sparse tensor, since rows get different lengths."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.cancellation import looking
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.shape_inference import InferenceContext, with_rank
from tinytf.framework.sparse_tensor import SparseTensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.reduce.axes import one_of
from tinytf.ops.strings.string_cards import NO_DERIVATIVE, only_text, string_array, texts


def _card(op_type: str, separator: str, attr: str) -> OpCard:
    return define_op(
        op_type,
        f"input: string, {separator}: string -> indices: int64, values: string, shape: int64",
        attr,
        shape=_matrix_shapes,
        no_gradient=NO_DERIVATIVE,
    )


def _matrix_shapes(c: InferenceContext) -> list[TensorShape]:
    with_rank(c.input(0), 1)
    with_rank(c.input(1), 0)
    return [TensorShape.of((None, 2)), TensorShape.of((None,)), TensorShape.of((2,))]


def _rows(x: Any, split: Callable[[bytes], list[bytes]]) -> list[np.ndarray]:
    """The parts of each string as the three components of a sparse tensor."""
    if np.ndim(x) != 1:
        raise invalid(f"input must be a vector, got shape: {shown(x)}")
    rows = [split(text) for text in looking(texts(x))]
    lengths = np.fromiter(map(len, rows), np.int64, len(rows))
    row = np.repeat(np.arange(len(rows)), lengths)
    column = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    parts = [part for parts in rows for part in parts]
    shape = np.array([len(rows), lengths.max(initial=0)], np.int64)
    return [np.stack([row, column], axis=1), string_array(parts, (len(parts),)), shape]


# StringSplit --------------------------------------------------------------------------------------

_split = _card("StringSplit", "delimiter", "skip_empty: bool = true")


@_split.kernel
def _split_kernel(x: Any, delimiter: Any, *, skip_empty: bool) -> list[np.ndarray]:
    marks = only_text(delimiter, "delimiter must be a scalar, got shape:")
    if not marks:
        return _rows(x, lambda text: [text[i : i + 1] for i in range(len(text))])
    # Each byte of the delimiter is one of its own.
    same = bytes.maketrans(marks, marks[:1] * len(marks))

    def split(text: bytes) -> list[bytes]:
        parts = text.translate(same).split(marks[:1]) if text else []
        return [part for part in parts if part] if skip_empty else parts

    return _rows(x, split)


def string_split(
    source: Any,
    sep: Any = None,
    skip_empty: bool = True,
    delimiter: Any = None,
    result_type: str = "SparseTensor",
    name: str | None = None,
) -> SparseTensor:
    """The parts of strings between delimiters (TensorFlow 1.x: `tf.string_split`).

    Args:
      source: a vector of strings.
      sep, delimiter: the delimiter, by its newer or older name: each byte of it is one; " " by
        default, "" for splitting into bytes.
      skip_empty: leave empty parts out.
      result_type: "SparseTensor"; tinytf has no ragged tensors.
      name: a name scope, "StringSplit" by default.

    Returns:
      a `SparseTensor` with a row for each string.

    Raises:
      ValueError: if `source` is no vector.

    Example:
      >>> parts = tf.string_split(["hello world", "a b c"])
      >>> tf.sparse_tensor_to_dense(parts, "")[1]  # [b"a", b"b", b"c"]
    """
    _check_result_type(result_type)
    sep = one_of("sep", sep, "delimiter", delimiter)
    with op_scope(name, "StringSplit", (source,)):
        marks = convert_to_tensor(" " if sep is None else sep, dtype=dtypes.string)
        source = convert_to_tensor(source, dtype=dtypes.string)
        return SparseTensor(*_split(source, marks, skip_empty=skip_empty))


def _check_result_type(result_type: str) -> None:
    if result_type == "RaggedTensor":
        raise NotImplementedError(
            "tinytf has no ragged tensors. Use result_type='SparseTensor', the default, and "
            "tf.sparse_tensor_to_dense."
        )
    if result_type != "SparseTensor":
        raise ValueError("result_type must be 'RaggedTensor' or 'SparseTensor'.")


# StringSplitV2 ------------------------------------------------------------------------------------

_split_v2 = _card("StringSplitV2", "sep", "maxsplit: int = -1")


@_split_v2.kernel
def _split_v2_kernel(x: Any, sep: Any, *, maxsplit: int) -> list[np.ndarray]:
    marks = only_text(sep, "sep must be a scalar, got shape:")
    if maxsplit == 0:
        return _rows(x, lambda text: [text])
    if marks:
        return _rows(x, lambda text: text.split(marks, maxsplit))

    def split(text: bytes) -> list[bytes]:
        parts = text.split(None, maxsplit)
        # As many words as splits: what is left behind them counts, even if it is nothing.
        return [*parts, b""] if len(parts) == maxsplit else parts

    return _rows(x, split)


def split(
    input: Any = None,
    sep: Any = None,
    maxsplit: int = -1,
    result_type: str = "SparseTensor",
    source: Any = None,
    name: str | None = None,
) -> SparseTensor:
    """The parts of strings between separators (TensorFlow 1.x: `tf.strings.split`).

    Args:
      input, source: a string or a vector of strings, by the newer or the older name.
      sep: the separator as a whole; white space by default.
      maxsplit: split at most so often; what is left is the last part.
      result_type: "SparseTensor"; tinytf has no ragged tensors.
      name: a name scope, "StringSplit" by default.

    Returns:
      a `SparseTensor` with a row for each string.

    Raises:
      ValueError: if the rank is not known, or more than 1.

    Example:
      >>> parts = tf.strings.split(["a,b", "c"], ",")
      >>> parts.values  # [b"a", b"b", b"c"]
    """
    input = one_of("input", input, "source", source)
    with op_scope(name, "StringSplit", (input,)):
        input = convert_to_tensor(input, dtype=dtypes.string, name="input")
        _check_result_type(result_type)
        rank = input.shape.ndims
        if rank is None or rank > 1:
            raise ValueError(
                f"tf.strings.split takes a string or a vector of strings, whose rank is known "
                f"statically; this one has the shape {input.shape}. TensorFlow splits others by "
                f"way of ragged tensors, which tinytf does not have: tf.reshape(input, [-1]) first."
            )
        strings = ops.expand_dims(input, 0) if rank == 0 else input
        marks = convert_to_tensor("" if sep is None else sep, dtype=dtypes.string)
        return SparseTensor(*_split_v2(strings, marks, maxsplit=maxsplit))
