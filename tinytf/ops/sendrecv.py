"""Transfers between tasks: a Send on one task and a Recv on another, joined by a rendezvous key.

Nobody builds them by hand: whoever cuts a step into parts does. Their kernels are in the executor,
which knows the iteration of a loop that a tensor belongs to, and that a dead one is sent as well.
"""

from __future__ import annotations

from typing import Any

from tinytf.framework.errors import InternalError
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.shape_inference import InferenceContext
from tinytf.framework.tensor_shape import TensorShape, unknown_shape

_ATTRS = [
    "tensor_name: string",
    "send_device: string",
    "send_device_incarnation: int",
    "recv_device: string",
    "client_terminated: bool = false",
]


def _define_send(op_type: str) -> OpCard:
    card = define_op(op_type, "tensor: T", "T: type", *_ATTRS, stateful=True)

    @card.shape
    def _shape(c: InferenceContext) -> list[TensorShape]:
        return []

    @card.kernel
    def _send(tensor: Any) -> tuple[()]:
        raise _not_by_itself(op_type)

    card.not_differentiable("gradients are built before a step is cut into parts")
    return card


def _define_recv(op_type: str) -> OpCard:
    card = define_op(op_type, "-> tensor: tensor_type", "tensor_type: type", *_ATTRS, stateful=True)

    @card.shape
    def _shape(c: InferenceContext) -> TensorShape:
        return unknown_shape()

    @card.kernel(blocking=True)
    def _recv() -> Any:
        raise _not_by_itself(op_type)

    card.not_differentiable("gradients are built before a step is cut into parts")
    return card


def _not_by_itself(op_type: str) -> InternalError:
    return InternalError(f"{op_type} runs only as a unit of the executor")


# _Send, _Recv -----------------------------------------------------------------------------------

send = _define_send("_Send")
recv = _define_recv("_Recv")

# _HostSend, _HostRecv: from and to host memory, wherever the operation is ------------------------

host_send = _define_send("_HostSend")
host_recv = _define_recv("_HostRecv")
