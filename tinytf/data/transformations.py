"""Methods of `Dataset` that pass elements on as they are: fewer, more often, several together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from tinytf.data import structure
from tinytf.data.base import DatasetBase, metadata
from tinytf.data.parallel import order, parallel_calls
from tinytf.framework import dtypes
from tinytf.framework.constant_value import constant_value
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.random_seed import get_seed
from tinytf.framework.scope_functions import name_scope
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.where import where_v2
from tinytf.ops.data import parallel, shuffling
from tinytf.ops.data import transformations as ops
from tinytf.ops.math.comparison import equal
from tinytf.ops.math.logical import logical_and

Self = TypeVar("Self", bound="Transformations")


class Transformations(DatasetBase):
    """Methods of `Dataset`."""

    def _counted(self: Self, card: Any, count: Any, name: str | None) -> Self:
        count = convert_to_tensor(-1 if count is None else count, dtypes.int64, name="count")
        tensor = card(self._variant_tensor, count, **self._flat_structure, metadata=metadata(name))
        return self._derived(tensor)

    def take(self: Self, count: Any, name: str | None = None) -> Self:
        """The first elements (TensorFlow: `Dataset.take`).

        Args:
          count: how many; -1: all. name: kept in the graph.

        Example:
          >>> tf.data.Dataset.range(10).take(2)  # [0, 1]
        """
        return self._counted(ops.take_dataset, count, name)

    def skip(self: Self, count: Any, name: str | None = None) -> Self:
        """What comes after the first elements (TensorFlow: `Dataset.skip`).

        Args:
          count: how many to leave out; -1: all. name: kept in the graph.

        Example:
          >>> tf.data.Dataset.range(5).skip(3)  # [3, 4]
        """
        return self._counted(ops.skip_dataset, count, name)

    def repeat(self: Self, count: Any = None, name: str | None = None) -> Self:
        """The elements again and again (TensorFlow: `Dataset.repeat`).

        Args:
          count: how often; None or -1: for ever. name: kept in the graph.

        Example:
          >>> tf.data.Dataset.range(2).repeat(2)  # [0, 1, 0, 1]
        """
        return self._counted(ops.repeat_dataset, count, name)

    def shard(self: Self, num_shards: Any, index: Any, name: str | None = None) -> Self:
        """Every `num_shards`-th element, beginning with `index` (TensorFlow: `Dataset.shard`).

        So each of several workers gets its own part of one dataset.

        Raises:
          ValueError, InvalidArgumentError: if there is no such shard.

        Example:
          >>> tf.data.Dataset.range(6).shard(num_shards=3, index=1)  # [1, 4]
        """
        num_shards = convert_to_tensor(num_shards, dtypes.int64, name="num_shards")
        index = convert_to_tensor(index, dtypes.int64, name="index")
        tensor = ops.shard_dataset(
            self._variant_tensor, num_shards, index, **self._flat_structure,
            metadata=metadata(name),
        )  # fmt: skip
        return self._derived(tensor)

    def shuffle(
        self: Self, buffer_size: Any, seed: Any = None,
        reshuffle_each_iteration: bool | None = None, name: str | None = None,
    ) -> Self:  # fmt: skip
        """The elements in random order, each drawn from a buffer (TensorFlow: `Dataset.shuffle`).

        Args:
          buffer_size: how many elements there are to draw from: as many as the dataset has, for an
            order that is random altogether.
          seed: with it (or a graph-level seed) the order is the same in every run: TensorFlow's.
          reshuffle_each_iteration: whether each `repeat` gets an order of its own; None: yes.
          name: kept in the graph.

        Example:
          >>> tf.data.Dataset.range(5).shuffle(5, seed=1)  # [0, 4, 3, 1, 2]
        """
        size = convert_to_tensor(buffer_size, dtypes.int64, name="buffer_size")
        first, second = dataset_seeds(seed)
        changes = reshuffle_each_iteration is None or bool(reshuffle_each_iteration)
        tensor = shuffling.shuffle_dataset(
            self._variant_tensor, size, first, second, reshuffle_each_iteration=changes,
            **self._flat_structure, metadata=metadata(name),
        )  # fmt: skip
        return self._derived(tensor)

    def concatenate(self: Self, dataset: Any, name: str | None = None) -> Self:
        """These elements, then those of `dataset` (TensorFlow: `Dataset.concatenate`).

        Raises:
          TypeError: if its elements are of another form, or other types.

        Example:
          >>> tf.data.Dataset.range(2).concatenate(tf.data.Dataset.range(7, 9))  # [0, 1, 7, 8]
        """
        spec, other = self.element_spec, dataset.element_spec
        try:
            structure.assert_same_structure(spec, other)
        except (TypeError, ValueError):
            raise _not_alike(self, dataset) from None
        if structure.flat_types(spec) != structure.flat_types(other):
            raise _not_alike(self, dataset)
        both = structure.map_structure(_most_specific, spec, other)
        tensor = ops.concatenate_dataset(
            self._variant_tensor, dataset._variant_tensor, output_types=structure.flat_types(both),
            output_shapes=structure.flat_shapes(both), metadata=metadata(name),
        )  # fmt: skip
        return self._derived(tensor, both, dataset)

    def batch(
        self: Self, batch_size: Any, drop_remainder: Any = False, num_parallel_calls: Any = None,
        deterministic: bool | None = None, name: str | None = None,
    ) -> Self:  # fmt: skip
        """Several elements as one, with a new first dimension (TensorFlow: `Dataset.batch`).

        Args:
          batch_size: how many. drop_remainder: leave out the last batch if it is smaller; then the
            first dimension is known. num_parallel_calls, deterministic: see `map`.

        Raises:
          InvalidArgumentError: when it runs, if elements have not all one shape.

        Example:
          >>> tf.data.Dataset.range(5).batch(2)  # [[0, 1], [2, 3], [4]]
        """
        size = convert_to_tensor(batch_size, dtypes.int64, name="batch_size")
        whole = convert_to_tensor(drop_remainder, dtypes.bool_, name="drop_remainder")
        known = constant_value(size) if constant_value(whole) else None
        rows = None if known is None else int(known)
        spec = structure.map_structure(lambda leaf: batched_spec(leaf, rows), self.element_spec)
        shapes: dict[str, Any] = {
            "output_types": structure.flat_types(spec),
            "output_shapes": structure.flat_shapes(spec), "metadata": metadata(name),
        }  # fmt: skip
        if num_parallel_calls is None:
            tensor = ops.batch_dataset_v2(self._variant_tensor, size, whole, **shapes)
        else:
            tensor = parallel.parallel_batch_dataset(
                self._variant_tensor, size, parallel_calls(num_parallel_calls), whole,
                deterministic=order(deterministic), **shapes,
            )  # fmt: skip
        return self._derived(tensor, spec)

    def apply(self, transformation_func: Callable[[Any], Any]) -> Any:
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


def dataset_seeds(seed: Any) -> tuple[Tensor, Tensor]:
    """The two seeds of a dataset that draws random numbers, as int64 scalars; two zeros: none."""
    first, second = get_seed(seed)
    graph_seed = convert_to_tensor(0 if first is None else first, dtypes.int64, name="seed")
    if second is None:
        return graph_seed, convert_to_tensor(0, dtypes.int64, name="seed2")
    with name_scope("seed2") as scope:
        op_seed = convert_to_tensor(second, dtypes.int64)
        both_zero = logical_and(equal(graph_seed, 0), equal(op_seed, 0))
        limit = convert_to_tensor(2**31 - 1, dtypes.int64)
        return graph_seed, where_v2(both_zero, limit, op_seed, name=scope)


def batched_spec(leaf: Any, rows: int | None) -> Any:
    """The description of several such components, as one.

    Raises:
      TypeError: if they are datasets, as those that `window` gives.
    """
    if not hasattr(leaf, "with_shape"):
        raise TypeError(
            f"Datasets inside of elements cannot be put into batches: {leaf}. Make elements of "
            f"them first: dataset.flat_map(lambda part: part.batch(size))."
        )
    sizes = leaf.shape.sizes
    return leaf.with_shape(None if sizes is None else (rows, *sizes))


def _most_specific(one: Any, other: Any) -> Any:
    """What holds of components of both descriptions."""
    a, b = one.shape.sizes, other.shape.sizes
    if a is None or b is None or len(a) != len(b):
        return one.with_shape(None)
    sizes = [x if x == y else None for x, y in zip(a, b, strict=True)]
    return one.with_shape(sizes)


def _not_alike(one: Any, other: Any) -> TypeError:
    return TypeError(
        f"Incompatible dataset elements:\n  {one.element_spec} vs.   {other.element_spec}\n"
        f"Dataset.map makes them alike."
    )
