"""`tf.data.experimental.group_by_reducer` and `dense_to_sparse_batch`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tinytf.data import card_grouping as ops
from tinytf.data import structure
from tinytf.data.accumulating import settled
from tinytf.data.functions import StructuredFunction
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.tensor_shape import TensorShape, as_shape
from tinytf.framework.tensor_spec import SparseTensorSpec, TensorSpec

Transformation = Callable[[Any], Any]


class Reducer:
    """How elements become one (TensorFlow: `tf.data.experimental.Reducer`).

    Args:
      init_func: gets a key, returns the first state of its group.
      reduce_func: gets the state and an element, returns the next state.
      finalize_func: gets the last state, returns the element that comes out.

    Example:
      >>> zero = tf.constant(0, tf.int64)
      >>> total = tf.data.experimental.Reducer(
      ...     lambda key: zero, lambda state, x: state + x, lambda state: state)
    """

    def __init__(
        self, init_func: Callable[..., Any], reduce_func: Callable[..., Any],
        finalize_func: Callable[..., Any],
    ):  # fmt: skip
        self.init_func = init_func
        self.reduce_func = reduce_func
        self.finalize_func = finalize_func


def group_by_reducer(key_func: Callable[..., Any], reducer: Reducer) -> Transformation:
    """For each key one element: what all of its elements have become.

    TensorFlow: `tf.data.experimental.group_by_reducer`. They come in the order of the keys.

    Args:
      key_func: gets an element, returns an int64 scalar. reducer: a `Reducer`.

    Raises:
      ValueError: for a key of another kind. TypeError: if the state changes its form or its types.

    Example:
      >>> zero = tf.constant(0, tf.int64)
      >>> total = tf.data.experimental.Reducer(
      ...     lambda key: zero, lambda state, x: state + x, lambda state: state)
      >>> tf.data.Dataset.range(5).apply(
      ...     tf.data.experimental.group_by_reducer(lambda x: x % 2, total))  # [6, 4]
    """
    what, key = "tf.data.experimental.group_by_reducer()", TensorSpec((), dtypes.int64)

    def apply(dataset: Any) -> Any:
        keys = StructuredFunction(key_func, what, dataset.element_spec)
        kind = keys.spec
        if (
            not isinstance(kind, TensorSpec)
            or kind.dtype != dtypes.int64
            or not kind.shape.is_compatible_with(TensorShape(()))
        ):
            raise ValueError(
                f"Invalid `key_func`. Expected `key_func` to return a scalar tf.int64 tensor, but "
                f"instead `key_func` has output types={structure.types_of(kind)} and "
                f"shapes={structure.shapes_of(kind)}."
            )
        first = StructuredFunction(reducer.init_func, what, key)

        def traced(spec: Any) -> tuple[StructuredFunction, Any]:
            both = (spec, dataset.element_spec)
            function = StructuredFunction(reducer.reduce_func, what, both, add_to_graph=False)
            return function, function.spec

        following, state = settled(traced, first.spec)
        last = StructuredFunction(reducer.finalize_func, what, state)
        parts = (keys, first, following, last)
        tensor = ops.group_by_reducer_dataset(
            dataset._variant_tensor, *(part.captured for part in parts), key_func=keys.attr,
            init_func=first.attr, reduce_func=following.attr, finalize_func=last.attr,
            output_types=structure.flat_types(last.spec),
            output_shapes=structure.flat_shapes(last.spec),
        )  # fmt: skip
        return dataset._derived(tensor, last.spec)

    return apply


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
        tensor = ops.dense_to_sparse_batch_dataset(
            dataset._variant_tensor, batch_size, convert_to_tensor(sizes, dtypes.int64),
            output_types=structure.flat_types(spec), output_shapes=structure.flat_shapes(spec),
        )  # fmt: skip
        return dataset._derived(tensor, spec)

    return apply
