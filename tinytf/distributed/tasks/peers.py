"""The other tasks of a cluster, as one task sees them: how to reach them, and what they are now."""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from tinytf.distributed.cluster import task_advice
from tinytf.distributed.cluster.cluster_spec import ClusterSpec, tasks_of
from tinytf.distributed.wire.requests import RECEIVE_SEVERAL, WORKER_SERVICE, new_request_id
from tinytf.distributed.wire.transport import Transport
from tinytf.distributed.wire.wire_errors import from_task, origin_of
from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.device_spec import DeviceSpec
from tinytf.framework.errors import InvalidArgumentError, OpError, UnavailableError
from tinytf.framework.pending import Pending
from tinytf.framework.rendezvous import DEAD, parse_key, tensor_of_edge
from tinytf.protos import worker_pb2

_STATUS = WORKER_SERVICE + "GetStatus"
#: How long it may take to connect to a task that listens.
CONNECT_SECONDS = 2.0

#: Makes a connection to an address; the task's name is for its messages.
Connect = Callable[[str, str], Transport]


@functools.lru_cache(maxsize=4096)  # they are the same in every step
def _job_and_index(task: str) -> tuple[str, int]:
    spec = DeviceSpec.from_string(task)
    return spec.job or "", spec.task or 0


@functools.lru_cache(maxsize=4096)  # likewise
def _waiting_for(task: str, key: str) -> str:
    return f"{tensor_of_edge(parse_key(key).tensor)} from {task}"


class _Call:
    """A call of a task's worker, see `Peers.start`, which may be made of several, one by one."""

    def __init__(
        self,
        peers: Peers,
        task: str,
        send: Callable[..., Any],
        done: Callable[[Any, OpError | None], None],
        timeout: float | None,
    ):
        self._peers, self._task, self._send, self._done = peers, task, send, done
        self._timeout = timeout
        self._unsent: OpError | None = None  # why it could not be sent at first
        self._lock = threading.Lock()
        # All below guarded by self._lock.
        self._current: Any = None  # which has this object, so it is forgotten at the end
        self._is_over = self._is_withdrawn = False

    def send(self) -> None:
        """Make the call, perhaps again."""
        self._go_on(self._send(self._finished, self._timeout))

    def _go_on(self, call: Any) -> None:
        with self._lock:
            self._current = None if self._is_over else call
            is_withdrawn = self._is_withdrawn
        if is_withdrawn:
            call.cancel()

    def _finished(self, answer: Any, error: OpError | None) -> None:
        if error is not None and self._may_be_sent_again(error):
            try:
                ask = self._peers.of(self._task).start_call
                status = worker_pb2.GetStatusRequest(), worker_pb2.GetStatusResponse
                self._go_on(ask(_STATUS, *status, self._connected, CONNECT_SECONDS, wait=True))
            except OpError as failed:
                self._connected(None, failed)
        else:
            self._end(answer, error)

    def _connected(self, status: Any, error: OpError | None) -> None:
        if error is None:
            if status.device_attributes:
                incarnation = status.device_attributes[0].incarnation
                self._peers.introduced(self._task, status.runtime, incarnation)
            try:
                self.send()
                return
            except OpError as failed:
                error = failed
        elif not self._somebody_listens():
            error = self._unsent  # it was ending when it was asked: that it is silent would mislead
        self._end(None, error)

    def _end(self, answer: Any, error: OpError | None) -> None:
        with self._lock:
            self._current, self._is_over = None, True
        self._done(answer, None if error is None else self._peers.told(self._task, error))

    def _may_be_sent_again(self, error: OpError) -> bool:
        details = getattr(error, "details", "")
        is_unsent = isinstance(error, UnavailableError) and "failed to connect" in details
        if not is_unsent or self._unsent is not None:
            return False
        self._unsent = error
        return self._somebody_listens()

    def _somebody_listens(self) -> bool:
        return task_advice.somebody_listens(self._peers.address(self._task))

    def cancel(self) -> None:
        """Withdraw it."""
        with self._lock:
            self._is_withdrawn = True
            call = self._current
        if call is not None:
            call.cancel()


class Peers:
    """Connections to the tasks of a cluster, made when they are first needed. Thread-safe.

    Args:
      cluster: who there is. connect: see `Connect`.
    """

    def __init__(self, cluster: ClusterSpec, connect: Connect):
        self.cluster, self._connect = cluster, connect
        self._lock = threading.Lock()
        self._transports: dict[str, Transport] = {}  # guarded by self._lock
        #: how each task introduced itself; guarded by self._lock
        self._runtimes: dict[str, str] = {}
        self._incarnations: dict[str, int] = {}  # guarded by self._lock
        self._restarts: dict[str, float] = {}  # likewise

    def tasks(self) -> list[str]:
        """The full names of all tasks, "/job:ps/replica:0/task:0"."""
        return [task.full for task in sorted(tasks_of(self.cluster), key=lambda task: task.job)]

    def address(self, task: str) -> str:
        """Where a task listens; InvalidArgumentError if the cluster has no such task."""
        try:
            return self.cluster.task_address(*_job_and_index(task))
        except ValueError as error:
            raise InvalidArgumentError(f"No task {task} is known here: {error}") from None

    def of(self, task: str) -> Transport:
        """The connection to a task."""
        address = self.address(task)
        with self._lock:
            found = self._transports.get(address)
            if found is None:
                found = self._transports[address] = self._connect(address, task)
            return found

    def transports(self) -> dict[str, str]:
        """How calls go to each task that was called: "grpc", or "unix"."""
        with self._lock:
            known = dict(self._transports)
        found = {task: known.get(self.address(task)) for task in self.tasks()}
        return {task: way.transport for task, way in found.items() if way is not None}

    def introduced(self, task: str, runtime: str, incarnation: int) -> None:
        """A task has said who it is, in its status."""
        with self._lock:
            self._runtimes[task] = runtime
            known = self._incarnations.get(task, incarnation)
            self._incarnations[task] = incarnation
            if known != incarnation:
                self._restarts[task] = time.time()

    def restarted(self, task: str) -> str:
        """When a task was found to be another process than before, "12:34:56"; "" if never."""
        noticed = self._restarts.get(task)
        return "" if noticed is None else time.strftime("%H:%M:%S", time.localtime(noticed))

    def cleans_up(self, task: str) -> bool:
        """Whether a task cleans up by itself after a step that went well."""
        return self._runtimes.get(task) == "tinytf"

    def start(
        self,
        task: str,
        method: str,
        request: Any,
        done: Callable[[Any, OpError | None], None],
        timeout: float | None = None,
    ) -> Any:
        """Call a method of a task's worker; `done` gets the response or the error, once.

        A call that could not be sent, at an address where somebody listens now, is sent after all:
        the task was just started (again), and the connection does not know it yet.

        Returns:
          the call, which has a method `cancel`.
        """
        path, response = WORKER_SERVICE + method, getattr(worker_pb2, f"{method}Response")
        send = partial(self.of(task).start_call, path, request, response)
        call = _Call(self, task, send, done, timeout)
        call.send()
        return call

    def told(self, task: str, error: OpError) -> OpError:
        """A task's error with its name; if it cannot be reached, also where, and what to do."""
        details = getattr(error, "details", None)
        if details is None:
            origin = origin_of(error) or task
            text = task_advice.of_restart(origin, self.restarted(origin), error)
            return from_task(task, error, text)
        if isinstance(error, UnavailableError):
            text = task_advice.ended(self.cluster, task, self.address(task), details)
        else:
            text = task_advice.silent(self.cluster, task, self.address(task), error.message)
        told = from_task(task, type(error)(text))
        told.details = details  # type: ignore[attr-defined]
        return told

    def receive(
        self, task: str, step_id: int, keys: Sequence[str], cancellation: CancellationManager
    ) -> list[Pending]:
        """Tensors that a part of a step sends on another task, each when it comes."""
        pending = [Pending(_waiting_for(task, key)) for key in keys]

        def arrived(index: int, response: Any, error: OpError | None) -> None:
            if error is not None:
                pending[index].set_error(error)
                return
            try:
                value = DEAD if response.message.is_dead else response.only()
            except OpError as malformed:
                pending[index].set_error(from_task(task, malformed))
            else:
                pending[index].set_result(value)

        def told(index: int, response: Any, error: OpError | None) -> None:
            arrived(index, response, None if error is None else self.told(task, error))

        def ask_for(key: str) -> worker_pb2.RecvTensorRequest:
            return worker_pb2.RecvTensorRequest(
                step_id=step_id, rendezvous_key=key, request_id=new_request_id()
            )

        response, several = worker_pb2.RecvTensorResponse, ask_for("\n".join(keys))
        call = self.of(task).start_several(RECEIVE_SEVERAL, several, response, len(keys), told)
        if call is not None:
            cancellation.when_cancelled(call.cancel)
            return pending
        for index, key in enumerate(keys):
            call = self.start(task, "RecvTensor", ask_for(key), partial(arrived, index))
            cancellation.when_cancelled(call.cancel)
        return pending

    def close(self) -> None:
        """Close all connections."""
        with self._lock:
            transports, self._transports = list(self._transports.values()), {}
        for transport in transports:
            transport.close()
