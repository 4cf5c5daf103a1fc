"""`padded_batch`: elements of several shapes together as one, padded to one shape."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np

from tinytf.data import structure
from tinytf.data.base import Self, int64, known_rows
from tinytf.data.batch import Batches, batched_spec, elements_of, gather
from tinytf.data.cards import METADATA, dataset_op
from tinytf.data.stages import Context, Next, Stage
from tinytf.framework import dtypes
from tinytf.framework.constant_value import constant_value_as_shape
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import DataLossError, InvalidArgumentError, invalid
from tinytf.framework.shape_inference import brackets
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.framework.tensor_spec import TensorSpec

# PaddedBatchDatasetV2, PaddedBatchDataset ---------------------------------------------------------


_INPUTS = (
    "input_dataset: variant, batch_size: int64, padded_shapes: N * int64, "
    "padding_values: Toutput_types"
)
_ATTRS = f"Toutput_types: list(type) >= 1, output_shapes: list(shape) >= 1, N: int >= 1, {METADATA}"
_WHOLE = f"{_INPUTS}, drop_remainder: bool"


@dataset_op(_WHOLE, "parallel_copy: bool = false", _ATTRS, name="PaddedBatchDatasetV2")
@dataset_op(_INPUTS, _ATTRS)
class PaddedBatchDataset(Batches):
    """Several elements as one, each component padded.

    Raises:
      InvalidArgumentError: for sizes that make no sense, or values that are no scalars.
    """

    def check(self) -> None:
        super().check()
        self._shapes = [tuple(shape.tolist()) for shape in self.given.padded_shapes]
        for number in chain.from_iterable(self._shapes):
            if number < -1:
                raise invalid(f"Dimension {number} must be >= -1")
        if any(map(np.ndim, self.given.padding_values)):
            raise invalid("All padding values must be scalars")

    def start(self, context: Context, stage: Stage) -> Next:
        elements = elements_of(self.inputs[0].iterate(context, stage).next)

        def batch() -> tuple:
            gathered = self.checked(gather(elements, self.given.batch_size, context))
            columns = zip(*gathered, strict=True)
            return tuple(self._stacked(index, column) for index, column in enumerate(columns))

        return batch

    def _stacked(self, index: int, column: tuple) -> np.ndarray:
        wanted, padding = self._shapes[index], self.given.padding_values[index]
        sizes = list(wanted)
        for number, value in enumerate(column):
            if value.ndim != len(wanted):
                raise InvalidArgumentError(
                    f"All elements in a batch must have the same rank as the padded shape for "
                    f"component{index}: expected rank {len(wanted)} but got element with rank "
                    f"{value.ndim} (element {number} of the batch, shape {_shown(value.shape)})"
                )
            for axis, (size, most) in enumerate(zip(value.shape, wanted, strict=True)):
                if most < 0:
                    sizes[axis] = max(sizes[axis], size)
                elif size > most:
                    raise DataLossError(
                        f"Attempted to pad to a smaller size than the input element: component "
                        f"{index} of element {number} of the batch has shape "
                        f"{_shown(value.shape)}, the padded shape is "
                        f"{_shown(wanted)}"
                    )
        sizes = [max(size, 0) for size in sizes]
        result = np.empty((len(column), *sizes), self.types[index].as_numpy_dtype)
        result[...] = padding
        for row, value in zip(result if sizes else (), column, strict=bool(sizes)):
            row[tuple(map(slice, value.shape))] = value
        if not sizes:
            for number, value in enumerate(column):
                result[number] = value[()]
        return result


def _shown(shape: Any) -> str:
    return brackets(TensorShape.of(tuple(None if size < 0 else size for size in shape)))


# Method -------------------------------------------------------------------------------------------


def padded_batch(
    self: Self,
    batch_size: Any,
    padded_shapes: Any = None,
    padding_values: Any = None,
    drop_remainder: Any = False,
    name: str | None = None,
) -> Self:
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
    leaves = structure.flatten(spec)
    size = int64(batch_size, "batch_size")
    shapes = [_shape(one, leaf) for one, leaf in zip(wanted, leaves, strict=True)]
    paddings = [_value(one, leaf) for one, leaf in zip(values, leaves, strict=True)]
    whole = convert_to_tensor(drop_remainder, dtypes.bool_, name="drop_remainder")
    rows = known_rows(size, whole)
    padded = [
        batched_spec(TensorSpec(_static(shape), leaf.dtype), rows)
        for shape, leaf in zip(shapes, leaves, strict=True)
    ]
    made_of = structure.pack(spec, padded)
    return self._derived(
        PaddedBatchDataset.card, size, shapes, paddings, whole, spec=made_of, name=name
    )


def _static(shape: Tensor) -> tuple[int | None, ...] | None:
    """The sizes that the tensor of a padded shape holds, as far as they are known."""
    return constant_value_as_shape(shape).sizes


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
