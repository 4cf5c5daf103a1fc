"""The simple placer: the one that TensorFlow runs, which knows nothing of costs.

    requests (tf.device) ─┐
    colocation groups    ─┼─> feasible devices of a group ─> the best of them ─> where the op is
    kernels that exist   ─┘

Operations are visited in the graph's order. Once the first of a group is placed all of it is. Two
rules of thumb go before preference: an operation without inputs is placed last, with its consumers
if all of them are on one device; one that only looks at the shape of its input is placed with it.
TensorFlow: core/common_runtime/placer.cc.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from tinytf.devices.device import DeviceAttributes
from tinytf.framework import registry
from tinytf.framework.errors import FailedPreconditionError
from tinytf.framework.operation import Operation
from tinytf.kernels.lookup import kernel_for
from tinytf.placement import messages
from tinytf.placement.colocation import Candidate, Colocation, Group
from tinytf.placement.messages import device_log_lines
from tinytf.placement.partial_devices import ANYWHERE, parse, text_of
from tinytf.placement.placement import Decision, Placement

__all__ = ["device_log_lines", "place"]

#: They read the shape of their input, never its values.
_METADATA = frozenset(["Shape", "Size", "Rank"])


def place(
    ops: Sequence[Operation],
    devices: Sequence[DeviceAttributes],
    *,
    task: str,
    allow_soft_placement: bool = False,
    kept: Mapping[str, str] | None = None,
) -> Placement:
    """Choose a device for every operation, as TensorFlow does.

    Args:
      ops: the whole graph, in the order it was built; `device` and `_class` are the requests.
      devices: those there are. task: whose devices go before others of the same type,
        "/job:localhost/replica:0/task:0" for example.
      allow_soft_placement: whether to use another device of the task where the one that was asked
        for does not exist or has no kernel.
      kept: operation name -> device, for those with state that have been placed before: they stay.

    Raises:
      InvalidArgumentError: if an operation cannot be placed; naming it, what it was colocated
        with, the kernels there are, and which request or kernel left no device.
      FailedPreconditionError: without devices.

    Example:
      >>> x = tf.constant(2.0, name="x")
      >>> with tf.device("/cpu:1"):
      ...     double = tf.multiply(x, 2.0, name="double")
      >>> cpus = [f"/job:localhost/replica:0/task:0/device:CPU:{i}" for i in range(2)]
      >>> devices = [DeviceAttributes(name, "CPU", 0, 0) for name in cpus]
      >>> placement = place(tf.get_default_graph().get_operations(), devices, task=cpus[0][:32])
      >>> placement.decisions["x"].device, placement.decisions["x"].rule
      ('/job:localhost/replica:0/task:0/device:CPU:1', 'follows its only consumer, double')
    """
    if not devices:
        raise FailedPreconditionError("No devices are registered")
    candidates = sorted((Candidate(d, task) for d in devices), key=lambda c: c.rank)
    types = tuple(dict.fromkeys(candidate.device_type for candidate in candidates))
    supported = _KernelTypes(types)
    if len(candidates) == 1 and not kept and not any(op._device for op in ops):
        return _on_the_only_device(ops, candidates[0], supported)
    return _Placing(ops, candidates, allow_soft_placement, dict(kept or {}), supported).run()


class _KernelTypes:
    """The device types with a kernel for an operation, each found once."""

    def __init__(self, types: tuple[str, ...]):
        self._types = types
        self._known: dict[Operation, tuple[str, ...]] = {}

    def __call__(self, op: Operation) -> tuple[str, ...]:
        found = self._known.get(op)
        if found is None:
            if op.type in registry.op_defs:
                found = tuple(kind for kind in self._types if kernel_for(op, kind) is not None)
            else:  # a call of a function: its body is placed on its own
                found = self._types
            self._known[op] = found
        return found


class _Placing:
    """One run of the placer."""

    def __init__(
        self,
        ops: Sequence[Operation],
        candidates: list[Candidate],
        soft: bool,
        kept: dict[str, str],
        supported: _KernelTypes,
    ):
        self._ops = ops
        self._sorted = producers_first(ops)
        self._candidates = candidates
        self._kept = kept
        self._colocation = Colocation(self._sorted, candidates, soft, kept, supported)
        self._device_of = self._colocation.assigned
        self._members = self._colocation.members()
        self._rules: dict[Operation, str] = {}
        self._order: list[str] = []

    def run(self) -> Placement:
        """Place everything."""
        second_pass = []
        for op in self._sorted:
            if op.name in self._kept:
                self._put(op, self._kept[op.name], "stays where it was placed before")
            elif is_generator(op):
                second_pass.append(op)
            else:
                self._place(op, self._input_of_metadata(op))
        if second_pass:
            consumers = _consumers(self._sorted, second_pass)
            for op in second_pass:
                self._place(op, self._consumers_together(consumers[op]))
        return Placement(
            "simple",
            tuple(candidate.name for candidate in self._candidates),
            {op.name: self._decision(op) for op in self._ops},
            tuple(self._order),
        )

    def _place(self, op: Operation, preferred: tuple[str, str] | None) -> None:
        """Put an operation on the preferred device if that is feasible, else on the best."""
        feasible = self._colocation.feasible(op)
        group = self._colocation.root(op)
        if preferred is not None and any(c.name == preferred[0] for c in feasible):
            device, rule = preferred
        else:
            device, rule = feasible[0].name, ""
        if group.first is not None:
            rule = self._with_first(op, group.first)
        elif not rule or len(feasible) == 1:
            rule = self._preference(op, group, feasible)
        self._put(op, device, rule)

    def _with_first(self, op: Operation, first: Operation) -> str:
        """Why an operation is where the first of its group is.

        It names whom the device was asked for, or else whom `op` itself asks to be with: readers
        know their variable, not the operation of its initializer that was placed first.
        """
        of_first = self._rules[first]
        if of_first.endswith(_asked_by(op)):
            return f"pinned by tf.device('{op.device}')"
        leader, groups = first, self._colocation.groups
        for wanted in op.colocation_groups():
            found = op.graph._by_name.get(wanted.decode().removeprefix("loc:@"), op)
            if found is not op and found in groups and groups[found].root() is groups[op].root():
                leader = found
        return f"colocated with {leader.name}: {of_first.removesuffix(_asked_by(leader))}"

    def _put(self, op: Operation, device: str, rule: str) -> None:
        self._colocation.assign(op, device)
        self._rules[op] = rule
        self._order.append(op.name)

    # The rules of thumb -------------------------------------------------------------------------

    def _input_of_metadata(self, op: Operation) -> tuple[str, str] | None:
        if op.type not in _METADATA or not op._inputs:
            return None
        source = op._inputs[0].op
        device = self._device_of.get(source)
        return (
            None
            if device is None
            else (device, f"looks only at the shape of its input, {source.name}")
        )

    def _consumers_together(self, consumers: list[Operation]) -> tuple[str, str] | None:
        places = {self._device_of.get(op) for op in consumers}
        device = places.pop() if len(places) == 1 else None
        if device is None:
            return None
        if len(consumers) == 1:
            return device, f"follows its only consumer, {consumers[0].name}"
        return device, f"follows its {len(consumers)} consumers, which are all here"

    # Words --------------------------------------------------------------------------------------

    def _preference(self, op: Operation, group: Group, feasible: list[Candidate]) -> str:
        """Why the first of the feasible devices, for the first of a group that is placed."""
        best = self._best(group, feasible)
        if group.moved:
            return f"soft placement, as {group.moved}: {best}"
        if group.requested == ANYWHERE:
            return best
        asking = [member for member in self._members[group] if member.device]
        if op.device or not asking:
            asked = f"tf.device('{op.device}')"
        else:
            asked = f"tf.device('{asking[0].device}'){_asked_by(asking[0])}"
        if len(feasible) == 1:
            return f"pinned by {asked}"
        return f"{asked} leaves {len(feasible)} devices: {best}"

    def _best(self, group: Group, feasible: list[Candidate]) -> str:
        kind = feasible[0].device_type
        types = {candidate.device_type for candidate in self._candidates}
        lacking = sorted(types.difference(group.types))
        alone = len(self._members[group]) == 1
        if len(self._candidates) == 1:
            return "there is only this device"
        if lacking:
            reason = f"only the {kind} has a kernel for it" + ("" if alone else "s whole group")
        elif len({candidate.device_type for candidate in feasible}) > 1:
            reason = f"a {kind} is preferred"
        else:
            reason = ""
        same = sum(candidate.device_type == kind for candidate in feasible)
        if same > 1:
            first = f"first of {same} {kind}s"
            return f"{reason}, {first}" if reason else f"the {first}"
        return reason or f"the only {kind} that is left"

    def _decision(self, op: Operation) -> Decision:
        group = self._colocation.root(op)
        names = self._group_names.get(group)
        if names is None:
            names = self._group_names[group] = tuple(m.name for m in self._members[group])
        device = self._device_of[op]
        feasible = group.choice or (device,)
        requested = text_of(parse(op.device) or ANYWHERE)
        return Decision(op.name, op.type, device, requested, names, feasible, self._rules[op])

    @cached_property
    def _group_names(self) -> dict[Group, tuple[str, ...]]:
        return {}


def _asked_by(op: Operation) -> str:
    return f" of {op.name}, colocated with it"


def is_generator(op: Operation) -> bool:
    """Whether an operation makes one value, not a reference, out of nothing: a constant."""
    return not op._inputs and len(op.outputs) == 1 and not op.outputs[0].dtype.is_ref


def producers_first(ops: Sequence[Operation]) -> list[Operation]:
    """The order in which the runtime numbers the nodes of a graph.

    That is the order in which they were built, but for nodes that were given an input or a
    control input built later: these wait for it. The edge that closes a loop is not waited for.
    """
    ops = sorted(ops, key=lambda op: op._id)
    position = {op: number for number, op in enumerate(ops)}
    awaited: list[int] = []
    late = False
    for number, op in enumerate(ops):
        sources = _awaited(op)
        awaited.append(len(sources))
        late = late or any(position.get(source, -1) > number for source in sources)
    if not late:
        return ops
    waiting: dict[Operation, list[int]] = {}
    for number, op in enumerate(ops):
        for source in _awaited(op):
            if source in position:
                waiting.setdefault(source, []).append(number)
            else:
                awaited[number] -= 1
    ready = [number for number, count in enumerate(awaited) if count == 0]
    result: list[Operation] = []
    while ready:
        op = ops[heapq.heappop(ready)]
        result.append(op)
        for number in waiting.get(op, ()):
            awaited[number] -= 1
            if awaited[number] == 0:
                heapq.heappush(ready, number)
    placed = set(result)  # a cycle that is no loop never becomes ready
    return result + [op for op in ops if op not in placed]


def _awaited(op: Operation) -> list[Operation]:
    inputs = [tensor.op for tensor in op._inputs]
    if op.type in ("Merge", "RefMerge"):
        inputs = [source for source in inputs if "NextIteration" not in source.type]
    return [*inputs, *op._controls]


def _consumers(
    ops: Sequence[Operation], of: Sequence[Operation]
) -> dict[Operation, list[Operation]]:
    """Who consumes, or waits for, each of some operations."""
    found: dict[Operation, list[Operation]] = {op: [] for op in of}
    for op in ops:
        for source in dict.fromkeys([*(tensor.op for tensor in op._inputs), *op._controls]):
            if source in found:
                found[source].append(op)
    return found


# One device -------------------------------------------------------------------------------------


def _on_the_only_device(
    ops: Sequence[Operation], candidate: Candidate, supported: _KernelTypes
) -> Placement:
    """Nothing to choose: only kernels are looked for, and the words are found when asked for."""
    for op in ops:
        if not supported(op):
            raise messages.no_kernel(op, [candidate.device_type])
    order = [op.name for op in ops if not is_generator(op)]
    order += [op.name for op in ops if is_generator(op)]
    decisions = _Later(ops, candidate, supported)
    return Placement("simple", (candidate.name,), decisions, tuple(order))


class _Later(Mapping[str, Decision]):
    """Decisions that are worked out when somebody reads them."""

    def __init__(self, ops: Sequence[Operation], candidate: Candidate, supported: _KernelTypes):
        self._ops, self._candidate, self._supported = tuple(ops), candidate, supported

    @cached_property
    def _decisions(self) -> Mapping[str, Decision]:
        placing = _Placing(self._ops, [self._candidate], False, {}, self._supported)
        return placing.run().decisions

    def __getitem__(self, name: str) -> Decision:
        return self._decisions[name]

    def __iter__(self) -> Iterator[str]:
        return iter(op.name for op in self._ops)

    def __len__(self) -> int:
        return len(self._ops)
