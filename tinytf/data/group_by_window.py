"""`group_by_window`: elements with the same key together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tinytf.data.base import Self
from tinytf.data.cards import FORM, dataset_op, several_functions
from tinytf.data.functions import StructuredFunction, captured_functions, dataset_of
from tinytf.data.stages import Context, DatasetValue, HeldDataset, Next, Stage
from tinytf.data.structure import DatasetSpec
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import InvalidArgumentError
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.framework.tensor_spec import TensorSpec

_FUNCTIONS = ("key_func", "reduce_func", "window_size_func")
_INPUTS, _ATTRS = several_functions("other_arguments", *_FUNCTIONS)


@dataset_op(f"input_dataset: variant, {_INPUTS}", _ATTRS, FORM)
class GroupByWindowDataset(DatasetValue):
    """Elements with one key together, in groups of a size, out of each of which comes a dataset."""

    keeps_state = True

    def start(self, context: Context, stage: Stage) -> Next:
        source = self.inputs[0]
        advance = source.iterate(context, stage).next
        key_of, reduced, size_of = captured_functions(self, context, "other_arguments", *_FUNCTIONS)
        groups: dict[int, list[tuple]] = {}
        sizes: dict[int, int] = {}
        inner: Stage | None = None
        is_over = False

        def begin(key: int) -> Stage:
            group = HeldDataset(groups.pop(key), source.types, source.shapes, node=self.node)
            made = dataset_of(reduced((np.int64(key), group)), "group_by_window")
            return made.iterate(context, stage)

        def gather() -> Stage:
            """Take elements until a group is full; at the end the groups by their keys."""
            nonlocal is_over
            while not is_over:
                try:
                    element = advance()
                except StopIteration:
                    is_over = True
                    break
                key = int(key_of(element)[0])
                if key not in sizes:
                    sizes[key] = int(size_of((np.int64(key),))[0])
                    if sizes[key] <= 0:
                        raise InvalidArgumentError(
                            f"Window size must be greater than zero, but got {sizes[key]}."
                        )
                groups.setdefault(key, []).append(element)
                if len(groups[key]) == sizes[key]:
                    del sizes[key]
                    return begin(key)
            if not groups:
                raise StopIteration
            return begin(min(groups))

        def grouped() -> tuple:
            nonlocal inner
            while True:
                if inner is None:
                    inner = gather()
                try:
                    return inner.next()
                except StopIteration:
                    stage.drop(inner)
                    inner = None

        return grouped


def group_by_window(
    self: Self,
    key_func: Callable[..., Any],
    reduce_func: Callable[..., Any],
    window_size: Any = None,
    window_size_func: Callable[..., Any] | None = None,
    name: str | None = None,
) -> Any:
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
    return self._derived(
        GroupByWindowDataset.card,
        keys.captured,
        reduced.captured,
        sizes.captured,
        key_func=keys.attr,
        reduce_func=reduced.attr,
        window_size_func=sizes.attr,
        spec=spec,
        name=name,
    )
