"""`tf.train.MonitoredSession` and `tf.train.SingularMonitoredSession`: sessions with hooks.

What happens in which order is written at `MonitoredSession`; what they are made of, in
`session_layers`. Mirrors a part of tensorflow/python/training/monitored_session.py.
"""

from __future__ import annotations

import functools
import inspect
import logging
import os
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from tinytf.framework.errors import OutOfRangeError
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.operation import Operation
from tinytf.framework.stacks import get_default_graph
from tinytf.session.session import Session
from tinytf.training.coordinator import Coordinator
from tinytf.training.hooks.session_run_hook import SessionRunHook
from tinytf.training.managed.scaffold import Scaffold
from tinytf.training.managed.session_creators import ChiefSessionCreator, SessionCreator
from tinytf.training.managed.session_layers import (
    CoordinatedSession,
    HookedSession,
    RecoverableSession,
    StepContext,
)
from tinytf.training.queue_runner import start_queue_runners

_logger = logging.getLogger("tinytf")
_T = TypeVar("_T")
_Self = TypeVar("_Self", bound="_MonitoredSession")

#: What a hook is called by; any object with these is one.
_CALLS = ("begin", "after_create_session", "before_run", "after_run", "end")
#: What leaves a `with` quietly: the end of the input, and a `step_fn` that has had enough.
_ENDS = (OutOfRangeError, StopIteration)


class _MonitoredSession:
    """What the two classes share; `recovers` tells them apart."""

    StepContext = StepContext

    def __init__(
        self,
        session_creator: SessionCreator | None,
        hooks: Iterable[SessionRunHook] | None,
        recovers: bool,
        stop_grace_period_secs: float,
    ) -> None:
        self._sess: Any = None
        self._graph = get_default_graph()
        self._graph_was_finalized = self._graph.finalized
        self._hooks = checked_hooks(hooks)
        self._checked_fetches: set[str] = set()
        creator = session_creator or ChiefSessionCreator()
        if not hasattr(creator, "create_session"):
            raise TypeError(
                f"session_creator must be a tf.train.SessionCreator, got {creator!r}. Scaffold, "
                f"target and checkpoint_dir are arguments of tf.train.ChiefSessionCreator(...), "
                f"or of tf.train.MonitoredTrainingSession, which takes them itself."
            )
        self._coordinated_creator = _CoordinatedSessionCreator(
            creator, self._hooks, stop_grace_period_secs
        )
        try:
            for hook in self._hooks:
                hook.begin()
            create = self._coordinated_creator.create_session
            self._sess = RecoverableSession(create) if recovers else create()
        except BaseException:
            self._unfinalize()  # so that the program, or the cell, can be mended and run again
            raise

    @property
    def graph(self) -> Any:
        """The graph it runs; None when it is closed."""
        session = self._tf_sess()
        return None if session is None else session.graph

    def run(
        self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None
    ) -> Any:
        """Run a step, with the hooks around it.

        Args, and what is returned: as of `tf.Session.run`.

        Raises:
          what `tf.Session.run` raises; what a hook raises; what a queue runner, or another thread
          of the coordinator, has failed with, if its cause was a lost task. RuntimeError: if a
          hook has asked for the end before, or if it is closed.
        """
        if self._sess is None:
            raise self._closed()
        if type(fetches) is Operation and fetches.name not in self._checked_fetches:
            self._warn_of_initializer(fetches)
        return self._sess.run(fetches, feed_dict, options, run_metadata)

    def run_step_fn(self, step_fn: Callable[..., _T]) -> _T:
        """Call a function that runs several steps, some of them without hooks.

        Args:
          step_fn: a function, or method, with one argument of the name `step_context`: see
            `MonitoredSession.StepContext`.

        Returns:
          what it returns.

        Raises:
          ValueError: if it has other arguments. StopIteration: if it calls
          `step_context.request_stop()`; the session's `with` ends then, and goes on after it.

        Example:
          >>> step = tf.train.get_or_create_global_step()
          >>> with tf.train.MonitoredTrainingSession() as sess:
          ...     print(sess.run_step_fn(lambda step_context: step_context.session.run(step)))
          0
        """
        names = _argument_names(step_fn)
        if names not in (("step_context",), ("self", "step_context")):
            raise ValueError(
                "`step_fn` may either have one `step_context` argument, or `self` and "
                f"`step_context` arguments if it's an instance method. Got {names} instead."
            )
        if self._sess is None:
            raise self._closed()
        return self._sess.run_step_fn(step_fn, self._tf_sess)

    def should_stop(self) -> bool:
        """Whether the training is over: a hook has asked for it, a thread has failed, or closed."""
        return self._sess is None or self._sess.should_stop()

    def close(self) -> None:
        """Call the hooks' `end`, stop the threads, close the session.

        Raises:
          what a hook's `end` raises; what a thread has failed with. RuntimeError: if it is closed.
        """
        self._close(is_well=True)

    def __enter__(self: _Self) -> _Self:
        if self._sess is None:
            raise self._closed()
        return self

    def __exit__(self, kind: Any, error: BaseException | None, traceback: Any) -> bool:
        is_well = kind is None or kind in _ENDS
        self._close(is_well)
        return is_well

    def _close(self, is_well: bool) -> None:
        if self._sess is None:
            raise RuntimeError(
                "Session is already closed. A `with` closes it at the end of its block: leave out "
                "the close() within."
            )
        try:
            if is_well:
                for hook in self._hooks:
                    hook.end(self._tf_sess())
        finally:
            try:
                self._sess.close()
            finally:
                self._sess = None
                self._coordinated_creator.forget()
                self._unfinalize()

    def _unfinalize(self) -> None:
        if not self._graph_was_finalized:
            self._graph._unsafe_unfinalize()

    def _closed(self) -> RuntimeError:
        return RuntimeError(
            f"Attempted to use a closed {type(self).__name__}. `with ... as sess:` closes it at "
            f"the end of its block: move this call into the block, or make a new session, which "
            f"goes on from the last checkpoint if it gets the same checkpoint_dir."
        )

    def _warn_of_initializer(self, op: Operation) -> None:
        """Say so, once, if an operation gives all variables their initial values again."""
        self._checked_fetches.add(op.name)
        variables = op.graph.get_collection(GraphKeys.GLOBAL_VARIABLES)
        initializers = {getattr(variable, "initializer", None) for variable in variables}
        found = [each for each in op.control_inputs if each in initializers]
        if op.type == "NoOp" and found and len(found) == len(op.control_inputs):
            _logger.warning(
                "sess.run(%s) gives the variables their initial values again, the global step "
                "among them: what was trained, or restored from a checkpoint, is lost. The session "
                "has initialised them already; leave this line out.",
                op.name,
            )

    def _is_closed(self) -> bool:
        return self._coordinated_creator.tf_sess is None

    def _tf_sess(self) -> Any:
        """The `tf.Session`; None when it is closed."""
        return self._coordinated_creator.tf_sess

    def __getattr__(self, name: str) -> Any:
        text = f"'{type(self).__name__}' object has no attribute '{name}'"
        if hasattr(Session, name):
            text += (
                f". It is no tf.Session, which has {name}; that is step_context.session in "
                f"sess.run_step_fn(lambda step_context: ...), or the raw_session() of a "
                f"tf.train.SingularMonitoredSession."
            )
        raise AttributeError(text)


class MonitoredSession(_MonitoredSession):
    """A session that is ready at once, calls hooks, and recovers (`tf.train.MonitoredSession`).

    When it is made:

    1. each hook's `begin`, which may add to the graph;
    2. the scaffold's missing pieces are made, and the graph is final;
    3. the session is opened, and the model restored, or initialised, or waited for;
    4. the graph's queue runners start;
    5. each hook's `after_create_session`.

    In each run: each hook's `before_run`, one `run` of the session with all that was asked for,
    each hook's `after_run`. If that raises AbortedError or UnavailableError, because a task of the
    cluster was lost, the session is closed; 3 to 5 give a new one; and the run is done again.

    At the end of the `with`, or at `close`: each hook's `end`, but not if an error ends it; then
    threads are stopped, and the session is closed. OutOfRangeError, the end of the input, is no
    error there: the program goes on after the `with`.

    It is no `tf.Session`: it cannot be the default one, nor be given to a saver.

    Args:
      session_creator: opens the sessions; by default `tf.train.ChiefSessionCreator()`.
      hooks: a list of `tf.train.SessionRunHook`.
      stop_grace_period_secs: how long threads may take to end.

    Raises:
      TypeError: for hooks, or a creator, that are none. What hooks and creator raise; then the
      graph can be changed again.

    Example:
      >>> numbers = tf.data.Dataset.range(3).make_one_shot_iterator().get_next()
      >>> with tf.train.MonitoredSession() as sess:
      ...     while not sess.should_stop():
      ...         print(sess.run(numbers))
      0
      1
      2
    """

    def __init__(
        self,
        session_creator: SessionCreator | None = None,
        hooks: Iterable[SessionRunHook] | None = None,
        stop_grace_period_secs: float = 120,
    ) -> None:
        super().__init__(session_creator, hooks, True, stop_grace_period_secs)


class SingularMonitoredSession(_MonitoredSession):
    """A session with hooks for a program without a cluster.

    As `tf.train.MonitoredSession`, but it is always the chief, does not recover from lost tasks,
    raises in `should_stop` what a thread has failed with, and gives its `tf.Session` away.
    TensorFlow: `tf.train.SingularMonitoredSession`.

    Args:
      hooks: a list of `tf.train.SessionRunHook`.
      scaffold, master, config, checkpoint_dir, checkpoint_filename_with_path: as of
        `tf.train.ChiefSessionCreator`.
      stop_grace_period_secs: how long threads may take to end.

    Raises:
      as `tf.train.MonitoredSession`.

    Example:
      >>> v = tf.Variable(3.0)
      >>> saver = tf.train.Saver()
      >>> with tf.train.SingularMonitoredSession() as sess:
      ...     path = saver.save(sess.raw_session(), "./model")
    """

    def __init__(
        self,
        hooks: Iterable[SessionRunHook] | None = None,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: Any = None,
        checkpoint_dir: str | os.PathLike[str] | None = None,
        stop_grace_period_secs: float = 120,
        checkpoint_filename_with_path: str | os.PathLike[str] | None = None,
    ) -> None:
        creator = ChiefSessionCreator(
            scaffold, master, config, checkpoint_dir, checkpoint_filename_with_path
        )
        super().__init__(creator, hooks, False, stop_grace_period_secs)

    def raw_session(self) -> Any:
        """The `tf.Session` itself; None when it is closed. No hook learns of what it runs."""
        return self._tf_sess()


class _CoordinatedSessionCreator(SessionCreator):
    """Opens sessions with their coordinator, queue runners and hooks.

    Attributes:
      tf_sess: the `tf.Session` it opened last; None before, and when it is closed.
      coord: its coordinator.
    """

    def __init__(
        self, creator: SessionCreator, hooks: list[SessionRunHook], stop_grace_period_secs: float
    ) -> None:
        self._session_creator, self._hooks = creator, hooks
        self._stop_grace_period_secs = stop_grace_period_secs
        # A recovery may be asked for by a thread with another default graph.
        self._graph = get_default_graph()
        self.tf_sess: Any = None
        self.coord: Coordinator | None = None

    def create_session(self) -> CoordinatedSession:
        """A new session with the layers that do not recover."""
        with self._graph.as_default():
            self.tf_sess = sess = self._session_creator.create_session()
            self.coord = coord = Coordinator(clean_stop_exception_types=[])
            layers = CoordinatedSession(
                HookedSession(sess, self._hooks), coord, self._stop_grace_period_secs
            )
            try:
                if self._graph.get_collection(GraphKeys.QUEUE_RUNNERS):
                    start_queue_runners(sess=sess, coord=coord)
                for hook in self._hooks:
                    hook.after_create_session(sess, coord)
            except BaseException:
                self._end(layers)
                raise
        return layers

    def _end(self, layers: CoordinatedSession) -> None:
        """Of a session that nobody will get: its threads end, and it is closed."""
        try:
            layers.close()
        except Exception as error:
            _logger.debug("Ignored exception: %s", error)
        self.forget()

    def forget(self) -> None:
        """The session is closed."""
        self.tf_sess = self.coord = None


def checked_hooks(hooks: Any, argument: str = "hooks") -> list[SessionRunHook]:
    """The hooks of an argument as a list; TypeError for what is none."""
    if hooks is None:
        return []
    if hasattr(hooks, "before_run"):
        shown = f"{argument}=[{type(hooks).__name__}(...)]"
        raise TypeError(f"{argument} must be a list of hooks: {shown}")
    hooks = list(hooks)
    for hook in hooks:
        if isinstance(hook, type):
            raise TypeError(f"{hook.__name__} is a class; a hook is one of its objects: call it")
        lacking = [name for name in _CALLS if not callable(getattr(hook, name, None))]
        if lacking:
            raise TypeError(
                f"{hook!r} is no hook: it has no {', '.join(lacking)}. A class of one's own "
                f"derives from tf.train.SessionRunHook, which has them all."
            )
    return hooks


def _argument_names(function: Callable[..., Any]) -> tuple[str, ...]:
    """The names of a function's arguments, those that are bound apart."""
    if isinstance(function, functools.partial):
        bound = len(function.args), set(function.keywords)
        names = _argument_names(function.func)[bound[0] :]
        return tuple(name for name in names if name not in bound[1])
    return tuple(inspect.signature(function).parameters)
