r"""Cutting a step by task: where a tensor crosses from one task to another, a Send and a Recv.

    a on ps:0 --> b on worker:0        a --> _Send           _Recv --> b
             \--> c on worker:0                                   \--> c

One pair for each tensor and destination task, however many take it there; of a variable, one for
each moment at which it is read. A control edge that crosses sends an empty tensor. What the client
feeds arrives by a `_Recv` that is "client terminated", what it fetches leaves by such a `_Send`:
both travel in the messages that start and end the part. A small constant does not travel: every
task that needs it has one of its own, as with TensorFlow 2's masters.

Within a task, tensors go from device to device as in any other step (`runtime.partition`).
TensorFlow: core/graph/graph_partition.cc.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from tinytf.distributed.master.loop_parts import ControlLoops, keep_together
from tinytf.framework import dtypes, registry
from tinytf.framework.errors import InvalidArgumentError
from tinytf.framework.function_library import export_library
from tinytf.framework.graph import Graph
from tinytf.framework.graph_export import export_operations
from tinytf.framework.kernel_binding import reference_inputs
from tinytf.framework.operation import Operation
from tinytf.framework.rendezvous import rendezvous_key, task_of
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.protos import graph_pb2
from tinytf.runtime.frames import NEXT_ITERATION
from tinytf.runtime.live_reads import live_reads, waits_of_readers
from tinytf.runtime.pruning import is_fed_placeholder

#: Outside of loops.
ROOT_FRAME = "0:0"
_STAY = (dtypes.resource, dtypes.variant)
#: A constant of more numbers than these is sent.
_SMALL = 16
Controls = tuple[Operation, ...]


@dataclass(frozen=True, slots=True)
class Edge:
    """A tensor on its way from one task to another.

    Attributes:
      tensor: its name in the client's graph, "v/read:0"; "^name" for a control edge.
      source, destination: tasks. dtype: of the tensor as it was built. key: up to the frame.
    """

    tensor: str
    source: str
    destination: str
    dtype: dtypes.DType
    key: str


@dataclass(slots=True)
class Part:
    """What one task runs of a step.

    Attributes:
      task: its full name. ops: producers first, with their devices.
      feeds: key -> which feed of the signature. fetches: key -> which fetch.
    """

    task: str
    ops: list[Operation] = field(default_factory=list)
    feeds: dict[str, int] = field(default_factory=dict)
    fetches: dict[str, int] = field(default_factory=dict)

    def graph_def(self, graph: Graph) -> graph_pb2.GraphDef:
        """The part as TensorFlow's GraphDef, with the functions of the graph it is of."""
        result = export_operations(self.ops)
        result.versions.CopyFrom(graph.graph_def_versions)
        if graph._functions:
            result.library.CopyFrom(export_library(graph._functions))
        return result


class GraphParts:
    """The parts of a step; see the module.

    Args:
      ops: copies of its operations, producers first; the `device` of each is a full name.
      fetches, fed: the signature, in copies. home: the task of the master.
      incarnations: of the first CPU of each task.
      truncates: whether float32 travels as bfloat16, its upper half (the white paper, section 5.5;
        `GraphOptions.enable_bfloat16_sendrecv`).

    Attributes:
      parts: by task, in order of their first operations. edges: between them.

    Raises:
      InvalidArgumentError: if a reference or a resource would have to leave its task.
    """

    def __init__(
        self,
        ops: Sequence[Operation],
        fetches: Sequence[Tensor],
        fed: Sequence[Tensor],
        home: str,
        incarnations: Mapping[str, int],
        *,
        truncates: bool = False,
    ):
        self.parts: dict[str, Part] = {}
        self.edges: list[Edge] = []
        self._home, self._incarnations, self._truncates = home, incarnations, truncates
        self._fed = {tensor: number for number, tensor in enumerate(fed)}
        self._fed_set = frozenset(fed)
        self._numbers = itertools.count()
        self._received: dict[tuple[Tensor, str, Controls], Tensor] = {}
        self._signalled: dict[tuple[Operation, str], Operation] = {}
        self._copied: list[Operation] = []
        self._live = live_reads(ops, self._fed_set, fetches, waits=False)
        self._awaited = waits_of_readers(ops, self._live)
        keep_together(ops, self._fed_set)
        self._loops = ControlLoops(ops, self._fed_set, self._new, self._at)
        for op in ops:
            self._connect(op)
            self._part(task_of(op.device)).ops.append(op)
        for number, tensor in enumerate(fetches):
            self._return(number, tensor)
        self._loops.finish()
        self._drop_constants()

    def _part(self, task: str) -> Part:
        if task not in self.parts:
            self.parts[task] = Part(task)
        return self.parts[task]

    def _connect(self, op: Operation) -> None:
        task = task_of(op.device)
        if "_class" in op.attrs:  # it has its device, and the others may be on other tasks
            op.attrs = {name: value for name, value in op.attrs.items() if name != "_class"}
        flags = reference_inputs(op)
        op._inputs = tuple(
            tensor
            if tensor.op.type in NEXT_ITERATION
            else self._at(tensor, task, op, takes_reference)
            for tensor, takes_reference in zip(op._inputs, flags, strict=True)
        )
        op._controls = tuple(
            after for c in op._controls if (after := self._after(c, task)) is not None
        )

    def _at(self, tensor: Tensor, task: str, user: Operation, by_reference: bool = False) -> Tensor:
        """The tensor on the task where it is wanted: itself, or what a Recv gives."""
        if tensor in self._fed:
            return self._feed(tensor, task, user)
        source = task_of(tensor.op.device)
        if source == task:
            return tensor
        if by_reference or tensor.dtype.base_dtype in _STAY:
            raise InvalidArgumentError(
                f"{user.name} on {task} needs {tensor.name}, a {tensor.dtype.name}, which lives "
                f"on {source} and cannot leave it. Build {user.name} under "
                f"tf.device('{source}').\n\t [[{{{{node {user.name}}}}}]]",
                user,
            )
        # A variable is read when it is sent: so that waits for what its reader waits for.
        is_read = tensor.dtype.is_ref or tensor in self._live
        awaited = self._awaited.get(user, ()) if is_read else ()
        received = self._received.get((tensor, task, awaited))
        if received is None:
            received = self._constant(tensor, task)
            if received is None and tensor not in self._live:  # that is not always the same
                received = self._loops.entered(tensor, task)
            if received is None:
                received = self._transfer(tensor, source, task, awaited)
            self._received[(tensor, task, awaited)] = received
        return received

    def _constant(self, tensor: Tensor, task: str) -> Tensor | None:
        """A small constant on another task; None if it is something else."""
        original = tensor.op
        if original.type != "Const" or original._controls:
            return None
        if original.attrs["value"].size > _SMALL:
            return None
        self._copied.append(original)
        op = self._new("Const", original, original.name, task)
        op.attrs = original.attrs
        op.outputs = [Tensor(op, 0, tensor.dtype, tensor.shape)]
        return op.outputs[0]

    def _drop_constants(self) -> None:
        """Forget constants of which there are copies, and that their own task does not need."""
        for original in self._copied:
            part = self._part(task_of(original.device))
            if original in part.ops and not _has_users(original, part.ops):
                part.ops.remove(original)
                if not part.ops:
                    del self.parts[part.task]

    def _feed(self, tensor: Tensor, task: str, user: Operation) -> Tensor:
        received = self._received.get((tensor, task, ()))
        if received is None:
            part = self._part(task)
            recv = self._recv(user, tensor.name, tensor, task, task, f"feed_{tensor.op.name}")
            recv.attrs["client_terminated"] = True
            part.feeds[rendezvous_key(recv.attrs) + ROOT_FRAME] = self._fed[tensor]
            received = self._received[(tensor, task, ())] = recv.outputs[0]
        return received

    def _return(self, number: int, tensor: Tensor) -> None:
        task = task_of(tensor.op.device)
        send = self._send(tensor.op, tensor.name, tensor, task, task, f"fetch_{number}")
        send.attrs["client_terminated"] = True
        self._part(task).fetches[rendezvous_key(send.attrs) + ROOT_FRAME] = number

    def _transfer(self, tensor: Tensor, source: str, task: str, awaited: Controls) -> Tensor:
        name = _reference(tensor)
        edge = f"edge_{next(self._numbers)}_{name}"
        controls = [self._after(control, source) for control in awaited]
        waits_for = tuple(control for control in controls if control is not None)
        is_cut = self._truncates and tensor.dtype.base_dtype is dtypes.float32
        sent = self._cast(tensor, dtypes.bfloat16, source, waits_for) if is_cut else tensor
        send = self._send(tensor.op, edge, sent, source, task, tensor.op.name)
        send._controls = waits_for
        recv = self._recv(tensor.op, edge, sent, source, task, tensor.op.name)
        self._loops.drive(recv, tensor.op, task)
        self.edges.append(
            Edge(name, source, task, sent.dtype.base_dtype, rendezvous_key(send.attrs))
        )
        received = recv.outputs[0]
        return self._cast(received, dtypes.float32, task, ()) if is_cut else received

    def _after(self, control: Operation, task: str) -> Operation | None:
        """What to wait for on a task instead of an operation of another one; None: nothing."""
        if is_fed_placeholder(control, self._fed_set):
            return None
        source = task_of(control.device)
        if source == task:
            return control
        known = self._signalled.get((control, task)) or self._loops.pivot(control, task)
        if known is None:
            edge = f"edge_{next(self._numbers)}_^{control.name}"
            empty = self._empty(control, source)
            send = self._send(control, edge, empty, source, task, control.name)
            recv = self._recv(control, edge, empty, source, task, control.name)
            self._loops.drive(recv, control, task)
            known = self._identity(recv)
            self.edges.append(
                Edge(f"^{control.name}", source, task, dtypes.float32, rendezvous_key(send.attrs))
            )
            self._signalled[(control, task)] = known
        return known

    # Operations ---------------------------------------------------------------------------------

    def _new(self, op_type: str, origin: Operation, name: str, task: str) -> Operation:
        op = origin._copy((), ())
        op.name = f"{name}/_{next(self._numbers)}"
        op.op_def, op.outputs, op._device = registry.op_defs.lookup(op_type), [], _cpu(task)
        op.attrs = {}
        self._part(task).ops.append(op)
        return op

    def _empty(self, control: Operation, task: str) -> Tensor:
        op = self._new("Const", control, f"{control.name}/_cst", task)
        op._controls = (control,)
        op.attrs = {"dtype": dtypes.float32, "value": np.zeros([0], np.float32)}
        op.outputs = [Tensor(op, 0, dtypes.float32, TensorShape([0]))]
        return op.outputs[0]

    def _cast(self, tensor: Tensor, to: dtypes.DType, task: str, waits_for: Controls) -> Tensor:
        """The tensor as another type, its lower bits cut off and not rounded."""
        op = self._new("Cast", tensor.op, f"{tensor.op.name}/_cast", task)
        op._inputs, op._controls = (tensor,), waits_for
        op.attrs = {"SrcT": tensor.dtype.base_dtype, "DstT": to, "Truncate": True}
        op.outputs = [Tensor(op, 0, to, tensor.shape)]
        return op.outputs[0]

    def _identity(self, recv: Operation) -> Operation:
        """What is dead when the tensor is: to TensorFlow a Recv is not."""
        op = self._new("Identity", recv, recv.name, task_of(recv.device))
        op._inputs, op._controls = (recv.outputs[0],), ()
        op.attrs = {"T": recv.outputs[0].dtype}
        op.outputs = [Tensor(op, 0, recv.outputs[0].dtype, recv.outputs[0].shape)]
        return op

    def _send(
        self, origin: Operation, edge: str, tensor: Tensor, source: str, destination: str, name: str
    ) -> Operation:
        op = self._new("_Send", origin, f"{name}/_send", source)
        op._inputs = (tensor,)
        op.attrs = {"T": tensor.dtype.base_dtype, **self._attrs(edge, source, destination)}
        return op

    def _recv(
        self, origin: Operation, edge: str, tensor: Tensor, source: str, destination: str, name: str
    ) -> Operation:
        op = self._new("_Recv", origin, f"{name}/_recv", destination)
        kind = tensor.dtype.base_dtype
        op.attrs = {"tensor_type": kind, **self._attrs(edge, source, destination)}
        op.outputs = [Tensor(op, 0, kind, tensor.shape)]
        return op

    def _attrs(self, edge: str, source: str, destination: str) -> dict[str, object]:
        incarnation = self._incarnations[source]
        return {
            "tensor_name": edge.encode(),
            "send_device": _cpu(source).encode(),
            "send_device_incarnation": incarnation - (1 << 64 if incarnation >> 63 else 0),
            "recv_device": _cpu(destination).encode(),
            "client_terminated": False,
        }


def _cpu(task: str) -> str:
    return f"{task}/device:CPU:0"


def _reference(tensor: Tensor) -> str:
    """How a node names an input."""
    return tensor.name if tensor.value_index else tensor.op.name


def _has_users(op: Operation, others: Sequence[Operation]) -> bool:
    """Whether one of the operations takes what `op` gives, or waits for it."""
    return any(
        op in other._controls or any(op is tensor.op for tensor in other._inputs)
        for other in others
    )
