"""`tf.decode_csv`: records of comma-separated values as a tensor for each column."""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Callable, Sequence
from itertools import chain, pairwise
from typing import Any

import numpy as np

from tinytf.framework import dtypes
from tinytf.framework.cancellation import looking
from tinytf.framework.errors import InvalidArgumentError, invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.shape_inference import InferenceContext
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.base.arguments import explains_arguments
from tinytf.ops.io import csv_numbers
from tinytf.ops.io.csv_fields import FieldError, fields
from tinytf.ops.strings.numbers import read_float, read_integer
from tinytf.ops.strings.string_cards import NO_DERIVATIVE, texts
from tinytf.resources.origins import origin

# DecodeCSV ----------------------------------------------------------------------------------------

_decode_csv = define_op(
    "DecodeCSV",
    "records: string, record_defaults: OUT_TYPE -> output: OUT_TYPE",
    "OUT_TYPE: list({float, double, int32, int64, string}) >= 1, field_delim: string = ','",
    "use_quote_delim: bool = true, na_value: string = '', select_cols: list(int) = []",
    no_gradient=NO_DERIVATIVE,
)


@_decode_csv.shape
def _decode_csv_shape(c: InferenceContext) -> list[TensorShape]:
    for shape in c.shapes()[1:]:
        sizes = shape.sizes
        if sizes is not None and len(sizes) > 1:
            raise ValueError(f"Shape must be at most rank 1 but is rank {len(sizes)}")
        if sizes and sizes[0] is not None and sizes[0] > 1:
            raise ValueError(
                "Shape of a default must be a length-0 or length-1 vector, or a scalar."
            )
    return [c.input(0)] * c.output_count


@_decode_csv.kernel
def _decode_csv_kernel(
    records: Any,
    *defaults: Any,
    OUT_TYPE: Sequence[dtypes.DType],
    field_delim: bytes,
    use_quote_delim: bool,
    na_value: bytes,
    select_cols: Sequence[int],
) -> list[Any]:
    if not (select_cols or np.ndim(records)) and (plain := _plain(OUT_TYPE, field_delim)):
        record = records if type(records) is bytes else records.item()
        if (found := plain.read(record, defaults, na_value)) is not None:
            return found
    _check_options(defaults, field_delim)
    shape = np.shape(records)
    rows = texts(records)
    together = _split_together(rows, field_delim, use_quote_delim, select_cols, len(OUT_TYPE))
    columns, full = together or (None, False)
    if columns is None:
        columns = _split(rows, field_delim, use_quote_delim, select_cols, len(OUT_TYPE))
    if not columns:
        columns = [()] * len(OUT_TYPE)
    outputs = _read_together(columns, tuple(OUT_TYPE), na_value, full)
    for number, (column, dtype, default) in enumerate(zip(columns, OUT_TYPE, defaults)):
        if outputs[number] is None:
            try:
                outputs[number] = _read(column, dtype, np.ravel(default), na_value)
            except _WrongField as wrong:
                raise _wrong_field(wrong, rows, number, dtype, select_cols) from None
    return [values.reshape(shape) for values in outputs]


# A single record, as from a reader ----------------------------------------------------------------


class _Plain:
    """Reads single records without anything special in them, of one kind and delimiter.

    One pattern finds the fields, and that numbers are written as everybody reads them.

    Args:
      kinds: of the columns.
    """

    def __init__(self, kinds: Sequence[dtypes.DType], delimiter: bytes):
        mark = re.escape(delimiter)
        patterns = {
            # At most 9 characters: a number that fits into any type.
            True: rb"(?=[^%s]{1,9}(?:%s|\Z))(-?\d+)" % (mark, mark),
            False: rb"(?=[^%s]{1,9}(?:%s|\Z))(-?(?:\d+\.?\d*|\.\d+))" % (mark, mark),
        }
        text = rb'([^%s"\r\n]+)' % mark
        fields = (text if kind is dtypes.string else patterns[kind.is_integer] for kind in kinds)
        self._match = re.compile(mark.join(fields)).fullmatch
        self._makes = [_MAKES[kind] for kind in kinds]
        self._defaults: Sequence[Any] = ()  # those seen last, which are the same mostly

    def read(self, record: bytes, defaults: Sequence[Any], na_value: bytes) -> list[Any] | None:
        """The values of a record; None if it or a default needs a closer look."""
        found = self._match(record)
        if found is None:
            return None
        cut = found.groups()
        if na_value and na_value in cut:
            return None
        if any(map(operator.is_not, defaults, self._defaults)) or not self._defaults:
            if any(np.ndim(default) > 1 or np.size(default) > 1 for default in defaults):
                return None  # a mistake
            self._defaults = tuple(defaults)
        return [make(text) for make, text in zip(self._makes, cut)]


@functools.lru_cache(64)
def _plain(kinds: Sequence[dtypes.DType], delimiter: bytes) -> _Plain | None:
    """None for a delimiter that may be in what it is not to delimit."""
    is_apart = len(delimiter) == 1 and delimiter not in b'-.0123456789"\r\n'
    return _Plain(kinds, delimiter) if is_apart else None


_MAKES: dict[dtypes.DType, Callable[[bytes], Any]] = {
    dtypes.float32: lambda text: np.float32(float(text)),
    dtypes.float64: lambda text: np.float64(text),
    dtypes.int32: lambda text: np.int32(int(text)),
    dtypes.int64: lambda text: np.int64(int(text)),
    dtypes.string: lambda text: np.array(text, object),
}


def _check_options(defaults: Sequence[Any], delimiter: bytes) -> None:
    if len(delimiter) != 1:
        raise invalid(
            f"field_delim should be only 1 char, got '{delimiter.decode('utf-8', 'replace')}'"
        )
    for number, default in enumerate(defaults):
        if np.ndim(default) > 1:
            raise invalid(
                f"Each record default should be at most rank 1; that of field {number} is rank "
                f"{np.ndim(default)}"
            )
        if np.size(default) > 1:
            raise invalid(
                f"There should only be 1 default per field but field {number} has "
                f"{np.size(default)}"
            )


# Cutting records into fields: all at once where no closer look is needed --------------------------


def _split_together(
    rows: list[bytes], delimiter: bytes, quotes: bool, selected: Sequence[int], count: int
) -> tuple[list[Sequence[bytes]], bool] | None:
    """The columns, and whether certainly no field is empty; None if this needs a closer look.

    Between the records stands a field that is a line end, and no other can be: if these come out
    where they should, every record has as many fields as it should.
    """
    if not rows or b"" in rows or delimiter in (b"\r", b"\n", b'"'):
        return None
    together = (delimiter + b"\n" + delimiter).join(rows)
    quoted = quotes and b'"' in together
    plain = _without_quotes(together, delimiter) if quoted else together
    if plain is None:
        cut = _fields_and_line_ends(delimiter).findall(together + delimiter)
        if sum(map(len, cut)) + len(cut) != len(together) + 1:
            return None  # something between the fields is none
    elif plain.count(b"\n") != len(rows) - 1 or b"\r" in plain:
        return None
    else:
        cut = plain.split(delimiter)
    if selected:
        if len(rows) > 1 and b"\n" not in cut:
            return None  # quotes that are open go on over the ends of lines
        count = cut.index(b"\n") if len(rows) > 1 else len(cut)
        if count <= selected[-1]:
            return None
    each = count + 1
    ends = len(rows) - 1
    if len(cut) != len(rows) * each - 1 or cut[count::each].count(b"\n") != ends:
        return None
    if plain is None and cut.count(b"\n") != ends:
        return None
    columns: list[Sequence[bytes]] = [cut[number::each] for number in selected or range(count)]
    if quoted:
        read = _unquoted if plain is None else _with_delimiters
        return [read(column, delimiter) for column in columns], False
    ends_empty = together[:1] == delimiter or together[-1:] == delimiter
    return columns, not ends_empty and delimiter * 2 not in together


#: Stands for a delimiter in quotes, while there are no quotes.
_HIDDEN = b"\0"


def _without_quotes(text: bytes, delimiter: bytes) -> bytes | None:
    """The fields without quotes, with _HIDDEN for delimiters in them; None for quotes in quotes.

    None as well for all that needs a closer look.
    """
    pieces = text.split(b'"')
    outside, inside = b'"'.join(pieces[::2]), b'"'.join(pieces[1::2])
    # Every quote stands between a delimiter, or an end of the text, and what it encloses.
    before = outside.count(delimiter + b'"') + outside.startswith(b'"')
    after = outside.count(b'"' + delimiter) + outside.endswith(b'"')
    if not before == after == len(pieces) // 2 == len(pieces) - len(pieces) // 2 - 1:
        return None
    if b"\n" in inside or b"\r" in inside or _HIDDEN in text:
        return None
    pieces[1::2] = inside.replace(delimiter, _HIDDEN).split(b'"')
    return b"".join(pieces)


def _with_delimiters(column: Sequence[bytes], delimiter: bytes) -> Sequence[bytes]:
    text = b"\n".join(column)
    return text.replace(_HIDDEN, delimiter).split(b"\n") if _HIDDEN in text else column


@functools.lru_cache(64)
def _fields_and_line_ends(delimiter: bytes) -> re.Pattern[bytes]:
    mark = re.escape(delimiter)
    # Only where a field may begin: from every place a long one would be read to its end in vain.
    start = rb"(?:\A|(?<=%s))" % mark
    return re.compile(start + rb'("(?:[^"]|"")*+"|\n|[^%s"\r\n]*)%s' % (mark, mark))


def _unquoted(column: Sequence[bytes], _: bytes) -> Sequence[bytes]:
    if b'"' not in b"".join(column):
        return column
    return [
        field[1:-1].replace(b'""', b'"') if field.startswith(b'"') else field for field in column
    ]


def _split(
    rows: list[bytes], delimiter: bytes, quotes: bool, selected: Sequence[int], count: int
) -> list[Sequence[bytes]]:
    """The columns, by all the rules.

    Raises:
      InvalidArgumentError: "Expect 3 fields but have 2 in record 0", and what `fields` raises.
    """
    cut = []
    for number, row in enumerate(looking(rows)):
        try:
            found = fields(row, delimiter, quotes, selected)
        except FieldError as error:
            raise invalid(
                f"{error}: record {number}, column {error.field}, byte {error.place}: {_shown(row)}"
                f"{_origin(row)}"
            ) from None
        if len(found) != count:
            raise _wrong_count(number, row, found, count, selected)
        cut.append(found)
    return list(zip(*cut))


def _wrong_count(
    number: int, row: bytes, found: list[bytes], count: int, selected: Sequence[int]
) -> InvalidArgumentError:
    text = f"Expect {count} fields but have {len(found)} in record {number}: {_shown(row)}"
    text += _origin(row)
    if not row:
        text += ", an empty line"
    elif selected:
        text += f" has no column {selected[len(found)]}, of select_cols={list(selected)}"
    elif len(found) > count:
        text += f"; field {count} is {_shown(found[count])}. record_defaults needs one for each"
    return invalid(text)


def _origin(row: bytes) -> str:
    """The file and the line of a record, as far as its reader is known: " at people.csv:3"."""
    key = origin(row)
    return "" if key is None else f" at {key.decode('utf-8', 'backslashreplace')}"


def _shown(text: bytes) -> str:
    cut = text[:80].decode("utf-8", "backslashreplace")
    return repr(cut) + ("..." if len(text) > 80 else "")


# Reading columns: all at once where every field is there and plain --------------------------------


def _read_together(
    columns: list[Sequence[bytes]], kinds: tuple[dtypes.DType, ...], na_value: bytes, full: bool
) -> list[Any]:
    """The values of each column; None if it needs a closer look. `full`: no field is empty.

    Numbers of several columns are read as one column if they can be: numpy's calls are what costs.
    """
    values: list[Any] = [None] * len(columns)
    for own in _of_one_sort(kinds):
        count, read = len(columns[own[0]]), None
        if len(own) > 1:
            fields = list(chain.from_iterable(columns[number] for number in own))
            if _are_there(fields, na_value, full):
                read = _numbers(fields, kinds[own[0]])
        if read is not None:
            for number, part in zip(own, read.reshape(len(own), count)):
                values[number] = _of_type(part, kinds[number])
            continue
        for number in own:
            if _are_there(columns[number], na_value, full):
                values[number] = _read_column(columns[number], kinds[number])
    return values


@functools.lru_cache(64)
def _of_one_sort(kinds: tuple[dtypes.DType, ...]) -> list[list[int]]:
    """The columns of integers, and those of other numbers; each of strings by itself."""
    strings = [[number] for number, kind in enumerate(kinds) if kind is dtypes.string]
    numbers = [number for number, kind in enumerate(kinds) if kind is not dtypes.string]
    integers = [number for number in numbers if kinds[number].is_integer]
    others = [number for number in numbers if not kinds[number].is_integer]
    return [*strings, *filter(None, (integers, others))]


def _are_there(column: Sequence[bytes], na_value: bytes, full: bool) -> bool:
    """Whether no field is missing."""
    return (full or b"" not in column) and not (na_value and na_value in column)


def _read_column(column: Sequence[bytes], dtype: dtypes.DType) -> Any:
    if dtype is dtypes.string:
        strings = np.empty(len(column), object)
        strings[:] = column
        return strings
    values = _numbers(column, dtype)
    if values is None and (values := _read_by_python(column, dtype)) is None:
        return None
    return _of_type(values, dtype)


def _numbers(column: Sequence[bytes], dtype: dtypes.DType) -> np.ndarray | None:
    return csv_numbers.integers(column) if dtype.is_integer else csv_numbers.decimals(column)


def _of_type(values: np.ndarray, dtype: dtypes.DType) -> Any:
    """Numbers as a column of this type; None if one does not fit."""
    if dtype.is_integer:
        fits = dtype.min <= values.min(initial=0) and values.max(initial=0) <= dtype.max
    else:
        fits = bool(np.isfinite(values).all())
    with np.errstate(over="ignore"):
        return values.astype(dtype.as_numpy_dtype) if fits else None


def _read_by_python(column: Sequence[bytes], dtype: dtypes.DType) -> np.ndarray | None:
    read: Any = int if dtype.is_integer else float
    kind = np.int64 if dtype.is_integer else np.float64
    try:
        values = np.fromiter(map(read, column), kind, len(column))
    except (ValueError, OverflowError):
        return None
    text = b"".join(column)
    # Python reads "1_000", "+1" and "infinity" as well: the rules for each field tell.
    return None if b"_" in text or (dtype.is_integer and b"+" in text) else values


class _WrongField(Exception):
    def __init__(self, record: int, text: bytes | None):
        super().__init__()
        self.record, self.text = record, text


def _read(column: Sequence[bytes], dtype: dtypes.DType, default: Any, na_value: bytes) -> Any:
    """The values of a column, with the default where a field is empty.

    Raises:
      _WrongField: for what is no number, or missing.
    """
    read: Callable[[bytes], Any] = bytes
    if dtype is not dtypes.string:
        read = read_integer if dtype.is_integer else read_float
    values = []
    for record, text in enumerate(column):
        if not text or text == na_value:
            if not default.size:
                raise _WrongField(record, None)
            values.append(default[0])
            continue
        value = read(text)
        if value is None or (dtype.is_integer and not dtype.min <= value <= dtype.max):
            raise _WrongField(record, text)
        values.append(value)
    result = np.empty(len(values), dtype.as_numpy_dtype)
    with np.errstate(over="ignore"):
        result[:] = values
    return result


def _wrong_field(
    wrong: _WrongField, rows: list[bytes], number: int, dtype: dtypes.DType, selected: Sequence[int]
) -> InvalidArgumentError:
    where = f"in record {wrong.record}"
    column = f", column {selected[number]}" if selected else ""
    row = _shown(rows[wrong.record]) + _origin(rows[wrong.record])
    if wrong.text is None:
        return invalid(
            f"Field {number} is required but missing {where}! The record: {row}{column}. "
            "record_defaults has [] for it; a value there would be taken for what is missing"
        )
    kind = {dtypes.float32: "float", dtypes.float64: "double"}.get(dtype, dtype.name)
    text = wrong.text[:80].decode("utf-8", "backslashreplace")
    has_digits = any(48 <= byte <= 57 for byte in rows[wrong.record])
    hint = "" if has_digits else ". A header? dataset.skip(1), skip_header_lines=1"
    return invalid(
        f"Field {number} {where} is not a valid {kind}: {text}  ({row}{column}; its record default "
        f"makes the field {dtype.name}{hint})"
    )


@explains_arguments
def decode_csv(
    records: Any,
    record_defaults: Sequence[Any],
    field_delim: str = ",",
    use_quote_delim: bool = True,
    name: str | None = None,
    na_value: str = "",
    select_cols: Sequence[int] | None = None,
) -> list[Tensor]:
    """Columns of comma-separated records (TensorFlow: `tf.decode_csv`).

    Args:
      records: strings of any shape, each a record (a line of a file).
      record_defaults: for each column a tensor whose type is that of the column: what a missing
        field stands for, or an empty vector if it must not be missing. float32, float64, int32,
        int64 or string.
      field_delim: one character.
      use_quote_delim: whether fields may stand in double quotes.
      name: of the operation.
      na_value: what stands for a missing field, besides nothing at all.
      select_cols: the numbers of the columns to take, ascending; by default all.

    Returns:
      a tensor for each column, of the shape of `records`.

    Raises:
      ValueError: for columns out of order, or as many defaults as there are not columns.
      InvalidArgumentError: in a run, for records with too few or too many fields, or fields that
        are no numbers; the message names the record, the column and what was found.

    Example:
      >>> year, name = tf.decode_csv(["1998,Ann", ",Bob"], [[2000], [""]])
      >>> sess.run(year)
      array([1998, 2000], dtype=int32)
    """
    if select_cols is not None:
        if any(first >= second for first, second in pairwise(select_cols)):
            raise ValueError(f"select_cols is not strictly increasing. It is {select_cols}.")
        if select_cols and select_cols[0] < 0:
            raise ValueError(f"select_cols contains negative values. It is {select_cols}.")
        if len(select_cols) != len(record_defaults):
            raise ValueError(
                f"Length of select_cols and record_defaults do not match. They are "
                f"{len(select_cols)} and {len(record_defaults)}."
            )
    for default in record_defaults:
        if isinstance(default, dtypes.DType | type):
            raise TypeError(
                "Tensors in list passed to 'record_defaults' of 'DecodeCSV' Op have types that are "
                f"invalid: {default!r} is a type. For a column without a default give an empty "
                "vector: tf.constant([], tf.float32)."
            )
    return _decode_csv(
        records,
        record_defaults,
        name=name,
        field_delim=field_delim,
        use_quote_delim=use_quote_delim,
        na_value=na_value,
        select_cols=select_cols,
    )
