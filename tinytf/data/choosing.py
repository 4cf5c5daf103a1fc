"""Methods of `Dataset` that choose elements, datasets, or groups."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from tinytf.data import structure
from tinytf.data.base import DatasetBase, metadata
from tinytf.data.functions import StructuredFunction
from tinytf.data.structure import DatasetSpec
from tinytf.data.transformations import dataset_seeds
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.framework.tensor_spec import TensorSpec
from tinytf.ops.data import accumulating
from tinytf.ops.data import choosing as ops
from tinytf.ops.data.functions import map_dataset

Self = TypeVar("Self", bound="Choosing")


class Choosing(DatasetBase):
    """Methods of `Dataset`."""

    def unique(self: Self, name: str | None = None) -> Self:
        """Each element once, where it comes first (TensorFlow: `Dataset.unique`).

        Raises:
          TypeError: for elements of several components, or of other types than whole numbers and
            strings.

        Example:
          >>> tf.data.Dataset.from_tensor_slices([1, 2, 1]).unique()  # [1, 2]
        """
        for kind in structure.flat_types(self.element_spec):
            if kind not in (dtypes.int32, dtypes.int64, dtypes.string):
                raise TypeError(
                    f"`tf.data.Dataset.unique` does not support type {kind} -- only `tf.int32`, "
                    f"`tf.int64`, and `tf.string` are supported."
                )
        tensor = ops.unique_dataset(
            self._variant_tensor, **self._flat_structure, metadata=metadata(name)
        )
        return self._derived(tensor)

    def ignore_errors(self: Self, log_warning: bool = False, name: str | None = None) -> Self:
        """The elements that can be made (TensorFlow: `Dataset.ignore_errors`).

        Unlike in TensorFlow, an error that would come again and again for ever is told.

        Example:
          >>> divided = tf.data.Dataset.from_tensor_slices([1.0, 0.0]).map(
          ...     lambda x: tf.check_numerics(1 / x, "error"))
          >>> divided.ignore_errors()  # [1.0]
        """
        tensor = ops.ignore_errors_dataset(
            self._variant_tensor, log_warning=log_warning, **self._flat_structure
        )
        return self._derived(tensor)

    def group_by_window(
        self, key_func: Callable[..., Any], reduce_func: Callable[..., Any],
        window_size: Any = None, window_size_func: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> Any:  # fmt: skip
        """Elements with the same key together (TensorFlow: `Dataset.group_by_window`).

        Args:
          key_func: gets an element, returns an int64 scalar.
          reduce_func: gets a key and a dataset of a group, returns a dataset.
          window_size: how many elements a group has; or window_size_func: of a key, that number.

        Raises:
          ValueError: for both or none of the two. TypeError: for other results.

        Example:
          >>> tf.data.Dataset.range(4).group_by_window(
          ...     lambda x: x % 2, lambda key, group: group.batch(2), 2)  # [[0, 2], [1, 3]]
        """
        if (window_size is None) == (window_size_func is None):
            raise ValueError(
                "Either the `window_size` argument or the `window_size_func` argument must be "
                "specified."
            )
        size_of = window_size_func or (lambda key: convert_to_tensor(window_size, dtypes.int64))

        def key_func_wrapper(*element: Any) -> Tensor:
            return convert_to_tensor(key_func(*element), dtypes.int64)

        def window_size_func_wrapper(key: Any) -> Tensor:
            return convert_to_tensor(size_of(key), dtypes.int64)

        what, key = "Dataset.group_by_window()", TensorSpec((), dtypes.int64)
        keys = StructuredFunction(key_func_wrapper, what, self.element_spec)
        reduced = StructuredFunction(reduce_func, what, (key, DatasetSpec(self.element_spec)))
        sizes = StructuredFunction(window_size_func_wrapper, what, key)
        for function, name_of in ((keys, "key_func"), (sizes, "window_size_func")):
            if not function.spec.shape.is_compatible_with(TensorShape(())):
                raise ValueError(f"Invalid `{name_of}`. It must return a scalar `tf.int64` tensor.")
        if not isinstance(reduced.spec, DatasetSpec):
            raise TypeError(
                f"Invalid `reduce_func`. `reduce_func` must return a single `tf.data.Dataset` "
                f"object but its return type is {reduced.spec}."
            )
        spec = reduced.spec.element_spec
        tensor = ops.group_by_window_dataset(
            self._variant_tensor, keys.captured, reduced.captured, sizes.captured,
            key_func=keys.attr, reduce_func=reduced.attr, window_size_func=sizes.attr,
            output_types=structure.flat_types(spec), output_shapes=structure.flat_shapes(spec),
            metadata=metadata(name),
        )  # fmt: skip
        return self._derived(tensor, spec)

    def bucket_by_sequence_length(
        self, element_length_func: Callable[..., Any], bucket_boundaries: Sequence[int],
        bucket_batch_sizes: Sequence[int], padded_shapes: Any = None, padding_values: Any = None,
        pad_to_bucket_boundary: bool = False, no_padding: bool = False,
        drop_remainder: bool = False, name: str | None = None,
    ) -> Any:  # fmt: skip
        """Batches of elements of similar length (TensorFlow: `Dataset.bucket_by_sequence_length`).

        Args:
          element_length_func: gets an element, returns its length, int32.
          bucket_boundaries: lengths where a new bucket begins.
          bucket_batch_sizes: how many elements a batch of each bucket has: one more than those.
          padded_shapes, padding_values: see `padded_batch`. drop_remainder: see `batch`.
          pad_to_bucket_boundary: pad to the boundary less 1. no_padding: elements have one shape.

        Raises:
          ValueError: for numbers that do not fit.
        """
        if len(bucket_batch_sizes) != len(bucket_boundaries) + 1:
            raise ValueError(
                f"`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but "
                f"`len(bucket_batch_sizes)={len(bucket_batch_sizes)}` and "
                f"`len(bucket_boundaries)={len(bucket_boundaries)}`."
            )
        limits = list(bucket_boundaries)
        sizes = np.array(bucket_batch_sizes, np.int64)

        def key_func(*element: Any) -> Tensor:
            from tinytf.ops.math.cast import cast
            from tinytf.ops.math.comparison import greater_equal
            from tinytf.ops.reduce.reduction import reduce_sum

            length = convert_to_tensor(element_length_func(*element), dtypes.int32)
            return reduce_sum(cast(greater_equal(length, limits), dtypes.int64))

        def size_of(key: Tensor) -> Tensor:
            from tinytf.ops.array.gather import gather

            return gather(sizes, key)

        def batching_fn(key: Tensor, group: Any) -> Any:
            size = size_of(key)
            if no_padding:
                return group.batch(size, drop_remainder=drop_remainder)
            shapes = padded_shapes
            if shapes is None:
                shapes = structure.map_structure(lambda leaf: leaf.shape, self.element_spec)
            if pad_to_bucket_boundary:
                shapes = _to_boundary(shapes, key, limits)
            return group.padded_batch(size, shapes, padding_values, drop_remainder=drop_remainder)

        return self.group_by_window(key_func, batching_fn, window_size_func=size_of, name=name)

    @staticmethod
    def random(
        seed: Any = None, rerandomize_each_iteration: bool | None = None, name: str | None = None
    ) -> Any:
        """Endless random int64 numbers below 2**32 (TensorFlow: `Dataset.random`)."""
        from tinytf.data.dataset import Dataset  # which inherits from this class

        first, second = dataset_seeds(seed)
        tensor = ops.random_dataset(
            first, second, output_types=[dtypes.int64], output_shapes=[TensorShape(())],
            metadata=metadata(name),
        )  # fmt: skip
        return Dataset(tensor, TensorSpec((), dtypes.int64))

    @staticmethod
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
        hint = accumulating.rewrite_dataset(
            choice_dataset._variant_tensor, "replicate_on_split", **choice_dataset._flat_structure
        )
        return _directed(choice_dataset._derived(hint), datasets, stop_on_empty_dataset)

    @staticmethod
    def sample_from_datasets(
        datasets: Sequence[Any], weights: Any = None, seed: Any = None,
        stop_on_empty_dataset: bool = False, rerandomize_each_iteration: bool | None = None,
    ) -> Any:  # fmt: skip
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
        from tinytf.ops.array.reshape import expand_dims, squeeze
        from tinytf.ops.math.exp_log import log
        from tinytf.ops.random.stateless import multinomial_op

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

        pairs = Choosing.random(seed).batch(2)
        drawing = StructuredFunction(
            select_dataset_constant_logits, "Dataset.map()", pairs.element_spec
        )
        tensor = map_dataset(
            pairs._variant_tensor, drawing.captured, f=drawing.attr, preserve_cardinality=True,
            use_inter_op_parallelism=False, output_types=structure.flat_types(drawing.spec),
            output_shapes=structure.flat_shapes(drawing.spec),
        )  # fmt: skip
        selector = pairs._derived(tensor, drawing.spec)
        return _directed(selector, datasets, stop_on_empty_dataset)


def _to_boundary(shapes: Any, key: Tensor, limits: Sequence[int]) -> Any:
    """Padded shapes whose unknown sizes are the boundary of the bucket less 1."""
    from tinytf.ops.array.gather import gather
    from tinytf.ops.array.stack import stack

    most = gather(np.array([*limits, 2**62], np.int64) - 1, key)

    def one(shape: Any) -> Any:
        sizes = TensorShape(shape).as_list()
        return stack([most if size is None else convert_to_tensor(size, dtypes.int64)
                      for size in sizes])  # fmt: skip

    return structure.map_structure(one, shapes)


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
        spec = structure.map_structure(_common, spec, other.element_spec)
    tensor = ops.directed_interleave_dataset(
        selector._variant_tensor, [one._variant_tensor for one in datasets],
        output_types=structure.flat_types(spec), output_shapes=structure.flat_shapes(spec),
        stop_on_empty_dataset=stops,
    )  # fmt: skip
    return selector._derived(tensor, spec, *datasets)


def _common(one: Any, other: Any) -> TensorSpec:
    from tinytf.data.transformations import _most_specific

    return _most_specific(one, other)
