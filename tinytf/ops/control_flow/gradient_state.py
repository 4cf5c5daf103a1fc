"""Gradients of while loops: what connects a forward loop with the loop that goes backwards.

A gradient function inside a loop asks for forward values, `x` in the gradient of `x * w`. The
value of *this* iteration is meant, and the gradient loop takes the iterations in reverse order:
so the forward loop pushes every such value onto a stack, and the gradient loop pops it.

`tf.gradients` (`tinytf/ops/gradients/gradients.py`) makes one `ControlFlowState` if there are
loops on its way. Mirrors tensorflow/python/ops/control_flow_state.py.
"""

from __future__ import annotations

from typing import Any

from tinytf.framework import dtypes
from tinytf.framework.handle_data import handle_data
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.constant import constant
from tinytf.ops.array.fill import zeros, zeros_like
from tinytf.ops.array.identity import identity
from tinytf.ops.control_flow import contexts, loop_accumulators
from tinytf.ops.control_flow.primitives import (
    EXITS,
    SWITCHES,
    colocated_switch,
    control_trigger,
    next_iteration,
    switch,
)
from tinytf.ops.control_flow.stack_ops import stack_pop_v2, stack_push_v2, stack_v2
from tinytf.ops.control_flow.while_context import WhileContext
from tinytf.ops.variables.state import variable_shape, variable_shape_op


class LoopGradient:
    """A forward loop, its gradient loop, and what passes between them (`_GradLoopState`).

    Attributes:
      outer: the same of the loop around, if gradients go through that as well.
      forward_context, context: the two loops.
      forward_index, index: their counters, for the next iteration.
      switch_merges: Switch of a forward variable -> the Merge that goes around the gradient loop.
      unused_exits, deferred_exits, pending_exits_count: book-keeping of `tf.gradients`: a loop is
        entered backwards by all its exits at once.
      forward_exits: the exits of the loop variables.
    """

    def __init__(self, forward_context: WhileContext, outer: LoopGradient | None):
        self.outer = outer
        self.context: WhileContext
        self.forward_context = forward_context
        #: forward tensor -> its value in the gradient loop.
        self.history: dict[Tensor, Tensor] = {}
        self.switch_merges: dict[Operation, Any] = {}
        self.unused_exits: list[Tensor] = []
        self.deferred_exits: list[Tensor] = []
        self.forward_exits = list(forward_context.loop_exits)
        self.pending_exits_count = len(self.forward_exits)
        self._forward_sync: Operation | None = None
        self._backward_sync: Operation | None = None
        around = forward_context.outer if outer is None else outer.forward_context
        with loop_accumulators.inside(around):
            count, self.forward_index = loop_accumulators.add_forward_counter(
                forward_context, outer
            )
        if outer is not None:
            # The count differs from one run of this inner loop to the next.
            outer.forward_context.add_name(count)
            pushed = outer.add_history(count)
            with outer.context.entered():
                self.context = self._gradient_context()
                count = outer.pop_history(pushed, count)
                self.index = loop_accumulators.add_backward_counter(self.context, count, outer)
        else:
            with loop_accumulators.inside(around):
                self.context = self._gradient_context()
                self.index = loop_accumulators.add_backward_counter(self.context, count, None)

    def _gradient_context(self) -> WhileContext:
        forward = self.forward_context
        return WhileContext(
            forward.graph,
            forward.maximum_iterations,
            forward.parallel_iterations,
            forward.back_prop,
            forward.swap_memory,
            name=forward.name,
            gradient_state=self,
        )

    @property
    def forward_sync(self) -> Operation:
        """What the forward loop waits for before its next iteration, dead or not."""
        if self._forward_sync is None:
            self._forward_sync = self._sync("f_sync", self.forward_context, self.forward_index)
        return self._forward_sync

    @property
    def backward_sync(self) -> Operation:
        """What the gradient loop waits for before its next iteration, dead or not."""
        if self._backward_sync is None:
            self._backward_sync = self._sync("b_sync", self.context, self.index)
        return self._backward_sync

    def _sync(self, name: str, context: WhileContext, index: Tensor) -> Operation:
        with context.graph.control_dependencies(None):
            trigger = control_trigger(name=name)
        trigger._set_control_flow_context(context)
        index.op._add_control_input(trigger)
        return trigger

    # History ----------------------------------------------------------------------------------

    def add_history(self, value: Tensor, dead_branch: bool = False) -> Tensor:
        """Let the forward loop push `value` onto a stack in every iteration.

        Called in the context in which `tf.gradients` was called.

        Args:
          value: a tensor of the forward loop.
          dead_branch: whether it is guarded to exist only when a conditional's other branch runs.

        Returns:
          the handle of the stack.
        """
        graph = value.graph
        forward = self.forward_context
        around = graph._scopes.flow
        with graph.control_dependencies(None):
            with loop_accumulators.inside(around), graph.colocate_with(value):
                size = constant(-1, dtypes.int32)
                stack: Tensor = stack_v2(size, elem_type=value.dtype.base_dtype, name="f_acc")
            handle = forward.add_value(stack)
            context = contexts.output_context(value.op)
            if context is forward:
                push = self._push(forward, handle, value)
                self.forward_index.op._add_control_input(push)
            else:
                if context is None or not context.is_cond_context():
                    raise TypeError(f"value_ctxt is not a CondContext: {context}")
                if dead_branch:
                    push = self._push(context.outer, handle, value)
                    push._set_control_flow_context(context)
                else:
                    push = self._push(context, handle, value)
                self.forward_sync._add_control_input(push)
        # Not before the counter of this iteration: that keeps the pushes in order.
        push._add_control_input(self.forward_index.op.inputs[0].op)
        return stack

    def _push(self, context: Any, handle: Tensor, value: Tensor) -> Operation:
        with context.entered():
            pushed: Tensor = stack_push_v2(
                handle, value, swap_memory=self.forward_context.swap_memory
            )
        return pushed.op

    def pop_history(self, stack: Tensor, value: Tensor, dead_branch: bool = False) -> Tensor:
        """In the gradient loop: the value that the forward loop pushed in the same iteration.

        Args:
          stack: what `add_history` returned for `value`.
          dead_branch: as there.
        """
        branch = self._branch_around(stack, value)
        with self.context.graph.control_dependencies(None), self.context.entered():
            handle = stack
            if branch is not None:
                # Popped only in iterations in which it was pushed.
                side = 1 - branch.branch if dead_branch else branch.branch
                handle = colocated_switch(stack, self._known_predicate(branch.pred))[side]
            popped: Tensor = stack_pop_v2(handle, elem_type=value.dtype.base_dtype)
            popped.set_shape(value.shape)
        if self.context.parallel_iterations > 1:
            self.backward_sync._add_control_input(popped.op)
        return popped

    def _branch_around(self, stack: Tensor, value: Tensor) -> Any:
        """The branch of a conditional, inside the loop, in which a value is computed."""
        context = value.op._control_flow_context
        while context is not None and context is not stack.op._control_flow_context:
            if context.is_cond_context():
                return context
            context = context.outer
        return None

    def _known_predicate(self, pred: Tensor) -> Tensor:
        state: LoopGradient | None = self
        while state is not None:
            if pred in state.history:
                return state.history[pred]
            state = state.outer
        return pred

    def real_value(self, value: Tensor) -> Tensor:
        """What stands in the gradient loop for a tensor of the forward loop.

        A loop invariant is itself, a constant is made again, all else comes from a stack. Called
        in the gradient loop.
        """
        known = self.history.get(value)
        if known is None:
            known = self.history[value] = self._bring_back(value)
        return known

    def _bring_back(self, value: Tensor) -> Tensor:
        state = self
        while (enter_op := contexts.constant_enter_of(value)) is not None:
            # Seen from further outside: there it may be a loop invariant again.
            value = enter_op.inputs[0]
            if state.outer is None:
                return self.context.add_value(value)
            state = state.outer
        if value.op.type == "Const":
            return constant(value.op.attrs["value"], dtype=value.dtype)
        with self.context.left():
            stack = state.add_history(value)
        result = state.pop_history(stack, value)
        return result if state is self else self.context.add_value(result)


class ControlFlowState:
    """All loops that one call of `tf.gradients` goes through (`_ControlFlowState`)."""

    def __init__(self) -> None:
        self._states: dict[WhileContext, LoopGradient] = {}

    def get_grad_state(self, op: Operation, before: bool) -> LoopGradient | None:
        """The state of the loop that an operation belongs to, if gradients go through it.

        Args:
          before: an Exit counts as outside of its loop: its gradient is still to enter it.
        """
        loop = contexts.while_context_of(op)
        if before and op.type in EXITS:
            origin = contexts.output_context(op)
            loop = None if origin is None else origin.while_context()
        return None if loop is None else self._states.get(loop)

    def enter_grad_while_context(self, op: Operation, before: bool) -> None:
        """Build inside the gradient loop that belongs to the loop of `op`, if there is one."""
        state = self.get_grad_state(op, before)
        if state is not None:
            state.context.enter()

    def exit_grad_while_context(self, op: Operation, before: bool) -> None:
        """Undo `enter_grad_while_context`."""
        state = self.get_grad_state(op, before)
        if state is not None:
            state.context.exit()

    def is_loop_switch(self, op: Operation) -> bool:
        """Whether it is the Switch of a loop variable: it is visited twice."""
        return contexts.is_loop_switch(op)

    def add_loop(self, exit_op: Operation, between: list[Operation], known: set[Operation]) -> None:
        """Prepare the gradient of the loop that an Exit belongs to.

        Args:
          between, known: the operations between xs and ys, as list and as set: all exits of the
            loop are added to both, since gradients enter it by all of them.
        """
        loop = contexts.while_context_of(exit_op)
        if loop is None:
            raise ValueError(
                f"Cannot compute gradients through the while loop of {exit_op.name}: it was "
                f"imported from a GraphDef, which does not say how the loop was built."
            )
        if loop in self._states:
            return
        around = None if loop.outer is None else loop.outer.while_context()
        outer = None if around is None else self._states.get(around)
        self._states[loop] = state = LoopGradient(loop, outer)
        for tensor in state.forward_exits:
            if tensor.op not in known:
                known.add(tensor.op)
                between.append(tensor.op)

    def process_unused_loop_exits(
        self, pending: dict[Operation, int], targets: set[Operation]
    ) -> list[Tensor]:
        """The exits that nothing uses, of loops all of whose exits are unused or targets.

        `v, _ = tf.while_loop(...); tf.gradients(v, x)`: the second exit has no gradient, but the
        second variable may contribute to the first. It enters the gradient loop with zeros.

        Args:
          pending: how many gradients each operation still waits for; changed here: Enters count
            as waiting for one, for gradients of gradients.
          targets: the operations of the ys.
        """
        unused: list[Tensor] = []
        for state in self._states.values():
            for tensor in state.forward_exits:
                if pending.get(tensor.op, 0):
                    continue
                state.pending_exits_count -= 1
                if tensor.op not in targets:
                    state.unused_exits.append(tensor)
                if state.pending_exits_count == 0:
                    unused.extend(state.unused_exits)
            for tensor in state.forward_context.loop_enters:
                if not pending.get(tensor.op, 0):
                    pending[tensor.op] = 1
        return unused

    # Zeros ------------------------------------------------------------------------------------

    def zeros_like_for_exit(self, tensor: Tensor) -> Tensor:
        """The gradient of an exit that nothing uses, of a variable that others depend on."""
        loop = tensor.op._control_flow_context
        around = None if loop.outer is None else loop.outer.while_context()
        outer = None if around is None else self._states.get(around)
        known = tensor.shape.is_fully_defined()
        if outer is None:
            if known:
                return zeros(tensor.shape, tensor.dtype)
            return zeros_like(tensor, optimize=False)
        if known:
            with outer.context.entered():
                return zeros(tensor.shape, tensor.dtype)
        with loop.outer.entered():
            shape = loop_accumulators.dynamic_shape(tensor)
        stack = outer.add_history(shape)
        with outer.context.entered():
            return zeros(outer.pop_history(stack, shape), tensor.dtype)

    def zeros_like(self, op: Operation, index: int) -> Tensor | None:
        """Zeros for an output without a gradient; called in the gradient loop of `op`.

        The Switch of a loop variable has none: the other output's gradient comes later.
        """
        if contexts.is_loop_switch(op):
            return None
        loop = contexts.while_context_of(op)
        state = None if loop is None else self._states.get(loop)
        if state is None:
            return zeros_like_outside_loops(op, index)
        tensor = op.outputs[index]
        if not tensor.shape.is_fully_defined():
            return self._zeros_of_kept_shape(state, op, index)
        if tensor.dtype == dtypes.resource:
            shape, dtype = _behind_handle(tensor, dynamic=False)
            result = zeros(shape, dtype=dtype)
        else:
            result = constant(0, shape=tensor.shape, dtype=tensor.dtype)
        if op.type in SWITCHES:
            # Of a conditional in the loop: only in iterations in which this side is dead.
            branch = op._control_flow_context
            result = colocated_switch(result, state.history[branch.pred])[1 - branch.branch]
        return result

    def _zeros_of_kept_shape(self, state: LoopGradient, op: Operation, index: int) -> Tensor:

        context, tensor = op._control_flow_context, op.outputs[index]
        dead_branch = op.type in SWITCHES
        if dead_branch:
            with context.outer.entered():
                guarded = colocated_switch(op.inputs[0], context.pred)[1 - context.branch]
                kept = loop_accumulators.dynamic_shape(guarded)
            guarded.op._set_control_flow_context(context)
            kept.op._set_control_flow_context(context)
        else:
            with context.entered():
                kept = loop_accumulators.dynamic_shape(tensor)
        with state.context.left():
            stack = state.add_history(kept, dead_branch)
        return zeros(state.pop_history(stack, kept, dead_branch), tensor.dtype)

    def post_processing(self) -> None:
        """At the end of `tf.gradients`: finish variables that do not depend on themselves.

        Their Merges in the gradient loop have no second input yet: after the first iteration of
        it, their gradient is zero.
        """
        for state in self._states.values():
            for merged in state.switch_merges.values():
                first, second = merged.op.inputs
                if first is not second:
                    continue
                if first.shape.is_fully_defined():
                    with state.context.entered():
                        zero = constant(0, dtype=first.dtype, shape=first.shape)
                        following = next_iteration(zero)
                else:
                    with loop_accumulators.inside(state.context.outer):
                        shape = loop_accumulators.dynamic_shape(first.op.inputs[0])
                        zero = zeros(shape, first.dtype)
                    with state.context.entered():
                        following = next_iteration(zero)
                merged.op._update_input(1, following)


def maybe_create_loop_state(
    between: list[Operation], known: set[Operation], colocate: bool
) -> ControlFlowState | None:
    """The state for all loops between xs and ys; None if there are none.

    Args:
      between, known: the operations on the way, as list and as set; exits are added to both.
      colocate: whether gradients are built on the devices of their operations.
    """
    state: ControlFlowState | None = None
    for op in between:  # grows: the exits of inner loops come to it
        if op.type not in EXITS:
            continue
        if state is None:
            state = ControlFlowState()
        if colocate:
            with op.graph.colocate_with(op):
                state.add_loop(op, between, known)
        else:
            state.add_loop(op, between, known)
    return state


def real_predicate(pred: Tensor) -> Tensor:
    """The condition of a conditional, where its gradient is built.

    In a gradient loop that is the value it had in the iteration.
    """
    loop = pred.graph._scopes.flow
    state = None if loop is None else loop.gradient_state
    if state is None:
        return pred
    known = state.history.get(pred)
    if known is None:
        with state.context.left():
            stack = state.add_history(pred)
        known = state.history[pred] = state.pop_history(stack, pred)
    return known


def zeros_like_outside_loops(op: Operation, index: int) -> Tensor:
    """Zeros for an output without a gradient, of an operation outside of loops.

    Of a conditional's Switch, they exist only when the other branch runs.
    """
    tensor, context = op.outputs[index], op._control_flow_context
    if op.type not in SWITCHES or context is None:
        if tensor.dtype == dtypes.resource:
            shape, dtype = _behind_handle(tensor)
            return zeros(shape, dtype=dtype)
        return zeros_like(tensor, optimize=False)
    guarded = switch(op.inputs[0], context.pred)[1 - context.branch]
    pivot = identity(guarded)
    if tensor.dtype == dtypes.resource:
        with tensor.graph.control_dependencies([pivot]):
            shape, dtype = _behind_handle(guarded)
            return zeros(shape, dtype=dtype)
    zeros_shape = loop_accumulators.dynamic_shape(guarded)
    with tensor.graph.control_dependencies([pivot]):
        return zeros(zeros_shape, dtype=tensor.dtype)


def _behind_handle(handle: Tensor, dynamic: bool = True) -> tuple[Tensor, Any]:
    """Shape (when it runs, unless `dynamic` is False) and dtype of the variable behind a handle."""
    data = handle_data(handle)
    if data is None:
        raise ValueError(f"{handle} is not the handle of a variable: it has no gradient.")
    return (variable_shape_op if dynamic else variable_shape)(handle), data.dtype
