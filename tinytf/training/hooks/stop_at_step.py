"""A hook that ends the training at a step."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from tinytf.training.hooks.global_step_hook import GlobalStepHook
from tinytf.training.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunValues,
)

if TYPE_CHECKING:
    from tinytf.session.session import BaseSession


class StopAtStepHook(GlobalStepHook):
    """Ends the training at a global step (TensorFlow: `tf.train.StopAtStepHook`).

    It looks after each run: with a global step that has been restored from a checkpoint, and is
    high enough already, one run more is made.

    Args:
      num_steps: so many steps from now on: from the value that the global step has when the session
        is made. last_step: or up to this value of the global step.

    Raises:
      ValueError: if neither or both are given. RuntimeError: when the session is made, if there is
        no global step.

    Example:
      >>> step = tf.train.get_or_create_global_step()
      >>> train_op = tf.assign_add(step, 1)
      >>> stop = tf.train.StopAtStepHook(last_step=100)
      >>> with tf.train.SingularMonitoredSession(hooks=[stop]) as sess:
      ...     while not sess.should_stop():
      ...         number = sess.run(train_op)
      >>> int(number)
      100
    """

    def __init__(self, num_steps: int | None = None, last_step: int | None = None):
        if num_steps is None and last_step is None:
            raise ValueError("One of num_steps or last_step must be specified.")
        if num_steps is not None and last_step is not None:
            raise ValueError(
                f"Only one of num_steps or last_step can be specified: got num_steps={num_steps} "
                f"and last_step={last_step}."
            )
        self._num_steps, self._last_step = num_steps, last_step

    @property
    def last_step(self) -> int | None:
        """The global step at which it ends; None as long as that is not known."""
        return self._last_step

    def begin(self) -> None:
        super().begin()
        if self._num_steps is not None:
            self._last_step = None  # counted anew from each session; not from a recovered one

    def after_create_session(self, session: BaseSession, coord: Any) -> None:
        super().after_create_session(session, coord)
        step = session.run(self._global_step)
        if self._last_step is None:
            self._last_step = step + self._num_steps
        elif step >= self._last_step:
            logging.getLogger("tinytf").warning(
                "The global step is %d already, and training is to stop at %d: it stops after one "
                "run. A folder without checkpoints begins at step 0.",
                step,
                self._last_step,
            )

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        return SessionRunArgs(self._global_step)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        # The value may be that before the run or after, so it is near enough first.
        last: Any = self._last_step
        if run_values.results + 1 >= last and self._step_now(run_context.session) >= last:
            run_context.request_stop()
