"""Datasets of CSV files: `CsvDataset`, `make_csv_dataset`."""

from __future__ import annotations

import csv
import gzip
import io
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tinytf.data import structure
from tinytf.data.base import DatasetBase
from tinytf.data.dataset import Dataset
from tinytf.data.examples import shuffled_and_repeated
from tinytf.data.files import AUTOTUNE, interleaved
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_spec import TensorSpec
from tinytf.ops.array.constant import constant
from tinytf.ops.data.csv import csv_dataset_v2
from tinytf.ops.strings.numbers import read_float, read_integer
from tinytf.resources import file_system

_BUFFER_BYTES = 4 * 1024 * 1024
_TYPES = (dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.string)


class CsvDataset(Dataset):
    r"""The records of CSV files (TensorFlow: `tf.data.experimental.CsvDataset`).

    Args:
      filenames: a string tensor, or what can be made one.
      record_defaults: for each column a type, or what stands for a missing field. float32,
        float64, int32, int64 or string.
      compression_type: "", "ZLIB" or "GZIP". buffer_size: in bytes.
      header: whether the first record of each file is no data.
      field_delim: one character. use_quote_delim: whether fields may stand in double quotes.
      na_value: what stands for a missing field, besides nothing at all.
      select_cols: the numbers of the columns to take, ascending; None: all.

    Raises:
      When it runs: InvalidArgumentError for a record that does not fit; the next call goes on
      with the next one.

    Example:
      >>> with open("data.csv", "w") as file:
      ...     size = file.write("year,name\n1998,Ann\n,Bob\n")
      >>> tf.data.experimental.CsvDataset("data.csv", [[2000], tf.string], header=True)
      [(1998, b'Ann'), (2000, b'Bob')]
    """

    def __init__(
        self, filenames: Any, record_defaults: Sequence[Any], compression_type: Any = None,
        buffer_size: Any = None, header: Any = False, field_delim: Any = ",",
        use_quote_delim: Any = True, na_value: Any = "", select_cols: Any = None,
    ):  # fmt: skip
        names = convert_to_tensor(filenames, dtypes.string, name="filenames")
        kind = convert_to_tensor(compression_type or "", dtypes.string, name="compression_type")
        defaults = [
            _default(default, f"record_defaults_{number}")
            for number, default in enumerate(record_defaults)
        ]
        size = _BUFFER_BYTES if buffer_size is None else buffer_size
        columns = [] if select_cols is None else select_cols
        spec = tuple(TensorSpec((), default.dtype) for default in defaults)
        tensor = csv_dataset_v2(
            names, kind, convert_to_tensor(size, dtypes.int64, name="buffer_size"),
            convert_to_tensor(header, dtypes.bool_, name="header"),
            convert_to_tensor(field_delim, dtypes.string, name="field_delim"),
            convert_to_tensor(use_quote_delim, dtypes.bool_, name="use_quote_delim"),
            convert_to_tensor(na_value, dtypes.string, name="na_value"),
            convert_to_tensor(columns, dtypes.int64, name="select_cols"), defaults,
            convert_to_tensor([], dtypes.int64, name="exclude_cols"),
            output_types=structure.flat_types(spec), output_shapes=structure.flat_shapes(spec),
        )  # fmt: skip
        super().__init__(tensor, spec)

    def _derived(self, variant_tensor: Tensor, spec: Any = None, *others: Any) -> Any:
        spec = self._element_spec if spec is None else spec
        inputs: list[DatasetBase] = [self, *others]
        return Dataset(variant_tensor, spec, inputs)


def _default(default: Any, name: str) -> Tensor:
    if _is_type(default):
        return constant([], dtype=default)
    return convert_to_tensor(default, name=name)


def _is_type(value: Any) -> bool:
    try:
        return not isinstance(value, str | Tensor) and dtypes.as_dtype(value) in _TYPES
    except (TypeError, ValueError):
        return False


def make_csv_dataset(
    file_pattern: Any, batch_size: Any, column_names: Sequence[str] | None = None,
    column_defaults: Sequence[Any] | None = None, label_name: str | None = None,
    select_columns: Sequence[Any] | None = None, field_delim: str = ",",
    use_quote_delim: bool = True, na_value: str = "", header: bool = True,
    num_epochs: int | None = None, shuffle: bool = True, shuffle_buffer_size: int = 10000,
    shuffle_seed: Any = None, prefetch_buffer_size: Any = None,
    num_parallel_reads: int | None = None, sloppy: bool = False,
    num_rows_for_inference: int | None = 100, compression_type: str | None = None,
    ignore_errors: bool = False, encoding: str = "utf-8",
) -> Any:  # fmt: skip
    r"""Batches of columns out of CSV files.

    TensorFlow: `tf.data.experimental.make_csv_dataset`.

    Files are looked into while the graph is built, for names and types that are not given.

    Args:
      file_pattern: names of files, or patterns. batch_size: how many records are in a batch.
      column_names: None: the first record of each file has them.
      column_defaults: see `CsvDataset`; None: found out from the first records.
      label_name: the column that is given apart. select_columns: names or numbers to take.
      num_epochs: how often all are given; None: for ever.
      shuffle, shuffle_buffer_size, shuffle_seed: see `Dataset.shuffle`.
      prefetch_buffer_size: how many batches are got ready.
      num_parallel_reads: files at once. sloppy: whether files that are ready come first.
      num_rows_for_inference: how many records tell the types; None: all.
      ignore_errors: leave out records that do not fit. encoding: of what is looked into.
      Others: see `CsvDataset`.

    Returns:
      a dataset of dictionaries, or of pairs of a dictionary and a label.

    Raises:
      ValueError: for names and columns that do not fit, or no files.

    Example:
      >>> with open("data.csv", "w") as file:
      ...     size = file.write("year,name\n1998,Ann\n1999,Bob\n")
      >>> batches = tf.data.experimental.make_csv_dataset(
      ...     "data.csv", 2, label_name="year", num_epochs=1, shuffle=False)
      >>> tf.data.make_one_shot_iterator(batches).get_next()[1]  # [1998, 1999]
    """
    names = _files(file_pattern)
    reading = _Reading(names, field_delim, use_quote_delim, compression_type, encoding)
    if column_names is None:
        if not header:
            raise ValueError("Expected `column_names` or `header` arguments. Neither is provided.")
        column_names = reading.header()
    columns = list(column_names)
    _check_distinct(columns)
    selected = None if select_columns is None else _column_numbers(select_columns, columns)
    if column_defaults is not None:
        defaults = [constant([], dtype=d) if _is_type(d) else d for d in column_defaults]
    else:
        places = list(range(len(columns))) if selected is None else selected
        defaults = reading.defaults(len(columns), places, header, na_value, num_rows_for_inference)
    if selected is not None:
        if len(defaults) != len(selected):
            raise ValueError(
                "If specified, `column_defaults` and `select_columns` must have the same length: "
                f"`column_defaults` has length {len(defaults)}, `select_columns` has length "
                f"{len(selected)}."
            )
        columns = [columns[number] for number in selected]
    if label_name is not None and label_name not in columns:
        raise ValueError(
            f"`label_name` provided must be one of the columns: {columns}. Received: {label_name}."
        )

    def read(filename: Tensor) -> Any:
        records: Any = CsvDataset(
            filename, defaults, compression_type, header=header, field_delim=field_delim,
            use_quote_delim=use_quote_delim, na_value=na_value, select_cols=selected,
        )  # fmt: skip
        return records.ignore_errors() if ignore_errors else records

    def named(*values: Any) -> Any:
        features = OrderedDict(zip(columns, values, strict=True))
        return features if label_name is None else (features, features.pop(label_name))

    dataset: Any = Dataset.from_tensor_slices(names)
    if shuffle:
        dataset = dataset.shuffle(len(names), shuffle_seed)
    reads = 1 if num_parallel_reads is None else num_parallel_reads
    if reads == AUTOTUNE:
        dataset = dataset.interleave(read, num_parallel_calls=reads, deterministic=not sloppy)
    else:
        dataset = interleaved(dataset, read, reads, 1, not sloppy)
    dataset = shuffled_and_repeated(dataset, num_epochs, shuffle, shuffle_buffer_size, shuffle_seed)
    dataset = dataset.batch(batch_size, drop_remainder=num_epochs is None).map(named)
    return dataset.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)


def _files(pattern: Any) -> list[str]:
    if isinstance(pattern, list) and not pattern:
        raise ValueError("Argument `file_pattern` should not be empty.")
    names = file_system.glob_text(pattern)
    if not names:
        raise ValueError(f"No files match `file_pattern` {pattern}.")
    return sorted(names)


def _check_distinct(columns: list[str]) -> None:
    if len(set(columns)) != len(columns):
        twice = {name for name in columns if columns.count(name) > 1}
        raise ValueError(
            "Either `column_names` argument or CSV header row contains duplicate column names: "
            f"{twice}."
        )


def _column_numbers(selected: Sequence[Any], columns: list[str]) -> list[int]:
    numbers = []
    for column in selected:
        if isinstance(column, int):
            if not 0 <= column < len(columns):
                raise ValueError(
                    f"Column index {column} specified in `select_columns` should be > 0  and <= "
                    f"{len(columns)}, which is the number of columns."
                )
            numbers.append(column)
        elif column not in columns:
            raise ValueError(
                f"Column {column} specified in `select_columns` must be of one of the columns: "
                f"{columns}."
            )
        else:
            numbers.append(columns.index(column))
    if len(set(numbers)) != len(numbers):
        raise ValueError("The `select_columns` argument contains duplicate columns.")
    return sorted(numbers)


class _Reading:
    """What is found out from files while the graph is built.

    Args:
      names: of the files. The others: see `make_csv_dataset`.
    """

    def __init__(
        self, names: list[str], delimiter: str, quotes: bool, compression: str | None,
        encoding: str,
    ):  # fmt: skip
        if compression not in (None, "", "GZIP"):
            raise ValueError(
                f"`compression_type` {compression} is not supported for probing columns: give "
                f"`column_names` and `column_defaults`."
            )
        self._names, self._compression, self._encoding = names, compression, encoding
        self._format: dict[str, Any] = {
            "delimiter": delimiter, "quoting": csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE,
        }  # fmt: skip

    def _records(self, name: str) -> Iterator[list[str]]:
        opened: Callable[..., Any] = gzip.open if self._compression == "GZIP" else open
        with opened(name, "rb") as file:
            text = io.TextIOWrapper(file, encoding=self._encoding, newline="")
            yield from csv.reader(text, **self._format)

    def header(self) -> list[str]:
        """The names of the columns, the same in all files."""
        found: list[str] | None = None
        for name in self._names:
            columns = next(self._records(name), None)
            if columns is None:
                raise ValueError(
                    f"Failed when reading the header line of {name}. Is it an empty file?"
                )
            if found is not None and columns != found:
                raise ValueError(
                    "All input CSV files should have the same column names in the header row. "
                    f"File {name} has different column names."
                )
            found = columns
        return found or []

    def defaults(
        self, count: int, places: list[int], header: bool, na_value: str, limit: int | None
    ) -> list[Tensor]:
        """A default for each column, of the narrowest type that its first fields fit."""
        kinds = [0] * len(places)
        seen = [False] * len(places)
        done = 0
        for name in self._names:
            for number, record in enumerate(self._records(name)):
                if number == 0 and header:
                    continue
                if limit is not None and done >= limit:
                    break
                if len(record) != count:
                    raise ValueError(
                        f"Problem inferring types: CSV row {number + 1} has {len(record)} number "
                        f"of fields. Expected: {count}."
                    )
                for place, column in enumerate(places):
                    text = record[column]
                    if text not in ("", na_value):
                        kinds[place] = max(kinds[place], _narrowest(text))
                        seen[place] = True
                done += 1
        types = [_BY_WIDTH[kind] if ok else dtypes.string for kind, ok in zip(kinds, seen)]
        return [constant(["" if kind is dtypes.string else 0], kind) for kind in types]


_BY_WIDTH = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64, dtypes.string)


def _narrowest(text: str) -> int:
    """Which of `_BY_WIDTH` a field is."""
    data = text.encode()
    whole = read_integer(data)
    for place in (0, 1):
        if whole is not None and _BY_WIDTH[place].min <= whole <= _BY_WIDTH[place].max:
            return place
    value = read_float(data)
    if value is None or value == float("inf"):
        return 4
    return 2 if value <= dtypes.float32.max else 3
