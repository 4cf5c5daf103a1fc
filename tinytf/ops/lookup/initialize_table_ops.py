"""The op types that fill static tables: from two vectors, or from the lines of a text file.

Mirrors tensorflow/core/kernels/lookup_table_init_op.cc and lookup_util.cc. Files are read below the
folder that a server's graphs may use.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tinytf.framework.dtypes import DType, float32, float64, int32, int64, string
from tinytf.framework.errors import OutOfRangeError, invalid
from tinytf.framework.files import op_errors
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, merge, with_rank
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.lookup.lookup_table_ops import array, check_types, define_both, signature, table_of
from tinytf.ops.math.cast import kernel_name
from tinytf.ops.strings.numbers import read_float, read_integer
from tinytf.ops.strings.string_cards import texts
from tinytf.resources.tables import StaticTable, check_not_empty, elements

# InitializeTableV2, InitializeTable ---------------------------------------------------------------


def _vectors_shape(c: InferenceContext) -> list[TensorShape]:
    merge(with_rank(c.input(1), 1), c.input(2))
    return []


def _fill_from_vectors(
    handle: Any, keys: Any, values: Any, *, Tkey: DType, Tval: DType, node: Any
) -> tuple[()]:
    table = table_of(handle)
    check_types(node, signature(Tkey, Tval), signature(table.key_dtype, table.value_dtype))
    keys, values = array(keys, Tkey), array(values, Tval)
    if keys.ndim != 1:
        raise invalid(f"Keys must be a vector, but received shape{shown(keys)}")
    if values.ndim != 1:
        raise invalid(f"Values must be a vector, but received shape{shown(values)}")
    if len(keys) != len(values):
        raise invalid(f"Keys and values must have the same size {len(keys)} vs {len(values)}")
    check_not_empty(keys)
    table.initialise(elements(keys), elements(values))
    return ()


define_both(
    "InitializeTable",
    ", keys: Tkey, values: Tval",
    "Tkey: type, Tval: type",
    shape=_vectors_shape,
    kernel=_fill_from_vectors,
)

# InitializeTableFromTextFileV2, InitializeTableFromTextFile ---------------------------------------

WHOLE_LINE, LINE_NUMBER = -2, -1
#: So many lines are read between two looks at whether the step was cancelled.
_LINES = 10_000


class _Column(NamedTuple):
    """Where a key or a value is in a line, and what it is."""

    place: int
    dtype: DType
    read: Callable[[bytes], Any]


def _file_shape(c: InferenceContext) -> list[TensorShape]:
    with_rank(c.input(1), 0)
    return []


def _reader(dtype: DType) -> Callable[[bytes], Any]:
    """What reads a field of a type; ValueError for one that is none."""
    if dtype == string:
        return bytes
    if dtype in (float32, float64):
        return lambda text: _checked(read_float(text))
    if dtype in (int32, int64):

        def read(text: bytes) -> int:
            value: int = _checked(read_integer(text))
            return value if dtype.min <= value <= dtype.max else _checked(None)

        return read
    raise invalid(f"Data type {kernel_name(dtype)} not supported.")


def _checked(value: Any) -> Any:
    if value is None:
        raise ValueError
    return value


def _column(what: str, index: int, dtype: DType) -> _Column:
    if index == LINE_NUMBER and dtype != int64:
        raise invalid(
            f"{what.title()} index for line number requires table {what} dtype of int64, got "
            f"{kernel_name(dtype)}"
        )
    return _Column(index, dtype, int if index == LINE_NUMBER else _reader(dtype))


def _fill_from_file(
    step: Any, handle: Any, filename: Any, *, node: Operation, resources: Any
) -> tuple[()]:
    table, attrs = table_of(handle), node.attrs
    if np.size(filename) != 1 or np.ndim(filename):
        raise invalid(f"filename should be a single string, but got {shown(filename)}")
    [name] = texts(filename)
    if not name:
        raise invalid("filename cannot be empty.")
    if len(attrs["delimiter"]) != 1:
        raise invalid("delimiter should be only 1 char")
    if not isinstance(table, StaticTable):
        table.initialise((), ())  # says that it cannot
    elif not table.is_initialised:  # as in TensorFlow, the file is not compared
        columns = (
            _column("key", attrs["key_index"], table.key_dtype),
            _column("value", attrs["value_index"], table.value_dtype),
        )
        table.initialise(*_entries(resources.files.path(name), columns, attrs, step))
    return ()


def _entries(
    path: str, columns: tuple[_Column, _Column], attrs: dict[str, Any], step: Any
) -> tuple[list[Any], list[Any]]:
    """The keys and values in the lines of a file."""
    vocab_size, delimiter, offset = (attrs[n] for n in ("vocab_size", "delimiter", "offset"))
    keys: list[Any] = []
    values: list[Any] = []
    place = 0
    with op_errors(path), open(path, "rb") as file:
        for number, line in enumerate(file):
            if number == vocab_size:
                break
            if not number % _LINES and step.cancellation.is_cancelled:
                raise step.cancellation.reason
            place += len(line)
            text = line.removesuffix(b"\n").removesuffix(b"\r")
            if not text:
                raise invalid(f"Invalid content in {path}: empty line found at position {place}.")
            fields = text.split(delimiter) if max(c.place for c in columns) >= 0 else []
            for found, column in zip((keys, values), columns, strict=True):
                found.append(_field(text, fields, number, column, path, offset))
    if vocab_size == 0 or not keys:
        raise OutOfRangeError(
            f"Finished reading 0 of lines from {path}"
            if vocab_size == 0
            else f"Read less bytes than requested: {path} has no lines to fill a table with"
        )
    if len(keys) < vocab_size:
        raise invalid(f"Invalid vocab_size in {path}: expected {vocab_size} but got {len(keys)}")
    return keys, values


def _field(
    text: bytes, fields: list[bytes], number: int, column: _Column, path: str, offset: int
) -> Any:
    if column.place == LINE_NUMBER:
        return number + offset
    if column.place >= len(fields):
        raise invalid(
            f"Invalid number of columns in {path} line {number} ({_shown(text)}) : expected at "
            f"least {column.place + 1} got {len(fields)}"
        )
    field = text if column.place == WHOLE_LINE else fields[column.place]
    try:
        return column.read(field)
    except ValueError:
        raise invalid(
            f"Field {_shown(field)} in line {number} is not a valid {kernel_name(column.dtype)}."
        ) from None


def _shown(text: bytes) -> str:
    return text.decode("utf-8", "backslashreplace")


initialize_table_from_text_file = define_both(
    "InitializeTableFromTextFile",
    ", filename: string",
    "key_index: int >= -2, value_index: int >= -2, vocab_size: int >= -1 = -1",
    r"delimiter: string = '\t', offset: int = 0",
    shape=_file_shape,
    kernel=_fill_from_file,
)
