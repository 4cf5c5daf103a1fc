"""`tf.data.experimental.make_csv_dataset`: batches of columns out of CSV files."""

from __future__ import annotations

import csv
import gzip
import io
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tinytf.data.csv import CsvDataset, is_type
from tinytf.data.dataset import Dataset
from tinytf.data.make_batched_features_dataset import in_turns, shuffled_and_repeated
from tinytf.data.stages import AUTOTUNE
from tinytf.framework import dtypes
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.constant import constant
from tinytf.ops.strings.numbers import read_float, read_integer
from tinytf.resources import file_system


def make_csv_dataset(
    file_pattern: Any,
    batch_size: Any,
    column_names: Sequence[str] | None = None,
    column_defaults: Sequence[Any] | None = None,
    label_name: str | None = None,
    select_columns: Sequence[Any] | None = None,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    header: bool = True,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: int = 10000,
    shuffle_seed: Any = None,
    prefetch_buffer_size: Any = None,
    num_parallel_reads: int | None = None,
    sloppy: bool = False,
    num_rows_for_inference: int | None = 100,
    compression_type: str | None = None,
    ignore_errors: bool = False,
    encoding: str = "utf-8",
) -> Any:
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
        defaults = [constant([], dtype=d) if is_type(d) else d for d in column_defaults]
    else:
        places = list(range(len(columns))) if selected is None else selected
        defaults = reading.defaults(len(columns), places, header, na_value, num_rows_for_inference)
    columns = _chosen(columns, selected, len(defaults), label_name)
    more = header, field_delim, use_quote_delim, na_value, selected

    def read(filename: Tensor) -> Any:
        records: Any = CsvDataset(filename, defaults, compression_type, None, *more)
        return records.ignore_errors() if ignore_errors else records

    def named(*values: Any) -> Any:
        features = OrderedDict(zip(columns, values, strict=True))
        return features if label_name is None else (features, features.pop(label_name))

    dataset: Any = Dataset.from_tensor_slices(names)
    if shuffle:
        dataset = dataset.shuffle(len(names), shuffle_seed)
    dataset = in_turns(dataset, read, num_parallel_reads, sloppy)
    dataset = shuffled_and_repeated(dataset, num_epochs, shuffle, shuffle_buffer_size, shuffle_seed)
    dataset = dataset.batch(batch_size, drop_remainder=num_epochs is None).map(named)
    return dataset.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)


def _chosen(
    columns: list[str], selected: list[int] | None, count: int, label_name: str | None
) -> list[str]:
    """The names of the columns that are read; ValueError if these things do not fit together."""
    if selected is not None:
        if count != len(selected):
            raise ValueError(
                "If specified, `column_defaults` and `select_columns` must have the same length: "
                f"`column_defaults` has length {count}, `select_columns` has length "
                f"{len(selected)}."
            )
        columns = [columns[number] for number in selected]
    if label_name is not None and label_name not in columns:
        raise ValueError(
            f"`label_name` provided must be one of the columns: {columns}. Received: {label_name}."
        )
    return columns


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
        self, names: list[str], delimiter: str, quotes: bool, compression: str | None, encoding: str
    ):
        if compression not in (None, "", "GZIP"):
            raise ValueError(
                f"`compression_type` {compression} is not supported for probing columns: give "
                f"`column_names` and `column_defaults`."
            )
        self._names, self._compression, self._encoding = names, compression, encoding
        self._format: dict[str, Any] = {
            "delimiter": delimiter,
            "quoting": csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE,
        }

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
