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
from tinytf.framework.shape_inference import InferenceContext
from tinytf.framework.tensor_shape import TensorShape, scalar, unknown_shape
from tinytf.resources.handles import StringHandle

_STATE = "a queue is state"
_WHERE = ["container: string = ''", "shared_name: string = ''"]
_TYPES = "component_types: list(type) >= 1"
_SHAPES = "shapes: list(shape) >= 0 = []"
_HANDLE = "handle: Ref(string)"
_TIMEOUT = "timeout_ms: int = -1"


def _kernel_of(op_type: str) -> registry.Kernel:
    return registry.kernels_of(op_type)["CPU"][0]


# FIFOQueue, PaddingFIFOQueue, RandomShuffleQueue, PriorityQueue -----------------------------------


def _define_queue(name: str, attrs: list[str]) -> OpCard:
    card = define_op(name, outputs=[_HANDLE], attrs=[*attrs, *_WHERE], stateful=True)
    card.not_differentiable(_STATE)
    kernel = _kernel_of(f"{name}V2")

    @card.shape
    def _handle_shape(c: InferenceContext) -> TensorShape:
        return TensorShape.of((2,))  # the pair of names that a handle is, there

    @card.kernel
    def _make(*, node: Any, resources: Any) -> StringHandle:
        container = node.attrs["container"].decode() or "localhost"
        return StringHandle(bind(kernel, node, resources)(), container)

    return card


_CAPACITY = "capacity: int = -1"
fifo_queue = _define_queue("FIFOQueue", [_TYPES, _SHAPES, _CAPACITY])
padding_fifo_queue = _define_queue("PaddingFIFOQueue", [_TYPES, _SHAPES, _CAPACITY])
random_shuffle_queue = _define_queue(
    "RandomShuffleQueue",
    [_TYPES, _SHAPES, _CAPACITY, "min_after_dequeue: int = 0", "seed: int = 0", "seed2: int = 0"],
)
priority_queue = _define_queue(
    "PriorityQueue",
    ["component_types: list(type) >= 0 = []", "shapes: list(shape) >= 0", _CAPACITY],
)

# QueueEnqueue, QueueDequeue, ... ------------------------------------------------------------------


def _define_on(
    name: str, inputs: list[str], outputs: list[str], attrs: list[str], newer: str = ""
) -> OpCard:
    """An op type on the old handle, with the kernel of the type that came after it."""
    card = define_op(name, [_HANDLE, *inputs], outputs, attrs)
    card.not_differentiable(_STATE)
    kernel = _kernel_of(newer or f"{name}V2")
    card.kernel(kernel.function, blocking=kernel.blocking)
    return card


def _unknown(c: InferenceContext) -> list[TensorShape]:
    return [unknown_shape()] * c.output_count


_COMPONENTS = ["components: component_types"]
_PUTS = ["Tcomponents: list(type) >= 1", _TIMEOUT]
_TAKES = [_TYPES, _TIMEOUT]

queue_enqueue = _define_on("QueueEnqueue", ["components: Tcomponents"], [], _PUTS)
queue_enqueue_many = _define_on("QueueEnqueueMany", ["components: Tcomponents"], [], _PUTS)
queue_dequeue = _define_on("QueueDequeue", [], _COMPONENTS, _TAKES)
queue_dequeue_many = _define_on("QueueDequeueMany", ["n: int32"], _COMPONENTS, _TAKES)
queue_dequeue_up_to = _define_on("QueueDequeueUpTo", ["n: int32"], _COMPONENTS, _TAKES)
queue_close = _define_on("QueueClose", [], [], ["cancel_pending_enqueues: bool = false"])
queue_is_closed = _define_on("QueueIsClosed", [], ["is_closed: bool"], [])
queue_size = _define_on("QueueSize", [], ["size: int32"], [])
for _card in (
    queue_enqueue,
    queue_enqueue_many,
    queue_dequeue,
    queue_dequeue_many,
    queue_dequeue_up_to,
    queue_close,
):
    _card.shape(_unknown)
for _card in (queue_is_closed, queue_size):
    _card.shape(lambda c: scalar())
