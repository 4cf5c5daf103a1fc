"""The op types of queues: four that make one, and what is done with one.

The queue itself is `resources.queues`; a handle carries it along the edge. What has to wait returns
a `Pending`. Mirrors tensorflow/core/kernels/queue_op.cc and fifo_queue_op.cc.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tinytf.framework import shape_inference
from tinytf.framework.dtypes import DType, int64
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, scalar
from tinytf.ops.base.resource_cards import WHERE, own_or_shared
from tinytf.ops.random.philox import PhiloxSequence
from tinytf.resources.handles import behind
from tinytf.resources.queues import kinds
from tinytf.resources.queues.elements import shown
from tinytf.resources.queues.queue import UNLIMITED, Queue

STATE = "a queue is state"
#: The attributes of the op types, which those of the time before resources have as well.
_TYPES, _CAPACITY = "component_types: list(type) >= 1", "capacity: int = -1"
ELEMENTS = f"{_TYPES}, shapes: list(shape) >= 0 = [], {_CAPACITY}"
ELEMENTS_WITH_PRIORITY = (
    f"component_types: list(type) >= 0 = [], shapes: list(shape) >= 0, {_CAPACITY}"
)
SHUFFLING = "min_after_dequeue: int = 0, seed: int = 0, seed2: int = 0"
PUT = "Tcomponents: list(type) >= 1, timeout_ms: int = -1"
TAKE = f"{_TYPES}, timeout_ms: int = -1"
#: Random numbers are computed so many blocks of four at a time: first, and then.
_FEW, _MANY = np.arange(16, dtype=np.uint64), np.arange(256, dtype=np.uint64)


def find_queue(
    kind: type[Queue],
    make: Callable[[str], Queue],
    node: Any,
    resources: Any,
    dtypes: Sequence[DType],
    shapes: Sequence[TensorShape],
) -> Queue:
    """The queue that a node means: its own, or the one that is shared under a name.

    Args:
      make: makes it, given its name.

    Raises:
      InvalidArgumentError: if the shared one has another kind, capacity, types or shapes.
    """
    found: Queue = own_or_shared(Queue, make, node, resources)
    if not node.attrs["shared_name"]:
        return found
    name, capacity = node.attrs["shared_name"].decode(), node.attrs["capacity"]
    if found.kind != kind.kind:
        raise invalid(
            f"Expected {found.kind}, found {node.type}: the name '{name}' is shared by two kinds "
            f"of queues."
        )
    there = found.signature
    require_same(name, "capacity", found.capacity, UNLIMITED if capacity < 0 else capacity)
    require_same(name, "component types", _names(there.dtypes), _names(dtypes), "were")
    require_same(name, "component shapes", _texts(there.shapes), _texts(shapes), "were")
    return found


def require_same(name: str, what: str, there: Any, wanted: Any, verb: str = "was") -> None:
    """InvalidArgumentError if a shared resource is not as a node wants it."""
    if there != wanted:
        raise invalid(
            f"Shared queue '{name}' has {what} {there} but requested {what} {verb} {wanted}"
        )


def _names(dtypes: Sequence[DType]) -> str:
    return ", ".join(dtype.name for dtype in dtypes)


def _texts(shapes: Sequence[TensorShape]) -> str:
    return "[" + ", ".join("?" if s.sizes is None else shown(s.sizes) for s in shapes) + "]"


# FIFOQueueV2, PaddingFIFOQueueV2 ------------------------------------------------------------------


def _define_queue(name: str, attrs: str, kernel: Callable[..., Queue]) -> OpCard:
    return define_op(
        name,
        "-> handle: resource",
        attrs,
        WHERE,
        stateful=True,
        shape=shape_inference.is_scalar,
        kernel=kernel,
        no_gradient=STATE,
    )


def _define_fifo(name: str, kind: type[Queue]) -> OpCard:
    def kernel(*, node: Any, resources: Any) -> Queue:
        dtypes, shapes = node.attrs["component_types"], node.attrs["shapes"]

        def make(name: str) -> Queue:
            return kind(name, dtypes, shapes, node.attrs["capacity"])

        return find_queue(kind, make, node, resources, dtypes, shapes)

    return _define_queue(name, ELEMENTS, kernel)


fifo_queue = _define_fifo("FIFOQueueV2", kinds.FIFOQueue)
padding_fifo_queue = _define_fifo("PaddingFIFOQueueV2", kinds.PaddingFIFOQueue)

# RandomShuffleQueueV2 -----------------------------------------------------------------------------


def _random_shuffle_queue(
    *, capacity: int, min_after_dequeue: int, seed: int, seed2: int, node: Any, resources: Any
) -> Queue:
    dtypes, shapes = node.attrs["component_types"], node.attrs["shapes"]
    if min_after_dequeue < 0:
        raise invalid(f"min_after_dequeue {min_after_dequeue} must be >= 0")
    if 0 <= capacity <= min_after_dequeue:
        raise invalid(
            f"min_after_dequeue {min_after_dequeue} must be < capacity {capacity}: so many "
            f"elements stay in the queue, and nobody could ever take one"
        )

    def make(name: str) -> Queue:
        return kinds.RandomShuffleQueue(
            name,
            dtypes,
            shapes,
            capacity,
            min_after_dequeue=min_after_dequeue,
            draw=_numbers(seed, seed2),
            seeds=(seed, seed2),
        )

    found = find_queue(kinds.RandomShuffleQueue, make, node, resources, dtypes, shapes)
    assert isinstance(found, kinds.RandomShuffleQueue)
    require_same(found.name, "min_after_dequeue", found.min_after_dequeue, min_after_dequeue)
    if seed or seed2:  # by chance is as good as any seeds
        require_same(found.name, "random seeds", found.seeds, (seed, seed2), "are")
    return found


random_shuffle_queue = _define_queue(
    "RandomShuffleQueueV2", f"{ELEMENTS}, {SHUFFLING}", _random_shuffle_queue
)


def _numbers(seed: int, seed2: int) -> Callable[[], int]:
    """Whole numbers of 32 bits, one at a time, in the order of the seeds' Philox sequence."""
    if not (seed or seed2):
        seed, seed2 = secrets.randbits(64), secrets.randbits(64)
    sequence = PhiloxSequence(seed, seed2)
    blocks = _FEW
    drawn: list[int] = []

    def draw() -> int:
        nonlocal blocks
        if not drawn:
            words = sequence.reserve_blocks(len(blocks))(blocks)
            drawn.extend(reversed(words.reshape(-1).tolist()))
            blocks = _MANY
        return drawn.pop()

    return draw


# PriorityQueueV2 ----------------------------------------------------------------------------------


def _priority_queue(*, node: Any, resources: Any) -> Queue:
    component_types, shapes = node.attrs["component_types"], node.attrs["shapes"]
    dtypes = (int64, *component_types)
    sizes = (scalar(), *shapes) if shapes or not component_types else ()

    def make(name: str) -> Queue:
        return kinds.PriorityQueue(name, dtypes, sizes, node.attrs["capacity"])

    return find_queue(kinds.PriorityQueue, make, node, resources, dtypes, sizes)


priority_queue = _define_queue("PriorityQueueV2", ELEMENTS_WITH_PRIORITY, _priority_queue)


# QueueEnqueueV2, QueueEnqueueManyV2 ---------------------------------------------------------------

queue_enqueue = define_op(
    "QueueEnqueueV2",
    "handle: resource, components: Tcomponents",
    PUT,
    stateful=True,
    shape=shape_inference.no_outputs,
    no_gradient=STATE,
)
queue_enqueue_many = define_op(
    "QueueEnqueueManyV2",
    "handle: resource, components: Tcomponents",
    PUT,
    stateful=True,
    shape=shape_inference.no_outputs,
    no_gradient=STATE,
)


def as_queue(handle: Any) -> Queue:
    """The queue behind a handle; InvalidArgumentError for another resource."""
    if isinstance(handle, Queue):
        return handle
    handle = behind(handle)
    if isinstance(handle, Queue):
        return handle
    raise invalid(f"The handle is not that of a queue: {handle!r}")


def _check_timeout(timeout_ms: int) -> None:
    if timeout_ms != -1:
        raise invalid(
            f"Timeout not supported yet. timeout_ms is {timeout_ms}; "
            f"tf.RunOptions(timeout_in_ms) and ConfigProto.operation_timeout_in_ms end waits."
        )


@queue_enqueue.kernel(blocking=True)
def _enqueue(step: Any, handle: Any, *components: Any, timeout_ms: int) -> Any:
    _check_timeout(timeout_ms)
    return as_queue(handle).enqueue(components, step.cancellation)


@queue_enqueue_many.kernel(blocking=True)
def _enqueue_many(step: Any, handle: Any, *components: Any, timeout_ms: int) -> Any:
    _check_timeout(timeout_ms)
    return as_queue(handle).enqueue_many(components, step.cancellation)


# QueueDequeueV2, QueueDequeueManyV2, QueueDequeueUpToV2 -------------------------------------------

queue_dequeue = define_op(
    "QueueDequeueV2",
    "handle: resource -> components: component_types",
    TAKE,
    stateful=True,
    no_gradient=STATE,
)
queue_dequeue_many = define_op(
    "QueueDequeueManyV2",
    "handle: resource, n: int32 -> components: component_types",
    TAKE,
    stateful=True,
    no_gradient=STATE,
)
queue_dequeue_up_to = define_op(
    "QueueDequeueUpToV2",
    "handle: resource, n: int32 -> components: component_types",
    TAKE,
    stateful=True,
    no_gradient=STATE,
)


@queue_dequeue.shape
def _dequeue_shape(c: shape_inference.InferenceContext) -> list[TensorShape]:
    shapes = _shapes_of(c.inputs[0], c.output_count)
    return list(shapes) or shape_inference.unknown(c)


@queue_dequeue_many.shape
def _dequeue_many_shape(c: shape_inference.InferenceContext) -> list[TensorShape]:
    shape_inference.with_rank(c.input(1), 0)
    shapes = _shapes_of(c.inputs[0], c.output_count)
    if not shapes:
        return shape_inference.unknown(c)
    count = c.constant(1)
    if count is not None and count < 0:
        raise ValueError(f"Input 'n' must be >= 0, but is {count}")
    batch = TensorShape.of((None if count is None else int(count),))
    return [batch.concatenate(shape) for shape in shapes]


@queue_dequeue_up_to.shape
def _dequeue_up_to_shape(c: shape_inference.InferenceContext) -> list[TensorShape]:
    shape_inference.with_rank(c.input(1), 0)
    shapes = _shapes_of(c.inputs[0], c.output_count)
    if not shapes:
        return shape_inference.unknown(c)
    return [TensorShape.of((None,)).concatenate(shape) for shape in shapes]


def _shapes_of(handle: Tensor, count: int) -> tuple[TensorShape, ...]:
    """The shapes of a queue's components, as far as the graph says; () if it does not."""
    attrs = handle.op.attrs
    shapes = attrs.get("shapes", ()) if handle.op.type.endswith("QueueV2") else ()
    if handle.op.type == "PriorityQueueV2" and shapes:
        shapes = (scalar(), *shapes)
    return shapes if len(shapes) == count else ()


def _checked(queue: Queue, component_types: tuple[DType, ...]) -> Queue:
    if queue.signature.dtypes != component_types:
        raise invalid(
            f"The {queue.kind} '{queue.name}' has components of the types "
            f"({_names(queue.signature.dtypes)}), and ({_names(component_types)}) were asked for."
        )
    return queue


@queue_dequeue.kernel(blocking=True)
def _dequeue(step: Any, handle: Any, *, component_types: tuple[DType, ...], timeout_ms: int) -> Any:
    _check_timeout(timeout_ms)
    return _checked(as_queue(handle), component_types).dequeue(step.cancellation)


@queue_dequeue_many.kernel(blocking=True)
def _dequeue_many(
    step: Any, handle: Any, n: Any, *, component_types: tuple[DType, ...], timeout_ms: int
) -> Any:
    _check_timeout(timeout_ms)
    queue = _checked(as_queue(handle), component_types)
    return queue.dequeue_many(_count(queue, n), step.cancellation)


@queue_dequeue_up_to.kernel(blocking=True)
def _dequeue_up_to(
    step: Any, handle: Any, n: Any, *, component_types: tuple[DType, ...], timeout_ms: int
) -> Any:
    _check_timeout(timeout_ms)
    queue = _checked(as_queue(handle), component_types)
    return queue.dequeue_many(_count(queue, n), step.cancellation, few=True)


def _count(queue: Queue, n: Any) -> int:
    if np.ndim(n):
        raise invalid(f"n must be a scalar, but is {np.shape(n)}")
    count = int(n)
    if count < 0:
        raise invalid(f"DequeueMany requested {count} < 0 elements")
    if not queue.can_batch:
        raise invalid(
            f"{queue.kind}'s DequeueMany and DequeueUpTo require the components to have specified "
            f"shapes: build the queue with shapes=, one for each component."
        )
    return count


# QueueCloseV2, QueueSizeV2, QueueIsClosedV2 -------------------------------------------------------

queue_close = define_op(
    "QueueCloseV2",
    "handle: resource",
    "cancel_pending_enqueues: bool = false",
    stateful=True,
    shape=shape_inference.no_outputs,
    no_gradient=STATE,
)


@queue_close.kernel(blocking=True)
def _close(step: Any, handle: Any, *, cancel_pending_enqueues: bool) -> Any:
    return as_queue(handle).close(cancel_pending_enqueues, step.cancellation)


queue_size = define_op(
    "QueueSizeV2",
    "handle: resource -> size: int32",
    stateful=True,
    shape=shape_inference.is_scalar,
    no_gradient=STATE,
)


@queue_size.kernel
def _size(handle: Any) -> Any:
    return np.int32(as_queue(handle).size())


queue_is_closed = define_op(
    "QueueIsClosedV2",
    "handle: resource -> is_closed: bool",
    stateful=True,
    shape=shape_inference.is_scalar,
    no_gradient=STATE,
)


@queue_is_closed.kernel
def _is_closed(handle: Any) -> Any:
    return np.bool_(as_queue(handle).is_closed)
