"""Queues: tensors that wait between steps.

queue.py    what all queues share: order of service, blocking, closing, cancelling, giving back
attempts.py the line of operations that could not be served at once
elements.py an element against the queue's types and shapes; elements as a batch
kinds.py    first in first out, shuffled, padded, by priority: how each stores its elements
lines.py    the same service for their kin: barrier.py, staging.py, and resources/accumulators.py,
            resources/mutex.py
"""
