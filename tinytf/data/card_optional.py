"""Ops of values that may be missing, and of iterators that give them.

Mirrors tensorflow/core/kernels/data/optional_ops.cc and iterator_ops.cc.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.data.card_iterators import checked_iterator
from tinytf.data.card_sources import TYPES
from tinytf.data.iterator_resource import check_shapes, check_types
from tinytf.data.run_optional import OptionalValue
from tinytf.framework import shape_inference
from tinytf.framework.errors import InvalidArgumentError, OutOfRangeError
from tinytf.framework.op_card import define_op
from tinytf.framework.shape_inference import InferenceContext
from tinytf.framework.tensor_shape import TensorShape

_REASON = "a value that may be missing has no derivative here"

# OptionalFromValue, OptionalNone, OptionalHasValue ------------------------------------------------

optional_from_value = define_op(
    "OptionalFromValue",
    "components: Toutput_types -> optional: variant",
    "Toutput_types: list(type) >= 1",
)
optional_none = define_op("OptionalNone", "-> optional: variant")
optional_has_value = define_op("OptionalHasValue", "optional: variant -> has_value: bool")
for _card in (optional_from_value, optional_none, optional_has_value):
    _card.shape(shape_inference.is_scalar)
    _card.not_differentiable(_REASON)


@optional_from_value.kernel
def _from_value(*components: Any) -> OptionalValue:
    return OptionalValue(components)


@optional_none.kernel
def _none(step: Any) -> OptionalValue:
    return OptionalValue(None)


@optional_has_value.kernel
def _has_value(optional: Any) -> Any:
    return np.bool_(_checked(optional).components is not None)


def _checked(optional: Any) -> OptionalValue:
    if isinstance(optional, OptionalValue):
        return optional
    raise InvalidArgumentError(f"Expected an OptionalVariant as input, but this is {optional!r}")


# OptionalGetValue ---------------------------------------------------------------------------------

optional_get_value = define_op(
    "OptionalGetValue", "optional: variant -> components: output_types", *TYPES, no_gradient=_REASON
)


@optional_get_value.shape
def _component_shapes(c: InferenceContext) -> list[TensorShape]:
    return list(c.attrs["output_shapes"])


@optional_get_value.kernel
def _get_value(optional: Any, *, output_types: Any, output_shapes: Any) -> tuple[Any, ...]:
    components = _checked(optional).components
    if components is None:
        raise InvalidArgumentError(
            "The given optional does not have a value: has_value() tells, in a tf.cond around "
            "get_value().",
        )
    if len(components) != len(output_types):
        raise InvalidArgumentError(
            f"The given optional has {len(components)} components, expected {len(output_types)}.",
        )
    return components


# IteratorGetNextAsOptional ------------------------------------------------------------------------

iterator_get_next_as_optional = define_op(
    "IteratorGetNextAsOptional",
    "iterator: resource -> optional: variant",
    *TYPES,
    stateful=True,
    shape=shape_inference.is_scalar,
    no_gradient=_REASON,
)


@iterator_get_next_as_optional.kernel
def _get_next(step: Any, iterator: Any, *, output_types: Any, output_shapes: Any) -> OptionalValue:
    found = checked_iterator(iterator)
    check_types(found.types, output_types)
    check_shapes(found.shapes, output_shapes)
    try:
        return OptionalValue(tuple(found.get_next(step.cancellation)))
    except OutOfRangeError:
        return OptionalValue(None)
