"""The four ops of an optimizer's step, from one formula: dense and sparse, reference and handle.

`SparseApply...` takes a gradient of some rows, and touches only these rows of the variable and of
the optimizer's states. The formula is the same for rows and for whole arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tinytf.framework.errors import invalid
from tinytf.framework.indexed_slices import IndexedSlices
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, merge, merge_dimension, with_rank
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.math.cast import cast
from tinytf.ops.segment.rows import repeats
from tinytf.ops.training.steps import check, state_shape
from tinytf.resources.changing import replace, writable
from tinytf.resources.variable import Variable

#: formula(*states, gradient, **other values and attributes) -> the new states
Formula = Callable[..., tuple[Any, ...]]

_REASON = "a training step is not a function of its inputs"


class Family:
    """Apply..., ResourceApply..., SparseApply..., ResourceSparseApply... of one optimizer.

    Args:
      name: what comes after "Apply".
      states: the variables: "var" and the optimizer's own.
      dense: the other inputs of the dense ops in order; "grad" or "delta" is the gradient. None if
        these ops have cards elsewhere.
      sparse: those of the sparse ops, with "grad" and "indices" among them.
      formula: the new states.
      flags: attributes beside `use_locking`, in the schema's notation; the formula gets them.
    """

    def __init__(
        self, name: str, states: list[str], dense: list[str] | None, sparse: list[str] | None,
        formula: Formula, flags: list[str] | None = None,
    ):  # fmt: skip
        self._states = states
        self._orders = {k: order for k, order in ((False, dense), (True, sparse)) if order}
        self._formula = formula
        self._flags = [flag.partition(":")[0] for flag in flags or []]
        #: (sparse, on handles) -> card
        self._cards: dict[tuple[bool, bool], OpCard] = {}
        for is_sparse in self._orders:
            for on_handles in (False, True):
                card = self._define(name, is_sparse, on_handles, flags or [])
                self._cards[is_sparse, on_handles] = card

    def _define(self, name: str, is_sparse: bool, on_handles: bool, flags: list[str]) -> OpCard:
        kinds = {"indices": "Tindices", "global_step": "int64"}
        state = "resource" if on_handles else "Ref(T)"
        full = ("Resource" if on_handles else "") + ("SparseApply" if is_sparse else "Apply") + name
        card = define_op(
            full,
            [f"{s}: {state}" for s in self._states]
            + [f"{value}: {kinds.get(value, 'T')}" for value in self._orders[is_sparse]],
            [] if on_handles else ["out: Ref(T)"],
            ["T: numbertype", *(["Tindices: {int32, int64}"] if is_sparse else []),
             "use_locking: bool = false", *flags],
            stateful=on_handles,
        )  # fmt: skip
        run = self._run_sparse if is_sparse else self._run_dense

        def kernel(*inputs: Any, node: Operation) -> Any:
            run(inputs, {flag: node.attrs[flag] for flag in self._flags})
            return () if on_handles else inputs[0]

        card.kernel(kernel)
        card.shape(lambda c: self._shape(c, self._orders[is_sparse], is_sparse))
        card.not_differentiable(_REASON)
        return card

    def _shape(self, c: InferenceContext, order: list[str], is_sparse: bool) -> Any:
        count = len(self._states)
        shape = state_shape(c, 0)
        for index in range(1, count):
            shape = merge(shape, state_shape(c, index))
        inputs = {value: c.input(count + i) for i, value in enumerate(order)}
        for value, given in inputs.items():
            if value not in ("grad", "delta", "indices"):
                with_rank(given, 0)
        gradient = inputs.get("grad", inputs.get("delta"))
        assert gradient is not None
        if is_sparse:
            indices = with_rank(inputs["indices"], 1)
            if c.output_count and gradient.sizes:
                merge_dimension((indices.sizes or (None,))[0], gradient.sizes[0])
                gradient = TensorShape.of((None, *gradient.sizes[1:]))
        # On handles TensorFlow leaves this to the kernel, and we do as it does.
        return merge(shape, gradient) if c.output_count else []

    def _split(
        self, inputs: tuple[Any, ...], order: list[str]
    ) -> tuple[tuple[Variable, ...], Any, Any, dict[str, Any]]:
        """States, gradient, indices and the rest."""
        count = len(self._states)
        values = dict(zip(order, inputs[count:], strict=True))
        gradient = values.pop("grad", None)
        if gradient is None:
            gradient = values.pop("delta")
        return inputs[:count], gradient, values.pop("indices", None), values

    def _run_dense(self, inputs: tuple[Any, ...], flags: dict[str, Any]) -> None:
        states, gradient, _, values = self._split(inputs, self._orders[False])
        others = dict(zip(self._states[1:], states[1:], strict=True))
        name = "delta" if "delta" in self._orders[False] else "grad"
        check(states[0], {**others, name: gradient}, values)
        replace(states, lambda *old: self._formula(*old, gradient, **values, **flags))

    def _run_sparse(self, inputs: tuple[Any, ...], flags: dict[str, Any]) -> None:
        states, gradient, indices, values = self._split(inputs, self._orders[True])
        check(states[0], dict(zip(self._states[1:], states[1:], strict=True)), values)
        with writable(*states) as arrays:
            _check_rows(arrays[0], gradient, indices)
            found = repeats(indices)
            if found is None:
                old = [array[indices] for array in arrays]
                rows = list(self._formula(*old, gradient, **values, **flags))
            else:  # one after another, where an optimizer would have added them
                indices = found.places
                rows = [array[indices] for array in arrays]
                for which in found.rounds():
                    at = found.positions[which]
                    old = [part[at] for part in rows]
                    new = self._formula(*old, gradient[which], **values, **flags)
                    for part, row in zip(rows, new, strict=True):
                        part[at] = row
            for array, row in zip(arrays, rows, strict=True):
                array[indices] = row

    def build(
        self, states: list[Any], gradient: Any, values: dict[str, Any],
        use_locking: bool = False, **attrs: Any,
    ) -> Operation:  # fmt: skip
        """Add a step to the graph.

        Args:
          states: the variable and the optimizer's own ones.
          gradient: a tensor, or `IndexedSlices` of which no index occurs twice.
          values: the other inputs by name; converted to the variable's type where they are not.
          use_locking: kept in the graph.
          attrs: the flags.
        """
        is_sparse = isinstance(gradient, IndexedSlices)
        on_handles = hasattr(states[0], "handle")
        given = {"grad": gradient, "delta": gradient}
        if is_sparse:
            given = {"grad": gradient.values, "indices": gradient.indices}
        kind = states[0].dtype.base_dtype
        inputs: list[Any] = [state.handle if on_handles else state for state in states]
        for value in self._orders[is_sparse]:
            if value in given:
                inputs.append(given[value])
            elif value == "global_step":
                inputs.append(values[value])
            else:
                inputs.append(cast(values[value], kind))
        result = self._cards[is_sparse, on_handles](*inputs, use_locking=use_locking, **attrs)
        return result if on_handles else result.op


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
