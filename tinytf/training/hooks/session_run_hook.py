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

    Example:
      >>> loss = tf.constant(0.5)
      >>> wanted = tf.train.SessionRunArgs({"loss": loss})
    """

    fetches: Any
    feed_dict: dict[Any, Any] | None = None
    options: RunOptions | None = None


class SessionRunValues(NamedTuple):
    """What a run brought for one hook (TensorFlow: `tf.train.SessionRunValues`).

    Args:
      results: the values of the hook's fetches, in their structure; None if it asked for none.
      options: with which it ran: those of the caller and of all hooks, merged.
      run_metadata: what the run left of itself; empty unless somebody gave options.

    Example:
      >>> class Print(tf.train.SessionRunHook):
      ...     def before_run(self, run_context):
      ...         return tf.train.SessionRunArgs("loss:0")
      ...     def after_run(self, run_context, run_values):
      ...         print("loss", run_values.results)
      >>> loss = tf.constant(0.5, name="loss")
      >>> with tf.train.MonitoredSession(hooks=[Print()]) as sess:
      ...     result = sess.run(loss)
      loss 0.5
    """

    results: Any
    options: RunOptions
    run_metadata: RunMetadata


class SessionRunContext:
    """The run that a hook is called around, as it sees it.

    TensorFlow: `tf.train.SessionRunContext`.

    Example:
      >>> class StopAtOnce(tf.train.SessionRunHook):
      ...     def after_run(self, run_context, run_values):
      ...         print(run_context.original_args.fetches.name)
      ...         run_context.request_stop()
      >>> one = tf.constant(1, name="one")
      >>> with tf.train.MonitoredSession(hooks=[StopAtOnce()]) as sess:
      ...     while not sess.should_stop():
      ...         value = sess.run(one)
      one:0
    """

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
    """What a monitored session calls around its runs (TensorFlow: `tf.train.SessionRunHook`).

    Override what is needed; a hook that overrides nothing does nothing. In this order: `begin`
    (the graph can still be changed), `after_create_session` (of each session: again after a
    recovery), for each run `before_run` and `after_run`, and `end` if nothing failed.

    Example:
      >>> class Count(tf.train.SessionRunHook):
      ...     def begin(self):
      ...         self.runs = 0
      ...     def after_run(self, run_context, run_values):
      ...         self.runs += 1
      ...     def end(self, session):
      ...         print(self.runs, "runs")
      >>> step = tf.no_op()
      >>> with tf.train.MonitoredSession(hooks=[Count()]) as sess:
      ...     for _ in range(3):
      ...         sess.run(step)
      3 runs
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
