"""`tf.queue`: queues."""

from tinytf.api.names import explained
from tinytf.ops.queues.queue_base import QueueBase
from tinytf.ops.queues.queue_classes import (
    FIFOQueue,
    PaddingFIFOQueue,
    PriorityQueue,
    RandomShuffleQueue,
)

__all__ = ["FIFOQueue", "PaddingFIFOQueue", "PriorityQueue", "QueueBase", "RandomShuffleQueue"]

__getattr__ = explained(__name__, "queue")
