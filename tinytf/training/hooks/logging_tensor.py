"""A hook that logs values."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tinytf.framework.stacks import get_default_graph
from tinytf.training.hooks.global_step_hook import OneSessionHook
from tinytf.training.hooks.graph_elements import graph_element
from tinytf.training.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunValues,
)
from tinytf.training.hooks.timer import NeverTriggerTimer, SecondOrStepTimer

if TYPE_CHECKING:
    from tinytf.session.session import BaseSession


class LoggingTensorHook(OneSessionHook):
    """Logs tensors now and then (TensorFlow: `tf.train.LoggingTensorHook`).

    They are logged at level INFO, which is shown after
    `tf.logging.set_verbosity(tf.logging.INFO)`.

    Args:
      tensors: a list of tensors or of their names, or a dict of what to call them in the log.
      every_n_iter: after the first and then each so many-th run of this session, whatever the
        global step is. every_n_secs: or when so many seconds are over.
      at_end: also at the end, in a run of its own; it must not need a batch of input then.
      formatter: a function that gets the dict of values and returns the line; by default
        "loss = 1.5, step = 100 (0.345 sec)".

    Raises:
      ValueError: unless one of `every_n_iter` and `every_n_secs` is given, or `at_end` alone; when
        the session is made, for a tensor of another graph. KeyError: then, for an unknown name.
        TypeError: if `tensors` is a single one.

    Example:
      >>> step = tf.train.get_or_create_global_step()
      >>> train_op, loss = tf.assign_add(step, 1), tf.constant(1.5, name="loss")
      >>> log = tf.train.LoggingTensorHook({"loss": loss, "step": step}, every_n_iter=10)
      >>> with tf.train.SingularMonitoredSession(hooks=[log]) as sess:
      ...     for _ in range(20):  # logs "loss = 1.5, step = 10 (0.005 sec)" and the like
      ...         number = sess.run(train_op)
    """

    def __init__(
        self,
        tensors: Mapping[str, Any] | Iterable[Any],
        every_n_iter: int | None = None,
        every_n_secs: float | None = None,
        at_end: bool = False,
        formatter: Callable[[dict[Any, Any]], str] | None = None,
    ):
        only_at_end = at_end and every_n_iter is None and every_n_secs is None
        if not only_at_end and (every_n_iter is None) == (every_n_secs is None):
            raise ValueError(
                "either at_end and/or exactly one of every_n_iter and every_n_secs must be "
                f"provided. Got every_n_iter={every_n_iter!r}, every_n_secs={every_n_secs!r}, "
                f"at_end={at_end!r}."
            )
        if every_n_iter is not None and every_n_iter <= 0:
            raise ValueError(f"invalid every_n_iter={every_n_iter}.")
        if isinstance(tensors, str) or hasattr(tensors, "op"):
            raise TypeError(
                f"LoggingTensorHook takes a list or a dict of tensors, got {tensors!r}. Write a "
                f"list with this one in it."
            )
        if isinstance(tensors, Mapping):
            self._tensors, self._tags = dict(tensors), sorted(tensors)
        else:
            self._tags = list(tensors)
            self._tensors = {each: each for each in self._tags}
        self._formatter, self._logs_at_end = formatter, at_end
        self._timer: SecondOrStepTimer | NeverTriggerTimer = NeverTriggerTimer()
        if not only_at_end:
            self._timer = SecondOrStepTimer(every_secs=every_n_secs, every_steps=every_n_iter)

    def begin(self) -> None:
        super().begin()
        self._timer.reset()
        self._runs, graph = 0, get_default_graph()
        self._fetches = {
            tag: graph_element(each, graph, "LoggingTensorHook")
            for tag, each in self._tensors.items()
        }

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        self._is_time = self._timer.should_trigger_for_step(self._runs)
        return SessionRunArgs(self._fetches) if self._is_time else None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        if self._is_time:
            self._log(run_values.results)
        self._runs += 1

    def end(self, session: BaseSession) -> None:
        if self._logs_at_end:
            self._log(session.run(self._fetches))

    def _log(self, values: dict[Any, Any]) -> None:
        seconds, _ = self._timer.update_last_triggered_step(self._runs)
        with np.printoptions(suppress=True):
            if self._formatter is not None:
                line = self._formatter(values)
            else:
                line = ", ".join(f"{tag!s} = {values[tag]!s}" for tag in self._tags)
                line += "" if seconds is None else f" ({seconds:.3f} sec)"
            logging.getLogger("tinytf").info("%s", line)
