"""`tf.data.experimental.group_by_reducer`: for each key what all of its elements become."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tinytf.data import structure
from tinytf.data.base import Transformation
from tinytf.data.cards import TYPES, dataset_op, several_functions
from tinytf.data.functions import StructuredFunction, captured_functions, settled
from tinytf.data.stages import Context, DatasetValue, Next, Stage
from tinytf.framework import dtypes
from tinytf.framework.tensor_shape import TensorShape
from tinytf.framework.tensor_spec import TensorSpec

# GroupByReducerDataset, ExperimentalGroupByReducerDataset -----------------------------------------


_FUNCTIONS = ("key_func", "init_func", "reduce_func", "finalize_func")
_INPUTS, _ATTRS = several_functions("other_arguments", *_FUNCTIONS)


@dataset_op(
    f"input_dataset: variant, {_INPUTS}",
    _ATTRS,
    TYPES,
    stateful=True,
    name="ExperimentalGroupByReducerDataset",
)
@dataset_op(f"input_dataset: variant, {_INPUTS}", _ATTRS, TYPES, stateful=True)
class GroupByReducerDataset(DatasetValue):
    """For each key what a state of it has become at the end."""

    keeps_state = True

    def start(self, context: Context, stage: Stage) -> Next:
        advance = self.inputs[0].iterate(context, stage).next
        key_of, first, following, last = captured_functions(
            self, context, "other_arguments", *_FUNCTIONS
        )
        states: dict[int, tuple] = {}
        finished: Iterator[int] | None = None

        def gather() -> Iterator[int]:
            while True:
                try:
                    element = advance()
                except StopIteration:
                    return iter(sorted(states))
                key = int(key_of(element)[0])
                if key not in states:
                    states[key] = tuple(first((np.int64(key),)))
                states[key] = tuple(following(states[key] + element))

        def grouped() -> tuple:
            nonlocal finished
            if finished is None:
                finished = gather()
            return tuple(last(states.pop(next(finished))))

        return grouped


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
        self,
        init_func: Callable[..., Any],
        reduce_func: Callable[..., Any],
        finalize_func: Callable[..., Any],
    ):
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

        given = dataset.element_spec
        following, state = settled(reducer.reduce_func, what, first.spec, given)
        last = StructuredFunction(reducer.finalize_func, what, state)
        parts = (keys, first, following, last)
        return dataset._derived(
            GroupByReducerDataset.card,
            *(part.captured for part in parts),
            key_func=keys.attr,
            init_func=first.attr,
            reduce_func=following.attr,
            finalize_func=last.attr,
            spec=last.spec,
        )

    return apply
