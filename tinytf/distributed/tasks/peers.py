"""The other tasks of a cluster, as one task sees them: how to reach them, and what they are now."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from tinytf.distributed.cluster import task_advice
from tinytf.distributed.cluster.cluster_spec import ClusterSpec, tasks_of
from tinytf.distributed.wire.requests import WORKER_SERVICE, new_request_id
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
Connect = Callable[[str, str], Any]


class _Call:
    """A call to a task, which may be made of several, one after the other."""

    def __init__(self) -> None:
        self.was_repeated = False
        self._lock = threading.Lock()
        self._current: Any = None  # guarded by self._lock, as is the other
        self._is_withdrawn = False

    def go_on(
        self, begin: Callable[[], Any], failed: Callable[[Any, OpError], None] | None = None
    ) -> None:
        """Make the next call; its failure to begin goes to `failed`, if given."""
        try:
            call = begin()
        except OpError as error:
            if failed is None:
                raise
            failed(None, error)
            return
        with self._lock:
            self._current = call
            is_withdrawn = self._is_withdrawn
        if is_withdrawn:
            call.cancel()

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
        self._transports: dict[str, Any] = {}  # guarded by self._lock
        #: how each task introduced itself; guarded by self._lock
        self._runtimes: dict[str, str] = {}
        self._incarnations: dict[str, int] = {}  # guarded by self._lock
        self._restarts: dict[str, float] = {}  # likewise

    def tasks(self) -> list[str]:
        """The full names of all tasks, "/job:ps/replica:0/task:0"."""
        return [task.full for task in sorted(tasks_of(self.cluster), key=lambda task: task.job)]

    def address(self, task: str) -> str:
        """Where a task listens; InvalidArgumentError if the cluster has no such task."""
        spec = DeviceSpec.from_string(task)
        try:
            return self.cluster.task_address(spec.job or "", spec.task or 0)
        except ValueError as error:
            raise InvalidArgumentError(f"No task {task} is known here: {error}") from None

    def of(self, task: str) -> Any:
        """The connection to a task."""
        address = self.address(task)
        with self._lock:
            found = self._transports.get(address)
            if found is None:
                found = self._transports[address] = self._connect(address, task)
            return found

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
        transport, call = self.of(task), _Call()
        response = getattr(worker_pb2, f"{method}Response")

        def finished(answer: Any, error: OpError | None) -> None:
            if error is not None and self._may_be_sent_again(task, error, call):
                asked = worker_pb2.GetStatusRequest(), worker_pb2.GetStatusResponse
                how = connected, CONNECT_SECONDS, True
                call.go_on(partial(transport.start_call, _STATUS, *asked, *how), connected)
            else:
                done(answer, None if error is None else self.told(task, error))

        def connected(status: Any, error: OpError | None) -> None:
            if error is not None:
                done(None, self.told(task, error))
                return
            if status.device_attributes:
                self.introduced(task, status.runtime, status.device_attributes[0].incarnation)
            call.go_on(send, finished)

        send = partial(
            transport.start_call, WORKER_SERVICE + method, request, response, finished, timeout
        )
        call.go_on(send)
        return call

    def _may_be_sent_again(self, task: str, error: OpError, call: _Call) -> bool:
        details = getattr(error, "details", "")
        is_unsent = isinstance(error, UnavailableError) and "failed to connect" in details
        if not is_unsent or call.was_repeated:
            return False
        call.was_repeated = True
        return task_advice.somebody_listens(self.address(task))

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
        self, task: str, step_id: int, key: str, cancellation: CancellationManager
    ) -> Pending:
        """A tensor that a part of a step sends on another task."""
        pending = Pending(f"{tensor_of_edge(parse_key(key).tensor)} from {task}")

        def arrived(response: Any, error: OpError | None) -> None:
            if error is not None:
                pending.set_error(error)
                return
            try:
                value = DEAD if response.message.is_dead else response.only()
            except OpError as malformed:
                pending.set_error(from_task(task, malformed))
            else:
                pending.set_result(value)

        request = worker_pb2.RecvTensorRequest(
            step_id=step_id, rendezvous_key=key, request_id=new_request_id()
        )
        call = self.start(task, "RecvTensor", request, arrived)
        cancellation.when_cancelled(call.cancel)
        return pending

    def close(self) -> None:
        """Close all connections."""
        with self._lock:
            transports, self._transports = list(self._transports.values()), {}
        for transport in transports:
            transport.close()
