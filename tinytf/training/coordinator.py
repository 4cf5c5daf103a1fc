"""`tf.train.Coordinator`: several threads that stop together; `tf.train.LooperThread`.

Mirrors tensorflow/python/training/coordinator.py. Whoever calls `join` waits for notifications,
never for a clock: of `request_stop`, and of a thread that sees the others end. It does not wait in
`Thread.join` itself: up to Python 3.12 an interrupt there marks a living thread as ended.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any

from tinytf.framework import waiting
from tinytf.framework.errors import DeadlineExceededError, OutOfRangeError
from tinytf.ops.base.arguments import explains_arguments
from tinytf.training.stragglers import what_it_does

_logger = logging.getLogger("tinytf")

ExcInfo = tuple[type[BaseException] | None, BaseException | None, TracebackType | None]


class Coordinator:
    """Lets threads stop together, and passes on why they did (TensorFlow: `tf.train.Coordinator`).

    Any thread may call `request_stop`; each asks `should_stop` regularly; whoever started them
    calls `join`, which raises the exception that was reported, if any.

    Args:
      clean_stop_exception_types: exceptions that mean "finished" rather than "failed"; by default
        `tf.errors.OutOfRangeError`, by which queues tell the end of the input.

    Example:
      >>> import threading
      >>> coord, step = tf.train.Coordinator(), tf.no_op()
      >>> def work():
      ...     with coord.stop_on_exception():
      ...         while not coord.should_stop():
      ...             sess.run(step)
      >>> threads = [threading.Thread(target=work) for _ in range(3)]
      >>> for thread in threads:
      ...     thread.start()
      >>> coord.request_stop()
      >>> coord.join(threads)
    """

    @explains_arguments
    def __init__(
        self, clean_stop_exception_types: Iterable[type[BaseException]] | None = None
    ) -> None:
        types = (OutOfRangeError,) if clean_stop_exception_types is None else None
        self._clean_types = types or tuple(clean_stop_exception_types or ())
        #: notified when a stop is requested and when joined threads have ended; guards the rest
        self._changed = threading.Condition()
        self._is_stopping = False
        self._error: BaseException | None = None
        self._joined = False
        #: a set in the order of registration
        self._registered: dict[threading.Thread, None] = {}
        self._watch: _Watch | None = None

    def request_stop(self, ex: BaseException | ExcInfo | None = None) -> None:
        """Ask the threads to stop: `should_stop` is True from now on.

        Args:
          ex: why: an exception, or what `sys.exc_info()` returned. The first one is kept, and
            raised by `join`; exceptions that mean "finished" are not.

        Raises:
          ex: if the threads have been joined already, because then nobody else would learn of it.
        """
        error = None if ex is None else _exception_of(ex)
        if error is not None and isinstance(error, self._clean_types):
            error = None
        with self._changed:
            if self._joined and error is not None:
                raise error
            if self._is_stopping:
                return
            if error is not None and self._error is None:
                _logger.info("Error reported to Coordinator: %s, %s", type(error), error)
                self._error = error
            self._is_stopping = True
            self._changed.notify_all()

    def clear_stop(self) -> None:
        """Forget the request to stop and its reason: the coordinator can be used again."""
        with self._changed:
            self._joined = False
            self._error = None
            self._is_stopping = False

    def should_stop(self) -> bool:
        """Whether a stop was requested."""
        return self._is_stopping

    @contextmanager
    def stop_on_exception(self) -> Iterator[None]:
        """A context manager that reports what its block raises, and goes on after the block.

        Example:
          >>> coord = tf.train.Coordinator()
          >>> with coord.stop_on_exception():
          ...     raise ValueError("no more rows")  # coord.join() raises it
          >>> coord.should_stop()  # True
        """
        try:
            yield
        except BaseException as error:  # whatever ends the thread ends the others
            self.request_stop(error)

    def wait_for_stop(self, timeout: float | None = None) -> bool:
        """Wait until a stop is requested; can be interrupted.

        Args:
          timeout: seconds to wait at most; None for no limit.

        Returns:
          whether a stop was requested.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        with self._changed:
            self._wait(
                lambda: self._is_stopping, lambda: self._until_stop(timeout is not None), deadline
            )
            return self._is_stopping

    def wait_for_stop_unless(self, is_over: Callable[[], bool]) -> bool:
        """Wait until a stop is requested, or something else is so; see `look_again`.

        Returns:
          whether a stop was requested.
        """
        with self._changed:
            self._wait(lambda: self._is_stopping or is_over(), self._until_stop, None)
            return self._is_stopping

    def look_again(self) -> None:
        """Have `wait_for_stop_unless` ask again whether it is over."""
        with self._changed:
            self._changed.notify_all()

    @property
    def reported(self) -> BaseException | None:
        """The exception given to `request_stop`; None if there was none, or it meant "finished"."""
        return self._error

    def register_thread(self, thread: threading.Thread) -> None:
        """Have `join` wait for this thread, too."""
        with self._changed:
            self._registered[thread] = None

    def registered(self) -> list[threading.Thread]:
        """The threads that `join` waits for, beside those that it is given."""
        with self._changed:
            return list(self._registered)

    def join(
        self,
        threads: Iterable[threading.Thread] | None = None,
        stop_grace_period_secs: float = 120,
        ignore_live_threads: bool = False,
    ) -> None:
        """Wait until threads have ended; then raise what was reported. Can be interrupted.

        Args:
          threads: to wait for, beside the registered ones. Those that were not started count as
            ended.
          stop_grace_period_secs: once a stop is requested, they have so many seconds to end.
          ignore_live_threads: whether those that take longer are left alone.

        Raises:
          what was given to `request_stop`. RuntimeError: if threads run on after the grace period;
          the message has, for each of them, the operation it waits in, and where that was built.
        """
        joined = self._threads_to_join(threads)
        with self._changed:
            alive = [thread for thread in joined if thread.is_alive()]
            if alive:
                self._wait_for_end(alive, stop_grace_period_secs)
        stragglers = [thread for thread in joined if thread.is_alive()]
        does = {thread: what_it_does(thread) for thread in stragglers}
        with self._changed:
            self._joined = True
            self._registered.clear()
            error = self._error
        if error is not None:
            raise error
        if stragglers:
            text = "Coordinator stopped with threads still running: "
            text += " ".join(thread.name for thread in stragglers)
            text += "".join(f"\n  {thread.name} {found}" for thread, found in does.items())
            if not ignore_live_threads:
                raise RuntimeError(f"{text}\n{_ADVICE}")
            _logger.info(text)

    @property
    def joined(self) -> bool:
        """Whether `join` has ended, even by raising."""
        return self._joined

    def raise_requested_exception(self) -> None:
        """Raise what was given to `request_stop`, if it was an exception."""
        with self._changed:
            error = self._error
        if error is not None:
            raise error

    def _threads_to_join(
        self, threads: Iterable[threading.Thread] | None
    ) -> list[threading.Thread]:
        if isinstance(threads, threading.Thread):
            raise TypeError(
                "'Thread' object is not iterable: join() takes a list of threads, "
                "coord.join([thread])"
            )
        with self._changed:
            return list({**self._registered, **dict.fromkeys(threads or ())})

    def _wait_for_end(self, threads: list[threading.Thread], grace: float) -> None:
        """Until all ended, or for a while after a stop. Holds `_changed`."""
        watch = self._watch
        if watch is None or watch.is_over or watch.threads != threads:
            watch = self._watch = _Watch(threads, self._changed)

        def waits() -> list[waiting.Wait]:
            alive = [thread for thread in threads if thread.is_alive()]
            idents = tuple(thread.ident for thread in alive if thread.ident is not None)
            names = ", ".join(thread.name for thread in alive)
            asked = "were asked to stop" if self._is_stopping else "coord.request_stop() asks them"
            return [
                waiting.Wait(
                    f"the end of the threads {names} ({asked})",
                    threads=idents,
                    needs="end",
                    might_end=self._is_stopping,  # when the grace period is over
                ),
                *self._until_stop(),
            ]

        self._wait(lambda: self._is_stopping or watch.is_over, waits, None)
        if not watch.is_over and grace >= 0:
            self._wait(lambda: watch.is_over, waits, time.monotonic() + grace)
        if watch.is_over:
            self._watch = None

    def _until_stop(self, might_end: bool = False) -> list[waiting.Wait]:
        # Those that it coordinates may fail, which stops all.
        threads = [t.ident for t in list(self._registered) if t.ident is not None and t.is_alive()]
        what = "somebody to call coord.request_stop()"
        return [waiting.Wait(what, _STOP, "stop", threads=tuple(threads), might_end=might_end)]

    def _wait(
        self,
        is_over: Callable[[], bool],
        waits: Callable[[], list[waiting.Wait]],
        deadline: float | None,
    ) -> None:
        try:
            waiting.wait_until(is_over, self._changed, waits, deadline=deadline)
        except DeadlineExceededError:
            return  # the caller looks for itself


_ADVICE = (
    "They were asked to stop and did not within the grace period. A thread sees the request when "
    "it asks coord.should_stop(); one that waits in a queue goes on when the queue is closed: "
    "sess.run(queue.close(cancel_pending_enqueues=True)), which a tf.train.QueueRunner does by "
    "itself if create_threads() is given the coordinator. Closing the session ends all its waits."
)


class _Watch:
    """Notifies a condition when threads have ended; ends when they have."""

    def __init__(self, threads: list[threading.Thread], changed: threading.Condition) -> None:
        self.threads = threads
        self.is_over = False
        if threading.current_thread() in threads:
            return  # it waits for its own end: only a request to stop brings it on
        watcher = threading.Thread(
            target=self._join, args=(changed,), name="Coordinator.join", daemon=True
        )
        watcher.start()

    def _join(self, changed: threading.Condition) -> None:
        for thread in self.threads:
            thread.join()
        with changed:
            self.is_over = True
            changed.notify_all()


class _Stop:
    """What `wait_for_stop` waits on: any thread of the program can request a stop, no operation."""

    kind, name = "Coordinator", "coord"
    served_by: Mapping[str, frozenset[str]] = {"stop": frozenset()}

    def describe(self) -> str:
        return "the coordinator, which nobody has stopped"


_STOP = _Stop()


def _exception_of(ex: Any) -> BaseException:
    """The exception in what was given to `request_stop`."""
    value = ex[1] if isinstance(ex, tuple) and len(ex) == 3 else ex
    if isinstance(value, BaseException):
        return value
    return ValueError(
        f"ex must be a tuple or sys.exc_info must return the current exception: {ex!r}. Pass the "
        f"exception itself: `except Exception as e: coord.request_stop(e)`"
    )


class LooperThread(threading.Thread):
    """A daemon thread that calls something until its coordinator stops.

    What it raises is reported to the coordinator. A subclass may say what to do at the beginning
    (`start_loop`), each time (`run_loop`) and at the end (`stop_loop`).
    TensorFlow: `tf.train.LooperThread`.

    Args:
      coord: the coordinator, which it registers with.
      timer_interval_secs: seconds from one call to the next; None to call again at once.
      target: what to call, if there is no subclass. args, kwargs: its arguments.

    Raises:
      ValueError: if `coord` is no Coordinator, or if there are arguments without a target.

    Example:
      >>> coord = tf.train.Coordinator()
      >>> looper = tf.train.LooperThread.loop(coord, 60.0, sess.run, args=(tf.no_op(),))
      >>> coord.request_stop()
      >>> coord.join([looper])
    """

    def __init__(
        self,
        coord: Coordinator,
        timer_interval_secs: float | None,
        target: Callable[..., object] | None = None,
        args: Sequence[Any] | None = None,
        kwargs: Mapping[str, Any] | None = None,
    ) -> None:
        if not isinstance(coord, Coordinator):
            raise ValueError(f"'coord' argument must be a Coordinator: {coord}")
        if target is None and (args or kwargs):
            raise ValueError(
                "'args' and 'kwargs' argument require that you also pass 'target': "
                f"args={args}, kwargs={kwargs}"
            )
        super().__init__(daemon=True)
        self._coord = coord
        self._interval = timer_interval_secs
        self._call = target
        self._call_args = tuple(args or ())
        self._call_kwargs = dict(kwargs or {})
        coord.register_thread(self)

    @staticmethod
    def loop(
        coord: Coordinator,
        timer_interval_secs: float | None,
        target: Callable[..., object] | None,
        args: Sequence[Any] | None = None,
        kwargs: Mapping[str, Any] | None = None,
    ) -> LooperThread:
        """Start a thread that calls `target`; the arguments are those of the class.

        Returns:
          the thread.
        """
        looper = LooperThread(coord, timer_interval_secs, target, args, kwargs)
        looper.start()
        return looper

    def run(self) -> None:
        """What the thread does; call `start` instead."""
        with self._coord.stop_on_exception(), waiting.in_background():
            self.start_loop()
            if self._interval is None:
                while not self._coord.should_stop():
                    self.run_loop()
            else:
                due = time.monotonic()
                while not self._coord.wait_for_stop(due - time.monotonic()):
                    due += self._interval
                    self.run_loop()
            self.stop_loop()

    def start_loop(self) -> None:
        """Called once, when the thread starts."""

    def stop_loop(self) -> None:
        """Called once, when a stop was requested; not after an exception."""

    def run_loop(self) -> None:
        """Called again and again: the target, unless a subclass does something else."""
        if self._call is not None:
            self._call(*self._call_args, **self._call_kwargs)
