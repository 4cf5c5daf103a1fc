"""A hook that traces a run now and then."""

from __future__ import annotations

import logging
import os
from typing import Any

from tinytf.framework import files
from tinytf.protos.config_pb2 import RunOptions
from tinytf.summary.file_writer import FileWriterCache
from tinytf.training.hooks.global_step_hook import GlobalStepHook
from tinytf.training.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunValues,
)
from tinytf.training.hooks.timer import saving_timer

_logger = logging.getLogger("tinytf")


class ProfilerHook(GlobalStepHook):
    """Traces a run now and then (TensorFlow: `tf.train.ProfilerHook`).

    Each trace is a file "timeline-<step>.json" in Chrome's trace format, for
    https://ui.perfetto.dev or chrome://tracing, and stands in the event file for TensorBoard. The
    first one comes when the first interval is over: the first run is slower than others.

    Args:
      save_steps: how often, in steps. save_secs: or in seconds.
      output_dir: the folder; by default the current one. Made if it is not there.
      show_dataflow: whether to draw arrows from who makes a tensor to who takes it.
      show_memory: whether to count memory, and show when tensors were there.

    Raises:
      ValueError: unless one of `save_steps` and `save_secs` is given. RuntimeError: when the
        session is made, if there is no global step. tf.errors.OpError: if it cannot be written.

    Example:
      >>> import tempfile
      >>> step = tf.train.get_or_create_global_step()
      >>> train_op, folder = tf.assign_add(step, 1), tempfile.mkdtemp()
      >>> profile = tf.train.ProfilerHook(save_steps=10, output_dir=folder)
      >>> with tf.train.SingularMonitoredSession(hooks=[profile]) as sess:
      ...     numbers = [sess.run(train_op) for _ in range(25)]
      >>> tf.summary.FileWriterCache.clear()
      >>> len(tf.gfile.Glob(folder + "/timeline-*.json"))
      2
    """

    def __init__(
        self,
        save_steps: int | None = None,
        save_secs: float | None = None,
        output_dir: str = "",
        show_dataflow: bool = True,
        show_memory: bool = False,
    ):
        self._timer = saving_timer(self, save_secs, save_steps)
        self._folder = os.fspath(output_dir)
        self._shows_dataflow, self._shows_memory = show_dataflow, show_memory

    def begin(self) -> None:
        super().begin()
        self._writer = FileWriterCache.get(self._folder)
        self._next_step: Any = None
        self._timer.reset()

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        self._is_time = self._next_step is not None and self._timer.should_trigger_for_step(
            self._next_step
        )
        options = RunOptions(trace_level=RunOptions.FULL_TRACE) if self._is_time else None
        return SessionRunArgs({"global_step": self._global_step}, options=options)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        read = run_values.results["global_step"]
        step = read + self._behind
        if self._next_step is None:  # from here on the interval counts
            step = self._step_now(run_context.session, read)
            self._timer.update_last_triggered_step(min(read, step - 1))
        if self._is_time:
            step = self._step_now(run_context.session, read)
            self._timer.update_last_triggered_step(step)
            self._save(step, run_values.run_metadata)
        self._next_step = step + 1

    def _save(self, step: int, metadata: Any) -> None:
        from tinytf.tracing.chrome_trace import Timeline  # wanted by few programs

        path = os.path.join(self._folder, f"timeline-{step}.json")
        _logger.info("Saving timeline for %d into '%s'.", step, path)
        timeline = Timeline(metadata.step_stats)
        trace = timeline.generate_chrome_trace_format(self._shows_dataflow, self._shows_memory)
        files.write_file(path, trace.encode())
        try:
            self._writer.add_run_metadata(metadata, f"step_{step}")
        except ValueError:
            _logger.warning(
                "TensorBoard keeps the trace of step %d that an earlier training has written to "
                "this folder; %s is the new one.",
                step,
                path,
            )

    def end(self, session: Any) -> None:
        self._writer.flush()
