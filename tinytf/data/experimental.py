"""`tf.data.experimental`: what TensorFlow 1 has there, as functions for `Dataset.apply`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tinytf.data import structure
from tinytf.data.choosing import Choosing
from tinytf.data.dataset import Dataset
from tinytf.data.files import interleaved
from tinytf.data.functions import StructuredFunction
from tinytf.data.transformations import batched_spec, dataset_seeds
from tinytf.framework import dtypes
from tinytf.framework.constant_value import constant_value
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.tensor import Tensor
from tinytf.ops.data import choosing, parallel, shuffling

Transformation = Callable[[Any], Any]
INFINITE_CARDINALITY, UNKNOWN_CARDINALITY = -1, -2


def map_and_batch(
    map_func: Callable[..., Any], batch_size: Any, num_parallel_batches: Any = None,
    drop_remainder: Any = False, num_parallel_calls: Any = None,
) -> Transformation:  # fmt: skip
    """`map` and `batch` in one (TensorFlow: `tf.data.experimental.map_and_batch`).

    Args:
      num_parallel_calls: how many calls of `map_func` run at once; or num_parallel_batches: as
        many as so many batches have elements. None: one batch.

    Raises:
      ValueError: for both.

    Example:
      >>> tf.data.Dataset.range(4).apply(tf.data.experimental.map_and_batch(lambda x: x * 2, 2))
      [[0, 2], [4, 6]]
    """
    if num_parallel_batches is not None and num_parallel_calls is not None:
        raise ValueError(
            "`map_and_batch` allows only one of `num_parallel_batches` and `num_parallel_calls` to "
            "be set, but `num_parallel_batches` was set to "
            f"{num_parallel_batches} and `num_parallel_calls` as set to {num_parallel_calls}."
        )

    def apply(dataset: Any) -> Any:
        function = StructuredFunction(
            map_func, "tf.data.experimental.map_and_batch()", dataset.element_spec
        )
        size = convert_to_tensor(batch_size, dtypes.int64, name="batch_size")
        calls = num_parallel_calls
        if calls is None:
            calls = batch_size * (1 if num_parallel_batches is None else num_parallel_batches)
        number = convert_to_tensor(calls, dtypes.int64, name="num_parallel_calls")
        whole = convert_to_tensor(drop_remainder, dtypes.bool_, name="drop_remainder")
        known = constant_value(size) if constant_value(whole) else None
        rows = None if known is None else int(known)
        spec = structure.map_structure(lambda leaf: batched_spec(leaf, rows), function.spec)
        tensor = parallel.map_and_batch_dataset(
            dataset._variant_tensor, function.captured, size, number, whole, f=function.attr,
            output_types=structure.flat_types(spec), output_shapes=structure.flat_shapes(spec),
            preserve_cardinality=True,
        )  # fmt: skip
        return dataset._derived(tensor, spec)

    return apply


def map_and_batch_with_legacy_function(
    map_func: Callable[..., Any], batch_size: Any, num_parallel_batches: Any = None,
    drop_remainder: Any = False, num_parallel_calls: Any = None,
) -> Transformation:  # fmt: skip
    """`map_and_batch`, for functions of older programs: they are of one kind here.

    TensorFlow: `tf.data.experimental.map_and_batch_with_legacy_function`.
    """
    return map_and_batch(
        map_func, batch_size, num_parallel_batches, drop_remainder, num_parallel_calls
    )


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
    return Dataset(variant, structure)


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


def parallel_interleave(
    map_func: Callable[..., Any], cycle_length: Any, block_length: Any = 1,
    sloppy: bool | None = False, buffer_output_elements: Any = None,
    prefetch_input_elements: Any = None,
) -> Transformation:  # fmt: skip
    """`interleave` with a thread for each dataset.

    TensorFlow: `tf.data.experimental.parallel_interleave`.

    Args:
      cycle_length: how many are open at once. block_length: how many elements each gives in turn.
      sloppy: whether those that are ready come first. buffer_output_elements: how many of each
        are got ready. prefetch_input_elements: how many are opened ahead.

    Example:
      >>> names.apply(tf.data.experimental.parallel_interleave(tf.data.TextLineDataset, 4))
    """

    def apply(dataset: Any) -> Any:
        return interleaved(
            dataset, map_func, cycle_length, block_length, None if sloppy is None else not sloppy,
            buffer_output_elements, prefetch_input_elements,
        )  # fmt: skip

    return apply


def shuffle_and_repeat(buffer_size: Any, count: Any = None, seed: Any = None) -> Transformation:
    """`shuffle` and `repeat` in one (TensorFlow: `tf.data.experimental.shuffle_and_repeat`).

    Example:
      >>> tf.data.Dataset.range(3).apply(tf.data.experimental.shuffle_and_repeat(3, 2, seed=1))
    """

    def apply(dataset: Any) -> Any:
        size = convert_to_tensor(buffer_size, dtypes.int64, name="buffer_size")
        times = convert_to_tensor(-1 if count is None else count, dtypes.int64, name="count")
        first, second = dataset_seeds(seed)
        tensor = shuffling.shuffle_and_repeat_dataset(
            dataset._variant_tensor, size, first, second, times, **dataset._flat_structure
        )
        return dataset._derived(tensor)

    return apply


def assert_cardinality(expected_cardinality: Any) -> Transformation:
    """An error unless there are so many elements.

    TensorFlow: `tf.data.experimental.assert_cardinality`.

    Raises:
      FailedPreconditionError: when it runs, if there are more or fewer.
    """

    def apply(dataset: Any) -> Any:
        number = convert_to_tensor(expected_cardinality, dtypes.int64, name="expected_cardinality")
        tensor = choosing.assert_cardinality_dataset(
            dataset._variant_tensor, number, **dataset._flat_structure
        )
        return dataset._derived(tensor)

    return apply


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
    key_func: Callable[..., Any], reduce_func: Callable[..., Any], window_size: Any = None,
    window_size_func: Callable[..., Any] | None = None,
) -> Transformation:  # fmt: skip
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
    return Choosing.choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset)


def sample_from_datasets(
    datasets: Any, weights: Any = None, seed: Any = None, stop_on_empty_dataset: bool = False
) -> Any:
    """See `Dataset.sample_from_datasets`."""
    return Choosing.sample_from_datasets(datasets, weights, seed, stop_on_empty_dataset)


def Counter(start: Any = 0, step: Any = 1, dtype: Any = dtypes.int64) -> Any:
    """Endless whole numbers (TensorFlow: `tf.data.experimental.Counter`).

    Example:
      >>> tf.data.experimental.Counter(2, 3).take(3)  # [2, 5, 8]
    """
    end = 2**63 - 1 if step >= 0 else -(2**63) + 1
    numbers = Dataset.range(start, end, step)
    if dtypes.as_dtype(dtype) is dtypes.int64:
        return numbers
    from tinytf.ops.math.cast import cast

    return numbers.map(lambda number: cast(number, dtype))


def RandomDataset(
    seed: Any = None, rerandomize_each_iteration: bool | None = None, name: str | None = None
) -> Any:
    """See `Dataset.random` (TensorFlow: `tf.data.experimental.RandomDataset`)."""
    return Choosing.random(seed, rerandomize_each_iteration, name)


__all__ = [
    "INFINITE_CARDINALITY", "UNKNOWN_CARDINALITY", "Counter", "RandomDataset",
    "assert_cardinality", "bucket_by_sequence_length", "cardinality", "choose_from_datasets",
    "copy_to_device", "enumerate_dataset", "from_variant", "get_single_element", "get_structure",
    "group_by_window", "ignore_errors", "map_and_batch", "map_and_batch_with_legacy_function",
    "parallel_interleave", "prefetch_to_device", "sample_from_datasets", "scan",
    "shuffle_and_repeat", "take_while", "to_variant", "unbatch", "unique",
]  # fmt: skip
