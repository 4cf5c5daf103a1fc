"""Queues of the time before resources: in graphs that old programs exported.

Their handle is a reference to two strings; everything else is as with the types that came after
them, whose kernels they share. Nothing builds these nodes any more.
Mirrors the older half of tensorflow/core/ops/data_flow_ops.cc.
"""

from __future__ import annotations

from typing import Any

from tinytf.framework import registry
from tinytf.framework.kernel_binding import bind
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.shape_inference import is_scalar, unknown
from tinytf.ops.base.resource_cards import WHERE, string_handle, string_handle_shape
from tinytf.ops.queues import queue_ops
from tinytf.resources.handles import StringHandle

_HANDLE = "handle: Ref(string)"


def _kernel_of(op_type: str) -> registry.Kernel:
    return registry.kernels_of(op_type)["CPU"][0]


# FIFOQueue, PaddingFIFOQueue, RandomShuffleQueue, PriorityQueue -----------------------------------


def _define_queue(name: str, attrs: str) -> OpCard:
    kernel = _kernel_of(f"{name}V2")

    def make(*, node: Any, resources: Any) -> StringHandle:
        return string_handle(bind(kernel, node, resources)(), node)

    return define_op(
        name,
        f"-> {_HANDLE}",
        attrs,
        WHERE,
        stateful=True,
        shape=string_handle_shape,
        kernel=make,
        no_gradient=queue_ops.STATE,
    )


fifo_queue = _define_queue("FIFOQueue", queue_ops.ELEMENTS)
padding_fifo_queue = _define_queue("PaddingFIFOQueue", queue_ops.ELEMENTS)
random_shuffle_queue = _define_queue(
    "RandomShuffleQueue", f"{queue_ops.ELEMENTS}, {queue_ops.SHUFFLING}"
)
priority_queue = _define_queue("PriorityQueue", queue_ops.ELEMENTS_WITH_PRIORITY)

# QueueEnqueue, QueueDequeue, ... ------------------------------------------------------------------


def _define_on(name: str, schema: str, attrs: str = "", shape: Any = unknown) -> OpCard:
    """An op type on the old handle, with the kernel of the type that came after it."""
    card = define_op(name, _HANDLE + schema, attrs, shape=shape, no_gradient=queue_ops.STATE)
    kernel = _kernel_of(f"{name}V2")
    card.kernel(kernel.function, blocking=kernel.blocking)
    return card


_TAKEN = " -> components: component_types"

queue_enqueue = _define_on("QueueEnqueue", ", components: Tcomponents", queue_ops.PUT)
queue_enqueue_many = _define_on("QueueEnqueueMany", ", components: Tcomponents", queue_ops.PUT)
queue_dequeue = _define_on("QueueDequeue", _TAKEN, queue_ops.TAKE)
queue_dequeue_many = _define_on("QueueDequeueMany", f", n: int32{_TAKEN}", queue_ops.TAKE)
queue_dequeue_up_to = _define_on("QueueDequeueUpTo", f", n: int32{_TAKEN}", queue_ops.TAKE)
queue_close = _define_on("QueueClose", "", "cancel_pending_enqueues: bool = false")
queue_is_closed = _define_on("QueueIsClosed", " -> is_closed: bool", shape=is_scalar)
queue_size = _define_on("QueueSize", " -> size: int32", shape=is_scalar)
