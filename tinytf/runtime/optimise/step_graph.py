"""The graph of one step, as copies that optimisations may change.

The user's graph stays as it was built: what a learner wrote is what the instruments show. A copy
keeps the name, the place in the user's program and the graph of its original, so an error in it is
an error of the original.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tinytf.framework import dtypes
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.runtime.frames import CONTROL_FLOW, ENTER, MERGE, ROOT, SWITCH, FrameKey, assign_frames
from tinytf.runtime.live_reads import live_reads

#: Not stateful by their schemas, but not to be moved, merged or left out either.
_FIXED = CONTROL_FLOW | {
    "ControlTrigger",
    "LoopCond",
    "NoOp",
    "Placeholder",
    "PlaceholderV2",
    "PreventGradient",
}
_STATE = (dtypes.resource, dtypes.variant)


@dataclass(frozen=True)
class Change:
    """One thing that an optimisation did.

    Attributes:
      by: the optimisation: "constant folding", "common subexpressions" ...
      op: the name of the operation it happened to. what: in words.
    """

    by: str
    op: str
    what: str


class StepGraph:
    """A pruned graph to be optimised; see the module.

    Args:
      ops: the operations of the step, producers first. feeds, fetches, targets: its signature.

    Attributes:
      ops: the copies, producers first. fetches, targets: theirs. changes: what was done so far.
      kept: operations that the caller asked for: they stay, under their names.
      consumers: of each tensor, the operations that took it when the graph was copied.
    """

    def __init__(
        self,
        ops: Sequence[Operation],
        feeds: Iterable[Tensor],
        fetches: Sequence[Tensor],
        targets: Iterable[Operation],
    ):
        self.fed = frozenset(feeds)
        self.ops: list[Operation] = []
        self._copies: dict[Operation, Operation] = {}
        self.consumers: dict[Tensor, list[Operation]] = {}
        self.changes: list[Change] = []
        self._replaced: dict[Tensor, Tensor] = {}
        self._copy(ops)
        self.fetches = [self._tensor(t) for t in fetches]
        self.targets = [self._copies.get(op, op) for op in targets]
        self.kept = {t.op for t in self.fetches} | set(self.targets)
        types = {op.op_def.name for op in self.ops}
        self._frames: dict[Operation, FrameKey] = {}  # empty without loops: all is in the root
        if not ENTER.isdisjoint(types):
            self._frames = assign_frames(self.ops, self.fed)
        self._pure: dict[Operation, bool] = {}
        #: what may be the memory of a variable that the step writes to: see `is_memory`
        self._memories = live_reads(self.ops, self.fed, everywhere=True)
        self._new: dict[Operation, list[Operation]] = {}
        #: what may be on a path that is not taken
        self.maybe_dead: set[Operation] = set()
        if not SWITCH.isdisjoint(types):
            self._find_maybe_dead()

    def _find_maybe_dead(self) -> None:
        for op in self.ops:
            sources = {t.op for t in op._inputs} | set(op._controls)
            if op.op_def.name in SWITCH or not self.maybe_dead.isdisjoint(sources):
                self.maybe_dead.add(op)

    def _copy(self, ops: Sequence[Operation]) -> None:
        copies = self._copies
        for op in ops:
            inputs = tuple([self._tensor(t) for t in op._inputs])
            controls = tuple([copies.get(c, c) for c in op._controls]) if op._controls else ()
            copies[op] = op._copy(inputs, controls)
        self.ops = list(copies.values())
        for op, copy in copies.items():
            if op.op_def.name in MERGE:  # the back edge of a loop comes from further down
                copy._inputs = tuple([self._tensor(t) for t in op._inputs])
            for tensor in copy._inputs:
                self.consumers.setdefault(tensor, []).append(copy)

    def _tensor(self, tensor: Tensor) -> Tensor:
        if tensor in self.fed or tensor.op not in self._copies:
            return tensor
        return self._copies[tensor.op].outputs[tensor.value_index]

    # What may be changed ------------------------------------------------------------------------

    def is_pure(self, op: Operation) -> bool:
        """Whether it computes its outputs from its inputs, and does nothing else.

        Operations inside loops count as impure: what they are worth changes between iterations.
        """
        pure = self._pure.get(op)
        if pure is None:
            pure = self._pure[op] = self._computes_only(op)
        return pure

    def _computes_only(self, op: Operation) -> bool:
        if op.op_def.is_stateful or op.op_def.name in _FIXED or not op.outputs:
            return False
        if self._frames.get(op, ROOT) != ROOT:
            return False
        return not any(t.dtype.is_ref or t.dtype in _STATE for t in (*op._inputs, *op.outputs))

    def is_memory(self, tensor: Tensor) -> bool:
        """Whether it may be the memory of a variable that the step writes to."""
        return tensor in self._memories

    def feeds_control_flow(self, op: Operation) -> bool:
        """Whether a Merge, Switch, Enter ... takes an output: they cannot wait for others."""
        return any(
            user.type in CONTROL_FLOW for t in op.outputs for user in self.consumers.get(t, ())
        )

    # Changes ------------------------------------------------------------------------------------

    def resolve(self, op: Operation) -> None:
        """Let an operation take what its inputs were replaced by."""
        if not any(t in self._replaced for t in op._inputs):
            return
        waits = [c for t in op._inputs if t in self._replaced for c in t.op._controls]
        op._inputs = tuple(self._replaced.get(t, t) for t in op._inputs)
        self.wait_for(op, waits)

    def wait_for(self, op: Operation, others: Iterable[Operation]) -> None:
        """Add control inputs."""
        known = {op, *op._controls}
        op._controls += tuple(o for o in dict.fromkeys(others) if o not in known)

    def replace(self, op: Operation, tensors: Sequence[Tensor], by: str, what: str) -> None:
        """Give others these tensors for the outputs of `op`; they wait for what it waited for."""
        self._replaced.update(zip(op.outputs, tensors, strict=True))
        self.changes.append(Change(by, op.name, what))

    def add(self, op: Operation, before: Operation) -> None:
        """Take a new operation into the graph."""
        self._new.setdefault(before, []).append(op)

    def needed(self) -> set[Operation]:
        """What the fetches and targets need, by value or by order."""
        seen: set[Operation] = set()
        pending = [*(t.op for t in self.fetches if t not in self.fed), *self.targets]
        while pending:
            op = pending.pop()
            if op not in seen:
                seen.add(op)
                pending.extend([t.op for t in op._inputs if t not in self.fed])
                pending.extend(op._controls)
        return seen

    def finish(self) -> None:
        """Leave out what nobody needs any more."""
        if not self.changes:
            return
        for op in self.ops:
            if op.op_def.name in MERGE:
                self.resolve(op)  # the back edges of loops
        needed = self.needed()
        ordered = [o for op in self.ops for o in (*self._new.get(op, ()), op)]
        self.ops = [op for op in ordered if op in needed]
