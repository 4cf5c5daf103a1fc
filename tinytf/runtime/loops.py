"""Loops of the shape that `tf.while_loop` builds, found in the graph and written as Python loops.

Going through frames costs some thirty microseconds an iteration, since every Merge, Switch and
NextIteration passes the ready queue. But the loops people build all look alike: for each variable
Enter -> Merge -> Switch -> body -> NextIteration, one LoopCond for all, Exits. Such a loop, if it
has no other loop or conditional inside and nothing that waits, runs as one unit:

    def segment(s, v):
     m0 = v[0]; m1 = v[1]; t = 0                   # Enter
     while True:
      check(s, t); t += 1                          # cancelled? out of time?
      v5 = k0(m0, c0)                              # the condition, one line a node
      if not v5: break                             # LoopCond
      v6 = k1(m0, c1)                              # the body
      v7 = k2(m1, m0)
      m0, m1 = v6, v7                              # NextIteration, all at once
     v[2] = m1                                     # Exit

It starts when all Enters could, and ends when the loop does: another legal schedule of the same
graph, unless an Enter waits for an Exit of its own loop (then the frames run it). Everything else,
foreign graphs above all, goes through the generic frames (`iterations.py`), which property tests
use as the oracle of these loops.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.runtime.codegen import MAX_NODES
from tinytf.runtime.frames import (
    CONTROL_FLOW,
    ENTER,
    EXIT,
    MERGE,
    NEXT_ITERATION,
    SWITCH,
    FrameKey,
    output_frame,
)


@dataclass(slots=True, eq=False)
class Loop:
    """A loop that can be written as straight code.

    Attributes:
      ops: everything in it, Enters and Exits included, in topological order.
      condition: the LoopCond.
      enters, merges, exits: as they are called.
      repeated: what runs before the condition is tested, each time.
      body: what runs when the condition holds. Both in topological order.
    """

    ops: list[Operation] = field(default_factory=list)
    condition: Operation | None = None
    enters: list[Operation] = field(default_factory=list)
    merges: list[Operation] = field(default_factory=list)
    switches: list[Operation] = field(default_factory=list)
    exits: list[Operation] = field(default_factory=list)
    repeated: list[Operation] = field(default_factory=list)
    body: list[Operation] = field(default_factory=list)
    #: Switches and body: what depends on the condition.
    conditional: set[Operation] = field(default_factory=set)


def find_loops(
    ops: list[Operation], frames: dict[Operation, FrameKey], blocking: set[Operation]
) -> list[Loop]:
    """The loops among `ops` (in topological order) that can be written as code."""
    loops: dict[FrameKey, Loop] = {}
    refused: set[FrameKey] = set()
    for op in ops:
        frame = output_frame(op, frames[op]) if op.type in ENTER else frames[op]
        if not frame:
            continue
        loop = loops.setdefault(frame, Loop())
        refused.update(frame[:depth] for depth in range(1, len(frame)))  # it has a loop inside
        if op in blocking or not _sort_in(op, loop):
            refused.add(frame)
    position = {op: number for number, op in enumerate(ops)}
    return [
        loop for frame, loop in loops.items() if frame not in refused and _is_whole(loop, position)
    ]


def _sort_in(op: Operation, loop: Loop) -> bool:
    """Put an operation where it belongs in its loop; False if the loop cannot be written."""
    loop.ops.append(op)
    if any(tensor.dtype.is_ref for tensor in op.outputs) or op.type == "ControlTrigger":
        return False
    if op.type in ENTER:
        loop.enters.append(op)
    elif op.type in MERGE:
        loop.merges.append(op)
    elif op.type in SWITCH:
        loop.switches.append(op)
        loop.conditional.add(op)
    elif op.type in EXIT:
        loop.exits.append(op)
    elif op.type == "LoopCond":
        if loop.condition is not None:
            return False
        loop.condition = op
    elif op.type not in CONTROL_FLOW:
        if _is_in_body(op, loop):
            loop.body.append(op)
            loop.conditional.add(op)
        else:
            loop.repeated.append(op)
    # Who waits for a Switch as such runs once more than who waits for its outputs.
    return not any(control.type in SWITCH for control in op.control_inputs)


def _is_in_body(op: Operation, loop: Loop) -> bool:
    """Whether an operation depends on the condition. Its inputs have been sorted in before."""
    sources = [tensor.op for tensor in op.inputs] + list(op.control_inputs)
    return any(source in loop.conditional for source in sources)


def _is_whole(loop: Loop, position: dict[Operation, int]) -> bool:
    """Whether the parts found make up a loop of the known shape."""
    condition = loop.condition
    if condition is None or len(loop.ops) > MAX_NODES or not loop.merges:
        return False
    if condition.inputs[0].op in loop.conditional:
        return False
    members = set(loop.ops)
    return (
        all(_is_loop_variable(merge, position) for merge in loop.merges)
        and all(_tests(switch, condition, loop) for switch in loop.switches)
        and all(
            op.inputs[0].op in loop.switches and op.inputs[0].value_index == 0 for op in loop.exits
        )
        and all(_leaves_by_exits(switch, members) for switch in loop.switches)
        and all(_enters_once(enter, loop, members) for enter in loop.enters)
        and _enters_before_exits(loop, position)
    )


def _is_loop_variable(merge: Operation, position: dict[Operation, int]) -> bool:
    """Enter and NextIteration lead into the Merge, and only its first output is read."""
    kinds = [tensor.op.type for tensor in merge.inputs]
    read = [c for c in merge.outputs[1].consumers() if c in position]
    return (
        len(kinds) == 2 and kinds[0] in ENTER and kinds[1] in NEXT_ITERATION
        and not merge.control_inputs and not read
    )  # fmt: skip


def _tests(switch: Operation, condition: Operation, loop: Loop) -> bool:
    """The Switch asks the loop's own condition about a loop variable."""
    data, predicate = switch.inputs
    return predicate.op is condition and data.op in loop.merges and not switch.control_inputs


def _leaves_by_exits(switch: Operation, members: set[Operation]) -> bool:
    """Nothing but Exits reads what is there when the loop is over."""
    return all(c.type in EXIT for c in switch.outputs[0].consumers() if c in members)


def _enters_once(enter: Operation, loop: Loop, members: set[Operation]) -> bool:
    """A loop variable goes to its Merge alone; a constant of the loop to no Merge."""
    readers = [c for c in enter.outputs[0].consumers() if c in members]
    merges = [c for c in readers if c in loop.merges]
    return not merges if enter.attrs["is_constant"] else len(readers) == len(merges) == 1


def _enters_before_exits(loop: Loop, position: dict[Operation, int]) -> bool:
    """In the order of the plan no Enter comes after an Exit: so none can wait for one."""
    last_enter = max((position[op] for op in loop.enters), default=-1)
    return all(position[op] > last_enter for op in loop.exits)


def representatives(loops: Iterable[Loop]) -> dict[Operation, Operation]:
    """For each operation in one of the loops, the one that stands for the whole loop."""
    result: dict[Operation, Operation] = {}
    for loop in loops:
        assert loop.condition is not None
        result.update(dict.fromkeys(loop.ops, loop.condition))
    return result


def loop_value(tensor: Tensor, loop: Loop) -> Operation | None:
    """The Merge whose current value a tensor of the loop is; None for computed tensors."""
    if tensor.op in loop.merges:
        return tensor.op
    if tensor.op in loop.switches:
        return tensor.op.inputs[0].op
    return None
