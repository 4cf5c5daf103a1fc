"""What a task with the token queue of synchronous training knows of who keeps whom waiting."""

from __future__ import annotations

from typing import Any

from tinytf.distributed.worker.worker import Worker
from tinytf.resources.accumulators import Accumulator
from tinytf.resources.contributions import GRADIENTS, TOKEN_QUEUE
from tinytf.resources.queues.queue import Queue


def of_worker(worker: Worker) -> dict[str, Any] | None:
    """None without such a queue; see `diagnosis.sync.Sync`."""
    found = [each for resources in worker.states() for *_, each in resources.items()]
    queue = next((q for q in found if isinstance(q, Queue) and q.name == TOKEN_QUEUE), None)
    if queue is None:
        return None
    accumulators = [
        each.contributions()
        for each in found
        if isinstance(each, Accumulator) and each.name.endswith(GRADIENTS)
    ]
    now = [row["steps"][-1] for row in accumulators]
    return {
        "masters": [session.master for session in worker.sessions() if session.handle],
        "wanted": len(queue.snapshot().dequeues),
        "is_taken": any(row["takes"] for row in accumulators),
        "held": min((row["count"] for row in accumulators), default=0),
        "needed": max((row["required"] for row in accumulators), default=0),
        "step": max((row["step"] for row in accumulators), default=0),
        "given": sorted({task for each in now for task, *_ in each["given"]}),
    }
