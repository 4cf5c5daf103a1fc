"""`tf.train.SessionManager`: sessions whose model is initialised, restored, or waited for.

    prepare_session   the chief: restore a checkpoint, else init_op and init_fn; then check
    recover_session   restore a checkpoint if there is one, and say whether that was enough
    wait_for_session  the others: look again and again until the chief has made the model ready

All three run local_init_op, in each new session, once the model is ready for that.
Mirrors tensorflow/python/training/session_manager.py.
"""

from __future__ import annotations

import logging
import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tinytf.framework.errors import DeadlineExceededError
from tinytf.framework.graph import Graph
from tinytf.framework.stacks import get_default_graph
from tinytf.protos.config_pb2 import RunOptions
from tinytf.session.session import BaseSession, Session
from tinytf.training.checkpoint_state import get_checkpoint_state
from tinytf.training.managed import readiness
from tinytf.training.managed.looking_again import Clock, Looks
from tinytf.training.managed.readiness import NotReady

_logger = logging.getLogger("tinytf")
#: A server has so many seconds to say whether the model is ready, even if the time is over.
_LOOK_SECONDS = 1.0
_MOST_MILLISECONDS = 2**31 - 1


class SessionManager:
    """Opens sessions and makes their models ready (TensorFlow: `tf.train.SessionManager`).

    In a program with several workers one is the chief: it calls `prepare_session`, the others
    `wait_for_session`.

    Args:
      local_init_op: run in each new session: it initialises local variables and tables.
      ready_op: a string vector, empty if the model is ready, else with what is not:
        `tf.report_uninitialized_variables()`. None: nothing is checked.
      ready_for_local_init_op: the same, of what local_init_op needs.
      graph: of the sessions; by default the default graph.
      recovery_wait_secs: from one look to the next, for those that wait. (Here the first ones
        follow sooner: those that are waited for have often started a moment later.)
      local_init_run_options, local_init_feed_dict: with which local_init_op is run.

    Raises:
      ValueError: if there is a ready_for_local_init_op but no local_init_op.

    Example:
      >>> v = tf.Variable(3.0, name="v")
      >>> manager = tf.train.SessionManager(ready_op=tf.report_uninitialized_variables())
      >>> with manager.prepare_session("", tf.global_variables_initializer()) as sess:
      ...     print(sess.run(v))
      3.0
    """

    #: for waiting; tests replace it
    _clock = Clock()

    def __init__(
        self,
        local_init_op: Any = None,
        ready_op: Any = None,
        ready_for_local_init_op: Any = None,
        graph: Graph | None = None,
        recovery_wait_secs: float = 30,
        local_init_run_options: RunOptions | None = None,
        local_init_feed_dict: Any = None,
    ) -> None:
        if ready_for_local_init_op is not None and local_init_op is None:
            raise ValueError(
                "If you pass a ready_for_local_init_op you must also pass a local_init_op, "
                f"ready_for_local_init_op [{ready_for_local_init_op}]"
            )
        self._graph = get_default_graph() if graph is None else graph
        self._local_init_op = local_init_op
        self._ready_op = ready_op
        self._ready_for_local_init_op = ready_for_local_init_op
        self._recovery_wait_secs = recovery_wait_secs
        self._local_init_run_options = local_init_run_options
        self._local_init_feed_dict = local_init_feed_dict

    # The chief --------------------------------------------------------------------------------

    def prepare_session(
        self,
        master: str,
        init_op: Any = None,
        saver: Any = None,
        checkpoint_dir: str | os.PathLike[str] | None = None,
        checkpoint_filename_with_path: str | os.PathLike[str] | None = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        config: Any = None,
        init_feed_dict: Any = None,
        init_fn: Any = None,
    ) -> Session:
        """Open a session and make its model ready: from a checkpoint, else by initialising it.

        After a restore neither `init_op` nor `init_fn` is run; `local_init_op` always is.

        Args:
          master: the session's target.
          init_op, init_feed_dict: run if nothing was restored.
          saver: restores. checkpoint_dir: a folder, whose latest checkpoint is taken, or
            checkpoint_filename_with_path: a checkpoint.
          wait_for_checkpoint: whether to wait for one in the folder; max_wait_secs: how long.
          config: of the session.
          init_fn: called with the session after `init_op`.

        Returns:
          the session.

        Raises:
          RuntimeError: if the model is not ready then, or if there is nothing to make it so.
          ValueError: if folder and checkpoint are given.
        """
        sess, restored = self._restore(
            master,
            saver,
            checkpoint_dir,
            checkpoint_filename_with_path,
            wait_for_checkpoint,
            max_wait_secs,
            config,
        )
        with closed_on_error(sess):
            if not restored:
                self._initialise(sess, init_op, init_feed_dict, init_fn)
            source = (checkpoint_filename_with_path or checkpoint_dir) if restored else None
            text = f"Init op: {_name_of(init_op)}, init fn: {init_fn}"
            step = " for local_init"
            try:
                self._run_local_init_op(sess)
                step = ""
                text += f", local_init_op: {_name_of(self._local_init_op)}"
                readiness.check(sess, self._ready_op)
            except NotReady as lack:
                raise RuntimeError(
                    f"Init operations did not make model ready{step}.  {text}, error: {lack}"
                    f"{readiness.advice(self._graph, lack, source)}"
                ) from None
        return sess

    def _initialise(self, sess: Session, init_op: Any, feed_dict: Any, init_fn: Any) -> None:
        if init_op is None and not init_fn and self._local_init_op is None:
            raise RuntimeError(
                "Model is not initialized and no init_op or init_fn or local_init_op was given. "
                "The variables have no values: pass init_op=tf.global_variables_initializer(), or "
                "a saver and a folder with a checkpoint."
            )
        if sess.sess_str and init_op is not None:
            self._warn_if_ready(sess)
        if init_op is not None:
            sess.run(init_op, feed_dict=feed_dict)
        if init_fn:
            init_fn(sess)

    def _warn_if_ready(self, sess: Session) -> None:
        """Values that somebody has trained are about to be lost: say so."""
        if self._ready_op is None:
            return
        try:
            readiness.check(sess, self._ready_op)
        except NotReady:
            return
        _logger.warning(
            "The model on %s is initialised already, and is initialised again now: what was "
            "trained is lost. Either this program has been restarted and found no checkpoint "
            "(a Saver and a folder keep one); or there are two chiefs: one program only may be "
            "started as the chief, is_chief=(task_index == 0).",
            sess.sess_str,
        )

    def recover_session(
        self,
        master: str,
        saver: Any = None,
        checkpoint_dir: str | os.PathLike[str] | None = None,
        checkpoint_filename_with_path: str | os.PathLike[str] | None = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        config: Any = None,
    ) -> tuple[Session, bool]:
        """Open a session and restore a checkpoint, if there is one; nothing else is initialised.

        Args, and errors: as of `prepare_session`.

        Returns:
          the session, and whether it was restored and its model is ready. If it is restored but
          not ready, the log says what is missing.
        """
        sess, restored = self._restore(
            master,
            saver,
            checkpoint_dir,
            checkpoint_filename_with_path,
            wait_for_checkpoint,
            max_wait_secs,
            config,
        )
        source = checkpoint_dir or checkpoint_filename_with_path
        with closed_on_error(sess):
            step = " for local init"
            try:
                self._run_local_init_op(sess)
                if not restored:
                    return sess, False
                step = ""
                readiness.check(sess, self._ready_op)
            except NotReady as lack:
                if restored:
                    text = "Restoring model from %s did not make model ready%s: %s"
                    _logger.info(text, source, step, lack)
                return sess, False
        _logger.info("Restored model from %s", source)
        return sess, True

    def _restore(
        self,
        master: str,
        saver: Any,
        folder: Any,
        path: Any,
        waits: bool,
        max_wait_secs: float,
        config: Any,
    ) -> tuple[Session, bool]:
        """A session, and whether a checkpoint was restored in it."""
        if folder and path:
            raise ValueError(
                "Can not provide both checkpoint_dir and checkpoint_filename_with_path."
            )
        sess = Session(master, graph=self._graph, config=config)
        with closed_on_error(sess):
            if not saver or not (folder or path):
                return sess, False
            if path:
                saver.restore(sess, path)
                return sess, True
            state = self._wait_for_checkpoint(folder, max_wait_secs if waits else 0.0)
            if state is None:
                return sess, False
            saver.restore(sess, state.model_checkpoint_path)
            saver.recover_last_checkpoints(list(state.all_model_checkpoint_paths))
        return sess, True

    def _wait_for_checkpoint(self, folder: Any, seconds: float) -> Any:
        """The state of a folder with checkpoints; None if there is none after so many seconds."""
        looks = Looks(self._clock, self._recovery_wait_secs, seconds)

        def explain() -> str:
            return (
                f"Waiting for a checkpoint in {folder}: there is none yet. Whoever trains the "
                f"model writes it; this program looks again every {self._recovery_wait_secs:g} "
                f"seconds{_for_at_most(seconds)}, and initialises the model if none comes."
            )

        while True:
            state = get_checkpoint_state(folder)
            if state is not None and state.model_checkpoint_path:
                return state
            if not looks.again(f"a checkpoint in {folder}", explain):
                return None
            _logger.info("Waiting for checkpoint to be available.")

    # The others -------------------------------------------------------------------------------

    def wait_for_session(
        self, master: str, config: Any = None, max_wait_secs: float | None = math.inf
    ) -> Session:
        """Open a session once another program, the chief, has made the model ready.

        It looks again and again, in a new session each time; Ctrl-C ends that. A wait that lasts
        is told to the user: which variables have no value, and who is to give them one.

        Args:
          master: the session's target: a server of the cluster.
          config: of the session.
          max_wait_secs: how long to wait; None for no limit.

        Returns:
          the session.

        Raises:
          tf.errors.DeadlineExceededError: if the model is not ready in time.
        """
        at_most = math.inf if max_wait_secs is None else max_wait_secs
        looks = Looks(self._clock, self._recovery_wait_secs, at_most)
        found: NotReady | None = None
        while True:
            sess = Session(master, graph=self._graph, config=config)
            lack, is_for_local = self._look(sess, max(at_most - looks.waited, _LOOK_SECONDS))
            if lack is None:
                if looks.was_told:
                    print(f"The model is ready, after {looks.waited:.0f} seconds.", flush=True)
                return sess
            _close(sess)
            found = lack if found is None or not lack.is_unanswered else found

            def explain(found: NotReady = found) -> str:
                times = f"every {self._recovery_wait_secs:g} seconds{_for_at_most(at_most)}"
                return readiness.waiting_text(self._graph, found, master, times)

            if not looks.again(f"the chief to make the model ready ({found})", explain):
                raise DeadlineExceededError(
                    f"Session was not ready after waiting {at_most:g} secs. "
                    f"{readiness.who_is_to(self._graph, found, master)}"
                )
            _logger.info(
                "Waiting for model to be ready.  Ready_for_local_init_op:  %s, ready: %s",
                found if is_for_local else None,
                None if is_for_local else found,
            )

    def _look(self, sess: Session, seconds: float) -> tuple[NotReady | None, bool]:
        """What a new session lacks, and whether local_init_op was not run because of it."""
        ran = False
        with closed_on_error(sess):
            try:
                self._run_local_init_op(sess, seconds)
                ran = True
                readiness.check(sess, self._ready_op, _timeout(None, seconds))
            except NotReady as lack:
                return lack, not ran
            except DeadlineExceededError as error:
                if not math.isfinite(seconds):
                    raise  # of the configuration, or of the options for local_init_op
                return NotReady.unanswered(error), not ran
        return None, False

    def _run_local_init_op(self, sess: Session, seconds: float = math.inf) -> None:
        """Run it, if there is one. Raises: NotReady, if it lacks something."""
        if self._local_init_op is None:
            return
        readiness.check(sess, self._ready_for_local_init_op, _timeout(None, seconds))
        _logger.info("Running local_init_op.")
        sess.run(
            self._local_init_op,
            feed_dict=self._local_init_feed_dict,
            options=_timeout(self._local_init_run_options, seconds),
        )
        _logger.info("Done running local_init_op.")


def _timeout(options: RunOptions | None, seconds: float) -> RunOptions | None:
    """Options that end a step after so many seconds, unless they do so anyhow."""
    if not math.isfinite(seconds) or (options is not None and options.timeout_in_ms):
        return options
    result = RunOptions()
    if options is not None:
        result.CopyFrom(options)
    result.timeout_in_ms = int(min(1000 * seconds, _MOST_MILLISECONDS))
    return result


def _for_at_most(seconds: float) -> str:
    return f", for at most {seconds:g} seconds in all" if math.isfinite(seconds) else ""


def _name_of(op: Any) -> str:
    if op is None:
        return "None"
    return getattr(op, "name", f"<no name for {type(op)}>")


@contextmanager
def closed_on_error(sess: BaseSession) -> Iterator[None]:
    """If the block fails, nobody gets the session, so it is closed."""
    try:
        yield
    except BaseException:
        _close(sess)
        raise


@contextmanager
def closing_quietly(sess: BaseSession) -> Iterator[None]:
    """Close it when the block ends; a server that is gone is no reason to fail."""
    try:
        yield
    finally:
        _close(sess)


def _close(sess: BaseSession) -> None:
    try:
        sess.close()
    except Exception as error:
        _logger.debug("Ignored exception: %s", error)
