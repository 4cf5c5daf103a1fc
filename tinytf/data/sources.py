"""Datasets of values in memory."""

from __future__ import annotations

from typing import Any

from tinytf.data import structure
from tinytf.data.base import DatasetBase, metadata
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.sparse_tensor import SparseTensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.framework.tensor_spec import TensorSpec
from tinytf.ops.data import sources as ops
from tinytf.ops.data import transformations
from tinytf.ops.sparse.serialize import serialize_many_sparse


class Sources(DatasetBase):
    """The static methods of `Dataset` that make datasets of values, or put several side by side."""

    @classmethod
    def _from(cls, tensor: Any, spec: Any, inputs: Any = ()) -> Any:
        from tinytf.data.dataset import Dataset  # which inherits from this class

        return Dataset(tensor, spec, inputs)

    @staticmethod
    def from_tensors(tensors: Any, name: str | None = None) -> Any:
        """A dataset of one element (TensorFlow: `Dataset.from_tensors`).

        Args:
          tensors: tensors, or what can be made one, in tuples and dictionaries.
          name: kept in the graph.

        Example:
          >>> tf.data.Dataset.from_tensors([1, 2])  # [[1, 2]]
        """
        element = structure.normalised(tensors)
        spec = structure.spec_of(element)
        tensor = ops.tensor_dataset(
            structure.to_tensors(element), output_shapes=structure.flat_shapes(spec),
            metadata=metadata(name),
        )  # fmt: skip
        return Sources._from(tensor, spec)

    @staticmethod
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
        spec = structure.map_structure(_row_spec, structure.spec_of(element))
        tensor = ops.tensor_slice_dataset(
            [_rows(leaf) for leaf in leaves], output_shapes=structure.flat_shapes(spec),
            is_files=False, metadata=metadata(name),
        )  # fmt: skip
        return Sources._from(tensor, spec)

    @staticmethod
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
        tensor = ops.sparse_tensor_slice_dataset(indices, sparse_tensor.values, sizes)
        return Sources._from(tensor, spec)

    @staticmethod
    def range(*args: Any, output_type: Any = dtypes.int64, name: str | None = None) -> Any:
        """A dataset of whole numbers (TensorFlow: `Dataset.range`).

        Args:
          *args: stop; start and stop; or start, stop and step. May be int64 tensors.
          output_type: of the elements. name: kept in the graph.

        Raises:
          ValueError: for none, or more than three.

        Example:
          >>> tf.data.Dataset.range(1, 6, 2)  # [1, 3, 5]
        """
        if not 1 <= len(args) <= 3:
            raise ValueError(
                f"Invalid `args`. The length of `args` should be between 1 and 3 but was "
                f"{len(args)}: (stop), (start, stop) or (start, stop, step)."
            )
        start, stop, step = {1: (0, args[0], 1), 2: (*args, 1)}.get(len(args), args)
        kind = dtypes.as_dtype(output_type)
        limits = [
            convert_to_tensor(value, dtypes.int64, name=what)
            for what, value in (("start", start), ("stop", stop), ("step", step))
        ]
        tensor = ops.range_dataset(
            *limits, output_types=[kind], output_shapes=[TensorShape(())], metadata=metadata(name)
        )
        return Sources._from(tensor, TensorSpec((), kind))

    @staticmethod
    def zip(*args: Any, datasets: Any = None, name: str | None = None) -> Any:
        """Datasets side by side: one element of each (TensorFlow: `Dataset.zip`).

        Args:
          *args, datasets: datasets, in tuples and dictionaries. name: kept in the graph.

        Raises:
          TypeError: for a list, or what is no dataset.

        Example:
          >>> numbers = tf.data.Dataset.range(3)
          >>> tf.data.Dataset.zip((numbers, numbers.skip(1)))  # [(0, 1), (1, 2)]
        """
        if not args and datasets is None:
            raise TypeError("Must pass at least one dataset to `zip`.")
        if args and datasets is not None:
            raise TypeError("Both `*args` and `datasets` cannot be set.")
        parts = datasets if not args else (args[0] if len(args) == 1 else args)
        leaves = structure.flatten(parts)
        for leaf in leaves:
            if isinstance(leaf, list):
                raise TypeError(
                    "Invalid input to `zip`. Inputs are expected to be (nested) structures of "
                    "`tf.data.Dataset` objects. Python `list` is not supported and you should use "
                    "`tuple` instead."
                )
            if not isinstance(leaf, DatasetBase):
                raise TypeError(
                    f"Invalid input to `zip`. Inputs are expected to be (nested) structures of "
                    f"`tf.data.Dataset` objects but encountered object of type {type(leaf)}."
                )
        spec = structure.map_structure(lambda one: one.element_spec, parts)
        tensor = transformations.zip_dataset(
            [one._variant_tensor for one in leaves], output_types=structure.flat_types(spec),
            output_shapes=structure.flat_shapes(spec), metadata=metadata(name),
        )  # fmt: skip
        return Sources._from(tensor, spec, leaves)


def _row_spec(leaf: Any) -> Any:
    sizes = leaf.shape.sizes
    return leaf.with_shape(None if sizes is None else sizes[1:])


def _rows(leaf: Any) -> Any:
    """The component whose rows are those of a leaf."""
    if isinstance(leaf, SparseTensor):
        return serialize_many_sparse(leaf, out_type=dtypes.variant)
    return leaf
