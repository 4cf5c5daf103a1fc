"""Which reads of reference variables must not be carried out when they run.

A read may be carried out at once if nothing is written to the variable between it and the last
operation that takes its value. That is so for most: a training step reads its weights, computes the
gradients, and only then writes. The others are *live*: their tensors carry the memory of the
variable (`resources.memory`) up to whoever computes with it.

    live(t), a tensor made by P from a variable   if for some write W to the variable
        neither W comes before P for certain, nor every taker of t before W for certain

"For certain" means along edges, of data or control. Conditionals are looked into: what leads to W
through a Merge leads there only if the side of it that is not taken leads there as well. Where a
variable is written in a loop all its reads are live. To call a read live that need not be is never
wrong, only slower.

While an operation waits, other steps may write: it counts as a write to all variables, except for
what is taken in loops, which live reads would keep from being one piece of code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from tinytf.framework.kernel_binding import reference_inputs
from tinytf.framework.operation import Operation
from tinytf.framework.registry import find_kernel
from tinytf.framework.tensor import Tensor
from tinytf.runtime.frames import CONTROL_FLOW, ENTER, EXIT, MERGE, NEXT_ITERATION, SWITCH
from tinytf.runtime.passing_on import MAY_PASS_ON, passed_inputs

#: They take references and write nothing.
_READERS = frozenset(
    """
    IsVariableInitialized RefIdentity RefSwitch RefMerge RefEnter RefExit RefNextIteration
    RefSelect
    """.split()
)
_VARIABLES = frozenset({"Variable", "VariableV2", "TemporaryVariable"})
_NOBODY = frozenset[str]()
#: A set of writes, one bit for each.
Mask = int
#: What comes after an operation for certain: always; and if a predicate has a value.
Certain = tuple[Mask, dict[tuple[Tensor, int], Mask]]
_NOTHING: Certain = (0, {})


def live_reads(
    ops: Sequence[Operation],
    fed: frozenset[Tensor],
    fetches: Iterable[Tensor] = (),
    *,
    everywhere: bool = False,
    copies: Callable[[Operation], bool] = lambda op: False,
    waits: bool = True,
) -> frozenset[Tensor]:
    """The tensors of a step that carry the memory of a variable instead of a value.

    Args:
      ops: the operations of the step, producers first. fed, fetches: its signature.
      everywhere: whether to ask only if a variable is written at all: the same values, by less
        thinking.
      copies: whether an operation that could pass memory on makes a copy: a transfer to a GPU.
      waits: whether operations that wait count as writes. What goes from task to task, or from one
        device to another, is read when it is sent, whoever waits for something else there.
    """
    variables = _Variables(ops, fed)
    if waits:
        variables.note_waits()
    if not variables.writes:
        return frozenset()
    reads = variables.reads(copies)
    if not reads or everywhere:
        return frozenset(reads)
    return _Order(ops, fed, variables.writes, reads, variables.waits).live(fetches)


def waits_of_readers(
    ops: Iterable[Operation], live: frozenset[Tensor]
) -> dict[Operation, tuple[Operation, ...]]:
    """For each operation that takes a variable's memory what it waits for: so does what sends it.

    A constant that was built with it waits in its place (`Operation` leaves such edges out).
    """
    found = {}
    for op in ops:
        if any(t.dtype.is_ref or t in live for t in op._inputs):
            waits = [*op._controls]
            for tensor in op._inputs:
                if tensor.op.type == "Const":
                    waits.extend(tensor.op._controls)
            found[op] = tuple(dict.fromkeys(waits))
    return found


class _Variables:
    """Where the references of a step lead, and who writes to them.

    Attributes:
      writes: for each operation that writes, the variables, by name.
      waits: which of these only wait.
    """

    def __init__(self, ops: Sequence[Operation], fed: frozenset[Tensor]):
        self._ops, self._fed = ops, fed
        self._behind: dict[Tensor, frozenset[str]] = {}
        self.writes: dict[Operation, frozenset[str]] = {}
        self.waits = set[Operation]()
        while self._follow():
            pass  # a reference goes around in a loop

    def note_waits(self) -> None:
        """Let operations that may have to wait write to all variables."""
        everything = _NOBODY.union(*self._behind.values())
        if everything:
            loops = _in_loops(self._ops)
            self.waits = {op for op in self._ops if _may_wait(op) and op not in loops}
            self.waits -= self.writes.keys()
            self.writes |= dict.fromkeys(self.waits, everything)

    def _follow(self) -> bool:
        """Go through all operations once; whether something is new that comes before."""
        changed = False
        for op in self._ops:
            if op.op_def.name in _VARIABLES:
                self._behind[op.outputs[0]] = frozenset([_name_of(op)])
                continue
            found = self._given_to(op)
            if not found:
                continue
            if op.op_def.name not in _READERS:
                self.writes[op] = found
            for tensor in op.outputs:
                if tensor.dtype.is_ref and self._behind.get(tensor) != found:
                    self._behind[tensor] = found
                    changed = changed or op.op_def.name in NEXT_ITERATION
        return changed

    def _given_to(self, op: Operation) -> frozenset[str]:
        """The variables that an operation gets as references."""
        if not any(t in self._behind for t in op._inputs):
            return _NOBODY
        flags = zip(op._inputs, reference_inputs(op), strict=True)
        given = [self._behind.get(t, _NOBODY) for t, flag in flags if flag and t not in self._fed]
        return _NOBODY.union(*given)

    def reads(self, copies: Callable[[Operation], bool]) -> dict[Tensor, frozenset[str]]:
        """The tensors that may be the memory of variables which are written in this step."""
        written = _NOBODY.union(*self.writes.values())
        decided = predicates(self._ops)
        found: dict[Tensor, frozenset[str]] = {}
        again = True
        while again:
            again = False
            for op in self._ops:
                for tensor in op.outputs if op.op_def.name in MAY_PASS_ON else ():
                    if tensor.dtype.is_ref or tensor in self._fed or tensor in decided:
                        continue
                    sources = [
                        found.get(source) or self._behind.get(source, _NOBODY) & written
                        for source in passed_inputs(op, tensor.value_index)
                        if source not in self._fed
                    ]
                    behind = _NOBODY.union(*sources)
                    if behind and found.get(tensor) != behind and not copies(op):
                        found[tensor] = behind
                        again = again or op.op_def.name in NEXT_ITERATION
        return found


def _name_of(op: Operation) -> str:
    """What two operations have in common that mean the same variable."""
    if op.op_def.name == "TemporaryVariable":
        return op.name
    name = op.attrs["shared_name"].decode() or op.name
    return f"{op.attrs['container'].decode()}/{name}"


def _may_wait(op: Operation) -> bool:
    kernel = find_kernel(op.op_def.name, "CPU", op.attrs)
    return kernel is not None and kernel.blocking


def predicates(ops: Sequence[Operation]) -> set[Tensor]:
    """What decides: all that a conditional consists of has to see the same value of it."""
    return {
        op._inputs[0 if op.op_def.name == "LoopCond" else 1]
        for op in ops
        if op.op_def.name in SWITCH or op.op_def.name == "LoopCond"
    }


class _Order:
    """What comes before and after what, for certain."""

    def __init__(
        self,
        ops: Sequence[Operation],
        fed: frozenset[Tensor],
        writes: dict[Operation, frozenset[str]],
        reads: dict[Tensor, frozenset[str]],
        waits: set[Operation],
    ):
        self._ops, self._fed, self._reads = ops, fed, reads
        variables = _NOBODY.union(*reads.values())
        relevant = [op for op, names in writes.items() if names & variables]
        self._bit = {op: 1 << number for number, op in enumerate(relevant)}
        self._waits = sum(bit for op, bit in self._bit.items() if op in waits)
        self._writes_to = {
            name: sum(self._bit[op] for op in relevant if name in writes[op]) for name in variables
        }
        self._in_loops = _in_loops(ops)
        self._consumers = self._find_consumers()

    def live(self, fetches: Iterable[Tensor]) -> frozenset[Tensor]:
        """Of the tensors that may be a variable's memory those that have to be."""
        before, after = self._before(), self._after()
        looping = sum(bit for op, bit in self._bit.items() if op in self._in_loops)
        fetched = frozenset(fetches)
        found: dict[Tensor, Mask] = {}  # with what comes after all who take it
        changed = True
        while changed:  # in a loop a tensor may be taken further up
            changed = False
            for tensor in reversed(list(self._reads)):
                if tensor in found:
                    continue
                written = 0
                for name in self._reads[tensor]:
                    written |= self._writes_to[name]
                if self._is_for_loops(tensor):
                    written &= ~self._waits
                late = 0 if tensor in fetched else self._after_all(tensor, found, after)
                if written & (looping | ~(before[tensor.op] | late)):
                    found[tensor] = late
                    changed = tensor.op in self._in_loops or changed
        self._complete(found)
        return frozenset(found)

    def _is_for_loops(self, tensor: Tensor) -> bool:
        takers = self._consumers.get(tensor, ())
        return any(op.op_def.name in ENTER or op in self._in_loops for op in takers)

    def _complete(self, found: dict[Tensor, Mask]) -> None:
        """What goes through control flow stays what it is: nobody takes a value there."""
        changed = True
        while changed:
            changed = False
            for op in self._ops:
                if op.op_def.name in CONTROL_FLOW and any(t in found for t in op._inputs):
                    new = [t for t in op.outputs if t in self._reads and t not in found]
                    found.update(dict.fromkeys(new, 0))
                    changed = changed or bool(new)

    def _after_all(
        self, tensor: Tensor, found: dict[Tensor, Mask], after: dict[Operation, Mask]
    ) -> Mask:
        """The writes that come after everybody who takes a tensor."""
        late = -1
        for consumer in self._consumers.get(tensor, ()):
            passed = [
                found[t]
                for t in consumer.outputs
                if t in found and tensor in passed_inputs(consumer, t.value_index)
            ]
            for later in passed or [after[consumer] | self._bit.get(consumer, 0)]:
                late &= later
        return late

    def _find_consumers(self) -> dict[Tensor, list[Operation]]:
        consumers: dict[Tensor, list[Operation]] = {}
        for op in self._ops:
            for tensor in op._inputs:
                if tensor in self._reads:
                    consumers.setdefault(tensor, []).append(op)
        return consumers

    def _before(self) -> dict[Operation, Mask]:
        """For each operation, the writes that come before it."""
        before: dict[Operation, Mask] = {}

        def with_own(op: Operation) -> Mask:
            return before.get(op, 0) | self._bit.get(op, 0)

        for op in self._ops:
            sources = [0 if t in self._fed else with_own(t.op) for t in op._inputs]
            mask = 0
            if op.op_def.name in MERGE:  # one of them is enough for it to run
                around = [t.op.op_def.name in NEXT_ITERATION for t in op._inputs]
                mask = -1 if sources and not all(around) else 0
                for source, later in zip(sources, around):
                    mask &= -1 if later else source
            else:
                for source in sources:
                    mask |= source
            for control in op._controls:
                mask |= with_own(control)
            before[op] = mask
        return before

    def _after(self) -> dict[Operation, Mask]:
        """For each operation, the writes that come after it."""
        known: dict[Operation, Certain] = {}
        #: what comes after a NextIteration comes around: it is known only the next time
        around: dict[Operation, Certain] = {}
        again = True
        while again:
            again = False
            gathered: dict[Operation, list[Certain]] = {}
            for op in reversed(self._ops):
                if op.op_def.name in NEXT_ITERATION:
                    gathered[op] = [*gathered.get(op, []), around.get(op, _NOTHING)]
                certain = known[op] = _joined(gathered.pop(op, []))
                again = self._tell(op, certain, gathered, around) or again
        return {op: certain[0] for op, certain in known.items()}

    def _tell(
        self,
        op: Operation,
        certain: Certain,
        gathered: dict[Operation, list[Certain]],
        around: dict[Operation, Certain],
    ) -> bool:
        """Tell those before an operation what comes after them; whether one has to hear again."""
        again = False
        own = (certain[0] | self._bit.get(op, 0), certain[1])
        for control in op._controls:
            gathered.setdefault(control, []).append(own)
        for tensor in op._inputs:
            source, told = tensor.op, own
            if tensor in self._fed:
                continue
            if source.op_def.name in SWITCH:
                told = self._through_switch(source, tensor.value_index, own)
            if source.op_def.name in NEXT_ITERATION:
                again = again or around.get(source, _NOTHING) != told
                around[source] = told
            else:
                gathered.setdefault(source, []).append(told)
        return again

    def _through_switch(self, switch: Operation, side: int, certain: Certain) -> Certain:
        """What comes after what a Switch takes, by way of one of its outputs."""
        predicate = switch._inputs[1]
        if predicate.op.op_def.name == "LoopCond":
            return certain if side == 0 else (0, {})  # a loop ends; it may not have had a body
        while self._is_same(predicate.op):
            predicate = predicate.op._inputs[0]
        return 0, {(predicate, side): certain[0]}  # conditions inside are conditions of both

    def _is_same(self, op: Operation) -> bool:
        """Whether a predicate that an operation gives has the value of its input."""
        if op.op_def.name != "Identity" and op.op_def.name not in SWITCH:
            return False
        return not op._inputs[0].dtype.is_ref and op._inputs[0] not in self._reads


def _joined(parts: list[Certain]) -> Certain:
    """What is certain if each of these is; of a predicate both of whose values lead there, too."""
    always = 0
    if not any(more for _, more in parts):
        for mask, _ in parts:
            always |= mask
        return always, _NOTHING[1]
    conditions: dict[tuple[Tensor, int], Mask] = {}
    for mask, more in parts:
        always |= mask
        for key, value in more.items():
            conditions[key] = conditions.get(key, 0) | value
    for (predicate, side), mask in conditions.items():
        if side == 0:
            always |= mask & conditions.get((predicate, 1), 0)
    return always, {key: mask for key, mask in conditions.items() if mask & ~always}


def _in_loops(ops: Sequence[Operation]) -> frozenset[Operation]:
    """Operations that may run several times."""
    if not any(op.op_def.name in ENTER for op in ops):
        return frozenset()
    inside: dict[Operation, int] = {}
    for op in ops:
        depth = 0
        for source in [*(t.op for t in op._inputs), *op._controls]:
            there = inside.get(source, 0)
            there += source.op_def.name in ENTER
            there -= source.op_def.name in EXIT
            depth = max(depth, there)
        if depth:
            inside[op] = depth
    return frozenset(inside)
