"""What gradients add to loops: counters of iterations, and sums over them.

The gradient of a loop is a second loop that goes backwards through the iterations of the first.
For that the first has to count them. A loop invariant contributes in every iteration, so its
gradient is a sum that goes around the second loop. Mirrors `WhileContext.AddForwardLoopCounter`,
`AddBackpropLoopCounter` and `AddBackpropAccumulator` of TensorFlow.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tinytf.framework.indexed_slices import IndexedSlices
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.array.concat import concat
from tinytf.ops.array.constant import constant
from tinytf.ops.array.fill import zeros, zeros_like
from tinytf.ops.array.shape import shape_op
from tinytf.ops.array.slice import getitem
from tinytf.ops.control_flow.contexts import ControlFlowContext
from tinytf.ops.control_flow.primitives import enter, exit, loop_cond, merge, next_iteration, switch
from tinytf.ops.math.arithmetic import add, maximum, subtract
from tinytf.ops.math.comparison import greater_equal

if TYPE_CHECKING:
    from tinytf.ops.control_flow.gradient_state import LoopGradient
    from tinytf.ops.control_flow.while_context import WhileContext


def dynamic_shape(tensor: Tensor) -> Tensor:
    """The shape of a tensor when it runs, never a constant."""
    return shape_op(tensor)


@contextmanager
def inside(context: ControlFlowContext | None) -> Iterator[None]:
    """Build in `context`; where that is None, go on where we are."""
    if context is None:
        yield
    else:
        with context.entered():
            yield


def add_forward_counter(
    context: WhileContext, outer_state: LoopGradient | None
) -> tuple[Tensor, Tensor]:
    """Let a loop count its iterations: `n = 0; while ...: n += 1`.

    Args:
      context: the loop. Called in the context around it.
      outer_state: the gradient state of the loop around, if that is differentiated as well.

    Returns:
      the number of iterations, and the count for the next iteration.
    """
    count = constant(0, name="f_count")
    if outer_state is not None:
        # What the i-th run of an inner loop pushes comes before what the next run pushes.
        count.op._add_control_input(outer_state.forward_index.op.inputs[0].op)
    with context.entered():
        context.add_name(count)
        entered = _enter(context, count, "f_count")
        merged = merge([entered, entered])[0]
        stopped, goes_on = switch(merged, context.pivot)
        following = next_iteration(add(goes_on, 1))
        merged.op._update_input(1, following)
        total = exit(stopped, name="f_count")
        context.loop_exits.append(total)
        context.exit_result([total])
    return total, following


def add_backward_counter(
    context: WhileContext, count: Tensor, outer_state: LoopGradient | None
) -> Tensor:
    """Control a gradient loop: `n = count; while n >= 1: n -= 1`.

    Args:
      context: the gradient loop. Called in the context around it.
      count: how often the forward loop ran.
      outer_state: as above.

    Returns:
      the count for the next iteration.
    """
    one = constant(1, name="b_count")
    with context.entered():
        context.add_name(count)
        entered = _enter(context, count, "b_count")
        merged = merge([entered, entered])[0]
        context.pivot_for_pred = merged
        context.pivot = loop_cond(greater_equal(merged, one), name="b_count")
        stopped, goes_on = switch(merged, context.pivot)
        index = subtract(goes_on, one)
        context.pivot_for_body = index
        following = next_iteration(index)
        merged.op._update_input(1, following)
        zero = exit(stopped, name="b_count")
        context.loop_exits.append(zero)
        if outer_state is not None:
            # What the i-th run of an inner loop pops comes before what the next run pops.
            outer_state.backward_sync._add_control_input(zero.op)
        context.exit_result([zero])
    return following


def _enter(
    context: WhileContext, tensor: Tensor, name: str, use_input_shape: bool = True
) -> Tensor:
    result: Tensor = enter(
        tensor,
        context.name,
        parallel_iterations=context.parallel_iterations,
        use_input_shape=use_input_shape,
        name=name,
    )
    context.loop_enters.append(result)
    return result


def add_invariant_gradient(context: WhileContext, op: Operation, gradient: Any) -> Any:
    """Sum the gradient of a loop invariant over all iterations of the gradient loop.

    Args:
      context: the gradient loop. Called inside of it.
      op: the Enter of the invariant.
      gradient: its gradient in one iteration.

    Returns:
      the sum, outside of the loop.
    """
    if isinstance(gradient, IndexedSlices):
        return _add_slices_accumulator(context, op, gradient)

    with context.left():
        zero = _zeros_to_start(context, op, gradient)
    context.add_name(zero)
    entered = _enter(context, zero, "b_acc")
    merged = merge([entered, entered], name="b_acc")[0]
    stopped, goes_on = switch(merged, context.pivot)
    merged.op._update_input(1, next_iteration(add(goes_on, gradient)))
    result = exit(stopped, name="b_acc")
    context.loop_exits.append(result)
    context.exit_result([result])
    return result


def _zeros_to_start(context: WhileContext, op: Operation, gradient: Tensor) -> Tensor:
    """Zeros of the gradient's shape: they are the result when the loop does not run at all."""
    outer = context.outer
    if gradient.shape.is_fully_defined():
        with inside(outer):
            return constant(0, gradient.dtype, shape=gradient.shape, name="b_acc")
    invariant = op.inputs[0]
    outer_state = None if outer is None else outer.gradient_state
    if outer is not None and outer.is_while_context() and outer_state is not None:
        # The shape is one of the forward loop around, and may differ from run to run.
        with inside(context.gradient_state.forward_context.outer):
            zeros_shape = dynamic_shape(invariant)
        outer_state = context.gradient_state.outer
        history = outer_state.add_history(zeros_shape)
        with outer.entered():
            return zeros(outer_state.pop_history(history, zeros_shape), gradient.dtype)
    with inside(outer):
        return zeros(dynamic_shape(invariant), gradient.dtype)


def _add_slices_accumulator(
    context: WhileContext, op: Operation, gradient: IndexedSlices
) -> IndexedSlices:
    """Collect the rows of all iterations, after a first row of zeros."""
    with context.left(), inside(context.outer):
        starts = _slices_to_start(op, gradient)
    for tensor in starts:
        context.add_name(tensor)
    # The rows become more with each iteration.
    entered = [_enter(context, tensor, "b_acc", use_input_shape=False) for tensor in starts]
    entered[0].set_shape([None])
    if starts[1].shape.ndims is not None:
        entered[1].set_shape([None, *starts[1].shape.as_list()[1:]])
    merges = [merge([tensor, tensor], name="b_acc")[0] for tensor in entered]
    switches = [switch(tensor, context.pivot) for tensor in merges]
    sums = [
        concat([switches[0][1], gradient.indices], 0),
        concat([switches[1][1], gradient.values], 0),
    ]
    if gradient.dense_shape is not None:
        sums.append(maximum(gradient.dense_shape, switches[2][1]))
    nexts = [next_iteration(tensor) for tensor in sums]
    for merged, following in zip(merges, nexts, strict=True):
        merged.op._update_input(1, following)
    exits = [exit(stopped, name="b_acc") for stopped, _ in switches]
    context.loop_exits.extend(exits)
    context.exit_result(exits)
    return IndexedSlices(exits[1], exits[0], exits[2] if len(exits) > 2 else None)


def _slices_to_start(op: Operation, gradient: IndexedSlices) -> list[Tensor]:

    rows = gradient.values.shape
    if rows.is_fully_defined():
        one_row = TensorShape([1, *rows.as_list()[1:]])
        values = constant(0, gradient.values.dtype, shape=one_row, name="b_acc")
    else:
        row_shape = getitem(dynamic_shape(op.inputs[0]), slice(1, None))
        values = zeros(concat([[1], row_shape], 0), dtype=gradient.values.dtype)
    starts = [constant([0], gradient.indices.dtype), values]
    if gradient.dense_shape is not None:
        dense = gradient.dense_shape
        if dense.shape.is_fully_defined():
            starts.append(constant(0, dense.dtype, shape=dense.shape))
        else:
            whole = shape_op(op.inputs[0], out_type=dense.dtype)
            starts.append(zeros_like(whole, optimize=False))
    return starts
