"""What a monitored session is made of: layers around a `tf.Session`, each with one task.

    MonitoredSession -> RecoverableSession -> CoordinatedSession -> HookedSession -> tf.Session
                        makes a new session   stops with its        calls the hooks
                        for one that is lost  threads, and they     around each run
                                              with it

A lost session is one whose run, or whose end, raises AbortedError or UnavailableError: a task of
its cluster has ended or was started again. Old programs reach the `tf.Session` through `_sess`, so
the layers have that. Mirrors a part of tensorflow/python/training/monitored_session.py.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from tinytf.framework.errors import AbortedError, OpError, UnavailableError
from tinytf.training.coordinator import Coordinator
from tinytf.training.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from tinytf.training.managed.looking_again import Clock
from tinytf.training.managed.run_requests import RunRequest

_logger = logging.getLogger("tinytf")
_T = TypeVar("_T")

#: The errors of a session that is lost. A new one may well work.
PREEMPTION_ERRORS = (AbortedError, UnavailableError)
_GOES_ON = (
    "A new session takes its place, by itself: variables that are gone are restored from the last "
    "checkpoint, or initialised if there is none; then what was to be run is run."
)
#: Between attempts that fail one after the other: the second follows at once.
_FIRST_PAUSE_SECONDS = 0.25
_LONGEST_PAUSE_SECONDS = 8.0


class StepContext:
    """What a `step_fn` gets from `run_step_fn` (TensorFlow: `MonitoredSession.StepContext`)."""

    def __init__(self, session: Any, run_with_hooks_fn: Callable[..., Any]) -> None:
        self._session = session
        self._run_with_hooks_fn = run_with_hooks_fn

    @property
    def session(self) -> Any:
        """The `tf.Session` itself: what it runs, no hook learns of."""
        return self._session

    def run_with_hooks(self, *args: Any, **kwargs: Any) -> Any:
        """What `MonitoredSession.run` does, with the same arguments."""
        return self._run_with_hooks_fn(*args, **kwargs)

    def request_stop(self) -> None:
        """Leave the `step_fn`, and the `with` of the session around it.

        Raises:
          StopIteration: always; the `with` takes it for the end of the training.
        """
        raise StopIteration("step_fn has requested the iterations to stop.")


class SessionLayer:
    """What the layers share; `should_stop` asks all from the outermost to the innermost."""

    def __init__(self, sess: Any) -> None:
        self._sess = sess

    @property
    def graph(self) -> Any:
        """Of the session."""
        return self._sess.graph

    @property
    def sess_str(self) -> Any:
        """The target of the session."""
        return self._sess.sess_str

    def should_stop(self) -> bool:
        """Whether it should not be used any more; also when it is closed."""
        if self._sess is None:
            return True
        return isinstance(self._sess, SessionLayer) and self._sess.should_stop()

    def close(self) -> None:
        """Close the layers below. That a task is gone is no error then."""
        if self._sess is None:
            return
        try:
            self._sess.close()
        except PREEMPTION_ERRORS as error:
            _logger.error("Closing a session that is lost: %s", error)
        finally:
            self._sess = None

    def run(self, fetches: Any, feed_dict: Any, options: Any, run_metadata: Any) -> Any:
        """What `tf.Session.run` does."""
        return self._sess.run(fetches, feed_dict, options, run_metadata)

    def run_step_fn(self, step_fn: Callable[[StepContext], _T], session: Callable[[], Any]) -> _T:
        """Call a `step_fn`; `session` gives the `tf.Session`."""

        def run_with_hooks(
            fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None
        ) -> Any:
            return self.run(fetches, feed_dict, options, run_metadata)

        return step_fn(StepContext(session(), run_with_hooks))


class RecoverableSession(SessionLayer):
    """Goes on with a new session when the one it has is lost.

    Args:
      create: makes a session, with the layers below.
      clock: for the pauses between attempts that fail.
    """

    def __init__(self, create: Callable[[], SessionLayer], clock: Clock | None = None) -> None:
        self._create = create
        self._clock = clock or Clock()
        self._losses = 0
        super().__init__(None)
        self._until_it_succeeds(lambda sess: None)

    def should_stop(self) -> bool:
        """Whether it should not be used any more. Why, the next run tells, or `close`."""
        while self._sess is not None:
            try:
                return super().should_stop()
            except PREEMPTION_ERRORS as error:  # of another thread, told by the coordinator
                self._lose(error)
                self._until_it_succeeds(lambda sess: None)
            except Exception:
                return True
        return True

    def run(self, fetches: Any, feed_dict: Any, options: Any, run_metadata: Any) -> Any:
        """What `tf.Session.run` does, in as many sessions as it takes."""
        return self._until_it_succeeds(
            lambda sess: sess.run(fetches, feed_dict, options, run_metadata)
        )

    def run_step_fn(self, step_fn: Callable[[StepContext], _T], session: Callable[[], Any]) -> _T:
        """Call a `step_fn`, again from its beginning if the session is lost in it."""
        return self._until_it_succeeds(lambda sess: sess.run_step_fn(step_fn, session))

    def _until_it_succeeds(self, work: Callable[[Any], _T]) -> _T:
        while True:
            try:
                if self._sess is None:
                    self._sess = self._create()
                result = work(self._sess)
            except PREEMPTION_ERRORS as error:
                self._lose(error)
            else:
                self._losses = 0
                return result

    def _lose(self, error: OpError) -> None:
        """Close what is left, say so, and give the cluster a moment if that happens again."""
        self._losses += 1
        what = f"{type(error).__name__}: {error}"
        if self._sess is None:
            text = "A session could not be made; it is tried again (attempt %d). %s"
            (_logger.warning if self._losses == 2 else _logger.info)(text, self._losses, what)
        else:
            _logger.warning("The session was lost. %s\n%s", what, _GOES_ON)
        self.close()
        if self._losses > 1:
            pause = _FIRST_PAUSE_SECONDS * 2.0 ** (self._losses - 2)
            waits_for = f"the next attempt to make a session, after {type(error).__name__}"
            self._clock.pause(min(pause, _LONGEST_PAUSE_SECONDS), waits_for)


class CoordinatedSession(SessionLayer):
    """Stops when its coordinator does, and ends the coordinator's threads.

    Args:
      sess: the layer below. coord: the coordinator.
      stop_grace_period_secs: how long its threads may take to end.
    """

    def __init__(self, sess: Any, coord: Coordinator, stop_grace_period_secs: float) -> None:
        super().__init__(sess)
        self._coord = coord
        self._stop_grace_period_secs = stop_grace_period_secs

    def should_stop(self) -> bool:
        """Whether the coordinator, or a hook, wants it; raises what a thread has failed with."""
        self._coord.raise_requested_exception()
        return self._coord.should_stop() or super().should_stop()

    def close(self) -> None:
        """End the threads, then the session; raises what a thread has failed with."""
        self._coord.request_stop()
        try:
            self._coord.join(
                stop_grace_period_secs=self._stop_grace_period_secs, ignore_live_threads=True
            )
        finally:
            try:
                super().close()
            except Exception as error:  # the threads' errors are the causes
                _logger.debug("Ignored exception: %s", error)

    def run(self, fetches: Any, feed_dict: Any, options: Any, run_metadata: Any) -> Any:
        """What `tf.Session.run` does; fails because of a lost task, if a thread has lost it."""
        try:
            return self._sess.run(fetches, feed_dict, options, run_metadata)
        except PREEMPTION_ERRORS:
            raise
        except Exception as error:
            if isinstance(self._coord.reported, PREEMPTION_ERRORS):
                raise self._coord.reported from error
            raise


class HookedSession(SessionLayer):
    """Calls hooks around each run.

    Args:
      sess: the session. hooks: in their order.
    """

    def __init__(self, sess: Any, hooks: Iterable[SessionRunHook]) -> None:
        super().__init__(sess)
        self._hooks = list(hooks)
        self._stopped_by = ""

    def should_stop(self) -> bool:
        """Whether a hook has asked for it."""
        return bool(self._stopped_by) or super().should_stop()

    def run(self, fetches: Any, feed_dict: Any, options: Any, run_metadata: Any) -> Any:
        """Ask the hooks what they want, run all of it at once, and give each its values."""
        if self._stopped_by:
            raise RuntimeError(
                f"Run called even after should_stop requested. {self._stopped_by} has asked for "
                f"the end: `while not sess.should_stop():` around the run sees that."
            )
        context = SessionRunContext(SessionRunArgs(fetches, feed_dict), self._sess)
        request = RunRequest(fetches, feed_dict, options, run_metadata)
        stopped_by = ""
        for hook in self._hooks:
            request.add(hook, hook.before_run(context))
            stopped_by = stopped_by or (type(hook).__name__ if context.stop_requested else "")
        results = request.run(self._sess)
        for hook in self._hooks:
            values = SessionRunValues(results.of(hook), request.options, request.run_metadata)
            hook.after_run(context, values)
            stopped_by = stopped_by or (type(hook).__name__ if context.stop_requested else "")
        self._stopped_by = stopped_by
        return results.of_caller
