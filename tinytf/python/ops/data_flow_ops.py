"""Queues and their kin (TensorFlow: `tensorflow.python.ops.data_flow_ops`).

from tinytf.python.ops import data_flow_ops
barrier = data_flow_ops.Barrier((tf.string, tf.int32), shapes=((), ()))
"""

from tinytf.ops.queues.accumulator_classes import (
    ConditionalAccumulator,
    ConditionalAccumulatorBase,
    SparseConditionalAccumulator,
)
from tinytf.ops.queues.barrier_ops import Barrier
from tinytf.ops.queues.queue_base import QueueBase
from tinytf.ops.queues.queue_classes import (
    FIFOQueue,
    PaddingFIFOQueue,
    PriorityQueue,
    RandomShuffleQueue,
)
from tinytf.ops.queues.staging_classes import MapStagingArea, StagingArea

__all__ = [
    "Barrier",
    "ConditionalAccumulator",
    "ConditionalAccumulatorBase",
    "FIFOQueue",
    "MapStagingArea",
    "PaddingFIFOQueue",
    "PriorityQueue",
    "QueueBase",
    "RandomShuffleQueue",
    "SparseConditionalAccumulator",
    "StagingArea",
]
