"""The tensors that other tasks ask a worker for: what its steps have sent them, or will.

    RecvTensor, or one request for several --> [ step: rendezvous ] --> each when it is there

Nothing here waits. TensorFlow: GrpcWorker::GrpcRecvTensorAsync in
core/distributed_runtime/rpc/grpc_worker_service.cc.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from tinytf.devices.device import Device
from tinytf.distributed.wire.framing import Parcel
from tinytf.distributed.wire.requests import SeenRequests
from tinytf.distributed.worker.rendezvous import Sent
from tinytf.distributed.worker.traffic import Traffic
from tinytf.distributed.worker.worker_steps import WorkerSteps
from tinytf.framework import dtypes, errors
from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.pending import Pending
from tinytf.framework.rendezvous import DEAD, ParsedKey, parse_key, task_of
from tinytf.protos import worker_pb2 as messages

#: What travels instead of a dead value.
_NO_VALUE = np.zeros([0], np.float32)


class TensorService:
    """See the module. Thread-safe.

    Args:
      task: its full name. devices: its own. steps, requests, traffic: the worker's.
      names: what sessions call the task.
    """

    def __init__(
        self,
        task: str,
        devices: Sequence[Device],
        steps: WorkerSteps,
        requests: SeenRequests,
        traffic: Traffic,
        names: Callable[[], set[str]],
    ):
        self._task, self._steps, self._traffic = task, steps, traffic
        self._requests, self._names = requests, names
        self._incarnations = {d.name: d.attributes.incarnation for d in devices}

    def recv_tensor(
        self, request: messages.RecvTensorRequest, withdrawn: CancellationManager
    ) -> Parcel[messages.RecvTensorResponse] | Pending:
        """A tensor for another task; if it is not there yet, a `Pending` of the response."""
        answer = self._tensors(request, [request.rendezvous_key], withdrawn)[0]
        if isinstance(answer, errors.OpError):
            raise answer
        return answer

    def recv_tensors(
        self, request: messages.RecvTensorRequest, withdrawn: CancellationManager
    ) -> list[Any]:
        """The same for several, whose keys stand in lines: each of these, or an `OpError`."""
        keys = request.rendezvous_key.split("\n")
        try:
            return self._tensors(request, keys, withdrawn)
        except errors.OpError as error:
            return [error] * len(keys)

    def _tensors(
        self, request: messages.RecvTensorRequest, keys: list[str], withdrawn: CancellationManager
    ) -> list[Any]:
        """For each key a response, or a `Pending` of one, or an `OpError`."""
        parsed = [parse_key(key) for key in keys]
        self._requests.refuse_repeated(request.request_id, "RecvTensor")
        for sender, incarnation in {(key.sender, key.incarnation) for key in parsed}:
            self._check_incarnation(sender, incarnation)
        step_id, found = request.step_id, list[Any]()
        step = self._steps.get(step_id, parsed[0].source)

        def over() -> None:
            if withdrawn.is_cancelled or step.done:
                self._steps.forget_if_idle(step_id, step)

        for key, each in zip(keys, parsed, strict=True):
            answer = partial(self._response, each)
            try:
                sent = step.rendezvous.take(key, withdrawn)
                is_there = not isinstance(sent, Pending)
                found.append(answer(sent) if is_there else _later(sent, answer, over))
            except errors.OpError as error:
                found.append(error)
        over()
        return found

    def _response(self, key: ParsedKey, sent: Sent) -> Parcel[messages.RecvTensorResponse]:
        parcel = Parcel(messages.RecvTensorResponse(is_dead=sent.value is DEAD))
        if sent.value is DEAD:
            parcel.add(_NO_VALUE, dtypes.float32)
        else:
            parcel.add(sent.value, sent.dtype)
            self._traffic.count(self._task, key.destination, key.tensor, sent.value)
        return parcel

    def _check_incarnation(self, device: str, incarnation: int) -> None:
        known = self._incarnations.get(device)
        if known is None and task_of(device) in self._names():
            known = self._incarnations.get(self._task + device.removeprefix(task_of(device)))
        if known is None:
            raise errors.InvalidArgumentError(f"{device} is not a device of {self._task}")
        if known != incarnation:
            raise errors.AbortedError(
                f"RecvTensor expects a different device incarnation: {incarnation} vs. {known}. "
                f'Your worker job ("{self._task}") was probably restarted. Check your worker job '
                f"for the reason why it was restarted."
            )


def _later(pending: Pending, response: Callable[[Any], Any], over: Callable[[], None]) -> Pending:
    """A promise of a response; `over` is called before it is kept, or broken."""
    promise = Pending(pending.waiting_for)

    def arrived(pending: Pending) -> None:
        over()
        try:
            promise.set_result(response(pending.get()))
        except Exception as error:
            promise.set_error(error)

    pending.when_done(arrived)
    return promise
