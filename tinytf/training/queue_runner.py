"""`tf.train.QueueRunner`: threads that fill a queue, and close it when there is no more.

Mirrors tensorflow/python/training/queue_runner_impl.py. A runner notes what becomes of its threads
(`tinytf.diagnosis.producers.Producer`), so that whoever waits for its queue in vain can be told.
"""

from __future__ import annotations

import logging
import threading
import weakref
from collections.abc import Iterable, Sequence
from typing import Any

from tinytf.diagnosis import producers
from tinytf.framework import waiting
from tinytf.framework.collection_protos import prepend_scope, register_collection, strip_scope
from tinytf.framework.errors import (
    AbortedError,
    CancelledError,
    OpError,
    OutOfRangeError,
    UnavailableError,
    error_code_from_exception_type,
    exception_type_from_error_code,
)
from tinytf.framework.graph import Graph
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.stacks import default_sessions, get_default_graph
from tinytf.protos.meta_graph_pb2 import QueueRunnerDef
from tinytf.runtime import switch_interval
from tinytf.session.repeating import Repeated
from tinytf.session.session import BaseSession
from tinytf.training import at_exit
from tinytf.training.coordinator import Coordinator

_logger = logging.getLogger("tinytf")


class QueueRunner:
    """Runs enqueue operations again and again, each in a thread (TensorFlow: the same name).

    When all of them have met the end of their input, the queue is closed. What else goes wrong in
    a thread goes to the coordinator, or into `exceptions_raised` and the log.

    Args:
      queue: a `tf.QueueBase`.
      enqueue_ops: operations that fill it, one for each thread; the same one several times, too.
      close_op: run at the end of the input; by default `queue.close()`.
      cancel_op: run when the coordinator stops; by default
        `queue.close(cancel_pending_enqueues=True)`.
      queue_closed_exception_types: errors that mean "end of the input"; by default
        `(tf.errors.OutOfRangeError,)`.
      queue_runner_def: a `QueueRunnerDef` to make it of, instead of all these.
      import_scope: where the graph of `queue_runner_def` was imported.

    Raises:
      ValueError: without a queue or operations, or with both kinds of arguments. TypeError: if an
        argument is of another type.

    Example:
      >>> queue = tf.FIFOQueue(10, tf.float32, shapes=[])
      >>> runner = tf.train.QueueRunner(queue, [queue.enqueue(tf.random_normal([]))] * 4)
      >>> coord = tf.train.Coordinator()
      >>> with tf.Session() as sess:
      ...     threads = runner.create_threads(sess, coord=coord, start=True)
      ...     print(sess.run(queue.dequeue_many(3)).shape)
      ...     coord.request_stop()
      ...     coord.join(threads)
      (3,)
    """

    #: Whether a coordinator's `join` waits for the threads that enqueue.
    _is_waited_for = True

    def __init__(
        self,
        queue: Any = None,
        enqueue_ops: Sequence[Any] | None = None,
        close_op: Any = None,
        cancel_op: Any = None,
        queue_closed_exception_types: tuple[type[OpError], ...] | None = None,
        queue_runner_def: QueueRunnerDef | None = None,
        import_scope: str | None = None,
    ) -> None:
        if queue_runner_def is not None:
            if queue is not None or enqueue_ops:
                raise ValueError(
                    "queue_runner_def and queue are mutually exclusive. "
                    f"Got queue_runner_def={queue_runner_def!r}, queue={queue!r}"
                )
            self._restore(queue_runner_def, import_scope)
        else:
            self._set(queue, enqueue_ops, close_op, cancel_op, queue_closed_exception_types)
        self._lock = threading.Lock()
        # All below guarded by self._lock.
        #: of each session, how many of its threads have not ended; not started ones count
        self._runs: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._exceptions_raised: list[Exception] = []
        self._threads: list[threading.Thread] = []
        self._was_started = False
        self._failures: list[Exception] = []
        producers.register(self)

    def _set(self, queue: Any, enqueue_ops: Any, close_op: Any, cancel_op: Any, types: Any) -> None:
        if queue is None or enqueue_ops is None or _is_empty(enqueue_ops):
            raise ValueError(
                "Must provide queue and enqueue_ops. "
                f"Got queue={queue!r}, enqueue_ops={enqueue_ops!r}"
            )
        if not isinstance(enqueue_ops, Iterable):
            raise TypeError(
                f"enqueue_ops must be a list of operations: [{enqueue_ops!r}], not what is in it"
            )
        if types is not None and not _are_op_errors(types):
            raise TypeError(
                "queue_closed_exception_types, when provided, must be a tuple of tf.error types, "
                f"but saw: {types!r}. For example (tf.errors.OutOfRangeError,)"
            )
        self._queue = queue
        self._enqueue_ops = list(enqueue_ops)
        self._close_op = queue.close() if close_op is None else close_op
        if cancel_op is None:
            cancel_op = queue.close(cancel_pending_enqueues=True)
        self._cancel_op = cancel_op
        self._closed_types: tuple[type[OpError], ...] = types or (OutOfRangeError,)

    def _restore(self, definition: Any, scope: str | None) -> None:
        if not isinstance(definition, QueueRunnerDef):
            raise TypeError(f"queue_runner_def must be a QueueRunnerDef, got {definition!r}")
        graph = get_default_graph()

        def element(name: str) -> Any:
            return graph.as_graph_element(prepend_scope(name, scope))

        self._queue = element(definition.queue_name)
        self._enqueue_ops = [element(name) for name in definition.enqueue_op_name]
        self._close_op = element(definition.close_op_name)
        self._cancel_op = element(definition.cancel_op_name)
        codes = definition.queue_closed_exception_types
        self._closed_types = tuple(map(exception_type_from_error_code, codes)) or (OutOfRangeError,)

    @property
    def queue(self) -> Any:
        """The queue it fills; of a runner from a file, the operation that makes it."""
        return self._queue

    @property
    def enqueue_ops(self) -> list[Any]:
        """What it runs, one for each thread."""
        return self._enqueue_ops

    @property
    def close_op(self) -> Any:
        """What closes the queue at the end of the input."""
        return self._close_op

    @property
    def cancel_op(self) -> Any:
        """What closes the queue when the coordinator stops."""
        return self._cancel_op

    @property
    def queue_closed_exception_types(self) -> tuple[type[OpError], ...]:
        """The errors that mean "end of the input"."""
        return self._closed_types

    @property
    def exceptions_raised(self) -> list[Exception]:
        """What ended threads that have no coordinator."""
        return self._exceptions_raised

    @property
    def name(self) -> str:
        """The name of the queue."""
        return self._queue.name

    # What `producers.Producer` asks --------------------------------------------------------------

    @property
    def graph(self) -> Graph:
        """The graph of its operations."""
        return self._enqueue_ops[0].graph

    @property
    def was_started(self) -> bool:
        """Whether a thread of it has ever run."""
        return self._was_started

    @property
    def threads(self) -> list[threading.Thread]:
        """Its threads that are alive now."""
        with self._lock:
            return [thread for thread in self._threads if thread.is_alive()]

    @property
    def failures(self) -> list[Exception]:
        """What ended its threads, apart from the end of the input and requests to stop."""
        with self._lock:
            return list(self._failures)

    @property
    def advice(self) -> str:
        """What to type to have its threads run."""
        if self._threads:
            return "thread.start() for each of the threads that create_threads() has returned"
        if any(item is self for item in self.graph.get_collection(GraphKeys.QUEUE_RUNNERS)):
            return "tf.train.start_queue_runners(sess=sess, coord=coord)"
        return "queue_runner.create_threads(sess, coord=coord, start=True)"

    # Threads --------------------------------------------------------------------------------------

    def create_threads(
        self, sess: Any, coord: Coordinator | None = None, daemon: bool = False, start: bool = False
    ) -> list[threading.Thread]:
        """Make a thread for each enqueue operation, and with a coordinator one that waits for it.

        Args:
          sess: the session they run in.
          coord: is told of errors, stops the threads, and then has the queue closed.
          daemon: whether the program may end while they run.
          start: whether to start them.

        Returns:
          the threads; none if those made before for this session have not all ended.

        Raises:
          TypeError: if `sess` is no session or `coord` no coordinator.
        """
        if not hasattr(sess, "make_callable"):
            raise TypeError(f"sess must be a `tf.Session` object. Given class: {type(sess)}")
        if coord is not None and not isinstance(coord, Coordinator):
            raise TypeError(f"coord must be a tf.train.Coordinator. Given class: {type(coord)}")
        with self._lock:
            if self._runs.get(sess, 0) > 0:
                return []
            self._runs[sess] = len(self._enqueue_ops)
            self._exceptions_raised = []
            self._failures.clear()
        threads = [
            threading.Thread(
                target=self._run,
                args=(sess, op, coord),
                name=f"QueueRunnerThread-{self.name}-{op.name}",
            )
            for op in self._enqueue_ops
        ]
        waited_for = list(threads) if self._is_waited_for else []
        if coord is not None:
            stopper = threading.Thread(
                target=self._close_on_stop,
                args=(sess, coord),
                name=f"QueueRunnerThread-{self.name}-close_on_stop",
            )
            threads.append(stopper)
            for thread in [*waited_for, stopper]:
                coord.register_thread(thread)
        with self._lock:
            known = [thread for thread in self._threads if thread.is_alive()]
            self._threads = known + threads[: len(self._enqueue_ops)]
        if not daemon:
            at_exit.note(threads, sess)
        for thread in threads:
            if daemon:
                thread.daemon = True
            if start:
                thread.start()
        return threads

    def _run(self, sess: Any, op: Any, coord: Coordinator | None) -> None:
        """Of a thread: enqueue until the input ends, the coordinator stops, or something fails."""
        self._was_started = True
        is_counted = True
        switch_interval.shorten()
        try:
            with waiting.in_background():
                end = self._enqueue_until_the_end(sess, op, coord)
            if end is not None:
                is_counted = False
                if self._count_out(sess) == 0:
                    # Its input may have ended because something before it has failed.
                    failure = None if coord is None else coord.reported
                    self._close(sess, self._close_op, failure or end)
        except Exception as error:
            is_of_stopping = _is_of_stopping(error, sess, coord)
            if not is_of_stopping:
                with self._lock:
                    self._failures.append(error)
            if coord is not None:
                if not (is_of_stopping and coord.joined):  # nobody is left to be told
                    coord.request_stop(error)
                return
            with self._lock:
                self._exceptions_raised.append(error)
            if is_of_stopping:
                return  # whoever closed the session knows
            # Python tells the rest when the thread ends: without the frames of this package.
            _logger.error("Exception in QueueRunner: %s", str(error).partition("\n")[0])
            if isinstance(error, OpError):
                error.__traceback__ = None
            raise
        finally:
            if is_counted:
                self._count_out(sess)
            switch_interval.restore()

    def _enqueue_until_the_end(
        self, sess: Any, op: Any, coord: Coordinator | None
    ) -> OpError | None:
        """The error that stands for the end of the input; None if the coordinator stops."""
        enqueue = self._repeated(sess, op)
        try:
            while coord is None or not coord.should_stop():
                enqueue()
        except self._closed_types as end:
            return end
        finally:
            enqueue.close()
        return None

    def _repeated(self, sess: Any, op: Any) -> Any:
        """What a thread calls again and again, and closes in the end."""
        return Repeated(sess, op)

    def _count_out(self, sess: Any) -> int:
        with self._lock:
            self._runs[sess] -= 1
            return self._runs[sess]

    def _close_on_stop(self, sess: Any, coord: Coordinator) -> None:
        """Of a thread: when the coordinator stops, nobody shall wait for room any longer."""
        is_ours = isinstance(sess, BaseSession)
        forget = sess.call_when_closed(coord.look_again) if is_ours else lambda: None
        with waiting.in_background():
            stops = coord.wait_for_stop_unless(lambda: _is_closed(sess))
        forget()
        if stops:
            self._close(sess, self._cancel_op, coord.reported)

    @staticmethod
    def _close(sess: Any, op: Any, reason: BaseException | None) -> None:
        try:
            with waiting.because_of(reason):
                sess.run(op)
        except Exception as error:  # a session that is closed, a queue that is gone
            _logger.debug("Ignored exception: %s", error)

    # Files ----------------------------------------------------------------------------------------

    def to_proto(self, export_scope: str | None = None) -> QueueRunnerDef | None:
        """Itself as a message.

        Args:
          export_scope: a name scope to leave out of the names.

        Returns:
          a `QueueRunnerDef`; None if the queue is not in that scope.
        """
        if export_scope is not None and not self.name.startswith(export_scope):
            return None
        return QueueRunnerDef(
            queue_name=strip_scope(self.name, export_scope),
            enqueue_op_name=[strip_scope(op.name, export_scope) for op in self._enqueue_ops],
            close_op_name=strip_scope(self._close_op.name, export_scope),
            cancel_op_name=strip_scope(self._cancel_op.name, export_scope),
            queue_closed_exception_types=map(error_code_from_exception_type, self._closed_types),
        )

    @staticmethod
    def from_proto(
        queue_runner_def: QueueRunnerDef, import_scope: str | None = None
    ) -> QueueRunner:
        """A runner of a `QueueRunnerDef`; its operations are in the default graph.

        Args:
          import_scope: the name scope that they were imported into.
        """
        return QueueRunner(queue_runner_def=queue_runner_def, import_scope=import_scope)


def _is_empty(ops: Any) -> bool:
    return isinstance(ops, Sequence) and not ops


def _are_op_errors(types: Any) -> bool:
    return (
        isinstance(types, tuple)
        and bool(types)
        and all(isinstance(cls, type) and issubclass(cls, OpError) for cls in types)
    )


def _is_closed(sess: Any) -> bool:
    return isinstance(sess, BaseSession) and sess.is_closed


def _is_of_stopping(error: Exception, sess: Any, coord: Coordinator | None) -> bool:
    """Whether an error only says that the session was closed, or the coordinator stopped."""
    if _is_closed(sess):  # of one on a server, the connection may have ended first
        return isinstance(error, CancelledError | RuntimeError | UnavailableError)
    ends = (CancelledError, UnavailableError, AbortedError)
    return coord is not None and coord.should_stop() and isinstance(error, ends)


def add_queue_runner(qr: QueueRunner, collection: str = GraphKeys.QUEUE_RUNNERS) -> None:
    """Put a runner where `start_queue_runners` finds it (TensorFlow: `tf.train.add_queue_runner`).

    Args:
      qr: the runner. collection: of the default graph.

    Example:
      >>> queue = tf.FIFOQueue(10, tf.float32)
      >>> tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(1.5)]))
    """
    get_default_graph().add_to_collection(collection, qr)


def start_queue_runners(
    sess: Any = None,
    coord: Coordinator | None = None,
    daemon: bool = True,
    start: bool = True,
    collection: str = GraphKeys.QUEUE_RUNNERS,
) -> list[threading.Thread]:
    """Start the threads of all runners of a graph (TensorFlow: `tf.train.start_queue_runners`).

    Args:
      sess: where they run; by default the default session. Its graph's runners are meant.
      coord: is told of errors and stops the threads.
      daemon: whether the program may end while they run.
      start: whether to start them, rather than only to make them.
      collection: where the runners are.

    Returns:
      the threads.

    Raises:
      ValueError: if there is no session. TypeError: if `sess` is no session.

    Example:
      >>> coord = tf.train.Coordinator()
      >>> with tf.Session() as sess:
      ...     threads = tf.train.start_queue_runners(sess=sess, coord=coord)
      ...     ...
      ...     coord.request_stop()
      ...     coord.join(threads)
    """
    if sess is None:
        sess = default_sessions.top()
        if sess is None:
            raise ValueError(
                "Cannot start queue runners: No default session is registered. Use `with "
                "sess.as_default()` or pass an explicit session to "
                "tf.start_queue_runners(sess=sess)"
            )
    if not isinstance(sess, BaseSession):
        if type(sess).__name__ in ("MonitoredSession", "SingularMonitoredSession"):
            return []  # they have started them
        raise TypeError(f"sess must be a `tf.Session` object. Given class: {type(sess)}")
    if not get_default_graph().get_collection(collection):
        _logger.warning(
            "`tf.train.start_queue_runners()` was called when no queue runners were defined. It "
            "starts those that are in the graph already: call it after you have built the "
            "producers and batches. If you build none, you can safely remove the call."
        )
    threads: list[threading.Thread] = []
    with sess.graph.as_default():
        for runner in sess.graph.get_collection(collection):
            threads += runner.create_threads(sess, coord=coord, daemon=daemon, start=start)
    return threads


register_collection(
    GraphKeys.QUEUE_RUNNERS, QueueRunnerDef, QueueRunner.to_proto, QueueRunner.from_proto
)
