"""The ops of one optimizer, from one formula: dense and sparse, reference and handle.

`SparseApply...` takes a gradient of some rows, and touches only these rows of the variable and of
the optimizer's states. The formula is the same for rows and for whole arrays.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tinytf.framework.errors import invalid
from tinytf.framework.handle_data import handle_data
from tinytf.framework.indexed_slices import IndexedSlices
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, merge, merge_dimension, with_rank
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.math.cast import cast
from tinytf.ops.segment.rows import repeats
from tinytf.resources.changing import replace, writable
from tinytf.resources.variable import Variable

#: formula(*states, gradient, **numbers and flags) -> the new states
Formula = Callable[..., Sequence[Any]]

_REASON = "a training step is not a function of its inputs"
_GRADIENT = ("grad", "delta")


class Family:
    """Apply..., ResourceApply..., SparseApply..., ResourceSparseApply... of one optimizer.

    Args:
      name: of the op on whole reference variables: "ApplyAdam".
      states: the variables: "var" and the optimizer's own.
      dense: the other inputs of the dense ops in order; "grad" or "delta" is the gradient.
      sparse: those of the sparse ops, with "grad" and "indices" among them; "" if there are none.
      formula: the new states, as new arrays.
      into: instead of it, writes them: into(arrays, *states, gradient, **numbers and flags).
      step: of whole variables instead of arrays, one after the other, where that is faster: each
        old array is free again before the next new one is made.
      flags: attributes beside `use_locking`, in the schema's notation; the formula gets them.
      knows_gradient: whether the ops on handles look at the gradient's static shape; in TensorFlow
        those of gradient descent alone do, the others leave it to the kernel.

    Example, whose ops are ApplySigns and ResourceApplySigns:

        def formula(var, grad, *, lr):
            return (var - lr * np.sign(grad),)

        SIGNS = Family("ApplySigns", "var", "lr grad", formula=formula)
        SIGNS.build([variable], gradient, {"lr": 0.1})
    """

    def __init__(
        self,
        name: str,
        states: str,
        dense: str,
        sparse: str = "",
        *,
        formula: Formula | None = None,
        into: Callable[..., None] | None = None,
        step: Callable[..., None] | None = None,
        flags: str = "",
        knows_gradient: bool = False,
    ):
        self._states, self.into, self._step = states.split(), into, step
        self._formula = formula or _returning(into, len(self._states))
        self._flags = [flag.partition(":")[0] for flag in flags.split(", ") if flag]
        self._knows_gradient = knows_gradient
        #: the inputs after the states, of the dense and of the sparse ops
        self._orders = {False: dense.split(), True: sparse.split()}
        #: (sparse, on handles) -> card
        self._cards: dict[tuple[bool, bool], OpCard] = {}
        for is_sparse in (False, True) if sparse else (False,):
            for on_handles in (False, True):
                prefix = ("Resource" if on_handles else "") + ("Sparse" if is_sparse else "")
                card = self._define(prefix + name, is_sparse, on_handles, flags)
                self._cards[is_sparse, on_handles] = card

    def _define(self, name: str, is_sparse: bool, on_handles: bool, flags: str) -> OpCard:
        kinds = {"indices": "Tindices", "global_step": "int64"}
        state = "resource" if on_handles else "Ref(T)"
        inputs = [f"{s}: {state}" for s in self._states]
        inputs += [f"{value}: {kinds.get(value, 'T')}" for value in self._orders[is_sparse]]
        run = self._sparse_step() if is_sparse else self._dense_step()

        def kernel(*inputs: Any, attrs: dict[str, Any]) -> Any:
            run(inputs, attrs)
            return () if on_handles else inputs[0]

        return define_op(
            name,
            ", ".join(inputs) + ("->" if on_handles else " -> out: Ref(T)"),
            "T: numbertype",
            *(["Tindices: {int32, int64}"] if is_sparse else []),
            "use_locking: bool = false",
            *([flags] if flags else []),
            stateful=on_handles,
            shape=lambda c: self._shape(c, is_sparse),
            kernel=kernel,
            no_gradient=_REASON,
        )

    def _shape(self, c: InferenceContext, is_sparse: bool) -> Any:
        shape = state_shape(c, 0)
        for index in range(1, len(self._states)):
            shape = merge(shape, state_shape(c, index))
        order = self._orders[is_sparse]
        inputs = {value: c.input(len(self._states) + i) for i, value in enumerate(order)}
        for value, given in inputs.items():
            if value not in (*_GRADIENT, "indices"):
                with_rank(given, 0)
        gradient = next(inputs[name] for name in _GRADIENT if name in inputs)
        if is_sparse:
            indices = with_rank(inputs["indices"], 1)
            if c.output_count and gradient.sizes:
                merge_dimension((indices.sizes or (None,))[0], gradient.sizes[0])
                gradient = TensorShape.of((None, *gradient.sizes[1:]))
        if c.output_count or self._knows_gradient:
            shape = merge(shape, gradient)
        return shape if c.output_count else []

    def _inputs(self, is_sparse: bool) -> tuple[int, list[tuple[str, int]]]:
        """The place of the gradient, and the names and places of the numbers."""
        order = dict(enumerate(self._orders[is_sparse], len(self._states)))
        others = (*_GRADIENT, "indices")
        at = next(place for place, name in order.items() if name in _GRADIENT)
        return at, [(name, place) for place, name in order.items() if name not in others]

    def _dense_step(self) -> Callable[[Sequence[Any], dict[str, Any]], None]:
        count, (at, numbers) = len(self._states), self._inputs(False)
        names = [*self._states, self._orders[False][at - count]]
        step: Any = self._step

        def of_variables(inputs: Sequence[Any], attrs: dict[str, Any]) -> None:
            values, gradient = self._values(numbers, inputs, attrs), inputs[at]
            states, shape = inputs[:count], gradient.shape
            for state in states:
                if state.read().shape != shape:
                    _check_shapes(names, states[0], [*[s.read() for s in states], gradient])
            step(*states, gradient, **values)

        def of_arrays(inputs: Sequence[Any], attrs: dict[str, Any]) -> None:
            values, gradient = self._values(numbers, inputs, attrs), inputs[at]

            def new(*old: Any) -> Sequence[Any]:
                _check_shapes(names, inputs[0], (*old, gradient))
                return self._formula(*old, gradient, **values)

            replace(inputs[:count], new)

        return of_arrays if step is None else of_variables

    def _sparse_step(self) -> Callable[[Sequence[Any], dict[str, Any]], None]:
        count, (at, numbers) = len(self._states), self._inputs(True)
        where = count + self._orders[True].index("indices")

        def run(inputs: Sequence[Any], attrs: dict[str, Any]) -> None:
            values = self._values(numbers, inputs, attrs)
            formula = functools.partial(self._formula, **values)
            with writable(*inputs[:count]) as arrays:
                _check_shapes(self._states, inputs[0], arrays)
                _change_rows(arrays, formula, inputs[at], inputs[where])

        return run

    def _values(
        self, numbers: list[tuple[str, int]], inputs: Sequence[Any], attrs: dict[str, Any]
    ) -> dict[str, Any]:
        """The numbers and flags of the formula."""
        values = {}
        for name, place in numbers:
            value = values[name] = inputs[place]
            if value.ndim:
                raise invalid(f"{name} is not a scalar: {_brackets(value.shape)}")
        for flag in self._flags:
            values[flag] = attrs[flag]
        return values

    def build(
        self,
        states: list[Any],
        gradient: Any,
        numbers: dict[str, Any],
        use_locking: bool = False,
        **flags: Any,
    ) -> Operation:
        """Add a step to the graph.

        Args:
          states: the variable and the optimizer's own ones.
          gradient: a tensor, or `IndexedSlices` of which no index occurs twice.
          numbers: the other inputs by name; converted to the variable's type where they are not.
          use_locking: kept in the graph.
          flags: the attributes.
        """
        is_sparse = isinstance(gradient, IndexedSlices)
        on_handles = hasattr(states[0], "handle")
        given = dict.fromkeys(_GRADIENT, gradient)
        if is_sparse:
            given = {"grad": gradient.values, "indices": gradient.indices}
        kind = states[0].dtype.base_dtype
        inputs: list[Any] = [state.handle if on_handles else state for state in states]
        for value in self._orders[is_sparse]:
            if value in given:
                inputs.append(given[value])
            elif value == "global_step":
                inputs.append(numbers[value])
            else:
                inputs.append(cast(numbers[value], kind))
        result = self._cards[is_sparse, on_handles](*inputs, use_locking=use_locking, **flags)
        return result if on_handles else result.op


def _returning(into: Any, count: int) -> Formula:
    """The formula that writes to new arrays."""

    def formula(*old_and_gradient: Any, **values: Any) -> Sequence[Any]:
        new = [np.empty_like(old) for old in old_and_gradient[:count]]
        into(new, *old_and_gradient, **values)
        return new

    return formula


def state_shape(c: InferenceContext, index: int) -> TensorShape:
    """The static shape of the variable that input `index` stands for."""
    tensor = c.inputs[index]
    if tensor.dtype.is_ref:
        return tensor.shape
    data = handle_data(tensor)
    return unknown_shape() if data is None else data.shape


def _check_shapes(names: Sequence[str], variable: Variable, arrays: Sequence[Any]) -> None:
    """InvalidArgumentError unless all have the first one's shape, which is the variable's."""
    shape = arrays[0].shape
    for name, array in zip(names, arrays, strict=True):
        if array.shape != shape:
            raise invalid(
                f"var and {name} do not have the same shape{_brackets(shape)} "
                f"{_brackets(array.shape)} (variable {variable.name})"
            )


def _brackets(shape: tuple[int, ...]) -> str:
    """A shape as TensorFlow's messages write it: "[2,3]"."""
    return "[" + ",".join(map(str, shape)) + "]"


def _change_rows(arrays: Sequence[Any], formula: Formula, gradient: Any, indices: Any) -> None:
    """Give the rows at `indices` new values."""
    _check_rows(arrays[0], gradient, indices)
    found = repeats(indices)
    if found is None:
        rows = list(formula(*(array.take(indices, axis=0) for array in arrays), gradient))
    else:  # one after another, where an optimizer would have added them
        indices = found.places
        rows = [array[indices] for array in arrays]
        for which in found.rounds():
            at = found.positions[which]
            new = formula(*(part[at] for part in rows), gradient[which])
            for part, row in zip(rows, new, strict=True):
                part[at] = row
    for array, row in zip(arrays, rows, strict=True):
        array[indices] = row


def _check_rows(array: np.ndarray, gradient: Any, indices: Any) -> None:
    if array.ndim < 1:
        raise invalid("var must be at least 1 dimensional")
    if np.ndim(indices) != 1:
        raise invalid("indices must be one-dimensional")
    if np.ndim(gradient) != array.ndim:
        raise invalid(f"var and grad must have the same rank, not {array.ndim} and {gradient.ndim}")
    for dim in range(1, array.ndim):
        if array.shape[dim] != gradient.shape[dim]:
            raise invalid(f"var and grad must match in dimension {dim}")
    if len(gradient) != len(indices):
        raise invalid("grad must be the same size as indices in the first dimension.")
    outside = (indices < 0) | (indices >= len(array))
    if outside.any():
        at = int(np.argmax(outside))
        raise invalid(f"Index {indices[at]} at offset {at} in indices is out of range")
