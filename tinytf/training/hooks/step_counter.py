"""A hook that counts the steps per second."""

from __future__ import annotations

import logging
from typing import Any

from tinytf.protos.summary_pb2 import Summary
from tinytf.summary.file_writer import FileWriterCache
from tinytf.training.global_step import get_global_step
from tinytf.training.hooks.global_step_hook import GlobalStepHook
from tinytf.training.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunValues,
)
from tinytf.training.hooks.timer import SecondOrStepTimer

_logger = logging.getLogger("tinytf")
#: So many times it is said that the global step stands still.
_MOST_WARNINGS = 5


class StepCounterHook(GlobalStepHook):
    """Logs and records the steps per second (TensorFlow: `tf.train.StepCounterHook`).

    They are the global step's, so those of all workers; as "global_step/sec" in TensorBoard.
    A global step that does not increase is warned about.

    Args:
      every_n_steps: how often, in steps; None if `every_n_secs` is given. every_n_secs: in seconds.
      output_dir: the folder for the event file. summary_writer: or a `tf.summary.FileWriter`.
        Without both it only logs, at level INFO.

    Raises:
      ValueError: unless one of `every_n_steps` and `every_n_secs` is given. RuntimeError: when the
        session is made, if there is no global step.

    Example:
      >>> step = tf.train.get_or_create_global_step()
      >>> train_op = tf.assign_add(step, 1)
      >>> hooks = [tf.train.StepCounterHook(every_n_steps=10), tf.train.StopAtStepHook(30)]
      >>> with tf.train.SingularMonitoredSession(hooks) as sess:  # logs "global_step/sec: 4321.5"
      ...     while not sess.should_stop():
      ...         number = sess.run(train_op)
    """

    def __init__(
        self,
        every_n_steps: int | None = 100,
        every_n_secs: float | None = None,
        output_dir: str | None = None,
        summary_writer: Any = None,
    ):
        if (every_n_steps is None) == (every_n_secs is None):
            raise ValueError(
                "exactly one of every_n_steps and every_n_secs should be provided. every_n_steps "
                "is 100 by default: every_n_secs goes with every_n_steps=None."
            )
        self._timer = SecondOrStepTimer(every_secs=every_n_secs, every_steps=every_n_steps)
        self._given_writer, self._output_dir = summary_writer, output_dir
        self._last_seen: Any = None
        self._warnings_left = _MOST_WARNINGS

    def begin(self) -> None:
        super().begin()
        self._timer.reset()
        self._summary_writer = self._given_writer
        if self._summary_writer is None and self._output_dir:
            self._summary_writer = FileWriterCache.get(self._output_dir)
        self._tag = get_global_step().op.name + "/sec"

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        return SessionRunArgs(self._global_step)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        before = run_values.results
        if self._timer.should_trigger_for_step(before + 1):
            step = self._step_now(run_context.session)
            if self._timer.should_trigger_for_step(step):
                seconds, steps = self._timer.update_last_triggered_step(step)
                if seconds:
                    self._log_and_record(steps, seconds, step)
        # On a cluster one run may read before it counts, and the one before it after.
        if before == self._last_seen and self._step_now(run_context.session) == before:
            self._warn(before)
        self._last_seen = before

    def _log_and_record(self, elapsed_steps: int, elapsed_time: float, global_step: int) -> None:
        """Programs for TensorFlow override this one, to count examples for instance."""
        rate = elapsed_steps / elapsed_time
        if self._summary_writer is not None:
            value = Summary.Value(tag=self._tag, simple_value=rate)
            self._summary_writer.add_summary(Summary(value=[value]), global_step)
        _logger.info("%s: %g", self._tag, rate)

    def _warn(self, step: int) -> None:
        # Not an error: the workers of some optimizers leave the counting to somebody else.
        if self._warnings_left:
            self._warnings_left -= 1
            _logger.warning(
                "It seems that global step (tf.train.get_global_step) has not been increased: "
                "it was %s before this run and %s before the last one. The optimizer counts it if "
                "it is told to: minimize(loss, global_step=tf.train.get_global_step()), or "
                "apply_gradients with the same.",
                step,
                self._last_seen,
            )

    def end(self, session: Any) -> None:
        if self._summary_writer is not None:
            self._summary_writer.flush()
