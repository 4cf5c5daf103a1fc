"""Neighbouring strings joined: n-grams; and the bytes of a string."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, with_rank
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.array.range import range as range_of
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.math.arithmetic import maximum
from tinytf.ops.reduce.reduction import reduce_prod
from tinytf.ops.strings.splitting import string_split
from tinytf.ops.strings.string_cards import NO_DERIVATIVE, string_array, texts

_ngrams = define_op(
    "StringNGrams",
    "data: string, data_splits: Tsplits -> ngrams: string, ngrams_splits: Tsplits",
    "separator: string, ngram_widths: list(int) >= 0, left_pad: string, right_pad: string",
    "pad_width: int, preserve_short_sequences: bool, Tsplits: {int32, int64} = DT_INT64",
    no_gradient=NO_DERIVATIVE,
)


@_ngrams.shape
def _ngrams_shape(c: InferenceContext) -> list[TensorShape]:
    with_rank(c.input(0), 1)
    return [TensorShape.of((None,)), with_rank(c.input(1), 1)]


@_ngrams.kernel
def _ngrams_kernel(
    data: Any, splits: Any, *, separator: bytes, pad_width: int, node: Operation
) -> Any:
    left_pad, right_pad = node.attrs["left_pad"], node.attrs["right_pad"]
    words, ends = texts(data), _checked_ends(splits, len(texts(data)))
    found: list[bytes] = []
    found_ends = [0]
    for first, last in pairwise(ends):
        row = words[first:last]
        before = len(found)
        for width in node.attrs["ngram_widths"]:
            pad = width - 1 if pad_width < 0 else min(pad_width, width - 1)
            padded = [left_pad] * pad + row + [right_pad] * pad
            count = len(padded) - width + 1
            found += [separator.join(padded[i : i + width]) for i in range(count)]
        if node.attrs["preserve_short_sequences"] and row and len(found) == before:
            pad = max(pad_width, 0)
            found.append(separator.join([left_pad] * pad + row + [right_pad] * pad))
        found_ends.append(len(found))
    indices = np.asarray(splits).dtype
    return string_array(found, (len(found),)), np.array(found_ends[: max(len(ends), 0)], indices)


def _checked_ends(splits: Any, count: int) -> list[int]:
    ends: list[int] = np.asarray(splits).tolist()
    if ends and ends[0] != 0:
        raise invalid(f"First split value must be 0, got {ends[0]}")
    for first, last in pairwise(ends):
        if not first <= last <= count:
            raise invalid(f"Invalid split value {last}, must be in [{first}, {count}]")
    if ends and ends[-1] != count:
        raise invalid(f"Last split value must be data size. Expected {count}, got {ends[-1]}")
    return ends


def _pads(pad_values: Any, padding_width: Any) -> tuple[Any, Any, int]:
    if pad_values is None:
        if padding_width is not None:
            raise ValueError("pad_values must be provided if padding_width is set.")
        return "", "", 0
    if padding_width is not None and padding_width < 1:
        raise ValueError(f"padding_width must be greater than 0. Got {padding_width}")
    pads = pad_values if isinstance(pad_values, list | tuple) else (pad_values, pad_values)
    if len(pads) != 2 or not all(isinstance(pad, str | bytes) for pad in pads):
        raise TypeError("pad_values must be a string, tuple of strings, or None.")
    return pads[0], pads[1], -1 if padding_width is None else padding_width


def ngrams(
    data: Any,
    ngram_width: Any,
    separator: str = " ",
    pad_values: Any = None,
    padding_width: int | None = None,
    preserve_short_sequences: bool = False,
    name: str | None = None,
) -> Tensor:
    """All runs of n neighbouring strings, each joined (TensorFlow: `tf.strings.ngrams`).

    Args:
      data: [..., words], a tensor of strings; the rank is known.
      ngram_width: n, or several of them.
      separator: what to put between the strings.
      pad_values: a string, or a pair: what stands before the first word and behind the last.
      padding_width: how often; by default n - 1 times.
      preserve_short_sequences: whether rows too short for any n-gram give themselves as one.
      name: of the scope.

    Returns:
      [..., n-grams].

    Raises:
      ValueError: for a scalar, an unknown rank, or widths below 1. TypeError: for other pads.

    Example:
      >>> tf.strings.ngrams(["a", "b", "c"], 2)  # [b"a b", b"b c"]
    """
    with op_scope(name, "StringNGrams", (data,)):
        left, right, pad_width = _pads(pad_values, padding_width)
        widths = list(ngram_width) if isinstance(ngram_width, list | tuple) else [ngram_width]
        if any(width < 1 for width in widths):
            raise ValueError(f"All ngram_widths must be greater than 0. Got {ngram_width}")
        words = convert_to_tensor(data, dtype=dtypes.string, name="data")
        if words.shape.ndims is None:
            raise ValueError("Rank of data must be known.")
        if words.shape.ndims == 0:
            raise ValueError("Data must have rank>0")
        sizes: Any = ops.shape(words, out_type=dtypes.int64)
        outer: Any = sizes[:-1]
        rows: Any = reduce_prod(outer)
        ends: Any = range_of(rows + 1) * sizes[-1]
        found, _ = _ngrams(
            ops.reshape(words, [-1]),
            ends,
            separator=separator,
            ngram_widths=widths,
            left_pad=left,
            right_pad=right,
            pad_width=pad_width,
            preserve_short_sequences=preserve_short_sequences,
        )
        # Rows of one length have equally many; how many, no row at all does not tell.
        count: Any = -1
        if not words.shape[:-1].num_elements():
            total: Any = ops.size(found, out_type=dtypes.int64)
            count = total // maximum(rows, 1)
        result = ops.reshape(found, ops.concat([outer, [count]], 0))
        result.set_shape(words.shape[:-1].concatenate([None]))
        return result


def bytes_split(input: Any, name: str | None = None) -> Tensor:
    """The bytes of a string, as strings (TensorFlow: `tf.strings.bytes_split`).

    Args:
      input: a single string; of several the result would be ragged, which tinytf has not.
      name: of the scope.

    Raises:
      ValueError: for several strings, or if the rank is not known.

    Example:
      >>> tf.strings.bytes_split("abc")  # [b"a", b"b", b"c"]
    """
    with op_scope(name, "StringsByteSplit", (input,)):
        text = convert_to_tensor(input, dtype=dtypes.string, name="input")
        rank = text.shape.ndims
        if rank is None:
            raise ValueError("input must have a statically-known rank.")
        if rank > 0:
            raise ValueError(
                f"The strings of {text} have different numbers of bytes. TensorFlow gives a ragged "
                f"tensor for them, and tinytf has none: tf.string_split(input, '') gives a sparse "
                f"one."
            )
        return string_split(ops.expand_dims(text, 0), "", skip_empty=False).values
