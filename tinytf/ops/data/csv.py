"""Ops that make datasets of the records of CSV files.

Mirrors tensorflow/core/kernels/data/experimental/csv_dataset_op.cc.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from tinytf.framework.dtypes import DType, string
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.shape_inference import InferenceContext, with_rank
from tinytf.framework.tensor_shape import TensorShape, scalar
from tinytf.ops.data.sources import HANDLE, REASON
from tinytf.ops.math.cast import kernel_name
from tinytf.ops.strings.numbers import read_float, read_integer
from tinytf.resources.datasets.dataset import Dataset
from tinytf.resources.datasets.files import FileDataset
from tinytf.resources.file_formats.compression import checked_compression
from tinytf.resources.file_formats.csv_records import CsvRecords

# CSVDatasetV2, CSVDataset, ExperimentalCSVDataset -------------------------------------------------

_INPUTS = [
    "filenames: string", "compression_type: string", "buffer_size: int64", "header: bool",
    "field_delim: string", "use_quote_delim: bool", "na_value: string", "select_cols: int64",
    "record_defaults: output_types",
]  # fmt: skip
_FIXED = len(_INPUTS) - 1
_ATTRS = [
    "output_types: list({float, double, int32, int64, string}) >= 1",
    "output_shapes: list(shape) >= 1",
]


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


class _CsvDataset(FileDataset):
    """The records of CSV files, a component for each column.

    Args:
      make_element: of the fields of a record.
    """

    __slots__ = ("_make_element",)

    def __init__(self, node: Any, make_element: Callable[[list[bytes]], tuple], *args: Any):
        super().__init__(node, *args)
        self._make_element = make_element
        self.types = tuple(node.attrs["output_types"])
        self.shapes = tuple(node.attrs["output_shapes"])

    def element(self, record: Any) -> tuple:
        """See `FileDataset.element`."""
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
    types: Sequence[DType], defaults: Sequence[Any], na_value: bytes, selected: list[int],
    excluded: list[int],
) -> Callable[[list[bytes]], tuple]:  # fmt: skip
    """What makes an element of the fields of a record."""
    readers = [_reader(dtype) for dtype in types]
    spares = [np.ravel(np.asarray(default, dtype.as_numpy_dtype)).tolist()
              for default, dtype in zip(defaults, types, strict=True)]  # fmt: skip
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


def _define(name: str, more: Sequence[str] = ()) -> OpCard:
    card = define_op(name, [*_INPUTS, *more], HANDLE, _ATTRS, stateful=True)
    card.shape(_shape)
    card.not_differentiable(REASON)

    @card.kernel
    def _csv(
        filenames: Any, compression: Any, buffer: Any, header: Any, delimiter: Any, quotes: Any,
        na_value: Any, select_cols: Any, *rest: Any, output_types: Any, node: Any, resources: Any,
    ) -> Dataset:  # fmt: skip
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
            node, make, np.asarray(filenames, object),
            lambda path: CsvRecords(path, kind, size, **settings), resources.files,
        )  # fmt: skip

    return card


csv_dataset_v2 = _define("CSVDatasetV2", ["exclude_cols: int64"])
_define("CSVDataset")
_define("ExperimentalCSVDataset")
