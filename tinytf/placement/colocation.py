"""Colocation: which operations must be on one device, and what all of them ask for together.

Groups are sets that only ever grow: a *union-find* forest. Every operation begins as a group of its
own; a reference edge, a resource edge or a common `_class` name joins two groups, and the joint
group keeps what both asked for, or says that this is impossible. The rules, and the order in which
they are applied, are those of TensorFlow's core/common_runtime/colocation_graph.cc.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tinytf.devices.device import DeviceAttributes
from tinytf.framework import dtypes
from tinytf.framework.kernel_binding import reference_inputs
from tinytf.framework.operation import Operation
from tinytf.placement import messages
from tinytf.placement.partial_devices import (
    ANYWHERE,
    Conflict,
    Partial,
    compatible,
    matches,
    merge,
    override,
    parse,
)

#: TensorFlow's order of device types: the higher is preferred.
TYPE_PRIORITY = {"GPU": 210, "CPU": 60}

#: These hand their arguments on to functions that are placed on their own: a resource that they
#: take may be on another device.
_HAND_ON = frozenset(
    """
    PartitionedCall StatefulPartitionedCall If StatelessIf While StatelessWhile Case StatelessCase
    SymbolicGradient RemoteCall
    """.split()
)

_PREFIX = b"loc:@"


class Candidate:
    """A device, as the placer sees it.

    Attributes:
      name: the full name. device_type: "CPU" or "GPU". parts: the name as a tuple.
    """

    __slots__ = ("device_type", "name", "parts", "rank")

    def __init__(self, device: DeviceAttributes, task: str):
        self.name, self.device_type = device.name, device.device_type
        self.parts = parse(device.name) or ANYWHERE
        local = device.name.startswith(f"{task}/")
        priority = TYPE_PRIORITY.get(device.device_type, 50)
        #: Sorts by preference: the better type, this task, the name.
        self.rank = (-priority, not local, device.name)


class Group:
    """A set of operations that share a device; those that have been joined point to their `parent`.

    Attributes:
      op: the operation it began with.
      assigned: the merged names of the devices that members were on before, or have been given.
      resource: the merged requests of members that make a variable: soft placement spares them.
      requested: the merged requests of all, `assigned` and `resource` included.
      types: the device types for which all members have a kernel, the preferred first.
      feasible: devices that members may be given, best first; None until they are known.
      choice: all that were feasible before one was chosen; None until they are known.
      device: the full name of the one chosen. first: who was given it first.
      moved: why soft placement had to look elsewhere than asked.
      ignored: members that another group could not take in, and the conflict.
    """

    __slots__ = """
        assigned choice depth device feasible first ignored moved op parent requested resource
        types
    """.split()

    def __init__(self, op: Operation, types: tuple[str, ...]):
        self.op, self.types = op, types
        self.parent: Group = self
        self.depth = 0
        self.assigned = self.resource = self.requested = ANYWHERE
        self.feasible: list[Candidate] | None = None
        self.choice: tuple[str, ...] | None = None
        self.device = ""
        self.first: Operation | None = None
        self.moved = ""
        self.ignored = ""

    def root(self) -> Group:
        """The group that this one has become part of. Later searches are shorter."""
        group = self
        while group.parent is not group:
            group.parent = group.parent.parent
            group = group.parent
        return group


class Colocation:
    """The groups of a graph.

    Args:
      ops: the operations, every producer before its consumers where the graph has no loop.
      candidates: the devices, the preferred first.
      allow_soft_placement: whether conflicts of type or index give way.
      kept: by name, the devices of operations that stay where they are.
      supported: gives the device types with a kernel for an operation, the preferred first.

    Attributes:
      groups: by operation; `.root()` is what counts.

    Raises:
      InvalidArgumentError: if the requests contradict each other, or an operation has no kernel.
    """

    def __init__(
        self,
        ops: Sequence[Operation],
        candidates: Sequence[Candidate],
        allow_soft_placement: bool,
        kept: dict[str, str],
        supported: messages.Supported,
    ):
        self.ops, self.candidates = ops, candidates
        self.soft, self.kept = allow_soft_placement, kept
        self.supported = supported
        self.groups: dict[Operation, Group] = {}
        #: By a request and device types: what fits both.
        self._found: dict[tuple[Partial, tuple[str, ...]], list[Candidate]] = {}
        #: Where operations have been put so far.
        self.assigned: dict[Operation, str] = {}
        #: Names of devices in the order of their first use: TensorFlow's messages number them.
        self.numbers: dict[str, int] = {"": 0}
        for op in ops:
            self.groups[op] = self._group_of_one(op)
        for source, op in _edges_that_bind(ops):
            if source in self.groups:  # else it is fed
                self._join_by_edge(source, op)
        self._join_by_name()

    def root(self, op: Operation) -> Group:
        """The group of an operation."""
        return self.groups[op].root()

    def members(self) -> dict[Group, tuple[Operation, ...]]:
        """The members of every group, in the graph's order."""
        found: dict[Group, list[Operation]] = {}
        for op, group in self.groups.items():
            found.setdefault(group.root(), []).append(op)
        return {group: tuple(ops) for group, ops in found.items()}

    def members_of(self, group: Group) -> list[Operation]:
        """The members of one group, in the graph's order."""
        return [op for op, its in self.groups.items() if its.root() is group]

    # Groups of one ------------------------------------------------------------------------------

    def _group_of_one(self, op: Operation) -> Group:
        group = Group(op, self.supported(op))
        device = self.kept.get(op.name)
        if device is not None:
            self._check_kept(op, device, group.types)
            group.assigned = group.requested = parse(device) or ANYWHERE
            self.numbers.setdefault(device, len(self.numbers))
            self.assigned[op] = device
            return group
        if not group.types:
            raise messages.no_kernel(op, [c.device_type for c in self.candidates])
        if op._device:
            wanted = parse(op._device)
            if wanted is None:
                raise messages.malformed_request(op, len(self.groups))
            group.requested = wanted
            if makes_resource(op):
                group.resource = wanted
        return group

    def _check_kept(self, op: Operation, device: str, types: tuple[str, ...]) -> None:
        kinds = [c.device_type for c in self.candidates if c.name == device]
        if not kinds:
            raise messages.kept_on_unknown_device(op, device, self.candidates)
        if kinds[0] not in types:
            raise messages.kept_without_kernel(op, device)

    # Joining ------------------------------------------------------------------------------------

    def _join_by_edge(self, source: Operation, op: Operation) -> None:
        """A reference or resource goes from `source` to `op`: what carries it decides."""
        above, below = self.root(source), self.root(op)
        if above is below:
            return
        for kind, ours, theirs in (
            ("assigned", below.assigned, above.assigned),
            ("resource", below.resource, above.resource),
        ):
            if not compatible(theirs, ours):
                raise messages.edge_between_devices(self, source, op, kind, theirs, ours)
        if not compatible(above.requested, below.requested):
            # The variable stays where it was asked for; what uses it gives way.
            below.requested = override(override(above.requested, below.assigned), below.resource)
        try:
            self._join(source, op)
        except messages.CannotColocate as conflict:
            raise messages.colocation_by_edge(self, conflict) from None

    def _join_by_name(self) -> None:
        """Operations with a `_class` in common, or that name another in theirs."""
        first: dict[str, Operation] = {}
        for op in self.ops:
            for name in _group_names(op):
                leader = first.setdefault(name, op)
                if leader is op:
                    continue
                try:
                    self._join(op, leader)
                except messages.CannotColocate as conflict:
                    if not self.soft:
                        raise messages.colocation_by_name(self, conflict) from None
                    self.root(op).ignored = str(conflict)

    def _join(self, x: Operation, y: Operation) -> None:
        """Make one group of two; nothing is changed if they cannot be.

        Raises:
          CannotColocate: saying why.
        """
        one, other = self.root(x), self.root(y)
        if one is other:
            return
        new, old = (other, one) if one.depth < other.depth else (one, other)
        try:
            assigned = merge(new.assigned, old.assigned)
            resource = merge(new.resource, old.resource)
            requested = merge(new.requested, old.requested, self.soft)
        except Conflict as conflict:
            raise messages.CannotColocate(x, y, f": {conflict}") from None
        # Before the types, as there: soft placement goes on with what is written here.
        new.assigned, new.resource = assigned, resource
        new.requested = override(override(requested, assigned), resource)
        types = tuple(kind for kind in new.types if kind in old.types)
        if not types:
            raise messages.CannotColocate(
                x,
                y,
                " because no device type supports both of those nodes and the other nodes "
                f"colocated with them.{messages.debug_info(self, one)}"
                f"{messages.debug_info(self, other)}",
            )
        new.types = types
        new.ignored = new.ignored or old.ignored
        new.depth += one.depth == other.depth
        old.parent = new

    # Devices ------------------------------------------------------------------------------------

    def feasible(self, op: Operation) -> list[Candidate]:
        """The devices the group of an operation may be on, best first; never empty.

        Raises:
          InvalidArgumentError: if there is none.
        """
        group = self.root(op)
        if group.feasible is not None:
            return group.feasible
        found = self._matching(group.requested, group)
        if not found and self.soft and group.requested != ANYWHERE:
            found = self._elsewhere(group)
        if not found:
            raise messages.cannot_assign(self, op, group)
        group.feasible = found
        if group.choice is None:
            group.choice = tuple(candidate.name for candidate in found)
        return found

    def _matching(self, wanted: Partial, group: Group) -> list[Candidate]:
        found = self._found.get((wanted, group.types))
        if found is None:
            found = self._found[wanted, group.types] = [
                candidate  # they are sorted by preference already
                for candidate in self.candidates
                if candidate.device_type in group.types and matches(wanted, candidate.parts)
            ]
        return found

    def _elsewhere(self, group: Group) -> list[Candidate]:
        """Soft placement: any type and index in the task that was asked for.

        Where a variable was asked for is given up last, and where members are already never is.
        """
        for fixed in ((group.assigned, group.resource), (group.assigned,)):
            job, replica, task, kind, index = group.requested
            if all(partial[3] is None for partial in fixed):
                kind = None
            if all(partial[4] is None for partial in fixed):
                index = None
            found = self._matching((job, replica, task, kind, index), group)
            if found:
                group.moved = messages.why_moved(self, group)
                return found
        return []

    def assign(self, op: Operation, device: str) -> None:
        """Put an operation on a device, and by this its whole group.

        Raises:
          InternalError: if a member has been elsewhere before.
        """
        self.assigned[op] = device
        group = self.root(op)
        if group.device == device:
            return
        parts = parse(device) or ANYWHERE
        try:
            group.assigned = merge(group.assigned, parts)
        except Conflict as conflict:
            raise messages.placed_twice(op, device, group, conflict) from None
        group.resource = group.requested = parts  # it is a full name
        group.feasible = None
        group.device, group.first = device, op
        self.numbers.setdefault(device, len(self.numbers))


def makes_resource(op: Operation) -> bool:
    """Whether an operation makes a variable or another resource out of nothing."""
    if op._inputs or len(op.outputs) != 1:
        return False
    dtype = op.outputs[0].dtype
    return dtype.is_ref or dtype is dtypes.resource


def _edges_that_bind(ops: Iterable[Operation]) -> Iterator[tuple[Operation, Operation]]:
    """(producer, consumer) for every edge that carries a reference or a resource."""
    resource = dtypes.resource
    for op in ops:
        hands_on = op.type in _HAND_ON
        if op.op_def.takes_references:
            for tensor, by_reference in zip(op._inputs, reference_inputs(op), strict=True):
                if by_reference or (tensor.dtype is resource and not hands_on):
                    yield tensor.op, op
        elif not hands_on:
            for tensor in op._inputs:
                if tensor.dtype is resource:
                    yield tensor.op, op


def _group_names(op: Operation) -> list[str]:
    """The names of the groups of an operation; the last is its own."""
    classes = op.attrs.get("_class")
    if not classes:
        return [op.name]
    names = [n[len(_PREFIX) :].decode() for n in classes if n.startswith(_PREFIX)]
    return [*names, op.name]
