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
from tinytf.runtime.frames import CONTROL_FLOW, ROOT, SWITCH, FrameKey, assign_frames
from tinytf.runtime.pruning import prune

#: Not stateful by their schemas, but not to be moved, merged or left out either.
_FIXED = CONTROL_FLOW | {
    "ControlTrigger", "LoopCond", "NoOp", "Placeholder", "PlaceholderV2", "PreventGradient",
}  # fmt: skip
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
        self, ops: Sequence[Operation], feeds: Iterable[Tensor], fetches: Sequence[Tensor],
        targets: Iterable[Operation],
    ):  # fmt: skip
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
        self._frames: dict[Operation, FrameKey] = assign_frames(self.ops, self.fed)
        self.maybe_dead: set[Operation] = set()
        for op in self.ops:
            sources = {t.op for t in op._inputs} | set(op._controls)
            if op.type in SWITCH or not self.maybe_dead.isdisjoint(sources):
                self.maybe_dead.add(op)

    def _copy(self, ops: Sequence[Operation]) -> None:
        loops_back: list[tuple[Operation, Operation]] = []
        for op in ops:
            inputs = []
            for tensor in op._inputs:
                if tensor not in self.fed and tensor.op not in self._copies:
                    loops_back.append((op, op))
                    break
                inputs.append(self._tensor(tensor))
            controls = tuple(self._copies.get(c, c) for c in op._controls)
            complete = len(inputs) == len(op._inputs)
            copy = op._copy(tuple(inputs) if complete else op._inputs, controls)
            self._copies[op] = copy
            self.ops.append(copy)
        for op, _ in loops_back:
            self._copies[op]._inputs = tuple(self._tensor(t) for t in op._inputs)
        for copy in self.ops:
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
        if op.op_def.is_stateful or op.type in _FIXED or not op.outputs:
            return False
        if self._frames.get(op, ROOT) != ROOT:
            return False
        return not any(t.dtype.is_ref or t.dtype in _STATE for t in (*op._inputs, *op.outputs))

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

    def finish(self) -> None:
        """Leave out what nobody needs any more, and put the rest in order."""
        for op in self.ops:
            self.resolve(op)  # the back edges of loops
        roots = [t.op for t in self.fetches if t not in self.fed]
        self.ops = prune([*roots, *self.targets], self.fed)
