"""Control flow contexts: what must happen to an operation built inside a conditional or a loop.

`tf.cond(p, lambda: x + y, ...)` calls the function once, while the graph is built. Each operation
it builds must run only if the branch is taken, though it uses tensors of the outside. So the
graph reports every new operation to the context it is built in, and the context replaces the
outside tensors it uses: by a Switch for a branch (`cond.py`), by an Enter for a loop
(`while_loop.py`). An operation without inputs waits for the context's *pivot* instead.

Mirrors the class `ControlFlowContext` of tensorflow/python/ops/control_flow_ops.py and the
questions of control_flow_util.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tinytf.framework import nest
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.ops.control_flow.primitives import ENTERS, EXITS, MERGES, SWITCHES

if TYPE_CHECKING:
    from tinytf.framework.graph import Graph
    from tinytf.ops.control_flow.while_context import WhileContext


class ControlFlowContext:
    """The inside of one branch or loop, while the graph is built.

    Attributes:
      graph: the graph.
      name: unique in the graph; a loop's is the name of its frame.
      outer: the context this one was built in, or None.
    """

    def __init__(self, graph: Graph, name: str):
        self.graph = graph
        self.name = graph.unique_name(name)
        self.outer: ControlFlowContext | None = graph._scopes.flow
        self._saved: list[ControlFlowContext | None] = []
        #: tensors that are known inside: made there, brought in already, or being brought in.
        self._values: set[Tensor] = set()
        #: tensor of the outside -> what stands for it inside.
        self._inside: dict[Tensor, Any] = {}

    # What kind, and where ---------------------------------------------------------------------

    def is_while_context(self) -> bool:
        """Whether this is a loop."""
        return False

    def is_cond_context(self) -> bool:
        """Whether this is a branch of a conditional."""
        return False

    def while_context(self) -> WhileContext | None:
        """The innermost loop around: the context itself, if it is one."""
        return None if self.outer is None else self.outer.while_context()

    @property
    def gradient_state(self) -> Any:
        """Of a gradient loop, or in one: what connects it to its forward loop; otherwise None."""
        loop = self.while_context()
        return None if loop is None else loop.gradient_state

    @property
    def back_prop(self) -> bool:
        """Whether the innermost loop may be differentiated."""
        loop = self.while_context()
        return loop is not None and loop.back_prop

    def control_pivot(self) -> Tensor | None:
        """What operations without inputs wait for, so that they run only when the inside does."""
        return None

    # Entering and leaving ---------------------------------------------------------------------

    def enter(self) -> None:
        """From now on operations are built inside; calls nest."""
        self._saved.append(self.graph._scopes.flow)
        self.graph._scopes.flow = self

    def exit(self) -> None:
        """Undo the last `enter`."""
        self.graph._scopes.flow = self._saved.pop()

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Inside the block, operations are built in this context."""
        self.enter()
        try:
            yield
        finally:
            self.exit()

    @contextmanager
    def left(self) -> Iterator[None]:
        """Inside the block, this context is left and what was before `enter` holds again."""
        self.exit()
        try:
            yield
        finally:
            self.enter()

    # Values and operations --------------------------------------------------------------------

    def add_name(self, tensor: Tensor) -> None:
        """Declare a tensor known inside: it is used as it is."""
        self._values.add(tensor)

    def add_value(self, tensor: Tensor) -> Tensor:
        """What stands for `tensor` inside; brings it in if it is from outside."""
        raise NotImplementedError

    def add_op(self, op: Operation) -> None:
        """Called by the graph with every operation built inside."""
        # What has to be added for its inputs is named after it: "cond/Add/Switch".
        saved = self.graph._scopes.name
        if op.type != "Const":
            self.graph._scopes.name = op.name
        try:
            self.place(op)
        finally:
            self.graph._scopes.name = saved

    def place(self, op: Operation) -> None:
        """Adopt an operation, or leave it to another context."""
        self.adopt(op)

    def adopt(self, op: Operation) -> None:
        """Make an operation one of the inside: replace its inputs, guard it."""
        raise NotImplementedError

    def check_use(self, op: Operation, source: Operation) -> None:
        """Called by the graph when `op` uses an output of `source`, which was built in here.

        Raises:
          ValueError: "Cannot use 'while/add' as input to 'mul' because 'while/add' is in a while
            loop", where it has a value in every iteration, so none outside.
        """
        if _may_use(op, source):
            return
        if while_context_of(op) is not None:
            reason = "they are in different while loops"
        else:
            reason = f"'{source.name}' is in a while loop"
        raise ValueError(
            f"Cannot use '{source.name}' as input to '{op.name}' because {reason}. It has a value "
            f"in each iteration there; return it from the loop's body and use what tf.while_loop "
            f"returns.\n{source.describe_origin()}"
        )

    def exit_result(self, result: Any) -> None:
        """Declare results known in the context around."""
        if self.outer is not None:
            for value in nest.flatten(result, expand_composites=True):
                self.outer.add_name(value)

    def remove_external_control_edges(self, op: Operation) -> list[Operation]:
        """Drop control inputs from outside the innermost loop, which could never arrive there.

        Returns:
          what was dropped.
        """
        loop = self.while_context()
        if loop is None or not op.control_inputs:
            return []
        inside: list[Operation] = []
        outside: list[Operation] = []
        for control in op.control_inputs:
            context = output_context(control)
            internal = context is not None and context.while_context() is loop
            (inside if internal else outside).append(control)
        if outside:
            op._remove_all_control_inputs()
            op._add_control_inputs(inside)
        return outside

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"


# Questions about operations -------------------------------------------------------------------


def output_context(op: Operation) -> Any:
    """The context an operation's outputs are used in: for an Exit, the one around its loop."""
    context = op._control_flow_context
    return context.outer if context is not None and op.type in EXITS else context


def while_context_of(op: Operation) -> WhileContext | None:
    """The innermost loop that an operation belongs to, or None."""
    context = op._control_flow_context
    return None if context is None else context.while_context()


def is_constant_enter(op: Operation) -> bool:
    """Whether it is the Enter of a loop invariant."""
    return op.type in ENTERS and bool(op.attrs["is_constant"])


def constant_enter_of(tensor: Tensor) -> Operation | None:
    """The Enter of the loop invariant that `tensor` is, seen through Switch and Identity."""
    op = tensor.op
    while op.type in SWITCHES or op.type in ("Identity", "RefIdentity"):
        op = op.inputs[0].op
    return op if is_constant_enter(op) else None


def is_loop_switch(op: Operation) -> bool:
    """Whether it is the Switch of a loop variable, not that of a conditional inside the loop."""
    if op.type not in SWITCHES:
        return False
    context = op._control_flow_context
    return context is not None and context.is_while_context() and not _is_cond_switch(op)


def _is_cond_switch(op: Operation) -> bool:
    """Whether all that uses the Switch is in branches: it is not in the branch it guards itself."""
    consumers = (consumer for tensor in op.outputs for consumer in tensor.consumers())
    for consumer in consumers:
        context = consumer._control_flow_context
        if consumer.type in ENTERS and context is not None:
            context = context.outer
        if context is None or not context.is_cond_context():
            return False
    return True


def contains(outer: ControlFlowContext | None, inner: ControlFlowContext | None) -> bool:
    """Whether `outer` is `inner` or around it; None is around everything."""
    while inner is not outer:
        if inner is None:
            return False
        inner = inner.outer
    return True


def _may_use(op: Operation, source: Operation) -> bool:
    context, source_context = op._control_flow_context, output_context(source)
    if source_context is None or context is source_context:
        return True
    loop = None if context is None else context.while_context()
    source_loop = source_context.while_context()
    if loop is None:
        # A tensor of a branch may be used outside: it has no value there if the other is taken.
        # Enter and Switch get their context after they are built.
        return source_loop is None or op.type in ENTERS or op.type in SWITCHES
    if source_loop is None or contains(source_loop, loop):
        return True
    # Gradients of loops reach into their forward loop, and into loops inside of that.
    state = loop.gradient_state
    if state is not None and (
        contains(source_loop, state.forward_context) or source_loop.outer is state.forward_context
    ):
        return True
    while source_loop.gradient_state is not None:
        source_loop = source_loop.gradient_state.forward_context
        if source_loop is loop:
            return True
    return False


def is_merge_of_back_edge(op: Operation, tensor: Tensor) -> bool:
    """Whether `tensor` closes the cycle of a loop at the Merge `op`."""
    return op.type in MERGES and tensor.op.type in ("NextIteration", "RefNextIteration")
