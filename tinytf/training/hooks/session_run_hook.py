"""What a hook is: an object that a monitored session calls around each run.

Mirrors tensorflow/python/training/session_run_hook.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from tinytf.protos.config_pb2 import RunMetadata, RunOptions
    from tinytf.session.session import BaseSession


class SessionRunArgs(NamedTuple):
    """What a hook adds to a run (TensorFlow: `tf.train.SessionRunArgs`).

    Args:
      fetches: what is fetched besides, of any structure that `sess.run` takes.
      feed_dict: what is fed besides; two hooks, or a hook and the caller, must not feed the same.
      options: merged with those of others: the higher trace level, the longer timeout.
    """

    fetches: Any
    feed_dict: dict[Any, Any] | None = None
    options: RunOptions | None = None


class SessionRunValues(NamedTuple):
    """What a run brought for one hook (TensorFlow: `tf.train.SessionRunValues`).

    Args:
      results: the values of the hook's fetches, in their structure; None if it asked for none.
      options: with which it ran.
      run_metadata: what the run left of itself, if it was traced.
    """

    results: Any
    options: RunOptions | None
    run_metadata: RunMetadata | None


class SessionRunContext:
    """What a hook sees of the run it is called around (TensorFlow: `tf.train.SessionRunContext`)."""

    def __init__(self, original_args: SessionRunArgs, session: BaseSession):
        self._original_args = original_args
        self._session = session
        self._stop_requested = False

    @property
    def original_args(self) -> SessionRunArgs:
        """What the caller of `run` has asked for."""
        return self._original_args

    @property
    def session(self) -> BaseSession:
        """The session that runs; without hooks."""
        return self._session

    @property
    def stop_requested(self) -> bool:
        """Whether this run is the last."""
        return self._stop_requested

    def request_stop(self) -> None:
        """After this run, `should_stop()` of the monitored session is true."""
        self._stop_requested = True


class SessionRunHook:
    """What is called around the runs of a monitored session (TensorFlow: `tf.train.SessionRunHook`).

    Override what is needed; a hook that overrides nothing does nothing. In this order: `begin`
    (the graph can still be changed), `after_create_session` (of each session: again after a
    recovery), for each run `before_run` and `after_run`, and `end` if nothing failed.
    """

    def begin(self) -> None:
        """Once, before the graph is finalised: the last chance to add operations."""

    def after_create_session(self, session: BaseSession, coord: Any) -> None:
        """When a session has been made: the graph is final, variables have their values."""

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        """Before each run: what is to be fetched and fed besides, or None."""
        return None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """After each run that did not fail; `run_context.request_stop()` ends the training."""

    def end(self, session: BaseSession) -> None:
        """At the end; not after an error other than the end of the input."""
