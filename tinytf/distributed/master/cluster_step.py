"""A step that several tasks run, each its part: registered once, then run at once everywhere.

    master --RunGraph(feeds)--> worker of task A --+
       |                              RecvTensor   |
       +-----RunGraph(feeds)--> worker of task B <-+
       <---------- fetches of both ---------------

The part of the master's own task runs on the thread of the call. TensorFlow: ReffedClientGraph in
core/distributed_runtime/master_session.cc.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from tinytf.distributed.master.calls import Calls, ignored, is_consequence
from tinytf.distributed.master.graph_parts import GraphParts, Part
from tinytf.distributed.tasks.own_worker import OwnWorker
from tinytf.distributed.tasks.peers import Peers
from tinytf.distributed.wire.framing import Parcel
from tinytf.distributed.wire.requests import new_request_id
from tinytf.distributed.wire.wire_errors import from_task
from tinytf.framework import errors
from tinytf.framework.cancellation import (
    NEVER_IN_MS,
    CancellationManager,
    deadline_after,
    remaining,
)
from tinytf.framework.dtypes import DType
from tinytf.framework.graph import Graph
from tinytf.protos import config_pb2, worker_pb2

#: A task ends its part when its time is up, and says what it waited for; the call ends later: when
#: the moment that `calls` gives to a cause is over, so that one silent task hides no such sentence.
GRACE_SECONDS = 0.75
_SILENT = "is silent: it has not said what it waits for. Is it paused, very busy, or cut off?"


class Within(NamedTuple):
    """What ends the preparation of a step: a cancellation, or milliseconds, 0 for any time."""

    cancellation: CancellationManager
    timeout_in_ms: int

    @property
    def seconds(self) -> float | None:
        """The time, as calls take it."""
        return self.timeout_in_ms / 1000 if self.timeout_in_ms > 0 else None


def timeout_of(config: config_pb2.ConfigProto, options: Any) -> int:
    """How many milliseconds a step under `options` (or None) may take; 0 for any time."""
    timeout = config.operation_timeout_in_ms
    if options is not None and options.timeout_in_ms:
        timeout = options.timeout_in_ms
    return timeout if timeout < NEVER_IN_MS else 0


class ClusterStep:
    """One signature on several tasks, ready to be run any number of times. Thread-safe.

    Args:
      session: its handle, known to all tasks. parts: what each runs. graph: the client's.
      worker: of the master's own task. peers: the others.
      feed_types: of the feeds, in order. config: of the session.
      within: what the registration with the tasks may take.
    """

    def __init__(
        self,
        session: str,
        parts: GraphParts,
        graph: Graph,
        worker: OwnWorker,
        peers: Peers,
        feed_types: Sequence[DType],
        config: config_pb2.ConfigProto,
        within: Within,
    ):
        self.parts = parts
        self._session, self._worker, self._peers = session, worker, peers
        self._feed_types, self._config = list(feed_types), config
        self._fetches = sum(len(part.fetches) for part in parts.parts.values())
        self._handles: dict[str, str] = {}
        self._register(graph, within)

    def _register(self, graph: Graph, within: Within) -> None:
        """Give every task its part."""
        calls = Calls()
        for part in self.parts.parts.values():
            request = worker_pb2.RegisterGraphRequest(
                session_handle=self._session,
                graph_def=part.graph_def(graph),
                create_worker_session_called=True,
                config_proto=self._config,
                graph_options=self._config.graph_options,
            )
            if part.task == self._worker.task:
                answer = self._worker.register_graph(request, CancellationManager())
                self._handles[part.task] = answer.graph_handle
            else:
                calls.start(self._peers, part.task, "RegisterGraph", request, within.seconds)
        calls.wait(within.cancellation)
        for task, answer in calls.answers.items():
            self._handles[task] = answer.graph_handle

    # Steps --------------------------------------------------------------------------------------

    def run(
        self, values: list[Any], options: Any, metadata: Any, cancellation: CancellationManager
    ) -> list[Any]:
        """Run a step; see `session.backend.Runner`."""
        step_id = secrets.randbits(56) + 1
        timeout_in_ms = timeout_of(self._config, options)
        deadline = deadline_after(timeout_in_ms)
        calls = Calls()
        own = None
        results: dict[int, Any] = {}
        led, thread = self._worker.steps.led, threading.get_ident()
        led[thread] = step_id, list(self.parts.parts)
        try:
            with _together(calls, cancellation) as over:
                for part in self.parts.parts.values():
                    if part.task == self._worker.task:
                        own = part
                        continue
                    request = self._request(part, step_id, values, options, timeout_in_ms)
                    left = None if deadline is None else remaining(deadline) or 0.0
                    seconds = None if left is None else left + GRACE_SECONDS
                    calls.start(self._peers, part.task, "RunGraph", request, seconds)
                if own is not None:
                    self._run_own(own, step_id, values, options, metadata, over, results, calls)
        finally:
            led.pop(thread, None)
            self._clean_up(step_id, calls)
        cancellation.check()
        for task, answer in calls.answers.items():
            self._take(self.parts.parts[task], answer, metadata, results)
        return [results[number] for number in range(self._fetches)]

    def run_request(
        self,
        step_id: int,
        requests: dict[str, tuple[dict[str, Any], dict[str, Any]]],
        is_last: bool,
        cancellation: CancellationManager,
    ) -> dict[str, dict[str, Any]]:
        """One request of a partial run, on several tasks; see `ClusterPartialStep`."""
        calls, answers = Calls(), dict[str, dict[str, Any]]()
        own: Parcel[worker_pb2.RunGraphRequest] | None = None
        try:
            with _together(calls, cancellation) as over:
                for task, (given, wanted) in requests.items():
                    parcel = self._message(task, step_id, wanted)
                    parcel.message.is_partial, parcel.message.is_last_partial_run = True, is_last
                    for key, value in given.items():
                        number = self.parts.parts[task].feeds[key]
                        parcel.add(value, self._feed_types[number], key)
                    if task == self._worker.task:
                        own = parcel
                    else:
                        calls.start(self._peers, task, "RunGraph", parcel, None)
                if own is not None:
                    own.message.store_errors_in_response_body = False
                    try:
                        answers[self._worker.task] = self._worker.run_graph(own, over).by_name()
                    except errors.OpError as error:
                        calls.failed(from_task(self._worker.task, error))
        except BaseException:
            self._clean_up(step_id, calls)
            raise
        answers.update((task, answer.by_name()) for task, answer in calls.answers.items())
        return answers

    def _request(
        self, part: Part, step_id: int, values: list[Any], options: Any, timeout_in_ms: int
    ) -> Parcel[worker_pb2.RunGraphRequest]:
        parcel = self._message(part.task, step_id, part.fetches)
        message = parcel.message
        message.timeout_in_ms = max(0, timeout_in_ms)
        if options is not None:
            message.exec_opts.record_timeline = options.trace_level > 0
            message.exec_opts.record_partition_graphs = options.output_partition_graphs
        for key, number in part.feeds.items():
            parcel.add(values[number], self._feed_types[number], key)
        return parcel

    def _message(
        self, task: str, step_id: int, wanted: Iterable[str]
    ) -> Parcel[worker_pb2.RunGraphRequest]:
        return Parcel(
            worker_pb2.RunGraphRequest(
                graph_handle=self._handles[task],
                step_id=step_id,
                recv_key=wanted,
                session_handle=self._session,
                store_errors_in_response_body=True,
                create_worker_session_called=True,
                request_id=new_request_id(),
            )
        )

    def _run_own(
        self,
        part: Part,
        step_id: int,
        values: list[Any],
        options: Any,
        metadata: Any,
        over: CancellationManager,
        results: dict[int, Any],
        calls: Calls,
    ) -> None:
        """The part of the master's own task."""
        worker = self._worker
        fed = {key: values[number] for key, number in part.feeds.items()}
        try:
            graph = worker.registered(self._session, self._handles[part.task])
            own = worker.run_part(graph, step_id, fed, options, metadata, over, self._session)
        except errors.OpError as error:
            calls.failed(from_task(part.task, error))
            return
        for key, number in part.fetches.items():
            results[number] = own[key]

    def _take(self, part: Part, answer: Any, metadata: Any, results: dict[int, Any]) -> None:
        """The fetches that a task has sent back."""
        found = answer.by_name()
        for key, number in part.fetches.items():
            if key not in found:
                raise errors.InternalError(f"{part.task} did not return {key}")
            results[number] = found[key]
        if metadata is not None:
            metadata.step_stats.dev_stats.extend(answer.message.step_stats.dev_stats)
            metadata.partition_graphs.extend(answer.message.partition_graph)

    def forget(self, step_id: int) -> None:
        """Let all tasks forget a step that did not come to its end; nobody waits for it."""
        self._worker.steps.forget(step_id)
        for task in self.parts.parts:
            if task != self._worker.task:
                self._tell_to_forget(task, step_id)

    def _tell_to_forget(self, task: str, step_id: int) -> None:
        request = worker_pb2.CleanupGraphRequest(step_id=step_id)
        self._peers.start(task, "CleanupGraph", request, ignored, 4 * GRACE_SECONDS)

    def _clean_up(self, step_id: int, calls: Calls) -> None:
        """Tell everybody that the step is over; nobody waits for their answers."""
        self._worker.steps.forget(step_id)
        for task in calls.tasks:
            if calls.is_well and self._peers.cleans_up(task):
                continue  # it has done so: everything that it sent was taken
            self._tell_to_forget(task, step_id)


@contextmanager
def _together(calls: Calls, cancellation: CancellationManager) -> Iterator[CancellationManager]:
    """What is called inside the block ends well together, or is ended together.

    Yields:
      what is cancelled when one of the calls fails, or by `cancellation`.

    Raises:
      what really happened.
    """
    with cancellation.child() as over, over.on_cancel(calls.cancel):
        calls.when_failed(lambda: over.start_cancel(calls.first_error()))
        try:
            yield over
            calls.wait()
        except BaseException as error:  # an interrupt, too: the call may be of this very process
            over.start_cancel(errors.CancelledError(f"Step was cancelled: {error!r}"))
            raise _root_cause(error, calls, cancellation) from None


def _root_cause(
    error: BaseException, calls: Calls, cancellation: CancellationManager
) -> BaseException:
    """What to tell of a step that ended with an error, or was ended."""
    if isinstance(error, errors.CancelledError | errors.AbortedError) and cancellation.is_cancelled:
        return cancellation.reason or error  # by whom, not what the tasks said of it
    if not isinstance(error, errors.DeadlineExceededError):
        return error
    if is_consequence(error) and calls.given_up:
        silent = "\n".join(f"{task} {_SILENT}" for task in calls.given_up)
        return type(error)(f"{error.message}\n{silent}", error.op)
    return error
