"""Methods of `Dataset` that call a function for each element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from tinytf.data import card_functions as ops
from tinytf.data import card_parallel as parallel
from tinytf.data import structure
from tinytf.data.base import DatasetBase, metadata
from tinytf.data.functions import StructuredFunction
from tinytf.data.parallel import order, parallel_calls
from tinytf.data.structure import DatasetSpec
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor

Self = TypeVar("Self", bound="Mapping")


class Mapping(DatasetBase):
    """Methods of `Dataset`."""

    def map(
        self: Self, map_func: Callable[..., Any], num_parallel_calls: Any = None,
        deterministic: bool | None = None, name: str | None = None,
    ) -> Self:  # fmt: skip
        """The results of a function for each element (TensorFlow: `Dataset.map`).

        The function is called once, with placeholders; what it builds becomes a function of the
        graph. (`if` and `while` on tensors are tf.cond and tf.while_loop here: nothing translates
        Python's own.)

        Args:
          map_func: gets the components of an element (of a tuple as several arguments), returns
            tensors in tuples and dictionaries.
          num_parallel_calls: how many threads call it. deterministic: whether the order is kept.

        Example:
          >>> tf.data.Dataset.range(3).map(lambda x: x * 2)  # [0, 2, 4]
        """
        mapped = StructuredFunction(map_func, "Dataset.map()", self.element_spec)
        common: dict[str, Any] = {
            "f": mapped.attr, "output_types": structure.flat_types(mapped.spec),
            "output_shapes": structure.flat_shapes(mapped.spec), "preserve_cardinality": False,
        }  # fmt: skip
        if num_parallel_calls is None:
            tensor = ops.map_dataset(self._variant_tensor, mapped.captured, **common)
        else:
            tensor = parallel.parallel_map_dataset_v2(
                self._variant_tensor, mapped.captured, parallel_calls(num_parallel_calls),
                deterministic=order(deterministic), **common,
            )  # fmt: skip
        return self._derived(tensor, mapped.spec)

    def filter(self: Self, predicate: Callable[..., Any], name: str | None = None) -> Self:
        """The elements for which a function says True (TensorFlow: `Dataset.filter`).

        Args:
          predicate: gets the components of an element, returns a boolean scalar.

        Raises:
          ValueError: if it returns anything else.

        Example:
          >>> tf.data.Dataset.range(5).filter(lambda x: tf.equal(x % 2, 0))  # [0, 2, 4]
        """
        function = StructuredFunction(predicate, "Dataset.filter()", self.element_spec)
        leaves = structure.flatten(function.spec)
        is_bool = len(leaves) == 1 and leaves[0].dtype is dtypes.bool_
        if not is_bool or leaves[0].shape.ndims not in (0, None):
            raise ValueError(
                f"Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor, but its "
                f"return type is {function.spec}."
            )
        tensor = ops.filter_dataset(
            self._variant_tensor, function.captured, predicate=function.attr,
            **self._flat_structure, metadata=metadata(name),
        )  # fmt: skip
        return self._derived(tensor)

    def map_with_legacy_function(
        self: Self, map_func: Callable[..., Any], num_parallel_calls: Any = None,
        deterministic: bool | None = None,
    ) -> Self:  # fmt: skip
        """`map`, for functions of older programs (TensorFlow: `Dataset.map_with_legacy_function`).

        Functions are of one kind here: it is `map`.
        """
        return self.map(map_func, num_parallel_calls, deterministic)

    def filter_with_legacy_function(self: Self, predicate: Callable[..., Any]) -> Self:
        """`filter`, for functions of older programs.

        TensorFlow: `Dataset.filter_with_legacy_function`. Functions are of one kind here.
        """
        return self.filter(predicate)

    def flat_map(self: Self, map_func: Callable[..., Any], name: str | None = None) -> Self:
        """The elements of the datasets that a function makes (TensorFlow: `Dataset.flat_map`).

        Args:
          map_func: gets the components of an element, returns a dataset.

        Raises:
          TypeError: if it returns anything else.

        Example:
          >>> tf.data.Dataset.range(3).flat_map(tf.data.Dataset.range)  # [0, 0, 1]
        """
        function = StructuredFunction(map_func, "Dataset.flat_map()", self.element_spec)
        spec = dataset_spec(function, "flat_map")
        tensor = ops.flat_map_dataset(
            self._variant_tensor, function.captured, f=function.attr,
            output_types=structure.flat_types(spec), output_shapes=structure.flat_shapes(spec),
            metadata=metadata(name),
        )  # fmt: skip
        return self._derived(tensor, spec)

    def interleave(
        self: Self, map_func: Callable[..., Any], cycle_length: Any = None,
        block_length: Any = None, num_parallel_calls: Any = None,
        deterministic: bool | None = None, name: str | None = None,
    ) -> Self:  # fmt: skip
        """The elements of several datasets that a function makes, in turns.

        TensorFlow: `Dataset.interleave`.

        Args:
          map_func: gets the components of an element, returns a dataset.
          cycle_length: how many are open at once. block_length: how many elements each gives in
            its turn. num_parallel_calls, deterministic: see `map`.

        Raises:
          TypeError: if the function returns no dataset.

        Example:
          >>> tens = tf.data.Dataset.from_tensor_slices([10, 20])
          >>> thrice = lambda x: tf.data.Dataset.from_tensors(x).repeat(3)
          >>> tens.interleave(thrice, 2, block_length=2)  # [10, 10, 20, 20, 10, 20]
        """
        function = StructuredFunction(map_func, "Dataset.interleave()", self.element_spec)
        spec = dataset_spec(function, "interleave")
        if block_length is None:
            block_length = 1
        if cycle_length is None:
            cycle_length = -1
        cycle = convert_to_tensor(cycle_length, dtypes.int64, name="cycle_length")
        block = convert_to_tensor(block_length, dtypes.int64, name="block_length")
        common: dict[str, Any] = {
            "f": function.attr, "output_types": structure.flat_types(spec),
            "output_shapes": structure.flat_shapes(spec), "metadata": metadata(name),
        }  # fmt: skip
        if num_parallel_calls is None:
            tensor = ops.interleave_dataset(
                self._variant_tensor, function.captured, cycle, block, **common
            )
        else:
            ready = convert_to_tensor(-1, dtypes.int64, name="buffer_output_elements")
            more = convert_to_tensor(-1, dtypes.int64, name="prefetch_input_elements")
            tensor = parallel.parallel_interleave_dataset_v4(
                self._variant_tensor, function.captured, cycle, block, ready, more,
                parallel_calls(num_parallel_calls), deterministic=order(deterministic), **common,
            )  # fmt: skip
        return self._derived(tensor, spec)


def dataset_spec(function: StructuredFunction, method: str) -> Any:
    """What the elements are like of the dataset that a function returns.

    Raises:
      TypeError: if it returns anything else.
    """
    if not isinstance(function.spec, DatasetSpec):
        raise TypeError(
            f"The `map_func` argument must return a `Dataset` object. Got "
            f"{type(function.spec).__name__!r}. (In Dataset.{method}; "
            f"Dataset.from_tensors and from_tensor_slices make one of tensors.)"
        )
    return function.spec.element_spec
