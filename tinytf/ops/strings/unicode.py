"""Strings as code points of Unicode: decoding, encoding, from one encoding to another; scripts.

TensorFlow gives ragged tensors for several strings. tinytf has none: the ops are as TensorFlow's,
and the functions here take one string where the results of several would be ragged.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, unchanged, with_rank
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.array.range import range as range_of
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.base.shape_rules import element_count
from tinytf.ops.reduce.reduction import reduce_prod
from tinytf.ops.strings.encodings import Rules, decoded, encoded, encoded_by
from tinytf.ops.strings.string_cards import NO_DERIVATIVE, string_array, text_card, texts

_ERRORS = "errors: {'strict', 'replace', 'ignore'} = 'replace', replacement_char: int = 65533"
_RULES = f"{_ERRORS}, replace_control_characters: bool = false"
_OUTPUT = "output_encoding: {'UTF-8', 'UTF-16-BE', 'UTF-32-BE'}"

# UnicodeScript ------------------------------------------------------------------------------------

_script = define_op(
    "UnicodeScript", "input: int32 -> output: int32", shape=unchanged, no_gradient=NO_DERIVATIVE
)


@cache
def _scripts() -> tuple[np.ndarray, np.ndarray]:
    """Where runs of code points with one script begin, and the number of each run's script."""
    lines = Path(__file__).with_name("scripts.txt").read_text().splitlines()
    pairs = [line.split() for line in lines]
    return np.array([int(first, 16) for first, _ in pairs]), np.array([int(n) for _, n in pairs])


@_script.kernel
def _script_kernel(points: Any) -> Any:
    firsts, numbers = _scripts()
    points = np.asarray(points)
    found = numbers[np.searchsorted(firsts, points, side="right") - 1]
    return np.where((points >= 0) & (points <= 0x10FFFF), found, -1).astype(np.int32)


def unicode_script(input: Any, name: str | None = None) -> Tensor:
    """Which script each code point belongs to (TensorFlow: `tf.strings.unicode_script`).

    Args:
      input: int32, code points.
      name: of the operation.

    Returns:
      a tensor like `input`, with the numbers of ICU's `UScriptCode`; -1 for what is no code point.

    Example:
      >>> tf.strings.unicode_script([97, 945, 48])  # [25, 14, 0]
    """
    return _script(input, name=name)


# UnicodeTranscode ---------------------------------------------------------------------------------

_transcode = text_card("UnicodeTranscode", f"input_encoding: string, {_OUTPUT}, {_RULES}")


def _rules_of(node: Operation) -> Rules:
    """What a node does about malformed bytes."""
    attrs = node.attrs
    control = attrs.get("replace_control_characters", False)
    rules = Rules(attrs["errors"], attrs["replacement_char"], control)
    rules.check()
    return rules


@_transcode.kernel
def _transcode_kernel(
    x: Any, *, input_encoding: bytes, output_encoding: bytes, node: Operation
) -> Any:
    rules = _rules_of(node)
    changed = (encoded(decoded(t, input_encoding, rules)[0], output_encoding) for t in texts(x))
    return string_array(changed, np.shape(x))


def unicode_transcode(
    input: Any,
    input_encoding: str,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Tensor:
    r"""Texts in another encoding (TensorFlow: `tf.strings.unicode_transcode`).

    Args:
      input: a tensor of strings.
      input_encoding: such as "UTF-8", "latin-1", "Shift_JIS": the encodings of Python.
      output_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
      errors: what becomes of malformed bytes: "replace", "ignore" or "strict", an error.
      replacement_char: the code point that replaces them.
      replace_control_characters: whether characters below 32 are treated like malformed bytes.
      name: of the operation.

    Raises:
      InvalidArgumentError: in a run, for an unknown encoding, or if malformed bytes are errors.

    Example:
      >>> tf.strings.unicode_transcode(["a", "b"], "UTF-8", "UTF-16-BE")  # [b"\x00a", b"\x00b"]
    """
    return _transcode(
        input,
        name=name,
        input_encoding=input_encoding,
        output_encoding=output_encoding,
        errors=errors,
        replacement_char=replacement_char,
        replace_control_characters=replace_control_characters,
    )


# UnicodeDecode, UnicodeDecodeWithOffsets ----------------------------------------------------------


def _decode_card(op_type: str, more: str = "") -> OpCard:
    card = define_op(
        op_type,
        f"input: string -> row_splits: Tsplits, char_values: int32{more}",
        f"input_encoding: string, {_RULES}",
        "Tsplits: {int32, int64} = DT_INT64",
        no_gradient=NO_DERIVATIVE,
    )

    @card.shape
    def shape(c: InferenceContext) -> list[TensorShape]:
        count = element_count(c.input(0))
        ends = TensorShape.of((None if count is None else count + 1,))
        return [ends, *[TensorShape.of((None,))] * (c.output_count - 1)]

    @card.kernel
    def kernel(x: Any, *, input_encoding: bytes, Tsplits: dtypes.DType, node: Operation) -> Any:
        rules = _rules_of(node)
        pairs = [decoded(text, input_encoding, rules) for text in texts(x)]
        splits = np.cumsum([0, *(len(points) for points, _ in pairs)])
        points = np.concatenate([np.empty(0, np.int32), *(points for points, _ in pairs)])
        starts = np.concatenate([np.empty(0, np.int64), *(starts for _, starts in pairs)])
        splits = splits.astype(Tsplits.as_numpy_dtype)
        outputs = splits, points.astype(np.int32), starts.astype(np.int64)
        return outputs if more else outputs[:2]

    return card


_decode = _decode_card("UnicodeDecode")
_decode_with_offsets = _decode_card("UnicodeDecodeWithOffsets", ", char_to_byte_starts: int64")


def _decoded(card: OpCard, input: Any, **attrs: Any) -> list[Any]:
    """The outputs of a decoding of a single string, but for the ends of the rows."""
    text = convert_to_tensor(input, dtype=dtypes.string, name="input")
    rank = text.shape.ndims
    if rank is None:
        raise ValueError("Rank of `input` must be statically known.")
    if rank > 0:
        raise ValueError(
            f"The strings of {text} have different numbers of characters. TensorFlow gives a "
            f"ragged tensor for them, and tinytf has none: decode one string at a time, such as "
            f"input[0], or in tf.map_fn where all have as many."
        )
    _, *outputs = card(ops.reshape(text, [-1]), **attrs)
    return outputs


def unicode_decode(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Tensor:
    """The code points of a string (TensorFlow: `tf.strings.unicode_decode`).

    Args:
      input: a single string; of several the result would be ragged, which tinytf has not.
      name: of the scope. The other arguments are those of `unicode_transcode`.

    Returns:
      int32, a vector.

    Raises:
      ValueError: for several strings, or if the rank is not known.
      InvalidArgumentError: in a run, as of `unicode_transcode`.

    Example:
      >>> tf.strings.unicode_decode("ab\u20ac", "UTF-8")  # [97, 98, 8364]
    """
    with op_scope(name, "UnicodeDecode", (input,)):
        [points] = _decoded(
            _decode,
            input,
            input_encoding=input_encoding,
            errors=errors,
            replacement_char=replacement_char,
            replace_control_characters=replace_control_characters,
        )
        return points


def unicode_decode_with_offsets(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """The code points of a string, and where they begin (`tf.strings.unicode_decode_with_offsets`).

    Args, errors: as of `unicode_decode`.

    Returns:
      (points, starts): int32 and int64, the number of the byte at which each begins.

    Example:
      >>> points, starts = tf.strings.unicode_decode_with_offsets("\u20acb", "UTF-8")
      >>> starts  # [0, 3]
    """
    with op_scope(name, "UnicodeDecodeWithOffsets", (input,)):
        points, starts = _decoded(
            _decode_with_offsets,
            input,
            input_encoding=input_encoding,
            errors=errors,
            replacement_char=replacement_char,
            replace_control_characters=replace_control_characters,
        )
        return points, starts


# UnicodeEncode ------------------------------------------------------------------------------------

_encode = define_op(
    "UnicodeEncode",
    "input_values: int32, input_splits: Tsplits -> output: string",
    "errors: {'ignore', 'replace', 'strict'} = 'replace'",
    _OUTPUT,
    "replacement_char: int = 65533, Tsplits: {int32, int64} = DT_INT64",
    no_gradient=NO_DERIVATIVE,
)


@_encode.shape
def _encode_shape(c: InferenceContext) -> TensorShape:
    with_rank(c.input(0), 1)
    [size] = with_rank(c.input(1), 1).sizes or [None]
    if size == 0:
        raise ValueError("Negative dimension size caused by subtracting 1 from 0")
    return TensorShape.of((None if size is None else size - 1,))


@_encode.kernel
def _encode_kernel(values: Any, splits: Any, *, output_encoding: bytes, node: Operation) -> Any:
    rules = _rules_of(node)
    points, ends = np.asarray(values), np.asarray(splits).tolist()
    if not ends or ends[0] != 0:
        raise invalid("First value in input_splits must be zero.")
    if ends[-1] != len(points):
        raise invalid("Last value in input_splits must be equal to length of input_tensor.")
    if any(first > last for first, last in pairwise(ends)):
        raise invalid("Values in input_splits must be equal or in ascending order.")
    rows = (encoded_by(points[i:j], output_encoding, rules) for i, j in pairwise(ends))
    return string_array(rows, (len(ends) - 1,))


def unicode_encode(
    input: Any,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Tensor:
    """Strings out of code points (TensorFlow: `tf.strings.unicode_encode`).

    Args:
      input: int32, [..., characters]; the rank is known.
      output_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
      errors: what becomes of numbers that are no characters: "replace", "ignore" or "strict", an
        error.
      replacement_char: the code point that replaces them.
      name: of the scope.

    Returns:
      a tensor of strings, without the last dimension of `input`.

    Raises:
      ValueError: for a scalar, or if the rank is not known.
      InvalidArgumentError: in a run, for what is no character, if the rules are strict.

    Example:
      >>> tf.strings.unicode_encode([[97, 98], [99, 100]], "UTF-8")  # [b"ab", b"cd"]
    """
    with op_scope(name, "UnicodeEncode", (input,)):
        points = convert_to_tensor(input)
        rank = points.shape.ndims
        if rank is None:
            raise ValueError("Rank of input_tensor must be statically known.")
        if rank == 0:
            raise ValueError("input_tensor's rank must be at least 1.")
        sizes: Any = ops.shape(points, out_type=dtypes.int64)
        length: Any = sizes[-1]
        count: Any = reduce_prod(sizes[:-1])
        # Every string ends as many numbers behind the one before.
        ends: Any = range_of(count + 1, dtype=dtypes.int64) * length
        with op_scope(None, "UnicodeEncode"):
            strings = _encode(
                ops.reshape(points, [-1]),
                ends,
                errors=errors,
                output_encoding=output_encoding,
                replacement_char=replacement_char,
            )
        if rank == 1:
            return ops.reshape(strings, [])
        result = ops.reshape(strings, sizes[:-1])
        result.set_shape(points.shape[:-1])
        return result


# Characters as strings ----------------------------------------------------------------------------


def unicode_split(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    name: str | None = None,
) -> Tensor:
    """The characters of a string, as strings (TensorFlow: `tf.strings.unicode_split`).

    Args, errors: as of `unicode_decode`; the encoding is one that `unicode_encode` has.

    Returns:
      a vector of strings.

    Example:
      >>> tf.strings.unicode_split("ab", "UTF-8")  # [b"a", b"b"]
    """
    with op_scope(name, "UnicodeSplit", (input,)):
        [points] = _decoded(
            _decode,
            input,
            input_encoding=input_encoding,
            errors=errors,
            replacement_char=replacement_char,
        )
        return _each(points, input_encoding, errors, replacement_char)


def unicode_split_with_offsets(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    name: str | None = None,
) -> Any:
    """The characters of a string, and where they begin (`tf.strings.unicode_split_with_offsets`).

    Args, errors: as of `unicode_split`.

    Returns:
      (characters, starts): the number of the byte at which each begins, int64.

    Example:
      >>> characters, starts = tf.strings.unicode_split_with_offsets("\u20acb", "UTF-8")
      >>> starts  # [0, 3]
    """
    with op_scope(name, "UnicodeSplitWithOffsets", (input,)):
        points, starts = _decoded(
            _decode_with_offsets,
            input,
            input_encoding=input_encoding,
            errors=errors,
            replacement_char=replacement_char,
        )
        return _each(points, input_encoding, errors, replacement_char), starts


def _each(points: Tensor, encoding: str, errors: str, replacement_char: int) -> Tensor:
    one_each = ops.expand_dims(points, -1)
    return unicode_encode(one_each, encoding, errors=errors, replacement_char=replacement_char)
