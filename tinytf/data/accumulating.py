"""Methods of `Dataset` with a memory, and those that take all elements at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from tinytf.data import card_accumulating as ops
from tinytf.data import structure
from tinytf.data.base import DatasetBase, metadata
from tinytf.data.functions import StructuredFunction
from tinytf.data.sources import Sources
from tinytf.data.structure import DatasetSpec
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.scope_functions import name_scope
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_spec import TensorSpec

Self = TypeVar("Self", bound="Accumulating")


class Accumulating(DatasetBase):
    """Methods of `Dataset`."""

    def take_while(self: Self, predicate: Callable[..., Any], name: str | None = None) -> Self:
        """The elements up to the first for which a function says False.

        TensorFlow: `Dataset.take_while`.

        Raises:
          ValueError: if the function returns no boolean scalar.

        Example:
          >>> tf.data.Dataset.range(10).take_while(lambda x: x < 3)  # [0, 1, 2]
        """
        function = StructuredFunction(predicate, "Dataset.take_while()", self.element_spec)
        spec = function.spec
        if not isinstance(spec, TensorSpec) or not spec.is_compatible_with(_BOOL):
            raise ValueError(
                f"Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor but its "
                f"return type is{spec}."
            )
        tensor = ops.take_while_dataset(
            self._variant_tensor, function.captured, predicate=function.attr,
            **self._flat_structure, metadata=metadata(name),
        )  # fmt: skip
        return self._derived(tensor)

    def scan(
        self: Self, initial_state: Any, scan_func: Callable[..., Any], name: str | None = None
    ) -> Self:
        """What a function makes of a state and each element (TensorFlow: `Dataset.scan`).

        Args:
          initial_state: tensors in tuples and dictionaries.
          scan_func: gets state and element, returns the new state and what to give.

        Raises:
          TypeError: if the state changes its form or its types.

        Example:
          >>> total = lambda state, x: (state + x, state + x)
          >>> tf.data.Dataset.range(5).scan(tf.constant(0, tf.int64), total)  # [0, 1, 3, 6, 10]
        """
        state = structure.normalised(initial_state)

        def traced(spec: Any) -> tuple[StructuredFunction, Any]:
            both = (spec, self.element_spec)
            function = StructuredFunction(scan_func, "Dataset.scan()", both, add_to_graph=False)
            if not isinstance(function.spec, tuple) or len(function.spec) != 2:
                raise TypeError(
                    "Invalid `scan_func`. `scan_func` should return a pair consisting of new state "
                    "and the output value but its return type is "
                    f"{structure.classes_of(function.spec)}."
                )
            return function, function.spec[0]

        function, _ = settled(traced, structure.spec_of(state))
        spec = function.spec[1]
        tensor = ops.scan_dataset(
            self._variant_tensor, structure.to_tensors(state), function.captured, f=function.attr,
            output_types=structure.flat_types(spec), output_shapes=structure.flat_shapes(spec),
            preserve_cardinality=True, metadata=metadata(name),
        )  # fmt: skip
        return self._derived(tensor, spec)

    def reduce(
        self, initial_state: Any, reduce_func: Callable[..., Any], name: str | None = None
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

        def traced(spec: Any) -> tuple[StructuredFunction, Any]:
            both = (spec, self.element_spec)
            function = StructuredFunction(reduce_func, "reduce()", both, add_to_graph=False)
            return function, function.spec

        function, spec = settled(traced, structure.spec_of(state))
        flat = ops.reduce_dataset(
            self._variant_tensor, structure.to_tensors(state), function.captured, f=function.attr,
            output_types=structure.flat_types(spec), output_shapes=structure.flat_shapes(spec),
            metadata=metadata(name),
        )  # fmt: skip
        return structure.from_tensors(spec, flat)

    def unbatch(self: Self, name: str | None = None) -> Self:
        """The rows of each element, one after the other (TensorFlow: `Dataset.unbatch`).

        Raises:
          ValueError: for scalars.

        Example:
          >>> tf.data.Dataset.from_tensor_slices([[1, 2], [3, 4]]).unbatch()  # [1, 2, 3, 4]
        """

        def normalize(*arguments: Any) -> Any:
            return arguments if len(arguments) > 1 else arguments[0]

        source = self.map(normalize)  # type: ignore[attr-defined]
        spec = structure.map_structure(_row_spec, self.element_spec)
        tensor = ops.unbatch_dataset(
            source._variant_tensor, output_types=structure.flat_types(spec),
            output_shapes=structure.flat_shapes(spec), metadata=metadata(name),
        )  # fmt: skip
        return source._derived(tensor, spec)

    def window(
        self: Self, size: Any, shift: Any = None, stride: Any = 1, drop_remainder: Any = False,
        name: str | None = None,
    ) -> Self:  # fmt: skip
        """Datasets of several elements each (TensorFlow: `Dataset.window`).

        Args:
          size: how many elements a window has. shift: how far after it the next one begins; None:
            `size`. stride: every how many-th element of the input it has.
          drop_remainder: leave out windows with fewer elements.

        Example:
          >>> windows = tf.data.Dataset.range(5).window(3, shift=1, drop_remainder=True)
          >>> windows.flat_map(lambda window: window.batch(3))  # [[0, 1, 2], [1, 2, 3], [2, 3, 4]]
        """
        shift = size if shift is None else shift
        limits = [
            convert_to_tensor(value, dtypes.int64, name=what)
            for what, value in (("size", size), ("shift", shift), ("stride", stride))
        ]
        whole = convert_to_tensor(drop_remainder, dtypes.bool_, name="drop_remainder")
        spec = structure.map_structure(DatasetSpec, self.element_spec)
        tensor = ops.window_dataset(
            self._variant_tensor, *limits, whole, output_types=structure.flat_types(spec),
            output_shapes=structure.flat_shapes(spec), metadata=metadata(name),
        )  # fmt: skip
        return self._derived(tensor, spec)

    def enumerate(self: Self, start: Any = 0, name: str | None = None) -> Self:
        """Pairs of a number and an element (TensorFlow: `Dataset.enumerate`).

        Args:
          start: the first number, int64.

        Example:
          >>> tf.data.Dataset.from_tensor_slices([1.5, 2.5]).enumerate()  # [(0, 1.5), (1, 2.5)]
        """
        numbers = Sources.range(start, 2**63 - 1, name=name)
        hint = ops.rewrite_dataset(
            numbers._variant_tensor, "replicate_on_split", **numbers._flat_structure
        )
        return Sources.zip((numbers._derived(hint), self), name=name)

    def cardinality(self) -> Tensor:
        """How many elements there are (TensorFlow: `Dataset.cardinality`).

        Returns:
          an int64 scalar; -1: endless; -2: nobody knows before they are counted (filter, map).

        Example:
          >>> tf.data.Dataset.range(7).batch(2).cardinality()  # 4
        """
        return ops.dataset_cardinality(self._variant_tensor)

    def get_single_element(self, name: str | None = None) -> Any:
        """The only element, as tensors (TensorFlow: `Dataset.get_single_element`).

        Raises:
          InvalidArgumentError: when it runs, if there is none, or another one.

        Example:
          >>> tf.data.Dataset.range(3).batch(3).get_single_element()  # [0, 1, 2]
        """
        flat = ops.dataset_to_single_element(
            self._variant_tensor, **self._flat_structure, metadata=metadata(name)
        )
        return structure.from_tensors(self.element_spec, flat)


_BOOL = TensorSpec((), dtypes.bool_)


def settled(
    traced: Callable[[Any], tuple[StructuredFunction, Any]], spec: Any
) -> tuple[StructuredFunction, Any]:
    """A traced function of a state, and what the state is like whatever the function returns.

    A state whose shape changes is traced again with what remains of it.

    Raises:
      TypeError: if the form or a type of the state changes.
    """
    while True:
        function, new = traced(spec)
        try:
            structure.assert_same_structure(spec, new)
        except (TypeError, ValueError):
            raise TypeError(
                f"The element classes for the new state must match the initial state. Expected "
                f"{structure.classes_of(spec)}; got {structure.classes_of(new)}."
            ) from None
        if structure.flat_types(spec) != structure.flat_types(new):
            raise TypeError(
                f"The element types for the new state must match the initial state. Expected "
                f"{structure.types_of(spec)}; got {structure.types_of(new)}."
            )
        both = structure.map_structure(_less_specific, spec, new)
        if structure.flat_shapes(both) == structure.flat_shapes(spec):
            get_default_graph()._add_function(function.function)
            return function, spec
        spec = both


def _less_specific(one: Any, other: Any) -> Any:
    a, b = one.shape.sizes, other.shape.sizes
    if a is None or b is None or len(a) != len(b):
        return one.with_shape(None)
    return one.with_shape([x if x == y else None for x, y in zip(a, b, strict=True)])


def _row_spec(leaf: Any) -> Any:
    sizes = leaf.shape.sizes
    if sizes == ():
        raise ValueError(
            "Cannot unbatch an input with scalar components: the elements have no rows."
        )
    return leaf.with_shape(None if sizes is None else sizes[1:])
