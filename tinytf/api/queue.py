"""`tf.queue`: queues."""

from tinytf.api.names import explained as _explained
from tinytf.ops.queues.queue_base import QueueBase
from tinytf.ops.queues.queue_classes import FIFOQueue, PaddingFIFOQueue, PriorityQueue
from tinytf.ops.queues.queue_classes import RandomShuffleQueue

__all__ = ["FIFOQueue", "PaddingFIFOQueue", "PriorityQueue", "QueueBase", "RandomShuffleQueue"]

__getattr__ = _explained(__name__, "queue")
