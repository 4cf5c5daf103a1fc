"""`tf.data.experimental.CsvDataset`: the records of CSV files.

Mirrors tensorflow/core/kernels/data/experimental/csv_dataset_op.cc.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from tinytf.data import structure
from tinytf.data.base import int64
from tinytf.data.cards import define_dataset
from tinytf.data.dataset import Dataset
from tinytf.data.files import FileDataset
from tinytf.data.stages import DatasetValue
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.dtypes import DType, string
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import OpCard
from tinytf.framework.shape_inference import InferenceContext, with_rank
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, scalar
from tinytf.framework.tensor_spec import TensorSpec
from tinytf.ops.array.constant import constant
from tinytf.ops.math.cast import kernel_name
from tinytf.ops.strings.numbers import read_float, read_integer
from tinytf.resources.file_formats.compression import checked_compression
from tinytf.resources.file_formats.csv_records import CsvRecords

_BUFFER_BYTES = 4 * 1024 * 1024
_TYPES = (dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.string)

# CSVDatasetV2, CSVDataset, ExperimentalCSVDataset -------------------------------------------------


class _CsvDataset(FileDataset):
    """The records of CSV files, a component for each column.

    Args:
      make_element: of the fields of a record.
    """

    def __init__(self, make_element: Callable[[list[bytes]], tuple], *files: Any, **where: Any):
        super().__init__(*files, **where)
        self._make_element = make_element
        self.types = tuple(self.node.attrs["output_types"])
        self.shapes = tuple(self.node.attrs["output_shapes"])

    def element(self, record: Any) -> tuple:
        return self._make_element(record)


def _reader(dtype: DType) -> Callable[[bytes], Any]:
    if dtype == string:
        return bytes
    if not dtype.is_integer:
        return read_float

    def read(text: bytes) -> int | None:
        value = read_integer(text)
        return value if value is not None and dtype.min <= value <= dtype.max else None

    return read


def _check_columns(selected: Sequence[int], excluded: Sequence[int], count: int) -> None:
    if len(selected) and len(excluded):
        raise invalid("Either select_cols or exclude_cols should be empty")
    for name, columns in (("select_cols", selected), ("exclude_cols", excluded)):
        if any(first >= second for first, second in pairwise(columns)):
            raise invalid(f"{name} should be strictly increasing indices")
        if any(column < 0 for column in columns):
            raise invalid(f"{name} should be non-negative indices")
    if len(selected) and len(selected) != count:
        raise invalid("select_cols should match output size")


def _elements(
    types: Sequence[DType],
    defaults: Sequence[Any],
    na_value: bytes,
    selected: list[int],
    excluded: list[int],
) -> Callable[[list[bytes]], tuple]:
    """What makes an element of the fields of a record."""
    readers = [_reader(dtype) for dtype in types]
    spares = [
        np.ravel(np.asarray(default, dtype.as_numpy_dtype)).tolist()
        for default, dtype in zip(defaults, types, strict=True)
    ]
    left_out = frozenset(excluded)

    def value(number: int, text: bytes) -> np.ndarray:
        dtype = types[number]
        found: Any
        if not text or text == na_value:
            if not spares[number]:
                raise invalid(
                    f"Field {number} is required but missing in record! record_defaults has no "
                    f"value for it that could stand there"
                )
            found = spares[number][0]
        else:
            found = readers[number](text)
            if found is None:
                shown = text[:80].decode("utf-8", "backslashreplace")
                raise invalid(
                    f"Field {number} in record is not a valid {kernel_name(dtype)}: {shown}"
                )
        result = np.empty((), dtype.as_numpy_dtype)
        with np.errstate(over="ignore"):
            result[()] = found
        return result

    def element(fields: list[bytes]) -> tuple:
        if selected:
            fields = [fields[column] for column in selected if column < len(fields)]
        elif left_out:
            fields = [field for column, field in enumerate(fields) if column not in left_out]
        values = tuple(value(number, text) for number, text in enumerate(fields[: len(types)]))
        if len(fields) != len(types):
            have = "more" if len(fields) > len(types) else len(fields)
            raise invalid(f"Expect {len(types)} fields but have {have} in record")
        return values

    return element


#: The number of inputs that every such op has before the defaults.
_FIXED = 8
_INPUTS = (
    "filenames: string, compression_type: string, buffer_size: int64, header: bool, "
    "field_delim: string, use_quote_delim: bool, na_value: string, select_cols: int64, "
    "record_defaults: output_types"
)


def _shape(c: InferenceContext) -> TensorShape:
    count = len(c.attrs["output_types"])
    for shape in c.shapes()[_FIXED : _FIXED + count]:
        sizes = shape.sizes
        if sizes is not None and len(sizes) > 1:
            raise ValueError(f"Shape must be at most rank 1 but is rank {len(sizes)}")
        if sizes and sizes[0] is not None and sizes[0] > 1:
            raise ValueError(
                "Shape of a default must be a length-0 or length-1 vector, or a scalar."
            )
    for shape in c.shapes()[1 : _FIXED - 1]:
        with_rank(shape, 0)
    return scalar()


def _define(name: str, inputs: str) -> OpCard:
    types = "output_types: list({float, double, int32, int64, string}) >= 1"
    shapes = "output_shapes: list(shape) >= 1"
    card = define_dataset(name, inputs, types, shapes, stateful=True, shape=_shape)

    @card.kernel
    def _csv(
        filenames: Any,
        compression: Any,
        buffer: Any,
        header: Any,
        delimiter: Any,
        quotes: Any,
        na_value: Any,
        select_cols: Any,
        *rest: Any,
        output_types: Any,
        node: Any,
        resources: Any,
    ) -> DatasetValue:
        count = len(output_types)
        selected = np.ravel(select_cols).tolist()
        excluded = np.ravel(rest[count]).tolist() if len(rest) > count else []
        _check_columns(selected, excluded, count)
        mark, size = delimiter[()], int(buffer)
        if size <= 0:
            raise invalid(f"buffer_size should be positive; it is {size}")
        if len(mark) != 1:
            raise invalid("field_delim should be only 1 char")
        kind = checked_compression(compression[()])
        settings = {"delimiter": mark, "quotes": bool(quotes), "has_header": bool(header)}
        make = _elements(output_types, rest[:count], na_value[()], selected, excluded)
        return _CsvDataset(
            make,
            np.asarray(filenames, object),
            lambda path: CsvRecords(path, kind, size, **settings),
            node=node,
            root=resources.files,
        )

    return card


csv_dataset_v2 = _define("CSVDatasetV2", f"{_INPUTS}, exclude_cols: int64")
_define("CSVDataset", _INPUTS)
_define("ExperimentalCSVDataset", _INPUTS)

# The class ----------------------------------------------------------------------------------------


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
        self,
        filenames: Any,
        record_defaults: Sequence[Any],
        compression_type: Any = None,
        buffer_size: Any = None,
        header: Any = False,
        field_delim: Any = ",",
        use_quote_delim: Any = True,
        na_value: Any = "",
        select_cols: Any = None,
    ):
        names = convert_to_tensor(filenames, dtypes.string, name="filenames")
        kind = convert_to_tensor(compression_type or "", dtypes.string, name="compression_type")
        defaults = [
            _default(default, f"record_defaults_{number}")
            for number, default in enumerate(record_defaults)
        ]
        spec = tuple(TensorSpec((), default.dtype) for default in defaults)
        tensor = csv_dataset_v2(
            names,
            kind,
            int64(_BUFFER_BYTES if buffer_size is None else buffer_size, "buffer_size"),
            convert_to_tensor(header, dtypes.bool_, name="header"),
            convert_to_tensor(field_delim, dtypes.string, name="field_delim"),
            convert_to_tensor(use_quote_delim, dtypes.bool_, name="use_quote_delim"),
            convert_to_tensor(na_value, dtypes.string, name="na_value"),
            int64([] if select_cols is None else select_cols, "select_cols"),
            defaults,
            int64([], "exclude_cols"),
            **structure.form(spec),
        )
        super().__init__(tensor, spec)


def _default(default: Any, name: str) -> Tensor:
    if is_type(default):
        return constant([], dtype=default)
    return convert_to_tensor(default, name=name)


def is_type(value: Any) -> bool:
    """Whether a default is a type: that of a column which has to be there."""
    try:
        return not isinstance(value, str | Tensor) and dtypes.as_dtype(value) in _TYPES
    except (TypeError, ValueError):
        return False
