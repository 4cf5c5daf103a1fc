"""What a worker tells of the tensors it has fetched, to masters that ask for it: `Logging`.

TensorFlow: core/distributed_runtime/worker_cache_logger.cc.
"""

from __future__ import annotations

import threading
import time
from collections import deque

from tinytf.distributed.worker.traffic import size_of
from tinytf.framework.rendezvous import DEAD, parse_key
from tinytf.protos import worker_pb2

#: How many steps are remembered.
MOST_STEPS = 1000


class RpcLog:
    """The log of one worker. Thread-safe; it writes down nothing until somebody asks for it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._wanted = 0  # guarded by self._lock, as all below; how many have asked for it
        self._steps: dict[int, worker_pb2.LabeledStepStats] = {}
        self._order: deque[int] = deque()

    @property
    def is_on(self) -> bool:
        """Whether it writes anything down."""
        return self._wanted > 0

    def asked(self, request: worker_pb2.LoggingRequest) -> worker_pb2.LoggingResponse:
        """Answer a request: begin, end, clear, or tell of some steps, which are then forgotten."""
        response = worker_pb2.LoggingResponse()
        with self._lock:
            self._wanted += request.enable_rpc_logging
            self._wanted = max(0, self._wanted - request.disable_rpc_logging)
            if request.clear:
                self._steps.clear()
                self._order.clear()
            for step_id in request.fetch_step_id:
                found = self._steps.pop(step_id, None)
                if found is not None:
                    response.step.append(found)
        return response

    def received(self, step_id: int, key: str, value: object, since: float) -> None:
        """A tensor has come; `since` is `time.time()` when it was asked for."""
        parts = parse_key(key)
        size = 0 if value is DEAD else size_of(value)
        label = f"[{size}B] {parts.tensor} from {parts.sender} to {parts.receiver}"
        with self._lock:
            if self._wanted == 0:
                return
            if step_id not in self._steps:
                self._steps[step_id] = worker_pb2.LabeledStepStats(step_id=step_id)
                self._order.append(step_id)
                if len(self._order) > MOST_STEPS:
                    self._steps.pop(self._order.popleft(), None)
            devices = self._steps[step_id].step_stats.dev_stats
            found = next((d for d in devices if d.device == parts.receiver), None)
            device = devices.add(device=parts.receiver) if found is None else found
            took = int((time.time() - since) * 1e6)
            node = device.node_stats.add(node_name="RecvTensor", timeline_label=label)
            node.all_start_micros = int(since * 1e6)
            node.op_end_rel_micros = node.all_end_rel_micros = took
