r"""Loops that span tasks: a task that runs some of a loop has to know of every iteration.

    the task of the condition                  another task that runs something in the loop

    Enter --> Merge --> x ..> LoopCond         Const --> Enter --> Merge <-- NextIteration
                ^       |       |   |                               : |            ^
                |       |    Switch _Send ~~~~~~~~~~~~~> _Recv <....: +--> Switch -+ true
                |       |                                  |          :      ^
          NextIteration +-> _Send ~~~~~~> _Recv <..........|..........:      |
                                            |              +-----------------+
                                            +--> what needs x

What counts the iterations there is a *control loop*: a loop without a value that asks for the
condition of the real one, once an iteration. Its Merge runs once in each of them, and all Recvs of
the loop on this task wait for it (dots: control edges), so each runs once in each iteration, too.
The control loop of a loop in a loop is entered from the Merge of the outer one's.

When the condition is false, what the body would have computed is dead: Sends send that as well, and
the Recvs of the last iteration get it. A loop on a path that was not taken is dead in its first
iteration, and the control loops hear so from the condition.

What a loop carries around stays in one place: its Enter and NextIteration are where its Merge is,
its Switch where the Merge is, and its Exit where the Switch is. What is the same in all iterations
enters the loop on every task that reads it, and crosses once, not once an iteration. What waits
only for the body to begin (a constant in it) waits for the control loop of its own task.

TensorFlow: AddControlFlow and OptimizeControlFlowColocation in core/graph/graph_partition.cc; there
what is the same in all iterations crosses in each of them, as do signals that the body begins.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tinytf.framework import dtypes
from tinytf.framework.errors import InvalidArgumentError
from tinytf.framework.operation import Operation
from tinytf.framework.rendezvous import task_of
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.runtime import frames

_SCALAR = TensorShape([])
_STAY = (dtypes.resource, dtypes.variant)


class ControlLoops:
    """The control loops of a step that is being cut; see the module.

    Args:
      ops: the operations of the step, producers first, as copies with their devices.
      fed: what the client feeds.
      make: a new operation without inputs: (type, origin, name, task).
      bring: a tensor on the task where an operation wants it: (tensor, task, operation).
    """

    def __init__(
        self,
        ops: Sequence[Operation],
        fed: frozenset[Tensor],
        make: Callable[[str, Operation, str, str], Operation],
        bring: Callable[[Tensor, str, Operation], Tensor],
    ):
        self._frames = frames.assign_frames(ops, fed)
        self._make, self._bring = make, bring
        #: the loop's condition, and one of its Enters
        self._conditions: dict[frames.FrameKey, Operation] = {}
        self._enters: dict[frames.FrameKey, Operation] = {}
        #: what an Enter takes, wherever that is
        self._entering: dict[Operation, Tensor] = {}
        for op in ops:
            if op.type == "LoopCond":
                self._conditions[self._frames[op]] = op
            elif op.type in frames.ENTER:
                self._enters.setdefault(frames.output_frame(op, self._frames[op]), op)
                self._entering[op] = op._inputs[0]
        self._merges: dict[tuple[frames.FrameKey, str], Operation] = {}
        #: what runs once an iteration of the body: in the graph, and in control loops
        self._beginnings = _beginnings(ops)
        self._pivots: dict[tuple[frames.FrameKey, str], Operation] = {}
        self._waiting: list[tuple[Operation, frames.FrameKey, str]] = []

    def drive(self, recv: Operation, source: Operation, task: str) -> None:
        """Let a Recv on a task run whenever what it receives, of `source`, is sent."""
        frame = self._frame_of(source)
        if frame != frames.ROOT:
            self._waiting.append((recv, frame, task))

    def entered(self, tensor: Tensor, task: str) -> Tensor | None:
        """What is the same in all iterations of a loop, as it enters it on another task.

        Returns:
          the tensor there; None if it is another in each iteration, or cannot leave its task.
        """
        enter = tensor.op
        if enter.type != "Enter" or not enter.attrs["is_constant"] or tensor.dtype in _STAY:
            return None
        copy = self._make("Enter", enter, enter.name, task)
        copy.attrs = dict(enter.attrs)
        copy._inputs = (self._bring(self._entering[enter], task, copy),)
        copy._controls = ()
        copy.outputs = [Tensor(copy, 0, tensor.dtype, tensor.shape)]
        self._frames[copy] = self._frames[enter]
        self._merge(self._frame_of(enter), task)
        return copy.outputs[0]

    def pivot(self, control: Operation, task: str) -> Operation | None:
        """What runs on a task when `control` does, if that is at the beginning of the body."""
        if control not in self._beginnings:
            return None
        frame = self._frame_of(control)
        self._merge(frame, task)
        return self._pivots[(frame, task)]

    def finish(self) -> None:
        """Everything was cut: make the control loops."""
        while self._waiting:
            recv, frame, task = self._waiting.pop()
            recv._controls = (*recv._controls, self._merge(frame, task))

    def _frame_of(self, source: Operation) -> frames.FrameKey:
        """The loop in which a value is."""
        return frames.output_frame(source, self._frames[source])

    def _merge(self, frame: frames.FrameKey, task: str) -> Operation:
        """What runs once an iteration on a task."""
        merge = self._merges.get((frame, task))
        if merge is None:
            merge = self._make_loop(frame, task)
        return merge

    def _make_loop(self, frame: frames.FrameKey, task: str) -> Operation:
        condition, first = self._conditions.get(frame), self._enters[frame]
        if condition is None:
            raise InvalidArgumentError(
                f"A cross-device loop must have a pivot predicate: {frame[-1].decode()} runs on "
                f"several tasks, and has no LoopCond that says how long.\n"
                f"{first.describe_origin()}",
                first,
            )
        enter, merge, switch, pivot, following = (
            self._make(kind, condition, f"{condition.name}/_loop", task)
            for kind in ("Enter", "Merge", "Switch", "Identity", "NextIteration")
        )
        self._merges[(frame, task)], self._pivots[(frame, task)] = merge, pivot
        for op, count in ((enter, 1), (merge, 1), (switch, 2), (pivot, 1), (following, 1)):
            op.attrs = {"T": dtypes.int32}
            op.outputs = [Tensor(op, i, dtypes.int32, _SCALAR) for i in range(count)]
        merge.attrs["N"] = 2
        merge.outputs.append(Tensor(merge, 1, dtypes.int32, _SCALAR))
        for name in ("frame_name", "parallel_iterations"):
            enter.attrs[name] = first.attrs[name]
        enter.attrs["is_constant"] = False
        enter._inputs = (self._start(frame[:-1], condition, task),)
        merge._inputs = (enter.outputs[0], following.outputs[0])
        predicate = self._bring(condition.outputs[0], task, switch)
        switch._inputs = (merge.outputs[0], predicate)
        pivot._inputs = (switch.outputs[1],)
        following._inputs = (pivot.outputs[0],)
        return merge

    def _start(self, around: frames.FrameKey, condition: Operation, task: str) -> Tensor:
        """What enters a control loop: once for each iteration of the loop around it."""
        if around != frames.ROOT:
            return self._merge(around, task).outputs[0]
        op = self._make("Const", condition, f"{condition.name}/_loop", task)
        op.attrs = {"dtype": dtypes.int32, "value": np.zeros([], np.int32)}
        op.outputs = [Tensor(op, 0, dtypes.int32, _SCALAR)]
        return op.outputs[0]


def _beginnings(ops: Sequence[Operation]) -> set[Operation]:
    """Operations that run in an iteration as soon as its condition is known to be true.

    They hand on a loop's variable for which the condition has waited: to wait for another one is
    to wait for what the last iteration did.
    """
    awaited = {op: _merges_before(op) for op in ops if op.type == "LoopCond"}

    def begins(op: Operation) -> bool:
        if op.type != "Identity" or op._controls or op._inputs[0].value_index != 1:
            return False
        switch = op._inputs[0].op
        if switch.type != "Switch":
            return False
        variable, condition = (tensor.op for tensor in switch._inputs)
        return variable in awaited.get(condition, ())

    return set(filter(begins, ops))


def _merges_before(condition: Operation) -> set[Operation]:
    """The variables of a loop that its condition waits for."""
    found, seen, pending = set[Operation](), set[Operation](), [condition]
    while pending:
        op = pending.pop()
        if op.type in frames.MERGE:
            found.add(op)  # not what is before it: it waits for one of its inputs
        elif op not in seen:
            seen.add(op)
            pending += [*(tensor.op for tensor in op._inputs), *op._controls]
    return found


def keep_together(ops: Sequence[Operation], fed: frozenset[Tensor]) -> None:
    """Put what directs values where these are; see the module. References have their place."""
    first_user: dict[Operation, Operation] = {}
    for op in ops:
        for tensor in op._inputs:
            first_user.setdefault(tensor.op, op)
    for op in ops:
        if op.type in frames.ENTER or op.type in frames.NEXT_ITERATION:
            _move(op, first_user.get(op))
    for op in ops:
        if (op.type in frames.SWITCH or op.type in frames.EXIT) and op._inputs[0] not in fed:
            _move(op, op._inputs[0].op)


def _move(op: Operation, other: Operation | None) -> None:
    """To the device of another operation, if it is on another task."""
    if other is not None and not op.type.startswith("Ref"):
        if task_of(other.device) != task_of(op.device):
            op._device = other.device
