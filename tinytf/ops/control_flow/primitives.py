"""The primitive operations that conditionals and loops are made of.

Six of them route values; everything else in a graph just computes:

    Switch         one value goes out of one of two outputs; the other output is *dead*
    Merge          the first value that arrives, of several of which only one can
    Enter          into a frame: the place where the iterations of a loop happen
    NextIteration  from one iteration of the frame to the next
    Exit           out of the frame
    LoopCond       the condition of a loop: a mark for executors, otherwise an identity

An operation with a dead input does not run, and its outputs are dead. The executor does this
routing and knows these ops by their types; their kernels hand the value on. Mirrors
tensorflow/core/ops/control_flow_ops.cc; arXiv:1805.01772 describes the idea.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import shape_inference
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.indexed_slices import IndexedSlices
from tinytf.framework.nest import flatten
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, scalar, unknown_shape
from tinytf.framework.tensor_value import truth
from tinytf.ops.control_flow.indexed_slices import as_indexed_slices_list
from tinytf.ops.math.comparison import equal

SWITCHES = frozenset(["Switch", "RefSwitch"])
MERGES = frozenset(["Merge", "RefMerge"])
ENTERS = frozenset(["Enter", "RefEnter"])
EXITS = frozenset(["Exit", "RefExit"])
NEXT_ITERATIONS = frozenset(["NextIteration", "RefNextIteration"])


def _pass_on(value: Any) -> Any:
    return value


# Switch -----------------------------------------------------------------------------------------

_switch = define_op("Switch", "data: T, pred: bool -> output_false: T, output_true: T", "T: type")
_ref_switch = define_op(
    "RefSwitch",
    "data: Ref(T), pred: bool -> output_false: Ref(T), output_true: Ref(T)",
    "T: type",
    allows_uninitialized_input=True,
)


@_switch.shape
@_ref_switch.shape
def _switch_shape(c: InferenceContext) -> list[TensorShape]:
    shape_inference.with_rank(c.input(1), 0)
    return [c.input(0), c.input(0)]


@_switch.kernel
@_ref_switch.kernel
def _switch_kernel(data: Any, pred: Any) -> tuple[Any, Any]:
    # For the executor None means dead here: it treats Switch itself, and marks that side.
    return (None, data) if truth(pred) else (data, None)


@_switch.gradient
@_ref_switch.gradient
def _switch_gradient(op: Operation, *gradients: Any) -> Any:
    """The gradient of a Switch is a Merge.

    The Switch of a loop is visited twice: first from the Exit, when the Merge is made with both
    inputs the same; then from the loop's body, which gives it its second input.
    """
    context = op._control_flow_context
    if context is not None and context.is_while_context():
        return _loop_switch_gradient(op, *gradients)
    if context is not None and context.is_cond_context():
        if gradients[1 - context.branch] is None:
            if op.inputs[0].dtype.name == "resource":
                both = [gradients[context.branch]] * 2
                return merge(both, name="cond_resource_grad")[0], None
            return None, None
        return merge(list(gradients), name="cond_grad")[0], None
    false_gradient = switch(gradients[0], op.inputs[1])[0]
    true_gradient = switch(gradients[1], op.inputs[1])[1]
    return merge([false_gradient, true_gradient])[0], None


def _loop_switch_gradient(op: Operation, of_exit: Any, of_body: Any) -> tuple[Any, None]:

    merges = op.graph._scopes.flow.gradient_state.switch_merges
    if op in merges:
        if of_body is not None:
            ops.add_back_edge(merges[op], of_body, keeps_shape=False)
        return None, None
    if of_exit is None:
        return None, None
    merges[op] = merge([of_exit, of_exit], name="b_switch")[0]
    return merges[op], None


def switch(data: Any, pred: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Send `data` to one of two outputs; the other one is dead.

    TensorFlow: `control_flow_ops.switch` and, for a reference, `ref_switch`.

    Args:
      data: a tensor of any type; of a reference, the outputs are references as well.
      pred: a scalar bool.

    Returns:
      (output_false, output_true)
    """
    data = convert_to_tensor(data, name="data", as_ref=True)
    card = _ref_switch if data.dtype.is_ref else _switch
    return card(data, pred, name=name or "Switch")


def colocated_switch(data: Any, pred: Tensor, name: str = "Switch") -> Any:
    """A Switch for a value from outside a conditional, on the device of that value.

    TensorFlow: `control_flow_ops._SwitchRefOrTensor`. Takes an `IndexedSlices` as well, and then
    returns two of them.
    """
    graph = data.graph
    if not isinstance(data, IndexedSlices):
        with graph.colocate_with(data, ignore_existing=True):
            return switch(data, pred, name=name)
    with graph.colocate_with(data, ignore_existing=True), graph.name_scope(name):
        parts = [data.values, data.indices]
        parts += [] if data.dense_shape is None else [data.dense_shape]
        pairs = [switch(part, pred) for part in parts]
    return IndexedSlices(*(p[0] for p in pairs)), IndexedSlices(*(p[1] for p in pairs))


# Merge ------------------------------------------------------------------------------------------

_merge = define_op(
    "Merge", "inputs: N * T -> output: T, value_index: int32", "T: type, N: int >= 1"
)
_ref_merge = define_op(
    "RefMerge", "inputs: N * Ref(T) -> output: Ref(T), value_index: int32", "T: type, N: int >= 1"
)


@_merge.shape
@_ref_merge.shape
def _merge_shape(c: InferenceContext) -> list[TensorShape]:
    shapes = [shape.sizes for shape in c.shapes()]
    first = shapes[0]
    if first is None or any(s is None or len(s) != len(first) for s in shapes):
        return [unknown_shape(), scalar()]
    known = tuple(
        column[0] if all(size == column[0] for size in column) else None
        for column in zip(*shapes, strict=True)
    )
    return [TensorShape.of(known), scalar()]


@_merge.kernel
@_ref_merge.kernel
def _merge_kernel(*values: Any) -> tuple[Any, Any]:
    # For the executor None means dead here, as above.
    for index, value in enumerate(values):
        if value is not None:
            return value, np.int32(index)
    return None, None


@_merge.gradient
@_ref_merge.gradient
def _merge_gradient(op: Operation, gradient: Any, _: Any) -> Any:
    """The gradient of a Merge is a Switch, on the same condition."""
    context = ops.output_context(op.inputs[0].op)
    if context is not None and context.is_while_context():
        return colocated_switch(gradient, op.graph._scopes.flow.pivot)
    if context is not None and context.is_cond_context():
        pred = ops.real_predicate(context.pred)
        return colocated_switch(gradient, pred, name="cond_grad")
    chosen = [equal(op.outputs[1], index) for index in range(len(op.inputs))]
    return [colocated_switch(gradient, pred)[1] for pred in chosen]


def merge(inputs: list[Any], name: str | None = None) -> Any:
    """The value that arrives, of several of which one does (TensorFlow: `control_flow_ops.merge`).

    Args:
      inputs: tensors of one type, or `IndexedSlices`, of which all but one are dead when run.

    Returns:
      (output, value_index): the value, and which of the inputs it was. Of `IndexedSlices`, the
      output is one.

    Raises:
      ValueError: if one of the inputs is None.
    """
    if any(value is None for value in inputs):
        raise ValueError(f"At least one of the merge inputs is None: {inputs}")
    if not any(isinstance(value, IndexedSlices) for value in inputs):
        tensors = [convert_to_tensor(value, as_ref=True) for value in inputs]
        card = _ref_merge if all(t.dtype.is_ref for t in tensors) else _merge
        return card(tensors, name="Merge" if name is None else name)

    with get_default_graph().name_scope("Merge" if name is None else name):
        slices = as_indexed_slices_list(inputs)
        values, index = _merge([part.values for part in slices])
        indices, _ = _merge([part.indices for part in slices])
        shapes = [part.dense_shape for part in slices if part.dense_shape is not None]
        dense_shape = _merge(shapes)[0] if len(shapes) == len(slices) else None
    return IndexedSlices(values, indices, dense_shape), index


# Enter ------------------------------------------------------------------------------------------

_ENTER_ATTRS = (
    "T: type, frame_name: string, is_constant: bool = false, parallel_iterations: int = 10"
)
_enter = define_op("Enter", "data: T -> output: T", _ENTER_ATTRS, kernel=_pass_on)
_ref_enter = define_op(
    "RefEnter",
    "data: Ref(T) -> output: Ref(T)",
    _ENTER_ATTRS,
    shape=shape_inference.unchanged,
    kernel=_pass_on,
)


@_enter.shape
def _enter_shape(c: InferenceContext) -> TensorShape:
    # A loop variable may change its shape: what is known of it, the loop's builder says.
    return c.input(0) if c.attrs["is_constant"] else unknown_shape()


@_enter.gradient
@_ref_enter.gradient
def _enter_gradient(op: Operation, gradient: Any) -> Any:
    """The gradient of an Enter is an Exit; a loop invariant's is summed over the iterations."""
    context = op.graph._scopes.flow
    if context is None or not context.back_prop or context.gradient_state is None:
        return gradient
    if op.attrs["is_constant"]:
        return ops.add_invariant_gradient(context, op, gradient)
    result = exit(gradient)
    context.loop_exits.append(result)
    context.exit_result([result])
    return result


def enter(
    data: Any,
    frame_name: str,
    is_constant: bool = False,
    parallel_iterations: int = 10,
    use_ref: bool = True,
    use_input_shape: bool = True,
    name: str | None = None,
) -> Any:
    """Bring a value into a frame (TensorFlow: `control_flow_ops._Enter`).

    Args:
      data: a tensor, or an `IndexedSlices`.
      frame_name: the same for all Enters of one loop.
      is_constant: whether the value is there in every iteration, not just in the first.
      parallel_iterations: how many iterations may be under way at a time.
      use_ref: whether a reference stays one inside.
      use_input_shape: whether the static shape of `data` holds inside.
    """
    options: Any = {"is_constant": is_constant, "parallel_iterations": parallel_iterations}
    if isinstance(data, IndexedSlices):
        parts = [data.values, data.indices]
        parts += [] if data.dense_shape is None else [data.dense_shape]
        return IndexedSlices(
            *(enter(p, frame_name, use_input_shape=use_input_shape, **options) for p in parts)
        )
    data = convert_to_tensor(data, as_ref=True)
    card = _ref_enter if data.dtype.is_ref and use_ref else _enter
    result = card(data, name=name, frame_name=frame_name, **options)
    if use_input_shape:
        result.set_shape(data.shape)
    return result


# Exit, NextIteration, LoopCond --------------------------------------------------------------------


def _define_pass_on(name: str, kind: str = "T") -> OpCard:
    return define_op(
        name,
        f"data: {kind} -> output: {kind}",
        "T: type",
        shape=shape_inference.unchanged,
        kernel=_pass_on,
    )


_exit = _define_pass_on("Exit")
_ref_exit = _define_pass_on("RefExit", "Ref(T)")
_next_iteration = _define_pass_on("NextIteration")
_ref_next_iteration = _define_pass_on("RefNextIteration", "Ref(T)")


@_exit.gradient
@_ref_exit.gradient
def _exit_gradient(op: Operation, gradient: Any) -> Any:
    """The gradient of an Exit is an Enter, into the loop that goes backwards."""
    context = op.graph._scopes.flow
    if not context.back_prop:
        return None
    if op._control_flow_context.gradient_state is not None:
        raise TypeError("Second-order gradient for while loops not supported.")
    for tensor in flatten(gradient, expand_composites=True):
        context.add_name(tensor)
    with context.entered():
        result = enter(
            gradient, context.name, parallel_iterations=context.parallel_iterations, name="b_exit"
        )
    context.loop_enters.append(result)
    return result


@_next_iteration.gradient
@_ref_next_iteration.gradient
def _next_iteration_gradient(op: Operation, gradient: Any) -> Any:
    return gradient  # the step backwards comes with the gradient of the Switch


def exit(data: Any, name: str | None = None) -> Any:
    """Take a value out of the current frame (TensorFlow: `control_flow_ops.exit`)."""
    return _of_tensor(_exit, _ref_exit, data, name)


def next_iteration(data: Any, name: str | None = None) -> Any:
    """Hand a value to the next iteration (TensorFlow: `control_flow_ops._NextIteration`)."""
    return _of_tensor(_next_iteration, _ref_next_iteration, data, name)


def _of_tensor(card: OpCard, ref_card: OpCard, data: Any, name: str | None) -> Any:
    if isinstance(data, IndexedSlices):
        parts = [data.values, data.indices]
        parts += [] if data.dense_shape is None else [data.dense_shape]
        return IndexedSlices(*(card(part) for part in parts))
    data = convert_to_tensor(data, as_ref=True)
    return (ref_card if data.dtype.is_ref else card)(data, name=name)


_loop_cond = define_op(
    "LoopCond",
    "input: bool -> output: bool",
    kernel=_pass_on,
    no_gradient="whether a loop goes on does not change by small amounts",
    shape=lambda c: shape_inference.with_rank(c.input(0), 0),
)


def loop_cond(input: Any, name: str | None = None) -> Tensor:
    """Mark the condition of a loop (TensorFlow: `control_flow_ops.loop_cond`)."""
    return _loop_cond(input, name=name or "LoopCond")


# RefIdentity --------------------------------------------------------------------------------------

_ref_identity = define_op(
    "RefIdentity",
    "input: Ref(T) -> output: Ref(T)",
    "T: type",
    allows_uninitialized_input=True,
    shape=shape_inference.unchanged,
    kernel=_pass_on,
)


@_ref_identity.gradient
def _ref_identity_gradient(op: Operation, gradient: Any) -> Any:
    return gradient


def ref_identity(input: Any, name: str | None = None) -> Tensor:
    """A reference to the same variable (TensorFlow: `array_ops.ref_identity`)."""
    return _ref_identity(input, name=name)


# NoOp, ControlTrigger -----------------------------------------------------------------------------

_no_op = define_op("NoOp", shape=shape_inference.no_outputs, no_gradient="it has no inputs")


@_no_op.kernel
def _do_nothing() -> tuple[()]:
    return ()


def no_op(name: str | None = None) -> Operation:
    """An operation that does nothing; useful with control dependencies (TensorFlow: `tf.no_op`).

    Example:
      >>> with tf.control_dependencies([tf.Variable(1.0).assign_add(0.5)]):
      ...     done = tf.no_op(name="done")
    """
    return _no_op(name=name or "NoOp")


_control_trigger = define_op(
    "ControlTrigger",
    shape=shape_inference.no_outputs,
    kernel=_do_nothing,
    no_gradient="it has no inputs",
)


def control_trigger(name: str | None = None) -> Operation:
    """Like `no_op`, but runs even if what it waits for is dead.

    TensorFlow: `control_flow_ops.control_trigger`.
    """
    return _control_trigger(name=name or "ControlTrigger")
