"""Methods of `Dataset` that keep elements, pad them, or say how fast all is to go."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from tinytf.data import card_keeping as ops
from tinytf.data import structure
from tinytf.data.base import DatasetBase, metadata
from tinytf.framework import dtypes
from tinytf.framework.constant_value import constant_value, constant_value_as_shape
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.framework.tensor_spec import TensorSpec

Self = TypeVar("Self", bound="Keeping")


class Keeping(DatasetBase):
    """Methods of `Dataset`."""

    def cache(self: Self, filename: Any = "", name: str | None = None) -> Self:
        """The same elements, computed once (TensorFlow: `Dataset.cache`).

        They are kept when the input has been read to its end; so a shuffle belongs after it.

        Args:
          filename: where to keep them, over programs as well; "": in memory, for one iterator.
          name: kept in the graph.

        Raises:
          DataLossError: when it runs, for a damaged or foreign file. InvalidArgumentError: for one
          of another pipeline. AlreadyExistsError: while another iterator writes it.

        Example:
          >>> tf.data.Dataset.range(2).map(lambda x: x * 3).cache().repeat(2)  # [0, 3, 0, 3]
        """
        if hasattr(filename, "__fspath__"):
            filename = filename.__fspath__()
        where = convert_to_tensor(filename, dtypes.string, name="filename")
        tensor = ops.cache_dataset(
            self._variant_tensor, where, **self._flat_structure, metadata=metadata(name)
        )
        return self._derived(tensor)

    def padded_batch(
        self: Self, batch_size: Any, padded_shapes: Any = None, padding_values: Any = None,
        drop_remainder: Any = False, name: str | None = None,
    ) -> Self:  # fmt: skip
        """Several elements as one, padded to one shape (TensorFlow: `Dataset.padded_batch`).

        Args:
          batch_size: how many.
          padded_shapes: of each component, in the form of the elements; an unknown size is what
            the largest element of the batch needs. None: the components' own static shapes.
          padding_values: what fills up, in that form; None: zeros and empty strings. One value
            stands for all components.
          drop_remainder: leave out the last batch if it is smaller. name: kept in the graph.

        Raises:
          ValueError, TypeError: for shapes and values that do not fit. DataLossError: when it
          runs, if an element is larger than its padded shape.

        Example:
          >>> growing = tf.data.Dataset.range(3).map(lambda x: tf.fill([x], x))
          >>> growing.padded_batch(3)  # [[[0, 0], [1, 0], [2, 2]]]
        """
        spec = self.element_spec
        if padded_shapes is None:
            padded_shapes = self.output_shapes
            for index, leaf in enumerate(structure.flat_shapes(spec)):
                if leaf.ndims is None:
                    raise ValueError(
                        f"You must provide `padded_shapes` argument because component {index} has "
                        f"unknown rank."
                    )
        values = _values(spec, padding_values)
        try:
            wanted = structure.up_to(spec, padded_shapes)
        except (TypeError, ValueError) as error:
            raise type(error)(
                f"{error} (padded_shapes={padded_shapes!r} must have the form of the elements, "
                f"with a shape for each component; these have the shapes {self.output_shapes}.)"
            ) from None
        size = convert_to_tensor(batch_size, dtypes.int64, name="batch_size")
        shapes = [
            _shape(one, leaf) for one, leaf in zip(wanted, structure.flatten(spec), strict=True)
        ]
        paddings = [
            _value(one, leaf) for one, leaf in zip(values, structure.flatten(spec), strict=True)
        ]
        whole = convert_to_tensor(drop_remainder, dtypes.bool_, name="drop_remainder")
        known = constant_value(size) if constant_value(whole) else None
        rows = None if known is None else int(known)
        leaves = [
            _batched(_static(shape), rows, leaf)
            for shape, leaf in zip(shapes, structure.flatten(spec), strict=True)
        ]
        tensor = ops.padded_batch_dataset_v2(
            self._variant_tensor, size, shapes, paddings, whole,
            output_shapes=[leaf.shape for leaf in leaves], metadata=metadata(name),
        )  # fmt: skip
        return self._derived(tensor, structure.pack(spec, leaves))


def _static(shape: Tensor) -> tuple[int | None, ...] | None:
    """The sizes that the tensor of a padded shape holds, as far as they are known."""
    return constant_value_as_shape(shape).sizes


def _batched(sizes: tuple[int | None, ...] | None, rows: int | None, leaf: Any) -> TensorSpec:
    return TensorSpec(None if sizes is None else (rows, *sizes), leaf.dtype)


def _shape(given: Any, leaf: Any) -> Tensor:
    """A padded shape as a tensor; ValueError, TypeError if it does not fit the component."""
    if isinstance(given, Tensor):
        tensor = given
        if tensor.dtype is not dtypes.int64:
            raise TypeError(
                f"Padded shape {given} must be a `tf.int64` vector tensor, but its element type is "
                f"{tensor.dtype.name}."
            )
        if tensor.shape.ndims not in (1, None):
            raise ValueError(
                f"Padded shape {given} must be a `tf.int64` vector tensor, but its shape was "
                f"{tensor.shape}."
            )
    else:
        if not isinstance(given, TensorShape):
            given = [given] if isinstance(given, int) else list(given)
            sizes = [-1 if size is None else int(size) for size in given]
        else:
            sizes = [-1 if size is None else size for size in given.as_list()]
        tensor = convert_to_tensor(np.array(sizes, np.int64), dtypes.int64)
    static = _static(tensor)
    if static is None or leaf.shape.sizes is None:
        return tensor
    fits = len(static) == len(leaf.shape.sizes) and all(
        one is None or other is None or other <= one
        for one, other in zip(static, leaf.shape.sizes, strict=True)
    )
    if not fits:
        raise ValueError(
            f"The padded shape {TensorShape(static)} is not compatible with the shape "
            f"{leaf.shape} of the corresponding input component."
        )
    return tensor


def _values(spec: Any, given: Any) -> list[Any]:
    """One padding value, or None, for each component."""
    leaves = structure.flatten(spec)
    if given is None:
        return [None] * len(leaves)
    if len(leaves) > 1 and not isinstance(given, tuple | dict):
        return [given] * len(leaves)
    return structure.up_to(spec, given)


def _value(given: Any, leaf: Any) -> Tensor:
    """A padding value as a tensor; ValueError, TypeError if it does not fit the component."""
    if given is None:
        empty = "" if leaf.dtype is dtypes.string else np.zeros((), leaf.dtype.as_numpy_dtype)[()]
        return convert_to_tensor(empty, leaf.dtype, name="padding_value")
    tensor = convert_to_tensor(given, name="padding_value")
    if not tensor.shape.is_compatible_with(TensorShape(())):
        raise ValueError(
            f"Invalid `padding_values`. `padding_values` values should be scalars, but got "
            f"{tensor.shape}."
        )
    if tensor.dtype is not leaf.dtype:
        raise TypeError(
            f"Invalid `padding_values`. `padding_values` values type {tensor.dtype!r} does not "
            f"match type {leaf.dtype!r} of the corresponding input component."
        )
    return tensor
