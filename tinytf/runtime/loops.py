"""Loops of the shape that `tf.while_loop` builds, found in the graph and written as Python loops.

Going through frames costs some thirty microseconds an iteration, since every Merge, Switch and
NextIteration passes the ready queue. But the loops people build all look alike: for each variable
Enter -> Merge -> Switch -> body -> NextIteration, one LoopCond for all, Exits. Such a loop runs as
one unit, with the conditionals and the loops inside it, if nothing in it may have to wait:

    def segment(s, v):
     v0 = v[0]                                     # what comes from outside
     m0 = v0; m1 = c0; n0 = 0                      # Enter
     while True:
      check0(s, n0); n0 += 1                       # cancelled? out of time?
      v5 = k0(m0, c1)                              # the condition, one line a node
      if not v5: break                             # LoopCond
      v6 = k1(m0, c2)                              # the body
      if v6:                                       # a conditional: Switch
       v7 = k2(m1, m0)
       v9 = v7                                     # Merge
      else:
       v8 = k3(m1)
       v9 = v8
      m0, m1 = v6, v9                              # NextIteration, all at once
     v[2] = m1                                     # Exit

A large value is deleted in the line that takes it last; small ones stay until they are replaced.
The loop starts when all Enters could, and ends when the loop does: another legal schedule of the
same graph, unless an Enter waits for an Exit of its own loop (then the frames run it). Everything
else, foreign graphs above all, goes through the generic frames (`iterations.py`), which property
tests use as the oracle of these loops.

This module finds the loops; `loop_order` tells which conditions each operation is under and puts
all in order; `loop_code` writes the code.
"""

from __future__ import annotations

from collections.abc import Iterable

from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
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
from tinytf.runtime.loop_order import Guard, arrange, conditions_behind
from tinytf.runtime.loop_parts import Literal, Loop, NotWritable
from tinytf.runtime.passing_on import Take, takes

#: Python compiles no more than twenty loops inside each other, and a hundred levels of indentation;
#: and one code object should not be too large.
_DEEPEST, _WIDEST = 15, 90
_LARGEST = 4000

#: What reads each tensor, of operations that have to do with loops.
Readers = dict[Tensor, list[Operation]]


def find_loops(
    ops: list[Operation],
    frames: dict[Operation, FrameKey],
    blocking: set[Operation],
    live: frozenset[Tensor] = frozenset(),
) -> list[Loop]:
    """The loops among `ops` (in topological order) that can be written as code.

    Of a loop inside a loop that can be written, only the outer one is returned.
    """
    found, readers = _collect(ops, frames)
    if not found:
        return []
    position = {op: number for number, op in enumerate(ops)}
    behind = conditions_behind(ops, live)
    blocking = blocking | {op for op in ops if _stops(op, live)}
    written: dict[FrameKey, Loop] = {}
    for frame in sorted(found, key=len, reverse=True):  # from the inside out
        loop = found[frame]
        try:
            _check(loop, written, readers, blocking)
            arrange(loop, position, behind, live)
            if _columns(loop) > _WIDEST:
                raise NotWritable("too many conditions and loops inside each other")
        except NotWritable:
            continue
        for inner in loop.inner:
            del written[inner.frame]
        written[frame] = loop
    loops = [loop for loop in written.values() if _is_all_or_nothing(loop, behind)]
    return _without_cycles(loops, ops)


def _stops(op: Operation, live: frozenset[Tensor]) -> bool:
    """Whether it routes a variable's memory and has to read it: code hands on what there is."""
    return op.type in CONTROL_FLOW and any(
        tensor in live and Take.VALUE in takes(op, (), live) for tensor in op.inputs
    )


def _collect(
    ops: list[Operation], frames: dict[Operation, FrameKey]
) -> tuple[dict[FrameKey, Loop], Readers]:
    """All loops, by their frames, with what is in them."""
    found: dict[FrameKey, Loop] = {}
    readers: Readers = {}
    for op in ops:
        frame = output_frame(op, frames[op]) if op.type in ENTER else frames[op]
        if not frame:
            continue
        for depth in range(1, len(frame) + 1):
            if frame[:depth] not in found:
                found[frame[:depth]] = Loop(frame[:depth])
            found[frame[:depth]].ops.append(op)
        for tensor in op.inputs:
            readers.setdefault(tensor, []).append(op)
        _sort_in(op, found[frame])
    for frame, loop in found.items():
        if len(frame) > 1:
            loop.outer = found[frame[:-1]]
            loop.outer.inner.append(loop)
    return found, readers


def _sort_in(op: Operation, loop: Loop) -> None:
    """Put an operation where it belongs in its loop."""
    if op.type in ENTER:
        loop.enters.append(op)
    elif op.type in EXIT:
        loop.exits.append(op)
    elif op.type in NEXT_ITERATION:
        loop.nexts.append(op)
    elif op.type in MERGE and any(t.op.type in NEXT_ITERATION for t in op.inputs):
        loop.merges.append(op)
    else:
        loop.own.append(op)
        if op.type == "LoopCond":
            loop.conditions.append(op)


def _check(
    loop: Loop, written: dict[FrameKey, Loop], readers: Readers, blocking: set[Operation]
) -> None:
    """Raise NotWritable unless the parts found make up a loop of the known shape."""
    merges = set(loop.merges)
    good = (
        len(loop.conditions) == 1
        and loop.merges
        and len(loop.ops) <= _LARGEST
        and all(inner.frame in written for inner in loop.inner)
        and _height(loop) <= _DEEPEST
        and blocking.isdisjoint(loop.own)
        and all(_is_loop_variable(merge, readers) for merge in loop.merges)
        and all(_leads_out(exit, merges, loop.condition) for exit in loop.exits)
        and all(_enters_once(enter, merges, readers) for enter in loop.enters)
        and len(loop.nexts) == len(loop.merges)
    )
    if not good:
        raise NotWritable


def _height(loop: Loop) -> int:
    return 1 + max((_height(inner) for inner in loop.inner), default=0)


def _columns(loop: Loop) -> int:
    """How far the code of a loop is indented."""
    steps = [*loop.repeated, *loop.body]
    inside = (len(s.path) + (_columns(s.what) if isinstance(s.what, Loop) else 0) for s in steps)
    return 2 + max(inside, default=0)


def _is_loop_variable(merge: Operation, readers: Readers) -> bool:
    """Enter and NextIteration lead into the Merge, and only its first output is read."""
    kinds = [tensor.op.type for tensor in merge.inputs]
    return (
        len(kinds) == 2
        and kinds[0] in ENTER
        and kinds[1] in NEXT_ITERATION
        and not merge.control_inputs
        and merge.outputs[1] not in readers
        and len(readers[merge.inputs[1]]) == 1
    )


def _leads_out(exit: Operation, merges: set[Operation], condition: Operation) -> bool:
    """An Exit takes the value that a loop variable has when the condition fails."""
    source = exit.inputs[0]
    if source.op.type not in SWITCH or source.value_index != 0 or exit.control_inputs:
        return False
    data, predicate = source.op.inputs
    return data.op in merges and predicate.op is condition


def _enters_once(enter: Operation, merges: set[Operation], readers: Readers) -> bool:
    """A loop variable goes to its Merge alone; a constant of the loop to no Merge."""
    reading = readers.get(enter.outputs[0], [])
    count = sum(reader in merges for reader in reading)
    return count == 0 if enter.attrs["is_constant"] else len(reading) == count == 1


def _is_all_or_nothing(loop: Loop, behind: dict[Operation, Guard]) -> bool:
    """Whether the loop does not run at all when one of its constants is dead."""
    constants: set[Literal] = set()
    variables: set[Literal] = set()
    for op in loop.enters:
        (constants if op.attrs["is_constant"] else variables).update(behind[op])
    return constants <= variables


def _without_cycles(loops: list[Loop], ops: list[Operation]) -> list[Loop]:
    """Leave out loops until none of the others has to be over before it can start.

    In a loop that runs as one, every Exit comes after every Enter. So the graph in which each such
    loop is a single node must have no cycle.
    """
    loops = [loop for loop in loops if not _starts_when_over(loop)]
    while True:
        stand_for = representatives(loops)
        members = {loop.condition: loop for loop in loops}
        waiting: dict[Operation, set[Operation]] = {}
        for op in ops:
            node = stand_for.get(op, op)
            sources = waiting.setdefault(node, set())
            is_merge = op.type in MERGE
            for tensor in op.inputs:
                if not (is_merge and tensor.op.type in NEXT_ITERATION):
                    sources.add(stand_for.get(tensor.op, tensor.op))
            sources.update(stand_for.get(control, control) for control in op.control_inputs)
            sources.discard(node)
        cycle = find_cycle({n: [s for s in waiting[n] if s in waiting] for n in waiting})
        if not cycle:
            return loops
        wrong = next(members[node] for node in cycle if node in members)
        loops = [loop for loop in loops if loop is not wrong]


def _starts_when_over(loop: Loop) -> bool:
    """Whether an Enter waits for an Exit of its own loop, directly."""
    exits = set(loop.exits)
    return any(
        source in exits
        for op in loop.enters
        for source in [tensor.op for tensor in op.inputs] + list(op.control_inputs)
    )


def find_cycle(sources: dict[Operation, list[Operation]]) -> list[Operation]:
    """Nodes that wait for each other in a circle; empty if there are none."""
    consumers: dict[Operation, list[Operation]] = {}
    count = {}
    for node, needed in sources.items():
        count[node] = len(needed)
        for source in needed:
            consumers.setdefault(source, []).append(node)
    ready = [node for node, missing in count.items() if not missing]
    while ready:
        node = ready.pop()
        del count[node]
        for consumer in consumers.get(node, ()):
            count[consumer] -= 1
            if not count[consumer]:
                ready.append(consumer)
    if not count:
        return []
    path: dict[Operation, int] = {}
    node = next(iter(count))
    while node not in path:  # each that is left waits for another that is left
        path[node] = len(path)
        node = next(source for source in sources[node] if source in count)
    return [other for other, number in path.items() if number >= path[node]]


def representatives(loops: Iterable[Loop]) -> dict[Operation, Operation]:
    """For each operation in one of the loops, the one that stands for the whole loop."""
    result: dict[Operation, Operation] = {}
    for loop in loops:
        result.update(dict.fromkeys(loop.ops, loop.condition))
    return result
