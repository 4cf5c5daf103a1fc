"""What a supervisor does beside training, each in a thread: summaries, speed, checkpoints.

Each runs at once and then at its interval, until the supervisor's coordinator stops. What fails in
one of them stops the others and the training; `Supervisor.stop` raises it.
"""

from __future__ import annotations

import logging
from time import monotonic
from typing import TYPE_CHECKING, Any

from tinytf.framework.errors import InvalidArgumentError
from tinytf.protos.summary_pb2 import SessionLog, Summary
from tinytf.training.coordinator import LooperThread
from tinytf.training.global_step import global_step as read_global_step

if TYPE_CHECKING:
    from tinytf.training.managed.supervisor import Supervisor

_logger = logging.getLogger("tinytf")
#: So often the log has the steps per second.
_LOGGED_SPEEDS = 10


class SVSummaryThread(LooperThread):
    """Computes the summaries, and writes them (TensorFlow: `SVSummaryThread`).

    Args:
      sv: the supervisor. sess: a session of its graph.
    """

    def __init__(self, sv: Supervisor, sess: Any):
        super().__init__(sv.coord, sv.save_summaries_secs)
        self.name = "SVSummaryThread"
        self._sv, self._sess = sv, sess

    def run_loop(self) -> None:
        """Once: run the summaries."""
        sv = self._sv
        step = None
        try:
            if sv.global_step is None:
                summary = self._sess.run(sv.summary_op)
            else:
                summary, step = self._sess.run([sv.summary_op, sv.global_step])
        except InvalidArgumentError as error:
            if error.op is None or not error.op.type.startswith("Placeholder"):
                raise
            raise InvalidArgumentError(
                None,
                error.op,
                f"The summaries need a feed, and a Supervisor's summary thread has none: it runs "
                f"summary_op by itself, every {sv.save_summaries_secs:g} seconds. Make the "
                f"Supervisor with summary_op=None, and write them in the training loop: "
                f"sv.summary_computed(sess, sess.run(summary, feed_dict)). {error.message}",
            ) from None
        if sv.summary_writer:
            _logger.info("Recording summary at step %s.", step)
            sv.summary_writer.add_summary(summary, step)


class SVStepCounterThread(LooperThread):
    """Writes how many steps are done in a second: "global_step/sec".

    TensorFlow: `SVStepCounterThread`.

    Args:
      sv: the supervisor. sess: a session of its graph.
      step_counter: counts the steps; by default the supervisor's global step.
    """

    def __init__(self, sv: Supervisor, sess: Any, step_counter: Any = None):
        super().__init__(sv.coord, sv.save_summaries_secs)
        self.name = "SVStepCounterThread"
        self._sv, self._sess = sv, sess
        self._counter = sv.global_step if step_counter is None else step_counter
        self._tag = f"{self._counter.op.name}/sec"
        self._last_time, self._last_step = 0.0, 0
        self._looks = 0
        self._told_of_standstill = False

    def start_loop(self) -> None:
        """At the beginning: read the counter."""
        self._last_time = monotonic()
        self._last_step = read_global_step(self._sess, self._counter)

    def run_loop(self) -> None:
        """Once: the steps since the last time, by the seconds since then."""
        step = read_global_step(self._sess, self._counter)
        now = monotonic()
        steps, seconds = step - self._last_step, now - self._last_time
        self._last_step, self._last_time = step, now
        speed = steps / seconds if seconds > 0.0 else float("inf")
        if self._sv.summary_writer:
            value = Summary.Value(tag=self._tag, simple_value=speed)
            self._sv.summary_writer.add_summary(Summary(value=[value]), step)
        if self._looks < _LOGGED_SPEEDS:
            _logger.info("%s: %g", self._tag, speed)
        if self._looks and not steps:
            self._tell_of_standstill(step, seconds)
        self._looks += 1

    def _tell_of_standstill(self, step: int, seconds: float) -> None:
        if self._told_of_standstill:
            return
        self._told_of_standstill = True
        _logger.warning(
            "The global step has been %d for %.0f seconds. If the model is being trained, nothing "
            "counts its steps: pass it to the optimizer, minimize(loss, global_step=%s). "
            "A loop that waits for a step would never end, and all checkpoints get the same name.",
            step,
            seconds,
            self._counter.op.name,
        )


class SVTimerCheckpointThread(LooperThread):
    """Saves the model (TensorFlow: `SVTimerCheckpointThread`).

    Args:
      sv: the supervisor. sess: a session of its graph.
    """

    def __init__(self, sv: Supervisor, sess: Any):
        super().__init__(sv.coord, sv.save_model_secs)
        self.name = "SVTimerCheckpointThread"
        self._sv, self._sess = sv, sess

    def run_loop(self) -> None:
        """Once: save."""
        sv = self._sv
        _logger.info("Saving checkpoint to path %s", sv.save_path)
        sv.saver.save(self._sess, sv.save_path, global_step=sv.global_step)
        if sv.summary_writer and sv.global_step is not None:
            step = read_global_step(self._sess, sv.global_step)
            log = SessionLog(status=SessionLog.CHECKPOINT, checkpoint_path=sv.save_path)
            sv.summary_writer.add_session_log(log, step)
