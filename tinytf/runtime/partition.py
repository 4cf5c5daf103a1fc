r"""Partitioning: where a tensor crosses from one device to another, a Send and a Recv.

    a on CPU:0 --> b on GPU:0        a --> Send ~~> Recv --> b
             \--> c on GPU:0                          \--> c

One pair for each tensor and destination, however many take it there; of a variable, one for each
moment at which it is read (TensorFlow sends it at any). Within one process the pair stays one
graph: the Send hands its value to its Recv by an edge, so both belong to the same iteration of a
loop and are dead together. The Recv makes the copy, on the lane of its device.
A control edge that crosses becomes a pair without a value.

A kernel of a GPU may want an argument in host memory (a shape, for example); for copies the host
memory of a GPU counts as another place. Feeds come from the first CPU, fetches go there.
TensorFlow: core/graph/graph_partition.cc, core/common_runtime/memory_types.cc.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tinytf.devices.device import Device
from tinytf.framework import dtypes, registry
from tinytf.framework.graph_export import export_operations
from tinytf.framework.graph_versions import PRODUCER
from tinytf.framework.kernel_binding import reference_inputs
from tinytf.framework.op_def import make_op_def
from tinytf.framework.operation import Operation
from tinytf.framework.registry import Kernel
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.kernels.lookup import host_inputs, host_outputs
from tinytf.protos import graph_pb2
from tinytf.runtime.frames import ENTER, MERGE, NEXT_ITERATION
from tinytf.runtime.live_reads import live_reads, waits_of_readers
from tinytf.runtime.optimise.step_graph import StepGraph
from tinytf.runtime.pruning import is_fed_placeholder

_ATTRS = (
    "tensor_name: string, send_device: string, send_device_incarnation: int, "
    "recv_device: string, client_terminated: bool = false"
)
# TensorFlow's schemas, but for the edge from the one to the other; `exported` takes it away again.
SEND = make_op_def("_Send", "tensor: T -> sent: T", "T: type", _ATTRS, is_stateful=True)
_RECEIVED = f"tensor_type: type, {_ATTRS}"
RECV = make_op_def("_Recv", "sent: tensor_type -> tensor: tensor_type", _RECEIVED, is_stateful=True)
_SEND_CONTROL = make_op_def("_Send", "", _ATTRS, is_stateful=True)
_RECV_CONTROL = make_op_def("_Recv", "", _ATTRS, is_stateful=True)

#: Where a value is: the name of a device, and whether it is in host memory.
Place = tuple[str, bool]
Controls = tuple[Operation, ...]


@dataclass(frozen=True, slots=True)
class Devices:
    """The devices of a step.

    Attributes:
      home: where feeds come from and fetches go: the first CPU.
      of: the device of an operation of the user's graph.
    """

    home: Device
    of: Callable[[Operation], Device]


class Partition:
    """The graph of a step on several devices; operations are copies with their device assigned.

    Args:
      ops: the copies, producers first; the `device` of each is the full name of where it runs.
      fetches, fed: the signature, in copies. home: see `Devices`. devices: by their names.

    Attributes:
      ops: with Sends and Recvs among them. fetches: what arrives at home.
      kernels: of the Sends and Recvs.
    """

    def __init__(
        self,
        ops: Sequence[Operation],
        fetches: Sequence[Tensor],
        fed: frozenset[Tensor],
        home: Device,
        devices: dict[str, Device],
    ):
        self.ops: list[Operation] = []
        self.kernels: dict[Operation, Kernel] = {}
        self._fed, self._home, self._devices = fed, home, devices
        self._live = live_reads(ops, fed, fetches, waits=False)
        self._awaited = waits_of_readers(ops, self._live)
        self._numbers = itertools.count()
        self._received: dict[tuple[Tensor, Place, Controls], Tensor] = {}
        self._signalled: dict[tuple[Operation, str], Operation] = {}
        _keep_loop_variables_together(ops)
        for op in ops:
            self._connect(op)
            self.ops.append(op)
        # A fetched variable is read when the step is over, wherever it is.
        self.fetches = [
            tensor
            if tensor.dtype.is_ref or tensor in self._live
            else self._at(tensor, (home.name, True), tensor.op)
            for tensor in fetches
        ]

    def _connect(self, op: Operation) -> None:
        on_hosts = host_inputs(op, self._device(op).device_type)
        wanted = zip(op._inputs, reference_inputs(op), on_hosts, strict=True)
        op._inputs = tuple(
            tensor
            if takes_reference or tensor.op.type in NEXT_ITERATION
            else self._at(tensor, (op.device, on_host), op)
            for tensor, takes_reference, on_host in wanted
        )
        op._controls = tuple(self._after(control, op.device) for control in op._controls)

    def _device(self, op: Operation) -> Device:
        return self._devices[op.device]

    def _place_of(self, tensor: Tensor) -> Place:
        if tensor in self._fed:
            return self._home.name, True
        device = self._device(tensor.op)
        on_host = host_outputs(tensor.op, device.device_type)[tensor.value_index]
        return device.name, on_host

    def _at(self, tensor: Tensor, wanted: Place, user: Operation) -> Tensor:
        """The tensor in the place where it is wanted: itself, or what a Recv gives."""
        place = self._place_of(tensor)
        if place == wanted:
            return tensor
        # A variable is read when it is sent: so that waits for what its reader waits for.
        is_read = (tensor.dtype.is_ref or tensor in self._live) and tensor not in self._fed
        awaited = self._awaited.get(user, ()) if is_read else ()
        received = self._received.get((tensor, wanted, awaited))
        if received is None:
            received = self._transfer(tensor, place, wanted, user, awaited)
            self._received[(tensor, wanted, awaited)] = received
        return received

    def _transfer(
        self, tensor: Tensor, place: Place, wanted: Place, user: Operation, awaited: Controls
    ) -> Tensor:
        origin = user if tensor in self._fed else tensor.op
        kind = tensor.dtype.base_dtype
        name = _reference(tensor)
        controls = tuple(self._after(control, place[0]) for control in awaited)
        send = self._new(SEND, origin, tensor.op.name, name, place[0], wanted[0])
        send._inputs, send._controls = (tensor,), controls
        send.outputs = [Tensor(send, 0, kind, tensor.shape)]
        send.attrs["T"] = kind
        recv = self._new(RECV, origin, tensor.op.name, name, place[0], wanted[0])
        recv._inputs, recv._device = (send.outputs[0],), wanted[0]
        recv.outputs = [Tensor(recv, 0, kind, tensor.shape)]
        recv.attrs["tensor_type"] = kind
        source, destination = self._devices[place[0]], self._devices[wanted[0]]
        self.kernels[send] = Kernel("_Send", source.device_type, _pass_on)
        copy = _copy_function(source, place[1], destination, wanted[1], name)
        self.kernels[recv] = Kernel("_Recv", destination.device_type, copy)
        return recv.outputs[0]

    def _after(self, control: Operation, device: str) -> Operation:
        """What to wait for on a device instead of an operation of another one."""
        if control.device == device or is_fed_placeholder(control, self._fed):
            return control
        known = self._signalled.get((control, device))
        if known is None:
            name = f"^{control.name}"
            send = self._new(_SEND_CONTROL, control, control.name, name, control.device, device)
            send._controls = (control,)
            known = self._new(_RECV_CONTROL, control, control.name, name, control.device, device)
            known._controls, known._device = (send,), device
            for op in (send, known):
                self.kernels[op] = Kernel(op.type, self._device(op).device_type, _nothing)
            self._signalled[(control, device)] = known
        return known

    def _new(
        self, op_def: Any, origin: Operation, name: str, tensor_name: str, source: str, dest: str
    ) -> Operation:
        op = origin._copy((), ())
        number = next(self._numbers)
        op.name, op.op_def, op.outputs, op._device = f"{name}/_{number}", op_def, [], source
        op.attrs = {
            "tensor_name": f"edge_{number // 2}_{tensor_name}".encode(),
            "send_device": source.encode(),
            "recv_device": dest.encode(),
            "send_device_incarnation": _signed(self._devices[source].attributes.incarnation),
            "client_terminated": False,
        }
        self.ops.append(op)
        return op


def assigned_copies(
    ops: Sequence[Operation],
    feeds: Sequence[Tensor],
    fetches: Sequence[Tensor],
    targets: Sequence[Operation],
    devices: Devices,
) -> tuple[StepGraph, dict[str, Device]]:
    """Copies of a step's operations with their devices assigned, and these devices by name."""
    graph = StepGraph(ops, feeds, fetches, targets)
    used = {devices.home.name: devices.home}
    for original, copy in zip(ops, graph.ops, strict=True):
        device = devices.of(original)
        used[device.name] = device
        copy._device = device.name
    return graph, used


def partition_graphs(
    ops: Sequence[Operation], only_device: str | None = None
) -> list[graph_pb2.GraphDef]:
    """The part of each device as TensorFlow's GraphDef, for `RunMetadata.partition_graphs`.

    As there, what is fed comes from an `_Arg`, and functions are not in them.

    Args:
      only_device: where everything runs, if no devices are assigned.
    """
    by_device: dict[str, list[Operation]] = {}
    for op in ops:
        by_device.setdefault(only_device or op.device, []).append(op)
    fed = _fed_tensors(ops)
    return [_part(part, device, fed) for device, part in by_device.items()]


def _fed_tensors(ops: Sequence[Operation]) -> dict[str, str]:
    """The inputs that no operation of the step gives, and what TensorFlow calls their `_Arg`s."""
    known = {op.name for op in ops}
    missing = dict.fromkeys(t for op in ops for t in op._inputs if t.op.name not in known)
    return {
        _reference(tensor): f"_arg_{tensor.op.name}_{tensor.value_index}_{number}"
        for number, tensor in enumerate(missing)
    }


def _reference(tensor: Tensor) -> str:
    """How a node names an input."""
    return tensor.name if tensor.value_index else tensor.op.name


def _part(ops: Sequence[Operation], device: str, fed: dict[str, str]) -> graph_pb2.GraphDef:
    types = {_reference(t): t.dtype.base_dtype for op in ops for t in op._inputs}
    graph = export_operations(_exported(ops))
    graph.versions.producer = PRODUCER
    names = {node.name for node in graph.node}
    for node in graph.node:
        node.device = device
        # To wait for what is fed is to wait for nothing.
        wanted = [n for n in node.input if not n.startswith("^") or n[1:] in names]
        node.input[:] = [fed.get(name, name) for name in wanted]
        groups = node.attr["_class"].list.s if "_class" in node.attr else ()
        kept = [group for group in groups if group.decode().removeprefix("loc:@") in names]
        if len(kept) < len(groups):  # optimised away, or not needed
            node.attr["_class"].list.s[:] = kept
            if not kept:
                del node.attr["_class"]
    for number, (name, argument) in enumerate(fed.items()):
        if name in types:
            node = graph.node.add(name=argument, op="_Arg", device=device)
            node.attr["T"].type = types[name].as_datatype_enum
            node.attr["index"].i = number
    return graph


def _exported(ops: Sequence[Operation]) -> Iterator[Operation]:
    """Without the edges from Sends to Recvs; a signal becomes the copy of an empty tensor."""
    for op in ops:
        if op.op_def is RECV:
            yield op._copy((), op._controls)
        elif op.op_def is _SEND_CONTROL:
            empty = op._copy((), op._controls)
            empty.name, empty.op_def = f"{op.name}/_cst", registry.op_defs.lookup("Const")
            empty.attrs = {"dtype": dtypes.float32, "value": np.zeros([0], np.float32)}
            empty.outputs = [Tensor(empty, 0, dtypes.float32, TensorShape([0]))]
            yield empty
            yield _with_type(op._copy((empty.outputs[0],), ()))
        elif op.op_def is _RECV_CONTROL:
            yield _with_type(op._copy((), ()))
        else:
            yield op


def _with_type(op: Operation) -> Operation:
    op.attrs = {**op.attrs, "T" if op.type == "_Send" else "tensor_type": dtypes.float32}
    return op


def crosses(op: Operation) -> bool:
    """Whether an operation is the arriving end of a transfer."""
    return op.op_def is RECV or op.op_def is _RECV_CONTROL


def leaves(op: Operation) -> bool:
    """Whether an operation is the sending end of a transfer."""
    return op.op_def is SEND or op.op_def is _SEND_CONTROL


def goes_between_tasks(op: Operation) -> bool:
    """Whether an operation sends to another task, or receives from one."""
    return op.type in _BETWEEN_TASKS and not crosses(op) and not leaves(op)


_BETWEEN_TASKS = frozenset({"_Send", "_Recv", "_HostSend", "_HostRecv"})


def is_copy(kernel: Kernel) -> bool:
    """Whether a transfer makes a copy; within one memory it hands on what is there."""
    return kernel.function not in (_pass_on, _nothing)


def _keep_loop_variables_together(ops: Sequence[Operation]) -> None:
    """What enters a Merge enters it on its device: the copy is made before, not on a back edge."""
    for op in ops:
        if op.type in MERGE:
            for tensor in op._inputs:
                if tensor.op.type in NEXT_ITERATION or tensor.op.type in ENTER:
                    tensor.op._device = op.device


def _signed(number: int) -> int:
    """A 64-bit number as the attribute holds it."""
    return number - (1 << 64) if number >= 1 << 63 else number


def _pass_on(value: Any) -> Any:
    return value


def _nothing() -> tuple[()]:
    return ()


def _copy_function(
    source: Device, from_host: bool, destination: Device, to_host: bool, holder: str
) -> Callable[[Any], Any]:
    """What a Recv does; values in host memory are immutable, so they are shared."""
    take, bring = source.copy_out, destination.copy_in
    from_host = from_host or source.memory is None
    to_host = to_host or destination.memory is None
    if from_host:
        return _pass_on if to_host else lambda value: bring(value, holder)
    if to_host:
        return take
    return lambda value: bring(take(value), holder)
