"""`tf.queue`: queues."""

from tinytf.ops.queues.queue_base import QueueBase
from tinytf.ops.queues.queue_classes import (
    FIFOQueue,
    PaddingFIFOQueue,
    PriorityQueue,
    RandomShuffleQueue,
)

__all__ = ["FIFOQueue", "PaddingFIFOQueue", "PriorityQueue", "QueueBase", "RandomShuffleQueue"]
