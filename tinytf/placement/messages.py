"""What the placer says: TensorFlow's words for what is impossible, then ours for why.

The first part of every message is TensorFlow's own. Below it stands which request or kernel left no
device, where it was made, and what can be done. TensorFlow: core/common_runtime/colocation_graph.cc
and placer.cc.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from tinytf.devices.device import DeviceAttributes
from tinytf.devices.visible import why_hidden
from tinytf.framework import call_site
from tinytf.framework.errors import InternalError, InvalidArgumentError
from tinytf.framework.operation import Operation
from tinytf.framework.summaries import attr_text, describe_node, type_text
from tinytf.kernels.lookup import describe_kernels
from tinytf.placement.partial_devices import ANYWHERE, Partial, compatible, matches, parse, text_of
from tinytf.placement.placement import Placement

if TYPE_CHECKING:
    from tinytf.placement.colocation import Candidate, Colocation, Group

#: The device types for which an operation has a kernel, the preferred first.
Supported = Callable[[Operation], tuple[str, ...]]

_SOFT = "tf.ConfigProto(allow_soft_placement=True)"
_MOST_LINES = 8


class CannotColocate(Exception):
    """Two operations that have to share a device cannot.

    Args:
      x, y: the operations. reason: what follows their names in the message.
    """

    def __init__(self, x: Operation, y: Operation, reason: str):
        super().__init__(
            f"Cannot colocate nodes {{{{colocation_node {x.name}}}}} and "
            f"{{{{colocation_node {y.name}}}}}{reason}"
        )
        self.x, self.y = x, y


def _invalid(op: Operation, text: str, ours: str) -> InvalidArgumentError:
    """An error about a node: TensorFlow's text, its mark of the node, what we have to say."""
    # TensorFlow marks one name in a message only, so its clients do not know the operation of some.
    return InvalidArgumentError(f"{text}\n\t [[{{{{node {op.name}}}}}]]\n{ours}", op)


# Single operations ------------------------------------------------------------------------------


def no_kernel(op: Operation, device_types: Iterable[str]) -> InvalidArgumentError:
    """No device type there is has a kernel for the operation."""
    kinds, registered = sorted(set(device_types)), describe_kernels(op.type)
    elsewhere = set(re.findall(r"device='(\w+)'", registered)) - {"DEFAULT"}
    if not elsewhere:
        cure = (
            f"{op.type} has no kernel yet. An op of one's own gets it from the decorator "
            f"@op.kernel, where `op` is what define_op returned; then run the step again."
        )
    elif elsewhere.isdisjoint(kinds):
        cure = (
            f"{op.type} has kernels for {' and '.join(sorted(elsewhere))} alone, and no such "
            f"device is here. Register one for the CPU, too, or simulate a GPU: "
            f"tinytf.devices.simulate_gpus(1)."
        )
    else:
        cure = (
            "No kernel takes these types on any device there is. Cast the inputs to a type listed "
            "above, or register a kernel of your own."
        )
    return _invalid(
        op,
        f"No OpKernel was registered to support Op '{op.type}' used by {{{{node {op.name}}}}} "
        f"with these attrs: [{_attrs(op)}]\nRegistered devices: [{', '.join(kinds)}]\n"
        f"Registered kernels:\n{registered}",
        f"{op.describe_origin()}\n{cure}",
    )


def malformed_request(op: Operation, number: int) -> InvalidArgumentError:
    """The runtime cannot read the device name, though `tf.DeviceSpec` could.

    Args:
      number: the place of the operation in the runtime's order; two nodes of its own go before.
    """
    described = describe_node(op)
    at = described.rindex("](")
    gap = "" if described[at - 1] == "[" else ", "
    described = f'{described[:at]}{gap}_device="{op.device}"{described[at:]}'
    return _invalid(
        op,
        f"Malformed device specification '{op.device}' in node: {{name:'{op.name}' id:{number + 2}"
        f" op device:{{requested: '{op.device}', assigned: ''}} def:{{{described}}}}}",
        f"{op.describe_origin()}\nThe name of a job is a letter, then letters, digits and '_'; "
        f"devices, tasks and replicas count from 0; a device is written like "
        f"'/job:worker/replica:0/task:0/device:GPU:1'.",
    )


def kept_on_unknown_device(
    op: Operation, device: str, candidates: Sequence[Candidate]
) -> InternalError:
    """An operation has been placed on a device that is gone."""
    return InternalError(
        f"Assigned device '{device}' does not match any device. Here are the devices available on "
        f"this machine: [{_names(candidates)}].\n{op.describe_origin()}\nIts state was on that "
        f"device. Open a new session.",
        op,
    )


def kept_without_kernel(op: Operation, device: str) -> InternalError:
    """An operation has been placed on a device that has no kernel for it."""
    return InternalError(
        f"Assigned device '{device}' does not have registered OpKernel support for {op.type}\n"
        f"{op.describe_origin()}",
        op,
    )


def placed_twice(op: Operation, device: str, group: Group, conflict: Exception) -> InternalError:
    """A group has members that have been placed before, on several devices."""
    return InternalError(
        f"Constraining by assigned device should not cause an error. Original root's assigned "
        f"device name: {text_of(group.assigned)} node's assigned device name \"{device}. Error: "
        f"{conflict}\n{op.describe_origin()}\nIt was placed when the graph was smaller, and what "
        f"was built since ties it to operations that are elsewhere. Build the graph before the "
        f"first step, or open a new session for it.",
        op,
    )


# Groups -----------------------------------------------------------------------------------------


def edge_between_devices(
    colocation: Colocation,
    source: Operation,
    op: Operation,
    kind: str,
    theirs: Partial,
    ours: Partial,
) -> InvalidArgumentError:
    """A reference or resource would have to go from one device to another."""
    text = (
        f"Cannot place the graph because a reference or resource edge connects colocation groups "
        f"with incompatible {kind} devices: {text_of(theirs)} vs {text_of(ours)}. The edge src "
        f"node is name='{source.name}' (op='{source.type}'), and the dst node is "
        f"name='{op.name}' (op='{op.type}')."
    )
    requests = _conflicting(colocation, colocation.root(source), colocation.root(op))
    return InvalidArgumentError(
        f"{text}\n{op.describe_origin()}\nIt takes variables or resources that are to be on "
        f"different devices, and they cannot be copied:\n{requests}"
        f"Put them on one device, or take their values (a read) instead.",
        op,
    )


def colocation_by_edge(colocation: Colocation, conflict: CannotColocate) -> InvalidArgumentError:
    """What a variable is on, and what uses it, has no device in common."""
    text = (
        "Nodes were connected by a reference or resource connection (requiring them to be on the "
        f"same device), but the two nodes were assigned two different devices: {conflict}"
    )
    return _invalid(conflict.y, text, _story(colocation, conflict, "a reference or resource"))


def colocation_by_name(colocation: Colocation, conflict: CannotColocate) -> InvalidArgumentError:
    """Operations that are to be colocated cannot be."""
    return _invalid(conflict.x, str(conflict), _story(colocation, conflict, "a colocation group"))


def _story(colocation: Colocation, conflict: CannotColocate, bond: str) -> str:
    x, y = conflict.x, conflict.y
    one, other = colocation.root(x), colocation.root(y)
    requests = _conflicting(colocation, one, other)
    if not requests:
        lacking = [
            f"  {op.name} ({op.type}) has kernels for {', '.join(colocation.supported(op))}"
            for op in (x, y)
        ]
        requests = "\n".join(lacking) + "\n"
    return (
        f"{x.describe_origin()}\n{bond} ties it to {y.name}, but these cannot both be met:\n"
        f"{requests}Ask for one device, take the colocation away, or let TensorFlow choose: {_SOFT}"
    )


def _conflicting(colocation: Colocation, one: Group, other: Group) -> str:
    """The first two wishes, one of each group, that contradict each other: a line for each."""
    for ours, says in _wishes(colocation, one):
        for theirs, they_say in _wishes(colocation, other):
            if not compatible(ours, theirs):
                return f"  {says}\n  {they_say}\n"
    return ""


def _wishes(colocation: Colocation, group: Group) -> Iterator[tuple[Partial, str]]:
    """Where members of a group are to be, and the words for it."""
    return _wishes_of(colocation, colocation.members_of(group))


def _wishes_of(colocation: Colocation, ops: Iterable[Operation]) -> Iterator[tuple[Partial, str]]:
    for op in ops:
        kept = colocation.kept.get(op.name)
        if kept is not None:
            yield parse(kept) or ANYWHERE, f"{op.name} has been on {kept} before"
        elif op.device:
            yield parse(op.device) or ANYWHERE, _asks(op)


def _asks(op: Operation) -> str:
    line = call_site.user_line(op._frames)
    where = f" ({str(line).partition(chr(10))[0]})" if line else ""
    return f"{op.name} asks for '{op.device}'{where}"


# No device left ---------------------------------------------------------------------------------


def cannot_assign(colocation: Colocation, op: Operation, group: Group) -> InvalidArgumentError:
    """No device is what the group of an operation asks for and has kernels for all of it."""
    candidates = colocation.candidates
    wanted = parse(op.device) or ANYWHERE
    if group.requested == ANYWHERE:
        inputs = ", ".join(type_text(t.dtype.base_dtype)[3:].lower() for t in op.inputs)
        text = (
            f"Node had no OpKernel registered to support this operation: Operation was {op.type} "
            f"and inputs were [{inputs}].\n{debug_info(colocation, group)}"
        )
    elif wanted != group.requested:
        text = (
            f"Could not satisfy explicit device specification '{op.device}' because the node "
            f"{{{{colocation_node {op.name}}}}} was colocated with a group of nodes that required "
            f"incompatible device '{text_of(group.requested)}'. All available devices "
            f"[{_names(candidates)}]. {debug_info(colocation, group)}"
        )
    elif not any(matches(wanted, candidate.parts) for candidate in candidates):
        text = (
            f"{{{{node {op.name}}}}} was explicitly assigned to {op.device} but available devices "
            f"are [ {_names(sorted(candidates, key=lambda c: c.name))} ]. Make sure the device "
            f"specification refers to a valid device.{_no_gpu(wanted[3], candidates)}"
        )
    elif wanted[3] is not None:
        text = (
            f"Could not satisfy explicit device specification '{op.device}' because no supported "
            f"kernel for {wanted[3]} devices is available.{debug_info(colocation, group)}"
            f"\nOp: {op.type}\nNode attrs: {_attrs(op)}\nRegistered kernels:\n"
            f"{describe_kernels(op.type)}"
        )
    else:
        text = (
            f"Could not satisfy explicit device specification '{op.device}'"
            f"{debug_info(colocation, group)}"
        )
    text = f"Cannot assign a device for operation {op.name}: {text}"
    ours = _what_emptied(colocation, op, group)
    if "explicitly assigned" in text:  # what TensorFlow 1 said, and learners will search for
        ours = f"Could not satisfy explicit device specification '{op.device}'.\n{ours}"
    return _invalid(op, text, ours)


def _no_gpu(kind: str | None, candidates: Sequence[Candidate]) -> str:
    if (kind or "").lower() != "gpu" or any(c.device_type == "GPU" for c in candidates):
        return ""
    return " The requested device appears to be a GPU, but CUDA is not enabled."


def _what_emptied(colocation: Colocation, op: Operation, group: Group) -> str:
    """How one constraint after the other narrowed the devices to none, and what can be done."""
    left = list(colocation.candidates)
    lines = [f"  there are {_short(left)}"]
    culprit = op
    for member in colocation.members_of(group):
        for says, fits in _constraints(colocation, member):
            remaining = [c for c in left if fits(c)]
            if len(remaining) < len(left):
                lines.append(f"  {says}: {_short(remaining)}")
                culprit = member
            left = remaining
        if not left:
            break
    if len(lines) > _MOST_LINES:
        lines[4:-3] = [f"  ... {len(lines) - 7} more"]
    return (
        f"{culprit.describe_origin()}\nWhat left no device for it:\n" + "\n".join(lines) + "\n"
        f"{_remedy(group.requested, colocation.candidates)}"
    )


def _other_tasks(candidates: Sequence[Candidate]) -> str:
    """What there is instead of a task that the session does not have."""
    tasks = sorted({f"{c.parts[0]}:{c.parts[2]}" for c in candidates})
    if tasks == ["localhost:0"]:
        return (
            "No device of this session is of that task. Open a session on the server that has it, "
            "tf.Session('grpc://...'), or leave job, replica and task out."
        )
    has = f"This session has no such task; it has {', '.join(tasks)}."
    return f"{has} Ask for one of them, or leave job, replica and task out."


def _remedy(wanted: Partial, candidates: Sequence[Candidate]) -> str:
    """What can be done about a request that no device meets."""
    job, replica, task, kind, index = wanted
    if not any(matches((job, replica, task, None, None), c.parts) for c in candidates):
        return _other_tasks(candidates)
    choose = f"Ask for a device above, or let TensorFlow choose one: {_SOFT}."
    count = (index or 0) + 1
    if any(matches(wanted, c.parts) for c in candidates) or not 0 < count <= 64:
        return choose
    if kind == "GPU":
        if hidden := why_hidden(sum(c.device_type == "GPU" for c in candidates)):
            return f"{choose} {hidden}"
        return (
            f"{choose} There can be simulated GPUs: tinytf.devices.simulate_gpus({count}), before "
            "the session is opened, or its server is started."
        )
    if kind == "CPU":
        return f"{choose} There can be more: tf.ConfigProto(device_count={{'CPU': {count}}})."
    if kind is None:
        return choose
    types = " and ".join(sorted({c.device_type for c in candidates}))
    return f"{choose} There are devices of the type {types}, none of the type {kind}."


def _constraints(
    colocation: Colocation, op: Operation
) -> Iterator[tuple[str, Callable[[Candidate], bool]]]:
    types = colocation.supported(op)
    yield (
        f"{op.name} ({op.type}) has kernels for {', '.join(types) or 'no device'}",
        lambda candidate: candidate.device_type in types,
    )
    for wanted, says in _wishes_of(colocation, [op]):
        yield says, functools.partial(_fits, wanted)


def _fits(wanted: Partial, candidate: Candidate) -> bool:
    return matches(wanted, candidate.parts)


def why_moved(colocation: Colocation, group: Group) -> str:
    """Why soft placement looked elsewhere than a group asked for."""
    wanted = group.requested
    if any(matches(wanted, candidate.parts) for candidate in colocation.candidates):
        return f"there is no {wanted[3] or 'such'} kernel for it"
    return f"there is no {text_of(wanted)}"


def debug_info(colocation: Colocation, group: Group) -> str:
    """TensorFlow's description of a colocation group, for its messages."""
    members = colocation.members_of(group)
    types = {op.type: "".join(f"{kind} " for kind in colocation.supported(op)) for op in members}
    feasible = ", ".join(candidate.name for candidate in group.feasible or ())
    number = colocation.numbers[group.device] if group.device else -1
    lines = [
        "\nColocation Debug Info:",
        "Colocation group had the following types and supported devices: ",
        f"Root Member(assigned_device_name_index_={number} "
        f"requested_device_name_='{text_of(group.requested)}' "
        f"assigned_device_name_='{text_of(group.assigned)}' "
        f"resource_device_name_='{text_of(group.resource)}' "
        f"supported_device_types_=[{', '.join(group.types)}] possible_devices_=[{feasible}]",
        *[f"{op_type}: {kinds}" for op_type, kinds in types.items()],
        "",
        "Colocation members, user-requested devices, and framework assigned devices, if any:",
    ]
    for op in members:
        device = colocation.assigned.get(op, "")
        placed = f" framework assigned device={device}" if device else ""
        lines.append(f"  {op.name} ({op.type}) {op.device}{placed}")
    return "\n".join(lines) + "\n"


def _attrs(op: Operation) -> str:
    return ", ".join(f"{name}={attr_text(value)}" for name, value in op.attrs.items())


def _names(candidates: Iterable[Candidate]) -> str:
    return ", ".join(candidate.name for candidate in candidates)


def _short(candidates: Sequence[Candidate]) -> str:
    """Devices without what all of them share: "CPU:0, GPU:0"."""
    tasks = {candidate.name.partition("/device:")[0] for candidate in candidates}
    if len(tasks) > 1:
        return _names(candidates)
    return ", ".join(c.name.partition("/device:")[2] or c.name for c in candidates) or "none left"


# The log ----------------------------------------------------------------------------------------


def device_log_lines(placement: Placement) -> list[str]:
    """What `log_device_placement` prints: a line for each operation, in the order of placing.

    Example:
      >>> device_log_lines(placement)[0]  # doctest: +SKIP
      'mul: (Mul): /job:localhost/replica:0/task:0/device:CPU:0'
    """
    names = placement.order or placement.decisions
    found = (placement.decisions[name] for name in names)
    return [f"{decision.op}: ({decision.op_type}): {decision.device}" for decision in found]


def device_mapping(devices: Iterable[DeviceAttributes]) -> str:
    """What a session with `log_device_placement` says of its devices when it opens.

    Example:
      >>> device_mapping([])
      'Device mapping: no known devices.'
    """
    lines = [f"{device.name} -> {device.description}" for device in devices if device.description]
    if not lines:
        return "Device mapping: no known devices."
    return "\n".join(["Device mapping:", *lines, ""])
