"""`tf.data.experimental.Optional`: an element, or nothing at the end of a dataset.

Mirrors tensorflow/core/kernels/data/optional_cc and iterator_cc.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.data import structure
from tinytf.data.cards import TYPES, element_shapes
from tinytf.data.iterator_resource import check_shapes, check_types, checked_iterator
from tinytf.framework import shape_inference
from tinytf.framework.errors import InvalidArgumentError, OutOfRangeError
from tinytf.framework.op_card import define_op
from tinytf.framework.scope_functions import colocate_with, name_scope
from tinytf.framework.tensor import Tensor

_REASON = "a value that may be missing has no derivative here"


class OptionalValue:
    """The components of an element, or none.

    Args:
      components: None for nothing.
    """

    def __init__(self, components: tuple[Any, ...] | None):
        self.components = components

    def __repr__(self) -> str:
        return "<no value>" if self.components is None else f"<value {self.components!r}>"


# OptionalFromValue, OptionalNone, OptionalHasValue ------------------------------------------------

optional_from_value = define_op(
    "OptionalFromValue",
    "components: Toutput_types -> optional: variant",
    "Toutput_types: list(type) >= 1",
    shape=shape_inference.is_scalar,
    no_gradient=_REASON,
)
optional_none = define_op(
    "OptionalNone", "-> optional: variant", shape=shape_inference.is_scalar, no_gradient=_REASON
)
optional_has_value = define_op(
    "OptionalHasValue",
    "optional: variant -> has_value: bool",
    shape=shape_inference.is_scalar,
    no_gradient=_REASON,
)


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
    "OptionalGetValue",
    "optional: variant -> components: output_types",
    TYPES,
    shape=element_shapes,
    no_gradient=_REASON,
)


@optional_get_value.kernel
def _get_value(optional: Any, *, output_types: Any, output_shapes: Any) -> tuple[Any, ...]:
    components = _checked(optional).components
    if components is None:
        raise InvalidArgumentError(
            "The given optional does not have a value: has_value() tells, in a tf.cond around "
            "get_value()."
        )
    if len(components) != len(output_types):
        raise InvalidArgumentError(
            f"The given optional has {len(components)} components, expected {len(output_types)}."
        )
    return components


# IteratorGetNextAsOptional ------------------------------------------------------------------------

iterator_get_next_as_optional = define_op(
    "IteratorGetNextAsOptional",
    "iterator: resource -> optional: variant",
    TYPES,
    stateful=True,
    shape=shape_inference.is_scalar,
    no_gradient=_REASON,
)


@iterator_get_next_as_optional.kernel
def _get_next_as_optional(
    step: Any, iterator: Any, *, output_types: Any, output_shapes: Any
) -> OptionalValue:
    found = checked_iterator(iterator)
    check_types(found.types, output_types)
    check_shapes(found.shapes, output_shapes)
    try:
        return OptionalValue(tuple(found.get_next(step.cancellation)))
    except OutOfRangeError:
        return OptionalValue(None)


# The class ----------------------------------------------------------------------------------------


class Optional:
    """A value that may be missing (TensorFlow: `tf.data.experimental.Optional`).

    Args:
      variant_tensor: what operations take. element_spec: describes the value.

    Example:
      >>> iterator = tf.data.make_one_shot_iterator(tf.data.Dataset.range(3))
      >>> element = tf.data.experimental.get_next_as_optional(iterator)
      >>> sess.run(element.has_value())
      True
    """

    def __init__(self, variant_tensor: Tensor, element_spec: Any):
        self._variant_tensor = variant_tensor
        self._element_spec = element_spec

    @staticmethod
    def from_value(value: Any) -> Optional:
        """One with a value.

        Args:
          value: tensors, in tuples and dictionaries.
        """
        with name_scope("optional") as scope:
            with name_scope("value"):
                value = structure.map_structure(structure.as_tensor, value)
                tensors = structure.to_tensors(value)
            return Optional(optional_from_value(tensors, name=scope), structure.spec_of(value))

    @staticmethod
    def empty(element_spec: Any) -> Optional:
        """One without a value.

        Args:
          element_spec: `tf.TensorSpec`s, in the form that a value would have.
        """
        return Optional(optional_none(), element_spec)

    @staticmethod
    def none_from_structure(value_structure: Any) -> Optional:
        """One without a value: `empty`, as 1.15 calls it."""
        return Optional.empty(value_structure)

    @property
    def element_spec(self) -> Any:
        """Describes the value."""
        return self._element_spec

    @property
    def value_structure(self) -> Any:
        """Describes the value: `element_spec`, as 1.15 calls it."""
        return self._element_spec

    def has_value(self, name: str | None = None) -> Tensor:
        """Whether there is a value: a scalar, bool."""
        with colocate_with(self._variant_tensor):
            return optional_has_value(self._variant_tensor, name=name)

    def get_value(self, name: str | None = None) -> Any:
        """The value.

        Raises:
          When it runs: InvalidArgumentError if there is none.
        """
        with name_scope(name, "OptionalGetValue", [self._variant_tensor]) as scope:
            with colocate_with(self._variant_tensor):
                form = structure.form(self._element_spec)
                flat = optional_get_value(self._variant_tensor, name=scope, **form)
            return structure.from_tensors(self._element_spec, flat)


def get_next_as_optional(iterator: Any) -> Optional:
    """The next element, or nothing: no OutOfRangeError at the end.

    TensorFlow: `tf.data.experimental.get_next_as_optional`.

    Args:
      iterator: a `tf.data.Iterator`.

    Example:
      >>> iterator = tf.data.make_one_shot_iterator(tf.data.Dataset.range(1))
      >>> element = tf.data.experimental.get_next_as_optional(iterator)
      >>> more = element.has_value()
      >>> [sess.run(more), sess.run(more)]
      [True, False]
    """
    with colocate_with(iterator._iterator_resource):
        spec = iterator.element_spec
        resource = iterator._iterator_resource
        return Optional(iterator_get_next_as_optional(resource, **structure.form(spec)), spec)
