"""`reduce` and `get_single_element`: tensors at the end of a pipeline."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tinytf.data import structure
from tinytf.data.base import DatasetBase, metadata
from tinytf.data.cards import METADATA, TYPES, element_shapes
from tinytf.data.functions import Captured, settled
from tinytf.data.stages import Context, DatasetValue, Stage
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.scope_functions import name_scope


def _whole(dataset: DatasetValue, step: Any) -> tuple[Stage, Context]:
    """All elements of a dataset, for a step that goes through it by itself."""
    context = Context(step.functions, step.resources, step.cancellation)
    return dataset.finalised().iterate(context), context


# ReduceDataset ------------------------------------------------------------------------------------

reduce_dataset = define_op(
    "ReduceDataset",
    "input_dataset: variant, initial_state: Tstate, other_arguments: Targuments "
    "-> components: output_types",
    "f: func, Tstate: list(type) >= 1, Targuments: list(type) >= 0",
    TYPES,
    "use_inter_op_parallelism: bool = true",
    METADATA,
    stateful=True,
    shape=element_shapes,
    no_gradient="a dataset is no number",
)


@reduce_dataset.kernel
def _reduce(step: Any, dataset: DatasetValue, *rest: Any, f: Any, Tstate: Any) -> tuple[Any, ...]:
    stage, context = _whole(dataset, step)
    size = len(Tstate)
    try:
        call, state = Captured(context, f, rest[size:]), rest[:size]
        while True:
            try:
                element = stage.next()
            except StopIteration:
                return state
            state = tuple(call(state + element))
    finally:
        stage.close()


def reduce(
    self: DatasetBase, initial_state: Any, reduce_func: Callable[..., Any], name: str | None = None
) -> Any:
    """The last state of a function over all elements (TensorFlow: `Dataset.reduce`).

    Args:
      initial_state: tensors in tuples and dictionaries.
      reduce_func: gets state and element, returns the new state.

    Returns:
      tensors in the form of the state: each step goes through the whole dataset.

    Raises:
      TypeError: if the state changes its form or its types.

    Example:
      >>> zero = tf.constant(0, tf.int64)
      >>> tf.data.Dataset.range(5).reduce(zero, lambda state, x: state + x)  # 10
    """
    with name_scope("initial_state"):
        state = structure.normalised(initial_state)
    given = structure.spec_of(state)
    function, spec = settled(reduce_func, "reduce()", given, self.element_spec)
    flat = reduce_dataset(
        self._variant_tensor,
        structure.to_tensors(state),
        function.captured,
        f=function.attr,
        **structure.form(spec),
        metadata=metadata(name),
    )
    return structure.from_tensors(spec, flat)


# DatasetToSingleElement ---------------------------------------------------------------------------

dataset_to_single_element = define_op(
    "DatasetToSingleElement",
    "dataset: variant -> components: output_types",
    TYPES,
    METADATA,
    stateful=True,
    shape=element_shapes,
    no_gradient="a dataset is no number",
)


@dataset_to_single_element.kernel
def _single_element(step: Any, dataset: DatasetValue) -> tuple[Any, ...]:
    stage, _ = _whole(dataset, step)
    try:
        try:
            element = stage.next()
        except StopIteration:
            raise invalid("Dataset was empty.") from None
        try:
            stage.next()
        except StopIteration:
            return element
        raise invalid("Dataset had more than one element.")
    finally:
        stage.close()


def get_single_element(self: DatasetBase, name: str | None = None) -> Any:
    """The only element, as tensors (TensorFlow: `Dataset.get_single_element`).

    Raises:
      InvalidArgumentError: when it runs, if there is none, or another one.

    Example:
      >>> tf.data.Dataset.range(3).batch(3).get_single_element()  # [0, 1, 2]
    """
    form = structure.form(self.element_spec)
    flat = dataset_to_single_element(self._variant_tensor, **form, metadata=metadata(name))
    return structure.from_tensors(self.element_spec, flat)
