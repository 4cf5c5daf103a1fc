"""`tf.data.experimental.Optional`: an element, or nothing at the end of a dataset."""

from __future__ import annotations

from typing import Any

from tinytf.data import card_optional as ops
from tinytf.data import structure
from tinytf.framework.scope_functions import colocate_with, name_scope
from tinytf.framework.tensor import Tensor


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
            return Optional(ops.optional_from_value(tensors, name=scope), structure.spec_of(value))

    @staticmethod
    def empty(element_spec: Any) -> Optional:
        """One without a value.

        Args:
          element_spec: `tf.TensorSpec`s, in the form that a value would have.
        """
        return Optional(ops.optional_none(), element_spec)

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
            return ops.optional_has_value(self._variant_tensor, name=name)

    def get_value(self, name: str | None = None) -> Any:
        """The value.

        Raises:
          When it runs: InvalidArgumentError if there is none.
        """
        with name_scope(name, "OptionalGetValue", [self._variant_tensor]) as scope:
            with colocate_with(self._variant_tensor):
                flat = ops.optional_get_value(
                    self._variant_tensor, name=scope,
                    output_types=structure.flat_types(self._element_spec),
                    output_shapes=structure.flat_shapes(self._element_spec),
                )  # fmt: skip
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
        tensor = ops.iterator_get_next_as_optional(
            iterator._iterator_resource, output_types=structure.flat_types(spec),
            output_shapes=structure.flat_shapes(spec),
        )  # fmt: skip
        return Optional(tensor, spec)
