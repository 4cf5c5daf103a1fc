"""A hook that has a worker begin later than others."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from tinytf.training.coordinator import Coordinator
from tinytf.training.hooks.global_step_hook import GlobalStepHook
from tinytf.training.hooks.session_run_hook import SessionRunArgs, SessionRunContext

if TYPE_CHECKING:
    from tinytf.session.session import BaseSession

_logger = logging.getLogger("tinytf")
#: Seconds from one look to the next: no server tells when a variable changes.
_PAUSE = 0.5
#: So many looks without a step, and it says that nobody seems to train.
_PATIENCE = 60
#: So many steps from one line in the log to the next.
_LOG_EVERY = 1000


class GlobalStepWaiterHook(GlobalStepHook):
    """Waits until others have trained (TensorFlow: `tf.train.GlobalStepWaiterHook`).

    Workers that begin one after another let the first steps, when gradients are large, be those
    of one.

    Args:
      wait_until_step: the global step to wait for, `int(1000 * math.log(task_index + 1))` for
        instance; 0 for the chief, which must not wait.

    Raises:
      RuntimeError: when the session is made, if there is no global step.

    Example:
      >>> step = tf.train.get_or_create_global_step()
      >>> wait = tf.train.GlobalStepWaiterHook(wait_until_step=0)
      >>> with tf.train.SingularMonitoredSession(hooks=[wait]) as sess:
      ...     number = sess.run(tf.train.get_global_step())
    """

    def __init__(self, wait_until_step: int):
        self._wait_until_step = wait_until_step
        # Without a session's coordinator nobody asks to stop, and it is only waited.
        self._coord: Any = Coordinator()

    def begin(self) -> None:
        super().begin()
        self._may_begin = self._wait_until_step <= 0

    def after_create_session(self, session: BaseSession, coord: Any) -> None:
        super().after_create_session(session, coord)
        if coord is not None:
            self._coord = coord

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        if not self._may_begin:
            self._wait(run_context.session)
            self._may_begin = True
        return None

    def _wait(self, session: BaseSession) -> None:
        goal, logged, before, looks = self._wait_until_step, 0, None, 0
        _logger.info("Waiting for global step %d before starting training.", goal)
        while (step := session.run(self._global_step)) < goal:
            if step - logged > _LOG_EVERY:
                logged = step
                _logger.info(
                    "Waiting for global step %d before starting training. Current step is %d.",
                    goal,
                    step,
                )
            looks = looks + 1 if step == before else 0
            before = step
            if looks == _PATIENCE:
                _logger.warning(
                    "GlobalStepWaiterHook waits for global step %d, and it has stood at %d for %g "
                    "seconds. Another worker has to train meanwhile: has the chief been started, "
                    "does its optimizer count the same global step, does it wait itself?",
                    goal,
                    step,
                    _PATIENCE * _PAUSE,
                )
            if self._coord.wait_for_stop(_PAUSE):
                return  # the session ends: its run says why
