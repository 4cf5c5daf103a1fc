"""`tf.decode_csv`: records of comma-separated values as a tensor for each column."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from tinytf.framework import dtypes
from tinytf.framework.cancellation import looking
from tinytf.framework.errors import InvalidArgumentError, invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.shape_inference import InferenceContext
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
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
    if not (select_cols or np.ndim(records)):
        record = records if type(records) is bytes else records.item()
        found = _read_plainly(record, defaults, OUT_TYPE, field_delim, na_value)
        if found is not None:
            return found
    _check_options(defaults, field_delim)
    shape = np.shape(records)
    rows = texts(records)
    columns = _split_together(rows, field_delim, use_quote_delim, select_cols, len(OUT_TYPE))
    full = columns is not None and _all_full(rows, field_delim, use_quote_delim)
    if columns is None:
        columns = _split(rows, field_delim, use_quote_delim, select_cols, len(OUT_TYPE))
    if not columns:
        columns = [()] * len(OUT_TYPE)
    outputs = []
    for number, (column, dtype, default) in enumerate(zip(columns, OUT_TYPE, defaults)):
        values = _read_together(column, dtype, na_value, full)
        if values is None:
            try:
                values = _read(column, dtype, np.ravel(default), na_value)
            except _WrongField as wrong:
                raise _wrong_field(wrong, rows, number, dtype, select_cols) from None
        outputs.append(values.reshape(shape))
    return outputs


# A single record, as from a reader ----------------------------------------------------------------


def _read_plainly(
    record: bytes,
    defaults: Sequence[Any],
    kinds: Sequence[dtypes.DType],
    delimiter: bytes,
    na_value: bytes,
) -> list[Any] | None:
    """The values of a record without anything special; None if this needs a closer look."""
    if b'"' in record or b"\n" in record or b"\r" in record or len(delimiter) != 1:
        return None
    cut = record.split(delimiter)
    if len(cut) != len(kinds):
        return None
    values: list[Any] = []
    for text, kind, default in zip(cut, kinds, defaults):
        if not text or text == na_value:
            return None
        if type(default) is not bytes and (default.ndim > 1 or default.size > 1):
            return None  # a mistake
        if kind is dtypes.string:
            values.append(np.array(text, object))
            continue
        if (
            len(text) > _FEW
            or not (text[1:] if text[0] == _MINUS else text)
            .replace(b".", b"", not kind.is_integer)
            .isdigit()
        ):
            return None
        values.append(_SCALARS[kind](int(text) if kind.is_integer else float(text)))
    return values


#: Characters of a number that fits into any type.
_FEW = 9
_MINUS = 45
_SCALARS: dict[dtypes.DType, Any] = {
    dtypes.float32: np.float32,
    dtypes.float64: np.float64,
    dtypes.int32: np.int32,
    dtypes.int64: np.int64,
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
) -> list[Sequence[bytes]] | None:
    """The columns; None if this needs a closer look.

    Between the records stands a field that is a line end, and no other can be: if these come out
    where they should, every record has as many fields as it should.
    """
    if not rows or b"" in rows or delimiter in (b"\r", b"\n", b'"'):
        return None
    together = (delimiter + b"\n" + delimiter).join(rows)
    quoted = quotes and b'"' in together
    if quoted and not selected:
        found = _split_by_python(rows, delimiter, count)
        if found is not None:
            return found
    if quoted:
        cut = _fields_and_line_ends(delimiter).findall(together + delimiter)
        if sum(map(len, cut)) + len(cut) != len(together) + 1:
            return None  # something between the fields is none
    elif together.count(b"\n") != len(rows) - 1 or b"\r" in together:
        return None
    else:
        cut = together.split(delimiter)
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
    if quoted and cut.count(b"\n") != ends:
        return None
    columns: list[Sequence[bytes]] = [cut[number::each] for number in selected or range(count)]
    return [_without_quotes(column) for column in columns] if quoted else columns


def _all_full(rows: list[bytes], delimiter: bytes, quotes: bool) -> bool:
    """Whether certainly no field of the records is empty; looks at all of them at once."""
    text = (delimiter + b"\n" + delimiter).join(rows)
    if (quotes and b'"' in text) or text[:1] == delimiter or text[-1:] == delimiter:
        return False
    return delimiter * 2 not in text


def _split_by_python(
    rows: list[bytes], delimiter: bytes, count: int
) -> list[Sequence[bytes]] | None:
    """The columns, by Python's reader; None for records that it reads by other rules than we."""
    import csv  # quotes are not in every file

    text = b"\n".join(rows)
    if text.count(b"\n") != len(rows) - 1 or b"\r" in text or _quote_within(delimiter).search(text):
        return None
    lines = text.decode("latin-1").split("\n")  # byte by byte
    try:
        cut = list(csv.reader(lines, delimiter=delimiter.decode("latin-1"), strict=True))
    except csv.Error:
        return None
    if len(cut) != len(rows) or set(map(len, cut)) != {count}:
        return None
    return ["\n".join(column).encode("latin-1").split(b"\n") for column in zip(*cut)]


@functools.lru_cache(64)
def _quote_within(delimiter: bytes) -> re.Pattern[bytes]:
    """Finds what may be a field with a quote in it that does not begin with one."""
    mark = re.escape(delimiter)
    return re.compile(rb'(?:^|\n|%s)[^"\n%s]+"' % (mark, mark))


@functools.lru_cache(64)
def _fields_and_line_ends(delimiter: bytes) -> re.Pattern[bytes]:
    mark = re.escape(delimiter)
    # Only where a field may begin: from every place a long one would be read to its end in vain.
    start = rb"(?:\A|(?<=%s))" % mark
    return re.compile(start + rb'("(?:[^"]|"")*+"|\n|[^%s"\r\n]*)%s' % (mark, mark))


def _without_quotes(column: Sequence[bytes]) -> Sequence[bytes]:
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
    column: Sequence[bytes], dtype: dtypes.DType, na_value: bytes, full: bool = False
) -> Any:
    """The values of a column; None if this needs a closer look. `full`: no field is empty."""
    if (not full and b"" in column) or (na_value and na_value in column):
        return None
    if dtype is dtypes.string:
        strings = np.empty(len(column), object)
        strings[:] = column
        return strings
    values: np.ndarray | None
    values = csv_numbers.integers(column) if dtype.is_integer else csv_numbers.decimals(column)
    if values is None and (values := _read_by_python(column, dtype)) is None:
        return None
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
