"""Transfers between tasks: a Send on one task and a Recv on another, joined by a rendezvous key.

Nobody builds them by hand: whoever cuts a step into parts does. Their kernels are in the executor,
which knows the iteration of a loop that a tensor belongs to, and that a dead one is sent as well.
"""

from __future__ import annotations

from typing import Any

from tinytf.framework.errors import InternalError
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.shape_inference import unknown

_ATTRS = (
    "tensor_name: string, send_device: string, send_device_incarnation: int, recv_device: string, "
    "client_terminated: bool = false"
)


def _define(op_type: str, signature: str, types: str, blocking: bool = False) -> OpCard:
    card = define_op(
        op_type,
        signature,
        types,
        _ATTRS,
        stateful=True,
        shape=unknown,
        no_gradient="gradients are built before a step is cut into parts",
    )

    @card.kernel(blocking=blocking)
    def _not_by_itself(*_: Any) -> Any:
        raise InternalError(f"{op_type} runs only as a unit of the executor")

    return card


# _Send, _Recv -------------------------------------------------------------------------------------

send = _define("_Send", "tensor: T", "T: type")
recv = _define("_Recv", "-> tensor: tensor_type", "tensor_type: type", blocking=True)

# _HostSend, _HostRecv: from and to host memory, wherever the operation is -------------------------

host_send = _define("_HostSend", "tensor: T", "T: type")
host_recv = _define("_HostRecv", "-> tensor: tensor_type", "tensor_type: type", blocking=True)
