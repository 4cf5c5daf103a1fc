"""`Dataset.from_tensor_slices`, `from_sparse_tensor_slices`: the rows of tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.data import structure
from tinytf.data.base import made
from tinytf.data.cards import METADATA, dataset_op
from tinytf.data.stages import Context, DatasetValue, Next, Stage
from tinytf.framework import dtypes
from tinytf.framework.errors import UnimplementedError, invalid
from tinytf.framework.sparse_tensor import SparseTensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.framework.tensor_spec import TensorSpec
from tinytf.ops.sparse.serialize import serialize_many_sparse

# TensorSliceDataset -------------------------------------------------------------------------------


_ATTRS = (
    "Toutput_types: list(type) >= 1, output_shapes: list(shape) >= 1, is_files: bool = false, "
    f"{METADATA}, replicate_on_split: bool = false"
)


@dataset_op("components: Toutput_types", _ATTRS, stateful=True)
class TensorSliceDataset(DatasetValue):
    """The rows of tensors, one after the other.

    Raises:
      InvalidArgumentError: if they have not the same number of rows.
    """

    def check(self) -> None:
        components = self.given.components
        for index, value in enumerate(components):
            if np.ndim(value) == 0:
                raise invalid(
                    "All components must be at least 1-dimensional, but component "
                    f"{index} is a scalar"
                )
            if len(value) != len(components[0]):
                raise invalid(
                    f"All components must have the same size in the 0th dimension, but "
                    f"component 0 has {len(components[0])}, component {index} has {len(value)}"
                )

    def start(self, context: Context, stage: Stage) -> Next:
        columns: list[Any] = [iter(rows(value)) for value in self.given.components]
        total, left = len(self.given.components[0]), columns[0].__length_hint__
        stage.count = lambda: total - left()
        return zip(*columns).__next__

    def cardinality(self) -> int:
        return len(self.given.components[0])


def rows(value: np.ndarray) -> Any:
    """The rows of an array as edges carry them: of a string vector 0-d arrays, not bytes.

    What it returns can be iterated over, and its iterator knows how many rows are left.
    """
    if value.dtype == object and value.ndim == 1:
        return [value[i, ...] for i in range(len(value))]
    return value


def from_tensor_slices(tensors: Any, name: str | None = None) -> Any:
    """A dataset of the rows of tensors (TensorFlow: `Dataset.from_tensor_slices`).

    Args:
      tensors: tensors, or what can be made one, with one first dimension, in tuples and
        dictionaries. name: kept in the graph.

    Raises:
      ValueError: for a scalar, or several first dimensions.

    Example:
      >>> rows = {"x": [1, 2], "y": [[3.0], [4.0]]}
      >>> tf.data.Dataset.from_tensor_slices(rows)  # [{"x": 1, "y": [3.]}, {"x": 2, "y": [4.]}]
    """
    element = structure.normalised(tensors)
    leaves = structure.flatten(element)
    if not leaves:
        raise ValueError("Invalid `element`. `element` should not be empty.")
    rows = None
    for leaf in leaves:
        sizes = leaf.shape.sizes
        if sizes == ():
            raise ValueError(
                f"Unbatching a tensor is only supported for rank >= 1: {leaf.name} is a scalar."
                f" from_tensors takes it as one element."
            )
        if sizes is not None and sizes[0] is not None:
            if rows is not None and rows != sizes[0]:
                raise ValueError(
                    f"Dimensions {rows} and {sizes[0]} are not compatible: all components of "
                    f"from_tensor_slices need as many rows; they have shapes "
                    f"{', '.join(str(one.shape) for one in leaves)}."
                )
            rows = sizes[0]
    spec = structure.map_structure(structure.row_spec, structure.spec_of(element))
    rows_of = [_rows(leaf) for leaf in leaves]
    return made(TensorSliceDataset.card, rows_of, spec=spec, is_files=False, name=name)


def _rows(leaf: Any) -> Any:
    """The component whose rows are those of a leaf."""
    if isinstance(leaf, SparseTensor):
        return serialize_many_sparse(leaf, out_type=dtypes.variant)
    return leaf


# SparseTensorSliceDataset -------------------------------------------------------------------------


@dataset_op("indices: int64, values: Tvalues, dense_shape: int64", "Tvalues: type", stateful=True)
class SparseTensorSliceDataset(DatasetValue):
    """The rows of a sparse tensor: indices, values and dense shape of each.

    Raises:
      InvalidArgumentError: if the three do not fit together.
      UnimplementedError: if the rows are not in order.
    """

    def check(self) -> None:
        indices, values, sizes = self.given.indices, self.given.values, self.given.dense_shape
        if np.shape(indices) != (len(values), len(sizes)) or not len(sizes):
            raise invalid(
                f"Input indices should be a matrix with a row for each of the {len(values)} values "
                f"and a column for each of the {len(sizes)} dimensions (at least one), but "
                f"received shape: {list(np.shape(indices))}"
            )
        if np.any(np.diff(indices[:, 0]) < 0):
            raise UnimplementedError(
                "The SparseTensor must be ordered in the batch dimension; handling arbitrarily "
                "ordered input is not currently supported: tf.sparse_reorder puts it in order."
            )
        width = len(sizes) - 1
        self.types = (dtypes.int64, self.given.Tvalues, dtypes.int64)
        self.shapes = (TensorShape([None, width]), TensorShape([None]), TensorShape([width]))

    def start(self, context: Context, stage: Stage) -> Next:
        return map(self._row, range(self.cardinality())).__next__

    def _row(self, row: int) -> tuple[Any, ...]:
        first, end = np.searchsorted(self.given.indices[:, 0], [row, row + 1])
        return (
            self.given.indices[first:end, 1:],
            self.given.values[first:end],
            self.given.dense_shape[1:],
        )

    def cardinality(self) -> int:
        return int(self.given.dense_shape[0])


def from_sparse_tensor_slices(sparse_tensor: Any) -> Any:
    """The rows of a sparse tensor, in parts (TensorFlow: `Dataset.from_sparse_tensor_slices`).

    Each element is a tuple of what makes up a row: indices, values and dense shape.
    `from_tensor_slices` gives sparse tensors instead.

    Args:
      sparse_tensor: a `SparseTensor` whose indices are in order.

    Raises:
      TypeError: for anything else. UnimplementedError: when an iterator begins, for indices
        that are not in order.

    Example:
      >>> matrix = tf.SparseTensor([[0, 0], [0, 2]], [5, 6], [1, 3])
      >>> tf.data.Dataset.from_sparse_tensor_slices(matrix)  # [([[0], [2]], [5, 6], [3])]
    """
    if not isinstance(sparse_tensor, SparseTensor):
        raise TypeError(
            f"Invalid `sparse_tensor`. `sparse_tensor` must be a `tf.sparse.SparseTensor`. Got "
            f"{type(sparse_tensor)}."
        )
    indices, sizes = sparse_tensor.indices, sparse_tensor.dense_shape
    width = (indices.shape[1] - 1).merge_with(sizes.shape[0] - 1)
    spec = (
        TensorSpec([None, width], dtypes.int64),
        TensorSpec([None], sparse_tensor.dtype),
        TensorSpec([width], dtypes.int64),
    )
    parts = indices, sparse_tensor.values, sizes
    return made(SparseTensorSliceDataset.card, *parts, spec=spec)
