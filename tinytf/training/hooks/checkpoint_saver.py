"""A hook that saves checkpoints."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tinytf.framework.errors import OpError
from tinytf.framework.graph_keys import GraphKeys
from tinytf.protos.summary_pb2 import SessionLog
from tinytf.summary.file_writer import FileWriterCache
from tinytf.training.checkpoint_state import latest_checkpoint
from tinytf.training.graph_files import graph_def_of, write_graph
from tinytf.training.hooks.global_step_hook import GlobalStepHook
from tinytf.training.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunValues,
)
from tinytf.training.hooks.timer import saving_timer
from tinytf.training.meta_graph import create_meta_graph_def

if TYPE_CHECKING:
    from tinytf.session.session import BaseSession

_logger = logging.getLogger("tinytf")


class CheckpointSaverListener:
    """What is called around each checkpoint (TensorFlow: `tf.train.CheckpointSaverListener`).

    Override what is needed. In this order: `begin` (the graph can still be changed), for each
    checkpoint `before_save` and `after_save`, and `end`.

    Example:
      >>> class Tell(tf.train.CheckpointSaverListener):
      ...     def after_save(self, session, global_step_value):
      ...         print("saved step", global_step_value)
      ...         return global_step_value >= 20  # True ends the training
      >>> import tempfile
      >>> train_op = tf.assign_add(tf.train.get_or_create_global_step(), 1)
      >>> save = tf.train.CheckpointSaverHook(
      ...     tempfile.mkdtemp(), save_steps=10, saver=tf.train.Saver(), listeners=[Tell()])
      >>> with tf.train.SingularMonitoredSession(hooks=[save]) as sess:
      ...     while not sess.should_stop():
      ...         number = sess.run(train_op)
      saved step 0
      saved step 10
      saved step 20
      >>> tf.summary.FileWriterCache.clear()
    """

    def begin(self) -> None:
        """Once, before the graph is finalised."""

    def before_save(self, session: BaseSession, global_step_value: int) -> None:
        """Before a checkpoint is written."""

    def after_save(self, session: BaseSession, global_step_value: int) -> bool | None:
        """When a checkpoint has been written; True ends the training."""

    def end(self, session: BaseSession, global_step_value: int) -> None:
        """At the end, after the last checkpoint."""


class CheckpointSaverHook(GlobalStepHook):
    """Saves checkpoints now and then (TensorFlow: `tf.train.CheckpointSaverHook`).

    One is saved when a session has been made (after a recovery, again), then every so many steps or
    seconds, and one at the end. With the first one the graph goes to "graph.pbtxt" and into the
    event file.

    Args:
      checkpoint_dir: the folder; made if it is not there.
      save_secs: how often, in seconds. save_steps: or in steps of the global step.
      saver: a `tf.train.Saver`. scaffold: or the `tf.train.Scaffold` that has it. Without both it
        is the one in the collection SAVERS.
      checkpoint_basename: how the files' names begin.
      listeners: objects of classes that derive from `tf.train.CheckpointSaverListener`.
      save_graph_def: whether the graph is written: "graph.pbtxt", and a ".meta" beside each
        checkpoint.

    Raises:
      ValueError: unless one of `save_secs` and `save_steps` is given, or if both `saver` and
        `scaffold` are. TypeError: for a listener that is a class. RuntimeError: when the session is
        made, if there is no global step or no saver. tf.errors.OpError: if it cannot be written;
        the checkpoints before are whole.

    Example:
      >>> import tempfile
      >>> train_op = tf.assign_add(tf.train.get_or_create_global_step(), 1)
      >>> folder, saver = tempfile.mkdtemp(), tf.train.Saver()
      >>> save = tf.train.CheckpointSaverHook(folder, save_steps=10, saver=saver)
      >>> with tf.train.SingularMonitoredSession(hooks=[save]) as sess:
      ...     numbers = [sess.run(train_op) for _ in range(25)]
      >>> [path.rpartition("/")[2] for path in saver.last_checkpoints]
      ['model.ckpt-0', 'model.ckpt-10', 'model.ckpt-20', 'model.ckpt-25']
      >>> tf.summary.FileWriterCache.clear()
    """

    def __init__(
        self,
        checkpoint_dir: str | os.PathLike[str],
        save_secs: float | None = None,
        save_steps: int | None = None,
        saver: Any = None,
        checkpoint_basename: str = "model.ckpt",
        scaffold: Any = None,
        listeners: Sequence[CheckpointSaverListener] | None = None,
        save_graph_def: bool = True,
    ):
        _logger.info("Create CheckpointSaverHook.")
        if saver is not None and scaffold is not None:
            raise ValueError(
                "You cannot provide both saver and scaffold. Scaffold(saver=saver) has it, too."
            )
        self._folder = os.fspath(checkpoint_dir)
        self._save_path = os.path.join(self._folder, checkpoint_basename)
        self._timer = saving_timer(self, save_secs, save_steps)
        self._saver, self._scaffold = saver, scaffold
        self._listeners = _checked(listeners)
        self._saves_graph = save_graph_def

    def begin(self) -> None:
        super().begin()
        with self._told("cannot use its folder"):
            self._writer = FileWriterCache.get(self._folder)
        for listener in self._listeners:
            listener.begin()

    def after_create_session(self, session: BaseSession, coord: Any) -> None:
        super().after_create_session(session, coord)
        step = session.run(self._global_step)
        self._write_graph(session.graph)
        self._save(session, step)
        self._timer.update_last_triggered_step(step)

    def _write_graph(self, graph: Any) -> None:
        # Not in `begin`: hooks that come later may still add to the graph there.
        definition = graph_def_of(graph)
        if self._saves_graph:
            with self._told("cannot write the graph"):
                write_graph(definition, self._folder, "graph.pbtxt")
        saver = self._find_saver()
        saver_def = None if saver is None else saver.saver_def
        self._writer.add_graph(definition)
        self._writer.add_meta_graph(
            create_meta_graph_def(graph_def=definition, saver_def=saver_def, graph=graph)
        )

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        return None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        # The step of this moment, not of the run: other workers may have brought it on by many.
        if not self._timer.may_trigger():
            return
        step = self._step_now(run_context.session)
        if self._timer.should_trigger_for_step(step):
            self._timer.update_last_triggered_step(step)
            if self._save(run_context.session, step):
                run_context.request_stop()

    def end(self, session: BaseSession) -> None:
        step = self._step_now(session)
        if step != self._timer.last_triggered_step():
            self._save(session, step)
        for listener in self._listeners:
            listener.end(session, step)
        self._writer.flush()

    def _save(self, session: BaseSession, step: int) -> bool:
        """Write a checkpoint; whether a listener wants to stop."""
        _logger.info("Calling checkpoint listeners before saving checkpoint %d...", step)
        for listener in self._listeners:
            listener.before_save(session, step)
        _logger.info("Saving checkpoints for %d into %s.", step, self._save_path)
        with self._told(f"cannot save the checkpoint of step {step}"):
            self._find_saver().save(
                session, self._save_path, global_step=step, write_meta_graph=self._saves_graph
            )
        written = SessionLog(status=SessionLog.CHECKPOINT, checkpoint_path=self._save_path)
        self._writer.add_session_log(written, step)
        _logger.info("Calling checkpoint listeners after saving checkpoint %d...", step)
        stops = False
        for listener in self._listeners:
            if listener.after_save(session, step):
                _logger.info(
                    "A CheckpointSaverListener requested that training be stopped. listener: %s",
                    listener,
                )
                stops = True
        return stops

    def _find_saver(self) -> Any:
        if self._saver is not None:
            return self._saver
        if self._scaffold is not None:
            return self._scaffold.saver
        savers = self._global_step.graph.get_collection(GraphKeys.SAVERS)
        if not savers:
            raise RuntimeError(
                f"No items in collection {GraphKeys.SAVERS}. Please add a saver to the collection "
                f"or provide a saver or scaffold: CheckpointSaverHook(..., saver=tf.train.Saver())."
            )
        if len(savers) > 1:
            raise RuntimeError(
                f"More than one item in collection {GraphKeys.SAVERS}. Please indicate which one "
                f"to use by passing it to the constructor: CheckpointSaverHook(..., saver=saver)."
            )
        self._saver = savers[0]
        return self._saver

    @contextmanager
    def _told(self, what: str) -> Iterator[None]:
        """Errors of the folder's files, inside the block, say what they mean for the training."""
        try:
            yield
        except OpError as error:
            # Others are of the graph, or a server's that may be recovered from.
            if not any(path and path in error.message for path in (self._folder, self._save_path)):
                raise
            latest = _latest(self._folder)
            goes_on = (
                f"The latest whole checkpoint there is {latest}: a session with the same "
                f"checkpoint_dir goes on from it."
                if latest
                else "There is no checkpoint there to go on from."
            )
            text = (
                f"CheckpointSaverHook {what}: {error}\nIs the disk full (df -h), or may this user "
                f"not write to {self._folder or '.'!r}? {goes_on}"
            )
            raise type(error)(error.node_def, error.op, text) from error


def _checked(listeners: Sequence[Any] | None) -> list[Any]:
    if listeners is not None and not isinstance(listeners, list | tuple):
        raise TypeError(f"listeners must be a list of objects, got {listeners!r}")
    for each in listeners or ():
        if isinstance(each, type):
            raise TypeError(
                f"listeners takes objects, and {each.__name__} is a class: listeners="
                f"[{each.__name__}()]"
            )
    return list(listeners or ())


def _latest(folder: str) -> str | None:
    try:
        return latest_checkpoint(folder)
    except OpError:
        return None
