"""Segments: which operations run, or are skipped, together.

Running a node through counters and a ready queue costs a few microseconds; a numpy scalar
addition costs a tenth of one. So the inexpensive nodes are gathered into *segments* that run as
straight-line code, and only the others (the *barriers*: Switch, Merge, loops, kernels that may
wait) meet through counters.

Which nodes may share a segment? Call every output of a barrier a *token*, and let D(n) be the
tokens that reach n without passing another barrier. Nodes with the same D form one segment:

  * It never waits for anything its nodes do not all need: each needs exactly D.
  * Its nodes are alive or dead together: a node is dead when any input is, so n is alive exactly
    if all of D(n) is.
  * Segments never wait for each other in a circle: if a path leads from a node of the segment
    through a barrier B and back into the segment, the token of B is in the D of both ends, so B
    would lie on a cycle of the graph.

It follows that a segment belongs to one frame, and that a graph without barriers is one segment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.runtime.frames import SWITCH, FrameKey
from tinytf.runtime.pruning import is_fed_placeholder

#: (barrier, port): the output index of a Switch; DATA for all outputs of any other barrier;
#: CONTROL for the fact that the barrier has run.
Token = tuple[Operation | Tensor, int]
DATA = 0
CONTROL = -1


@dataclass(slots=True, eq=False)
class Segment:
    """Nodes that run as one, in order; all in one frame.

    Attributes:
      tokens: what it waits for, D in the module's text.
    """

    frame: FrameKey
    tokens: frozenset[Token]
    ops: list[Operation] = field(default_factory=list)


def token_of(tensor: Tensor) -> Token:
    """The token of a barrier's output."""
    return tensor.op, tensor.value_index if tensor.op.type in SWITCH else DATA


def control_token_of(op: Operation) -> Token:
    """The token of a control edge out of a barrier.

    Only a Switch tells "has run" from "this output is alive"; elsewhere they are the same.
    """
    return op, CONTROL if op.type in SWITCH else DATA


def gather(
    ops: Iterable[Operation],
    frames: dict[Operation, FrameKey],
    is_barrier: Callable[[Operation], bool],
    fed: frozenset[Tensor],
    feeds_arrive_later: bool = False,
    stand_in: dict[Operation, Operation] | None = None,
    kinds: dict[Operation, Any] | None = None,
) -> tuple[list[Segment], dict[Operation, Segment]]:
    """Group all operations that are no barriers.

    Args:
      ops: in topological order. frames: of each. is_barrier: which run on their own.
      fed: tensors the caller supplies.
      feeds_arrive_later: in a partial run, a fed tensor is a token as well.
      stand_in: for operations that run as one barrier, the one whose token stands for all.
      kinds: operations of different kinds never share a segment; see `lanes`.

    Returns:
      the segments, in the order of their first node, and the segment of each operation.
    """
    stand_in = stand_in or {}
    by_tokens: dict[Any, Segment] = {}
    segment_of: dict[Operation, Segment] = {}
    for op in ops:
        if is_barrier(op):
            continue
        tokens: set[Token] = set()
        for tensor in op.inputs:
            if tensor in fed:
                if feeds_arrive_later:
                    tokens.add((tensor, DATA))
                continue
            if tensor.op in segment_of:
                tokens |= segment_of[tensor.op].tokens
            elif tensor.op in stand_in:
                tokens.add((stand_in[tensor.op], DATA))
            else:
                tokens.add(token_of(tensor))
        for control in op.control_inputs:
            if is_fed_placeholder(control, fed):
                if feeds_arrive_later:
                    tokens.add((control.outputs[0], DATA))
            elif control in segment_of:
                tokens |= segment_of[control].tokens
            elif control in stand_in:
                tokens.add((stand_in[control], DATA))
            else:
                tokens.add(control_token_of(control))
        key = (frames[op], frozenset(tokens), None if kinds is None else kinds[op])
        segment = by_tokens.get(key)
        if segment is None:
            segment = by_tokens[key] = Segment(key[0], key[1])
        segment.ops.append(op)
        segment_of[op] = segment
    return list(by_tokens.values()), segment_of
