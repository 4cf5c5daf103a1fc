"""`tf.cond`: one of two subgraphs runs, depending on a value.

    pred ──► Switch ─► switch_t, switch_f     the pivots: one of them is dead
               x ──► Switch(x, pred_id) ──► ops of a branch ──► Merge ──► result

Mirrors tensorflow/python/ops/cond.py without control flow v2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tinytf.framework import dtypes, nest
from tinytf.framework.constant_value import constant_value
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.indexed_slices import IndexedSlices
from tinytf.framework.operation import Operation
from tinytf.framework.stacks import get_default_graph, graph_to_build_in
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.identity import identity
from tinytf.ops.control_flow.contexts import ControlFlowContext, contains, is_merge_of_back_edge
from tinytf.ops.control_flow.grouping import with_dependencies
from tinytf.ops.control_flow.primitives import EXITS, colocated_switch, merge, switch
from tinytf.ops.math.cast import cast
from tinytf.ops.tensor_array.tensor_array import flow_of, with_flow


class CondContext(ControlFlowContext):
    """One branch of a conditional, while the graph is built (TensorFlow: `CondContext`).

    Attributes:
      pred: the condition.
      pivot: a tensor that is dead when the branch is not taken.
      branch: 1 for the branch taken when the condition is true, 0 for the other.
    """

    def __init__(self, pred: Tensor, pivot: Tensor, branch: int, name: str = "cond_text"):
        super().__init__(pred.graph, name)
        self.pred, self.pivot, self.branch = pred, pivot, branch
        self._values.update((pred, pivot))
        self._inside[pred] = pred
        pivot.op._set_control_flow_context(self)

    def is_cond_context(self) -> bool:
        """True: it is a branch."""
        return True

    def control_pivot(self) -> Tensor:
        """The pivot of the branch."""
        return self.pivot

    def add_value(self, tensor: Tensor) -> Tensor:
        """What stands for `tensor` in the branch: an output of a Switch, if it is from outside."""
        if tensor in self._values:
            return self._inside.get(tensor, tensor)
        outside = self._bring_to_border(tensor)
        with self.graph.control_dependencies(None):
            result = colocated_switch(outside, self.pred)[self.branch]
        self.graph.prevent_fetching(result.op)
        result.op._set_control_flow_context(self)
        self._make_known([result])
        self._inside[tensor] = result
        return result

    def _bring_to_border(self, tensor: Tensor) -> Tensor:
        """What stands for `tensor` in the context around this one."""
        self._values.add(tensor)
        if self.outer is None:
            return tensor
        outside = self.outer.add_value(tensor)
        self._values.add(outside)
        self._inside[outside] = outside
        return outside

    def _make_known(self, tensors: list[Tensor]) -> None:
        context: ControlFlowContext | None = self
        while context is not None:
            context._values.update(tensors)
            context = context.outer

    def adopt(self, op: Operation) -> None:
        """Guard an operation built in the branch, by its inputs or by the pivot."""
        if op.inputs:
            for index, tensor in enumerate(op.inputs):
                if is_merge_of_back_edge(op, tensor):
                    continue  # an imported loop: its cycle stays as it is
                inside = self.add_value(tensor)
                if inside is not tensor:
                    op._update_input(index, inside)
            self.remove_external_control_edges(op)
        else:
            self.remove_external_control_edges(op)
            if not any(contains(self, c._control_flow_context) for c in op.control_inputs):
                op._add_control_input(self.pivot.op)
        self._make_known(op.outputs)
        if self.outer is not None or op.type not in EXITS:
            self.graph.prevent_fetching(op)

    def build_branch(self, function: Callable[[], Any]) -> tuple[Any, list[Any]]:
        """Call the function of the branch.

        Returns:
          what it returned; and the same with a tensor of this branch for every leaf, as a list.
        """
        original = nest.with_lists(function())
        if original is None:
            return None, []
        results = nest.map_structure(self._result_tensor, original, expand_composites=True)
        if not isinstance(results, Sequence):
            results = [results]
        return original, list(results)

    def _result_tensor(self, value: Any) -> Tensor:
        if isinstance(value, Operation):
            return with_dependencies([value], self.pivot)
        tensor = convert_to_tensor(flow_of(value))
        if tensor in self._values:
            return self._inside.get(tensor, tensor)
        # From outside and only passed on: guarded as well, so that just one value arrives.
        outside = self._bring_to_border(tensor)
        result = colocated_switch(outside, self.pred)[self.branch]
        self._inside[tensor] = result
        return result


def cond(
    pred: Any,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    strict: bool = False,
    name: str | None = None,
    fn1: Callable[[], Any] | None = None,
    fn2: Callable[[], Any] | None = None,
) -> Any:
    """`true_fn()` if `pred` is true, otherwise `false_fn()` (TensorFlow: `tf.cond`).

    Both functions are called once, here, to build their part of the graph; a run executes the
    operations of one of them. What a branch uses but was built outside runs in any case.

    Args:
      pred: a scalar bool tensor.
      true_fn, false_fn: functions of no arguments that return tensors, operations, or the same
        nested structure of them.
      strict: whether a list or tuple of one result stays one; otherwise it is unpacked.
      name: a name scope, "cond" by default.
      fn1, fn2: older names of `true_fn` and `false_fn`.

    Returns:
      tensors in the structure that the functions return; an operation becomes a bool tensor.

    Raises:
      TypeError: if `pred` is a Python bool or one of the functions is not callable.
      ValueError: if the functions return nothing, different structures, or different types.

    Example:
      >>> x, y = tf.constant(2), tf.constant(5)
      >>> tf.cond(x < y, lambda: tf.add(x, y), lambda: tf.square(y))  # 7
    """
    true_fn = _chosen_function("true_fn", true_fn, "fn1", fn1)
    false_fn = _chosen_function("false_fn", false_fn, "fn2", fn2)
    graph = graph_to_build_in(getattr(pred, "graph", None) or get_default_graph())
    with graph.as_default(), graph.name_scope("cond" if name is None else name):
        if isinstance(pred, bool):
            raise TypeError(
                "'pred' must not be a Python bool. Use Python's own `if` for what is known while "
                "the graph is built."
            )
        pivot_switch_f, pivot_switch_t = switch(pred, pred)
        pivot_t = identity(pivot_switch_t, name="switch_t")
        pivot_f = identity(pivot_switch_f, name="switch_f")
        pred = identity(pred, name="pred_id")
        for tensor in (pivot_switch_t, pivot_t, pivot_f, pred):
            graph.prevent_fetching(tensor.op)  # half of them are dead
        original_t, results_t, context_t = _build(pred, pivot_t, 1, true_fn)
        original_f, results_f, context_f = _build(pred, pivot_f, 0, false_fn)
        if not strict:
            original_t, original_f = _unpacked(original_t), _unpacked(original_f)
        _check_structures(original_t, original_f, results_t, results_f)
        flat_t = nest.flatten(results_t, expand_composites=True)
        flat_f = nest.flatten(results_f, expand_composites=True)
        _check_types(flat_t, flat_f)
        merges = [merge(list(pair))[0] for pair in zip(flat_f, flat_t, strict=True)]
        originals = nest.flatten(original_t, expand_composites=True)
        merges = [with_flow(*pair) for pair in zip(originals, merges, strict=True)]
        if context_t.outer is None:
            graph.add_to_collection(GraphKeys.COND_CONTEXT, context_t)
            graph.add_to_collection(GraphKeys.COND_CONTEXT, context_f)
        result = nest.pack_sequence_as(original_t, merges, expand_composites=True)
        return result if strict else _unpacked(result)


def smart_constant_value(pred: Any) -> Any:
    """What `pred` is: a bool; None if only a run says so, for it is a tensor or a variable.

    Raises:
      TypeError: for what is neither these nor a bool, 0, 1 or None.
    """
    if hasattr(pred, "graph"):
        return constant_value(pred) if isinstance(pred, Tensor) else None
    if np.ndim(pred) or pred not in (True, False, None):
        what = f"Received: {type(pred)}, {pred!r}"
        raise TypeError(f"`pred` must be a Tensor, or a Python bool, or 1 or 0. {what}")
    return bool(pred)


def smart_cond(pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any]) -> Any:
    """`cond`, decided right now if `pred` is known: a bool, 0 or 1, or a constant tensor."""
    known = smart_constant_value(pred)
    if known is None:
        return cond(pred, true_fn, false_fn)
    return true_fn() if known else false_fn()


def _chosen_function(name: str, function: Any, old_name: str, old: Any) -> Callable[[], Any]:
    if old is not None:
        if function is not None:
            raise TypeError(f"cond(): '{name}' and '{old_name}' may not be set simultaneously.")
        function = old
    elif function is None:
        raise TypeError(f"cond(): '{name}' argument required")
    if not callable(function):
        raise TypeError(
            f"'{name}' must be callable. It got {function!r}; write `lambda: ...` around what the "
            f"branch computes, so that it is built inside the branch."
        )
    return function


def _build(
    pred: Tensor, pivot: Tensor, branch: int, function: Callable[[], Any]
) -> tuple[Any, list[Any], CondContext]:
    context = CondContext(pred, pivot, branch)
    with context.entered():
        original, results = context.build_branch(function)
        if original is None:
            which = "true_fn" if branch else "false_fn"
            raise ValueError(
                f"'{which}' must have a return value. A branch that only has effects returns its "
                f"operation, or tf.no_op()."
            )
        context.exit_result(results)
    return original, results, context


def _unpacked(result: Any) -> Any:
    return result[0] if isinstance(result, list | tuple) and len(result) == 1 else result


def _check_structures(
    original_t: Any, original_f: Any, results_t: list[Any], results_f: list[Any]
) -> None:
    # Row indices of two types are no reason to refuse.
    nest.map_structure(_same_index_type, original_t, original_f)
    nest.map_structure(_same_index_type, results_t, results_f)
    nest.assert_same_structure(original_t, original_f, expand_composites=True)
    if not results_t:
        raise ValueError("'true_fn' and 'false_fn' must return at least one result.")


def _same_index_type(first: Any, second: Any) -> None:
    if not (isinstance(first, IndexedSlices) and isinstance(second, IndexedSlices)):
        return
    if first.indices.dtype != second.indices.dtype:
        first.indices = cast(first.indices, dtypes.int64)
        second.indices = cast(second.indices, dtypes.int64)


def _check_types(flat_t: list[Tensor], flat_f: list[Tensor]) -> None:
    for one, other in zip(flat_t, flat_f, strict=True):
        if one.dtype.base_dtype != other.dtype.base_dtype:
            raise ValueError(
                f"Outputs of 'true_fn' and 'false_fn' must have the same type(s). Received "
                f"{one.dtype.name} from 'true_fn' and {other.dtype.name} from 'false_fn'."
            )
