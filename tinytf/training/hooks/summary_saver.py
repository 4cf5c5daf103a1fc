"""A hook that writes summaries."""

from __future__ import annotations

import logging
from typing import Any

from tinytf.framework import dtypes
from tinytf.protos.summary_pb2 import SessionLog
from tinytf.summary.file_writer import FileWriterCache
from tinytf.training.hooks.global_step_hook import GlobalStepHook
from tinytf.training.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunValues,
)
from tinytf.training.hooks.timer import saving_timer


class SummarySaverHook(GlobalStepHook):
    """Runs summaries now and then, and writes them (TensorFlow: `tf.train.SummarySaverHook`).

    The first ones are those of the first run.

    Args:
      save_steps: how often, in steps. save_secs: or in seconds.
      output_dir: the folder for the event file. summary_writer: or a `tf.summary.FileWriter`.
      scaffold: the `tf.train.Scaffold` whose `summary_op` is run. summary_op: or a summary, or a
        list of them, `tf.summary.merge_all()` for instance.

    Raises:
      ValueError: unless one of `save_steps` and `save_secs`, and one of `scaffold` and `summary_op`
        is given. TypeError: when the session is made, if `summary_op` is no summary.
        RuntimeError: then, if there is no global step. tf.errors.OpError: if it cannot be written.

    Example:
      >>> import tempfile
      >>> step = tf.train.get_or_create_global_step()
      >>> train_op, loss = tf.assign_add(step, 1), tf.summary.scalar("loss", 0.5)
      >>> folder = tempfile.mkdtemp()
      >>> save = tf.train.SummarySaverHook(save_steps=10, output_dir=folder, summary_op=loss)
      >>> with tf.train.SingularMonitoredSession(hooks=[save]) as sess:
      ...     numbers = [sess.run(train_op) for _ in range(15)]
      >>> tf.summary.FileWriterCache.clear()
      >>> [path] = tf.gfile.Glob(folder + "/events*")
      >>> len([e.step for e in tf.train.summary_iterator(path) if e.summary.value])
      2
    """

    def __init__(
        self,
        save_steps: int | None = None,
        save_secs: float | None = None,
        output_dir: str | None = None,
        summary_writer: Any = None,
        scaffold: Any = None,
        summary_op: Any = None,
    ):
        if (scaffold is None) == (summary_op is None):
            raise ValueError(
                "Exactly one of scaffold or summary_op must be provided. (tf.summary.merge_all() "
                "is None where the graph has no summaries.)"
            )
        self._timer = saving_timer(self, save_secs, save_steps)
        self._summary_op, self._scaffold = summary_op, scaffold
        self._given_writer, self._output_dir = summary_writer, output_dir

    def begin(self) -> None:
        super().begin()
        self._summary_writer = self._given_writer
        if self._summary_writer is None:
            if self._output_dir:
                self._summary_writer = FileWriterCache.get(self._output_dir)
            else:
                logging.getLogger("tinytf").warning(
                    "SummarySaverHook has neither output_dir nor summary_writer: its summaries are "
                    "written nowhere."
                )
        self._next_step: Any = None
        _check_summaries(self._summaries())

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        is_first = self._next_step is None
        self._is_time = is_first or self._timer.should_trigger_for_step(self._next_step)
        fetches = {"global_step": self._global_step}
        if self._is_time and (summaries := self._summaries()):
            fetches["summary"] = summaries
        return SessionRunArgs(fetches)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        writer = self._summary_writer
        if writer is None:
            return
        read = run_values.results["global_step"]
        step = read + self._behind
        if self._is_time:
            step = self._step_now(run_context.session, read)
            if self._next_step is None:
                writer.add_session_log(SessionLog(status=SessionLog.START), step)
            self._timer.update_last_triggered_step(step)
            for summary in run_values.results.get("summary", ()):
                writer.add_summary(summary, step)
        self._next_step = step + 1

    def end(self, session: Any = None) -> None:
        if self._summary_writer is not None:
            self._summary_writer.flush()

    def _summaries(self) -> list[Any]:
        """A scaffold has its summary once it is finalized, which is after `begin`."""
        found = self._summary_op
        if found is None:
            found = self._scaffold.summary_op
        if found is None:
            return []
        return list(found) if isinstance(found, list | tuple) else [found]


def _check_summaries(given: list[Any]) -> None:
    for each in given:
        dtype = getattr(each, "dtype", None)
        if dtype is not None and dtype.base_dtype != dtypes.string:
            raise TypeError(
                f"summary_op must be what tf.summary.scalar, merge_all and their kin return, a "
                f"string tensor; got {each}. tf.summary.scalar('loss', loss) makes a summary of it."
            )
