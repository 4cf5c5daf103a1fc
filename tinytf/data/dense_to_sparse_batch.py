"""`tf.data.experimental.dense_to_sparse_batch`: elements of several shapes as a sparse tensor."""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np

from tinytf.data.base import Transformation
from tinytf.data.batch import Batches, elements_of
from tinytf.data.cards import TYPES, dataset_op
from tinytf.data.stages import Context, Next, Stage
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import DataLossError, InvalidArgumentError, invalid
from tinytf.framework.tensor_shape import TensorShape, as_shape
from tinytf.framework.tensor_spec import SparseTensorSpec, TensorSpec
from tinytf.resources.queues.elements import shown


@dataset_op("input_dataset: variant, batch_size: int64, row_shape: int64", TYPES)
class DenseToSparseBatchDataset(Batches):
    """Several elements as one sparse tensor, large enough for each of them.

    Raises:
      InvalidArgumentError: for a size that is not positive, or a shape that cannot be.
    """

    def check(self) -> None:
        row_shape = self.given.row_shape
        if np.ndim(row_shape) != 1:
            raise invalid("row_shape must be a vector")
        super().check()
        self._row_shape = row_shape.tolist()
        for place, length in enumerate(self._row_shape):
            if length < -1:
                raise invalid(f"Dimension {place} must be >= -1: row_shape is {self._row_shape}")

    def start(self, context: Context, stage: Stage) -> Next:
        elements = elements_of(self.inputs[0].iterate(context, stage).next)

        def batch() -> tuple:
            gathered = [value for (value,) in islice(elements, self.given.batch_size)]
            if not gathered:
                raise StopIteration
            return (self._together(gathered),)

        return batch

    def _together(self, values: list[np.ndarray]) -> np.ndarray:
        sizes = list(self._row_shape)
        for value in values:
            if value.ndim != len(sizes):
                raise InvalidArgumentError(
                    f"Input element had shape ({shown(value.shape)}) that is incompatible with "
                    f"the row shape ({shown(self._row_shape)})."
                )
            for place, length in enumerate(value.shape):
                if self._row_shape[place] == -1:
                    sizes[place] = max(sizes[place], length, 0)
                elif length > sizes[place]:
                    raise DataLossError(
                        f"Input element had shape ({shown(value.shape)}) that is larger than the "
                        f"row shape ({shown(self._row_shape)})."
                    )
        rows = [
            np.concatenate([np.full((value.size, 1), row), _places(value)], axis=1)
            for row, value in enumerate(values)
        ]
        parts = np.empty(3, object)
        parts[:] = [
            np.concatenate(rows).astype(np.int64),
            np.concatenate([value.reshape(-1) for value in values]),
            np.array([len(values), *sizes], np.int64),
        ]
        return parts


def _places(value: np.ndarray) -> np.ndarray:
    """The indices of all elements of an array, a row each."""
    return np.indices(value.shape).reshape(value.ndim, value.size).T


def dense_to_sparse_batch(batch_size: Any, row_shape: Any) -> Transformation:
    """Elements of several shapes as one sparse tensor.

    TensorFlow: `tf.data.experimental.dense_to_sparse_batch`.

    Args:
      batch_size: how many. row_shape: large enough for all of them; None in it: as large as the
        largest of a batch.

    Raises:
      TypeError: for elements of several components.
      When it runs: InvalidArgumentError for an element that is larger.

    Example:
      >>> ones = tf.data.Dataset.range(1, 3).map(lambda n: tf.fill([n], 1))
      >>> batches = ones.apply(tf.data.experimental.dense_to_sparse_batch(2, [3]))
      >>> batches.map(tf.sparse_tensor_to_dense)  # [[[1, 0, 0], [1, 1, 0]]]
    """

    def apply(dataset: Any) -> Any:
        kind = dataset.element_spec
        if not isinstance(kind, TensorSpec):
            raise TypeError(
                "`dense_to_sparse_batch` requires an input dataset whose elements have a single "
                "component, but the given dataset has the following component types: "
                f"{dataset.output_types}."
            )
        shape = as_shape(row_shape)
        spec = SparseTensorSpec(TensorShape([None]).concatenate(shape), kind.dtype)
        sizes = [-1 if size is None else size for size in shape.sizes or ()]
        row = convert_to_tensor(sizes, dtypes.int64)
        return dataset._derived(DenseToSparseBatchDataset.card, batch_size, row, spec=spec)

    return apply
