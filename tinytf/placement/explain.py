"""Why is it here? For any operation: what was asked, what had to be, what was chosen, what crosses.

    >>> print(Explainer(ops, devices, placement).explain(loss))  # doctest: +SKIP
    loss (Mean) is on GPU:0 (simulated)
      Asked for      nothing
      ...

The placers decide (`simple.py`, `cost_model.py`); this module only tells. What it says of the
members of a group and of devices that are not possible is found anew in the graph, so that it can
be told for graphs that cannot be placed as well.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tinytf.devices.device import DeviceAttributes
from tinytf.framework import call_site, dtypes
from tinytf.framework.device_spec import DeviceSpec
from tinytf.framework.errors import OpError, UnimplementedError
from tinytf.framework.graph import Graph
from tinytf.framework.kernel_binding import reference_inputs
from tinytf.framework.operation import Operation
from tinytf.framework.stacks import default_sessions, get_default_graph, session_for
from tinytf.framework.tensor import Tensor
from tinytf.kernels.lookup import kernel_for
from tinytf.placement.crossings import FEEDABLE, Crossing, Places
from tinytf.placement.partial_devices import matches, parse
from tinytf.placement.placement import Decision, Placement

#: (operation, full name of a device) -> the predicted seconds of the step if the operation and its
#: group were there and all else stayed; None for unknown.
Costs = Callable[[str, str], float | None]

_MOST_LINES = 12


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why one operation is where it is. Its `str` and `repr` are the text.

    Attributes:
      op: its name. device: the full name of its device; "" if the graph cannot be placed.
      headline: in a sentence. facts: titles, and the lines below each.
    """

    op: str
    device: str
    headline: str
    facts: tuple[tuple[str, tuple[str, ...]], ...]

    def __repr__(self) -> str:
        width = max(len(title) for title, _ in self.facts)
        lines = [self.headline]
        for title, texts in self.facts:
            for number, text in enumerate(texts):
                lines.append(f"  {'' if number else title:{width}}  {text}")
        return "\n".join(lines)


class Explainer:
    """Explains the operations of one graph or step under one placement.

    Args:
      ops: the operations. devices: those there are.
      placement: where the operations are; None if placing failed.
      fed, fetched: the tensors that come from the caller and go to it. Placeholders are always
        fed: a step that needs one cannot run otherwise.
      costs: what alternatives would cost; None: unknown.
      others: the same operations under other placers, to compare with.
      error: what placing raised.
    """

    def __init__(
        self,
        ops: Iterable[Operation],
        devices: Sequence[DeviceAttributes],
        placement: Placement | None,
        *,
        fed: Collection[Tensor] = (),
        fetched: Iterable[Tensor] = (),
        costs: Costs | None = None,
        others: Sequence[Placement] = (),
        error: Exception | None = None,
    ):
        self.ops = {op.name: op for op in ops}
        graphs = dict.fromkeys(op.graph for op in self.ops.values())
        #: What ties operations together may be outside of the step: initialisers, for example.
        self._all = {op.name: op for graph in graphs for op in graph.get_operations()}
        self.devices = {device.name: device for device in devices}
        self.names = short_names(devices)
        self.placement, self.others = placement, others
        self.costs, self.error = costs, error
        self.fetched = list(fetched)
        home = min(self.devices, key=lambda name: "/device:CPU" not in name)
        placeholders = {op.outputs[0] for op in self.ops.values() if op.type in FEEDABLE}
        self.places = Places(
            lambda op: placement.device_of(op.name) if placement is not None else "",
            home,
            placeholders.union(fed),
        )

    @cached_property
    def crossings(self) -> list[Crossing]:
        """What crosses from device to device."""
        if self.placement is None:
            return []
        return self.places.crossings(self.ops.values(), self.fetched)

    @cached_property
    def _bonds(self) -> dict[str, list[tuple[str, str]]]:
        """For each operation: whom it must be with, and why; both ways."""
        found: dict[str, list[tuple[str, str]]] = {}
        for op in self._all.values():
            for other, why in bonds(op):
                found.setdefault(op.name, []).append((other, why))
                found.setdefault(other, []).append((op.name, why))
        return found

    def explain(self, op: Operation | Tensor) -> Explanation:
        """Why an operation, or the one that makes a tensor, is where it is.

        Raises:
          ValueError: if it is not among the operations.
        """
        if not isinstance(op, Operation):
            op = op.op
        if self.ops.get(op.name) is not op:
            raise ValueError(
                f"{op.name!r} is not among the {len(self.ops)} operations that were placed: the "
                f"step does not need it, or it is of another graph."
            )
        decision = self.decision(op)
        facts: list[tuple[str, Iterable[str]]] = [
            ("asked for", _asked(op)),
            ("must be with", self._together(decision)),
            ("chosen because", [decision.rule] if decision.device else []),
            ("also possible", [self.name(d) for d in decision.feasible if d != decision.device]),
            ("not possible", self._refused(decision)),
            ("step time", self._step_times(decision)),
            ("by contrast", self._contrasts(decision)),
            ("comes in", self._crossing_lines(op, into=True)),
            ("goes out", self._crossing_lines(op, into=False)),
            ("the error", _essence(self.error)),
        ]
        told = ((title, tuple(lines)) for title, lines in facts)
        headline = f"{op.name} ({op.type}) {self._where(op, decision)}"
        return Explanation(op.name, decision.device, headline, tuple(f for f in told if f[1]))

    def decision(self, op: Operation) -> Decision:
        """What was decided of an operation; if nothing could be, what there was to decide."""
        if self.placement is not None:
            return self.placement.decisions[op.name]
        group = [op.name]
        for name in group:
            group += dict.fromkeys(o for o, _ in self._bonds.get(name, ()) if o not in group)
        feasible = (name for name in self.devices if not self._obstacles(group, name))
        return Decision(op.name, op.type, "", op.device, tuple(group), tuple(feasible), "")

    def name(self, device: str) -> str:
        """A device as texts call it: "GPU:0 (simulated)"."""
        return self.names.get(device, device)

    # The facts ----------------------------------------------------------------------------------

    def _where(self, op: Operation, decision: Decision) -> str:
        if self.placement is None:
            return "is on no device: the graph cannot be placed"
        text = f"is on {self.name(decision.device)}, placed by the {self.placement.placer} placer"
        if op.outputs and op.outputs[0] in self.places.fed:
            return f"is fed: its value comes from {self.name(self.places.home)}. Unfed, it {text}"
        return text

    def _together(self, decision: Decision) -> Iterator[str]:
        others = [name for name in decision.group if name != decision.op]
        for name in _some(others, "operation"):
            ties = [tie for tie in self._bonds.get(name, ()) if tie[0] in decision.group]
            ties.sort(key=lambda tie: tie[0] != decision.op)
            yield ties[0][1] if ties else name
        if not others:
            yield "nothing else"

    def _obstacles(self, group: Iterable[str], device: str) -> list[str]:
        """What keeps a group from a device."""
        found, kind = [], self.devices[device].device_type
        for op in (self._all[name] for name in group if name in self._all):
            asked, full = parse(op.device), parse(device)
            if asked is None or full is None or not matches(asked, full):
                found.append(f"{op.name} asks for {op.device}")
            elif kernel_for(op, kind) is None:
                found.append(f"{op.name} ({_signature(op)}) has no kernel for {kind}")
        return found

    def _refused(self, decision: Decision) -> Iterator[str]:
        for device in self.devices:
            if device in decision.feasible:
                continue
            obstacles = self._obstacles(decision.group, device) or ["it was settled before"]
            more = f" (and {len(obstacles) - 1} more of its group)" if len(obstacles) > 1 else ""
            yield f"{self.name(device)}: {obstacles[0]}{more}"

    def _step_times(self, decision: Decision) -> Iterator[str]:
        from tinytf.placement.cost_model import duration  # loaded when somebody asks

        if len(decision.feasible) < 2 or not decision.device:
            return
        if self.costs is None:
            yield "unknown: there is no cost model to ask"
            return
        seconds = {device: self.costs(decision.op, device) for device in decision.feasible}
        here = seconds.pop(decision.device, None)
        if here is not None:
            yield f"{duration(here)} (predicted)"
        for device, there in seconds.items():
            if there is not None:
                yield f"{duration(there)} if it were on {self.name(device)}"

    def _contrasts(self, decision: Decision) -> Iterator[str]:
        for other in self.others:
            there = other.decisions[decision.op]
            if there.device != decision.device:
                yield f"the {other.placer} placer chose {self.name(there.device)}: {there.rule}"

    def _crossing_lines(self, op: Operation, into: bool) -> Iterator[str]:
        lines = []
        for c in self.crossings:
            if op in c.users if into else c.maker is op:
                end = f"from {self.name(c.source.device)}"
                if not into:
                    end = f"to {self.name(c.target.device)}"
                lines.append(f"{c.name} {end}, {c.amount}{_remarks(c)}")
        yield from _some(lines, "transfer")


def explain(op: Operation | Tensor | str, session: Any = None) -> Explanation:
    """Why an operation, or the one that makes a tensor, is where a session runs it.

    Args:
      op: it, its name, or a tensor that it makes, or a variable.
      session: a local session; default: the default one. Of what crosses and what time it takes,
        it is told as if one step ran the whole graph; `tinytf.jupyter.placed` tells of one step.

    Raises:
      ValueError: without a session, or for an operation of another graph. KeyError: for the
        name of none. TypeError: for what is no operation.
      UnimplementedError: if a server places the session's operations.

    Example:
      >>> with tf.device("/cpu:0"):
      ...     total = tf.add(3, 5, name="total")
      >>> tinytf.placement.explain(total).headline
      'total (AddV2) is on CPU:0, placed by the simple placer'
    """
    from tinytf.placement.cost_model import step_costs  # loaded when somebody asks

    known = session or default_sessions.top()
    op = _operation(op, getattr(known, "graph", None) or get_default_graph())
    session = session_for(op.graph, session, "explain an operation", "explain(op)")
    placement, error = placement_of(session)
    ops = session.graph.get_operations()
    costs = step_costs(ops, placement, **assumptions_of(session)) if placement else None
    return Explainer(ops, session.list_devices(), placement, costs=costs, error=error).explain(op)


def placement_of(session: Any) -> tuple[Placement | None, OpError | None]:
    """Where a session's operations are; or why they cannot be placed.

    Raises:
      UnimplementedError: if a server places them.
    """
    backend = session._backend
    if not hasattr(backend, "placement"):
        raise UnimplementedError(
            "Placements can be explained only where they are made, and this session's are made "
            "by its server. Ask for the same graph in a local session: tf.Session()."
        )
    try:
        return backend.placement(), None
    except OpError as error:
        return None, error


def assumptions_of(session: Any) -> dict[str, Any]:
    """The costs and links that a session places by, or has measured: arguments of `step_costs`."""
    model = session._backend.cost_model
    return {} if model is None else {"costs": model.costs, "links": model.links}


# ------------------------------------------------------------------------------------- the pieces


def _operation(op: Any, graph: Graph) -> Operation:
    """The operation itself; the one of a name, that makes a tensor, or that holds a variable."""
    if not isinstance(op, Operation | Tensor) and not isinstance(
        getattr(op, "op", None), Operation
    ):
        op = graph.as_graph_element(op)
    return op if isinstance(op, Operation) else op.op


def bonds(op: Operation) -> Iterator[tuple[str, str]]:
    """Whose device an operation must share: (name of the operation, why)."""
    for tensor, is_reference in zip(op.inputs, reference_inputs(op), strict=True):
        if is_reference:
            yield tensor.op.name, f"{op.name} takes {tensor.name} by reference"
        elif tensor.dtype == dtypes.resource:
            yield tensor.op.name, f"{op.name} uses the resource of {tensor.name}"
    for group in op.colocation_groups():
        leader = group.decode().removeprefix("loc:@")
        if leader != op.name:
            yield leader, f"{op.name} asks to be colocated with {leader}"


def short_names(devices: Sequence[DeviceAttributes]) -> dict[str, str]:
    """What texts call devices: short where all are of one task, "(simulated)" where they are.

    Example:
      >>> short_names(sess.list_devices())
      {'/job:localhost/replica:0/task:0/device:CPU:0': 'CPU:0'}
    """
    tasks = {device.name.partition("/device:")[0] for device in devices}
    names = {}
    for device in devices:
        spec = DeviceSpec.from_string(device.name)
        task = f"{spec.job}:{spec.task} " if len(tasks) > 1 else ""
        simulated = " (simulated)" if "simulated" in device.description.lower() else ""
        names[device.name] = f"{task}{spec.device_type}:{spec.device_index}{simulated}"
    return names


def _asked(op: Operation) -> Iterator[str]:
    yield op.device or "no device"
    line = call_site.user_line(op._frames)
    if line is not None:
        place = f"{line.file}, line {line.line}"
        yield f"{place}: {line.text}" if line.text else place


def _essence(error: Exception | None) -> list[str]:
    """What placing raised, without the lists of kernels and members."""
    lines = [] if error is None else str(error).splitlines()
    start = next((n for n, line in enumerate(lines) if line.startswith("What left no")), 1)
    return lines[:1] + lines[start:]


def _remarks(crossing: Crossing) -> str:
    on_host = crossing.target.on_host or crossing.source.on_host
    said = ((crossing.is_fed, "fed"), (crossing.is_fetched, "fetched"), (on_host, "host memory"))
    return "".join(f" ({text})" for holds, text in said if holds)


def _signature(op: Operation) -> str:
    """An operation's type with the element types that choose its kernel."""
    types = dict.fromkeys(v.name for v in op.attrs.values() if isinstance(v, dtypes.DType))
    return " ".join([op.type, *types])


def _some(lines: list[str], noun: str) -> list[str]:
    more = len(lines) - _MOST_LINES
    return lines[:_MOST_LINES] + ([f"... and {more} more {noun}s"] if more > 0 else [])
