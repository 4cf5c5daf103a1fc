"""`apply`, and what `tf.data.experimental` has for it: the methods as functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tinytf.data import choose_from_datasets as choose
from tinytf.data.base import DatasetBase, Self, Transformation
from tinytf.data.random import random
from tinytf.data.range import range
from tinytf.data.structure import DatasetSpec
from tinytf.framework import dtypes
from tinytf.framework.tensor import Tensor
from tinytf.ops.math.cast import cast

INFINITE_CARDINALITY, UNKNOWN_CARDINALITY = -1, -2


def apply(self: Self, transformation_func: Callable[[Any], Any]) -> Any:
    """What a function makes of this dataset (TensorFlow: `Dataset.apply`).

    Raises:
      TypeError: if it is no dataset.

    Example:
      >>> tf.data.Dataset.range(2).apply(lambda dataset: dataset.repeat(2))  # [0, 1, 0, 1]
    """
    result = transformation_func(self)
    if not isinstance(result, DatasetBase):
        raise TypeError(
            f"`transformation_func` must return a `tf.data.Dataset` object. Got {type(result)}."
        )
    return result


def copy_to_device(target_device: Any, source_device: Any = "/cpu:0") -> Transformation:
    """The elements as they are (TensorFlow: `tf.data.experimental.copy_to_device`).

    Unlike in TensorFlow they stay in host memory: what uses one on another device copies it there.
    """
    return lambda dataset: dataset


def prefetch_to_device(device: Any, buffer_size: Any = None) -> Transformation:
    """Get elements ready (TensorFlow: `tf.data.experimental.prefetch_to_device`).

    Unlike in TensorFlow they stay in host memory: what uses one on the device copies it there.

    Args:
      device: where they will be used. buffer_size: how many are got ready.
    """
    return lambda dataset: dataset.prefetch(-1 if buffer_size is None else buffer_size)


def from_variant(variant: Tensor, structure: Any) -> Any:
    """The dataset that a tensor stands for (TensorFlow: `tf.data.experimental.from_variant`).

    Args:
      variant: what `to_variant` gave. structure: the dataset's `element_spec`.

    Example:
      >>> numbers = tf.data.Dataset.range(3)
      >>> tensor = tf.data.experimental.to_variant(numbers)
      >>> tf.data.experimental.from_variant(tensor, numbers.element_spec)  # [0, 1, 2]
    """
    return DatasetSpec(structure).of(variant)


def to_variant(dataset: Any) -> Tensor:
    """The tensor that stands for a dataset (TensorFlow: `tf.data.experimental.to_variant`)."""
    tensor: Tensor = dataset._variant_tensor
    return tensor


def get_structure(dataset_or_iterator: Any) -> Any:
    """Describes the elements (TensorFlow: `tf.data.experimental.get_structure`).

    Raises:
      TypeError: for what has no elements.

    Example:
      >>> tf.data.experimental.get_structure(tf.data.Dataset.range(3))
      TensorSpec(shape=(), dtype=tf.int64, name=None)
    """
    try:
        return dataset_or_iterator.element_spec
    except AttributeError:
        raise TypeError(
            f"Invalid `dataset_or_iterator`. `dataset_or_iterator` must be a `tf.data.Dataset` or "
            f"tf.data.Iterator object, but got {type(dataset_or_iterator)}."
        ) from None


def cardinality(dataset: Any) -> Tensor:
    """See `Dataset.cardinality` (TensorFlow: `tf.data.experimental.cardinality`)."""
    return dataset.cardinality()


def get_single_element(dataset: Any) -> Any:
    """See `Dataset.get_single_element`."""
    return dataset.get_single_element()


def unique() -> Transformation:
    """See `Dataset.unique` (TensorFlow: `tf.data.experimental.unique`)."""
    return lambda dataset: dataset.unique()


def ignore_errors(log_warning: bool = False) -> Transformation:
    """See `Dataset.ignore_errors` (TensorFlow: `tf.data.experimental.ignore_errors`)."""
    return lambda dataset: dataset.ignore_errors(log_warning)


def unbatch() -> Transformation:
    """See `Dataset.unbatch` (TensorFlow: `tf.data.experimental.unbatch`)."""
    return lambda dataset: dataset.unbatch()


def enumerate_dataset(start: Any = 0) -> Transformation:
    """See `Dataset.enumerate` (TensorFlow: `tf.data.experimental.enumerate_dataset`)."""
    return lambda dataset: dataset.enumerate(start)


def scan(initial_state: Any, scan_func: Callable[..., Any]) -> Transformation:
    """See `Dataset.scan` (TensorFlow: `tf.data.experimental.scan`)."""
    return lambda dataset: dataset.scan(initial_state, scan_func)


def take_while(predicate: Callable[..., Any]) -> Transformation:
    """See `Dataset.take_while` (TensorFlow: `tf.data.experimental.take_while`)."""
    return lambda dataset: dataset.take_while(predicate)


def group_by_window(
    key_func: Callable[..., Any],
    reduce_func: Callable[..., Any],
    window_size: Any = None,
    window_size_func: Callable[..., Any] | None = None,
) -> Transformation:
    """See `Dataset.group_by_window` (TensorFlow: `tf.data.experimental.group_by_window`)."""
    return lambda dataset: dataset.group_by_window(
        key_func, reduce_func, window_size, window_size_func
    )


def bucket_by_sequence_length(*args: Any, **kwargs: Any) -> Transformation:
    """See `Dataset.bucket_by_sequence_length`."""
    return lambda dataset: dataset.bucket_by_sequence_length(*args, **kwargs)


def choose_from_datasets(
    datasets: Any, choice_dataset: Any, stop_on_empty_dataset: bool = False
) -> Any:
    """See `Dataset.choose_from_datasets`; one that is empty is passed over here."""
    return choose.choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset)


def sample_from_datasets(
    datasets: Any, weights: Any = None, seed: Any = None, stop_on_empty_dataset: bool = False
) -> Any:
    """See `Dataset.sample_from_datasets`."""
    return choose.sample_from_datasets(datasets, weights, seed, stop_on_empty_dataset)


def Counter(start: Any = 0, step: Any = 1, dtype: Any = dtypes.int64) -> Any:
    """Endless whole numbers (TensorFlow: `tf.data.experimental.Counter`).

    Example:
      >>> tf.data.experimental.Counter(2, 3).take(3)  # [2, 5, 8]
    """
    end = 2**63 - 1 if step >= 0 else -(2**63) + 1
    numbers = range(start, end, step)
    if dtypes.as_dtype(dtype) is dtypes.int64:
        return numbers
    return numbers.map(lambda number: cast(number, dtype))


def RandomDataset(
    seed: Any = None, rerandomize_each_iteration: bool | None = None, name: str | None = None
) -> Any:
    """See `Dataset.random` (TensorFlow: `tf.data.experimental.RandomDataset`)."""
    return random(seed, rerandomize_each_iteration, name)
