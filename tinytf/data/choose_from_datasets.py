"""`choose_from_datasets` and `sample_from_datasets`: which of several gives the next element."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tinytf.data import structure
from tinytf.data.base import DatasetBase
from tinytf.data.batch import batch
from tinytf.data.cards import TYPES, dataset_op
from tinytf.data.enumerate import replicated_on_split
from tinytf.data.functions import StructuredFunction
from tinytf.data.map import MapDataset
from tinytf.data.random import random
from tinytf.data.stages import Context, DatasetValue, Next, Stage
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import InvalidArgumentError
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.reshape import expand_dims, squeeze
from tinytf.ops.math.exp_log import log
from tinytf.ops.random.stateless import multinomial_op

# DirectedInterleaveDataset ------------------------------------------------------------------------


_INPUTS = "selector_input_dataset: variant, data_input_datasets: N * variant"


@dataset_op(_INPUTS, TYPES, "N: int >= 1, stop_on_empty_dataset: bool = false")
class DirectedInterleaveDataset(DatasetValue):
    """The next element of the dataset whose number another dataset gives."""

    def start(self, context: Context, stage: Stage) -> Next:
        select, *advances = [source.iterate(context, stage).next for source in self.inputs]
        running: list[Next | None] = list(advances)

        def chosen() -> tuple:
            while any(running):
                number = int(select()[0])
                if not 0 <= number < len(running):
                    raise InvalidArgumentError(
                        f"Selector index out of range: {number} >= {len(running)}"
                    )
                advance = running[number]
                if advance is None:
                    context.check()  # it may be chosen for ever
                    continue
                try:
                    return advance()
                except StopIteration:
                    if self.given.stop_on_empty_dataset:
                        raise
                    running[number] = None
            raise StopIteration

        return chosen


# Methods ------------------------------------------------------------------------------------------


def choose_from_datasets(
    datasets: Sequence[Any], choice_dataset: Any, stop_on_empty_dataset: bool = True
) -> Any:
    """Elements of the dataset whose number another one gives.

    TensorFlow: `Dataset.choose_from_datasets`.

    Args:
      datasets: with elements of one form. choice_dataset: gives int64 scalars.
      stop_on_empty_dataset: whether it ends when one is empty; else that one is passed over.

    Raises:
      TypeError, ValueError: for others.

    Example:
      >>> one, two = tf.data.Dataset.range(3), tf.data.Dataset.range(10, 13)
      >>> tf.data.Dataset.choose_from_datasets(
      ...     [one, two], tf.data.Dataset.range(2).repeat(2))  # [0, 10, 1, 11]
    """
    datasets = list(datasets)
    if not datasets:
        raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
    if not isinstance(choice_dataset, DatasetBase):
        raise TypeError(
            f"Invalid `choice_dataset`. `choice_dataset` should be a `tf.data.Dataset` but is "
            f"{type(choice_dataset)}."
        )
    leaves = structure.flatten(choice_dataset.element_spec)
    is_number = len(leaves) == 1 and leaves[0].dtype is dtypes.int64
    if not is_number or leaves[0].shape.ndims != 0:
        raise TypeError(
            f"Invalid `choice_dataset`. Elements of `choice_dataset` must be scalar `tf.int64` "
            f"tensors but are {choice_dataset.element_spec}."
        )
    return _directed(replicated_on_split(choice_dataset), datasets, stop_on_empty_dataset)


def sample_from_datasets(
    datasets: Sequence[Any],
    weights: Any = None,
    seed: Any = None,
    stop_on_empty_dataset: bool = False,
    rerandomize_each_iteration: bool | None = None,
) -> Any:
    """Elements of datasets drawn at random (TensorFlow: `Dataset.sample_from_datasets`).

    Args:
      datasets: with elements of one form. weights: how probable each is; None: all the same.
      seed: of the draws. stop_on_empty_dataset: see `choose_from_datasets`.

    Raises:
      ValueError, TypeError: for arguments that do not fit.

    Example:
      >>> one, two = tf.data.Dataset.range(3), tf.data.Dataset.range(10, 13)
      >>> drawn = tf.data.Dataset.sample_from_datasets([one, two], [0.9, 0.1], seed=1)
    """
    datasets = list(datasets)
    if not datasets:
        raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
    if weights is None:
        logits: Any = [[1.0] * len(datasets)]
    else:
        if not isinstance(weights, Tensor) and len(weights) != len(datasets):
            raise ValueError(
                f"Invalid `weights`. `weights` should have the same length as `datasets` but "
                f"got `len(weights)={len(weights)}` vs. `len(datasets)={len(datasets)}`."
            )
        tensor = convert_to_tensor(weights, name="weights")
        if tensor.dtype not in (dtypes.float32, dtypes.float64):
            raise TypeError(
                f"Invalid `weights`. `weights` type must be either `tf.float32` or "
                f"`tf.float64` but is {tensor.dtype}."
            )
        if not tensor.shape.is_compatible_with([len(datasets)]):
            raise ValueError(
                f"Invalid `weights`. The shape of `weights` should be compatible with "
                f"`[len(datasets)]` but is {tensor.shape}."
            )
        logits = expand_dims(log(tensor, name="logits"), 0)
    if len(datasets) == 1:
        return datasets[0]

    def select_dataset_constant_logits(numbers: Tensor) -> Tensor:
        drawn = multinomial_op(logits, 1, numbers)
        return squeeze(drawn, axis=[0, 1])

    pairs = batch(random(seed), 2)
    drawing = StructuredFunction(
        select_dataset_constant_logits, "Dataset.map()", pairs.element_spec
    )
    selector = pairs._derived(
        MapDataset.card,
        drawing.captured,
        f=drawing.attr,
        preserve_cardinality=True,
        use_inter_op_parallelism=False,
        spec=drawing.spec,
    )
    return _directed(selector, datasets, stop_on_empty_dataset)


def _directed(selector: Any, datasets: Sequence[Any], stops: bool) -> Any:
    first = datasets[0]
    for other in datasets[1:]:
        if structure.flat_types(other.element_spec) != structure.flat_types(first.element_spec):
            raise TypeError(
                f"Invalid `datasets`. `datasets` must have compatible element specs.\n Dataset 0 "
                f"element_spec={first.element_spec}.\nAnother element_spec={other.element_spec}."
            )
    spec = first.element_spec
    for other in datasets[1:]:
        spec = structure.map_structure(structure.common, spec, other.element_spec)
    return selector._derived(
        DirectedInterleaveDataset.card,
        [one._variant_tensor for one in datasets],
        spec=spec,
        others=datasets,
        stop_on_empty_dataset=stops,
    )
