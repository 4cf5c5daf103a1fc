"""When a hook acts: every so many steps, or every so many seconds.

Mirrors the timers of tensorflow/python/training/basic_session_run_hooks.py.
"""

from __future__ import annotations

import time
from numbers import Real
from typing import Any

#: Seconds, from any beginning: it goes on where the wall clock is set. Tests put their own here.
clock = time.monotonic


class SecondOrStepTimer:
    """Says when it is time again (TensorFlow: `tf.train.SecondOrStepTimer`).

    The first time is at once. It never says so twice for the same step.

    Args:
      every_secs: seconds from one time to the next. every_steps: or steps.

    Raises:
      ValueError: if neither or both are given. TypeError: if it is no number.

    Example:
      >>> timer = tf.train.SecondOrStepTimer(every_steps=10)
      >>> times = []
      >>> for step in range(25):
      ...     if timer.should_trigger_for_step(step):
      ...         elapsed_secs, elapsed_steps = timer.update_last_triggered_step(step)
      ...         times.append((step, elapsed_steps))
      >>> times
      [(0, None), (10, 10), (20, 10)]
    """

    def __init__(self, every_secs: float | None = None, every_steps: int | None = None):
        if every_secs is None and every_steps is None:
            raise ValueError("Either every_secs or every_steps should be provided.")
        if every_secs is not None and every_steps is not None:
            raise ValueError(
                f"Can not provide both every_secs and every_steps: got {every_secs} seconds and "
                f"{every_steps} steps."
            )
        given: Any
        for name, given in (("every_secs", every_secs), ("every_steps", every_steps)):
            if given is not None and not isinstance(given, Real):
                raise TypeError(f"{name} must be a number, got {given!r}")
        self._every_secs, self._every_steps = every_secs, every_steps
        self.reset()

    def reset(self) -> None:
        """Forget when it was last: the next time is at once."""
        self._last_step: Any = None
        self._last_time = 0.0

    def should_trigger_for_step(self, step: Any) -> bool:
        """Whether it is time, the step being `step`."""
        if self._last_step is None:
            return True
        if self._last_step == step:
            return False
        if self._every_secs is not None:
            return clock() >= self._last_time + self._every_secs
        assert self._every_steps is not None
        return bool(step >= self._last_step + self._every_steps)

    def may_trigger(self) -> bool:
        """Whether it is worth a look at the step: false while the seconds are not over."""
        if self._last_step is None or self._every_secs is None:
            return True
        return clock() >= self._last_time + self._every_secs

    def update_last_triggered_step(self, step: Any) -> tuple[float | None, Any]:
        """Note that it was done at `step`.

        Returns:
          seconds and steps since the time before; None and None the first time.
        """
        before, time_before = self._last_step, self._last_time
        self._last_step, self._last_time = step, clock()
        if before is None:
            return None, None
        return self._last_time - time_before, step - before

    def last_triggered_step(self) -> Any:
        """The step that was noted last, or None."""
        return self._last_step


class NeverTriggerTimer:
    """A timer for which it is never time."""

    def reset(self) -> None:
        """Nothing to forget."""

    def should_trigger_for_step(self, step: Any) -> bool:
        """False."""
        return False

    def update_last_triggered_step(self, step: Any) -> tuple[None, None]:
        """Nothing is noted."""
        return None, None

    def last_triggered_step(self) -> None:
        """None."""


def saving_timer(
    hook: object, save_secs: float | None, save_steps: int | None
) -> SecondOrStepTimer:
    """The timer of a hook that saves; its errors name the hook's own arguments."""
    try:
        return SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)
    except (TypeError, ValueError) as error:
        raise type(error)(
            f"{error} {type(hook).__name__} takes one of save_secs and save_steps (got "
            f"save_secs={save_secs!r}, save_steps={save_steps!r})."
        ) from None
