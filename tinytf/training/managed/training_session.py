"""`tf.train.MonitoredTrainingSession`: a monitored session as training usually wants it.

Mirrors a part of tensorflow/python/training/monitored_session.py.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from tinytf.training.hooks.checkpoint_saver import CheckpointSaverHook
from tinytf.training.hooks.session_run_hook import SessionRunHook
from tinytf.training.hooks.step_counter import StepCounterHook
from tinytf.training.hooks.summary_saver import SummarySaverHook
from tinytf.training.managed.monitored_session import MonitoredSession, checked_hooks
from tinytf.training.managed.scaffold import Scaffold
from tinytf.training.managed.session_creators import (
    ChiefSessionCreator,
    SessionCreator,
    WorkerSessionCreator,
)

#: No value was given, not even None.
USE_DEFAULT: Any = object()


def MonitoredTrainingSession(
    master: str = "",
    is_chief: bool = True,
    checkpoint_dir: str | os.PathLike[str] | None = None,
    scaffold: Scaffold | None = None,
    hooks: Iterable[SessionRunHook] | None = None,
    chief_only_hooks: Iterable[SessionRunHook] | None = None,
    save_checkpoint_secs: float | None = USE_DEFAULT,
    save_summaries_steps: int | None = USE_DEFAULT,
    save_summaries_secs: float | None = USE_DEFAULT,
    config: Any = None,
    stop_grace_period_secs: float = 120,
    log_step_count_steps: int | None = 100,
    max_wait_secs: float = 7200,
    save_checkpoint_steps: int | None = USE_DEFAULT,
    summary_dir: str | os.PathLike[str] | None = None,
    save_graph_def: bool = True,
) -> MonitoredSession:
    """A session for training: it saves, restores, recovers, and waits for the chief.

    The chief restores the latest checkpoint of `checkpoint_dir`, or initialises the model, and gets
    hooks that save; every other worker waits until the model is ready. All need the same graph.
    TensorFlow: `tf.train.MonitoredTrainingSession`.

    Args:
      master: the session's target, `server.target` in a cluster.
      is_chief: whether it is the chief; one worker is, by custom task 0.
      checkpoint_dir: where checkpoints are; None: nothing is saved.
      scaffold: the operations around the model; by default a `tf.train.Scaffold()`.
      hooks: for every worker. chief_only_hooks: for the chief alone, called before the others.
      save_checkpoint_secs: how often to save, in seconds. save_checkpoint_steps: or in steps.
        Without both every 600 seconds; 0 or None: never.
      save_summaries_steps, save_summaries_secs: how often to save summaries, likewise; without
        both every 100 steps.
      config: of the session.
      stop_grace_period_secs: how long threads may take to end.
      log_step_count_steps: how often to tell the steps per second; 0 or None: never.
      max_wait_secs: how long to wait for the chief.
      summary_dir: where summaries are; by default in `checkpoint_dir`.
      save_graph_def: whether the graph is written, too.

    Returns:
      a `tf.train.MonitoredSession`.

    Raises:
      tf.errors.DeadlineExceededError: if the chief has not made the model ready in time.
      What the hooks raise: they need a global step, for example.

    Example:
      >>> w = tf.get_variable("w", initializer=5.0)
      >>> step = tf.train.get_or_create_global_step()
      >>> train_op = tf.train.GradientDescentOptimizer(0.1).minimize(w * w, global_step=step)
      >>> for _ in range(2):  # the second session goes on where the first has ended
      ...     with tf.train.MonitoredTrainingSession(checkpoint_dir="./training") as sess:
      ...         print(sess.run(step))
      ...         for _ in range(10):
      ...             sess.run(train_op)
      0
      10
    """
    scaffold = Scaffold() if scaffold is None else scaffold
    creator: SessionCreator
    if is_chief:
        creator = ChiefSessionCreator(scaffold, master, config, checkpoint_dir)
        saves = _Saves(checkpoint_dir, summary_dir or checkpoint_dir, scaffold)
        all_hooks = [
            *checked_hooks(chief_only_hooks, "chief_only_hooks"),
            *saves.step_counter(log_step_count_steps),
            *saves.summary_saver(save_summaries_steps, save_summaries_secs),
            *saves.checkpoint_saver(save_checkpoint_steps, save_checkpoint_secs, save_graph_def),
            *checked_hooks(hooks),
        ]
    else:
        creator = WorkerSessionCreator(scaffold, master, config, max_wait_secs)
        all_hooks = checked_hooks(hooks)
    return MonitoredSession(creator, all_hooks, stop_grace_period_secs)


class _Saves:
    """The hooks that a chief gets without asking for them.

    Args:
      checkpoint_dir, summary_dir: where they write; None: there is no such hook.
      scaffold: has the saver, and the summaries.
    """

    def __init__(self, checkpoint_dir: Any, summary_dir: Any, scaffold: Scaffold) -> None:
        self._checkpoint_dir, self._summary_dir = checkpoint_dir, summary_dir
        self._scaffold = scaffold

    def step_counter(self, steps: int | None) -> list[SessionRunHook]:
        """Tells the steps per second."""
        if not self._summary_dir or not _is_positive(steps):
            return []
        return [StepCounterHook(output_dir=self._summary_dir, every_n_steps=steps)]

    def summary_saver(self, steps: Any, secs: Any) -> list[SessionRunHook]:
        """Saves summaries, by default every 100 steps."""
        steps, secs = _or_default(steps, secs, (100, None))
        if not self._summary_dir or not (_is_positive(steps) or _is_positive(secs)):
            return []
        return [
            SummarySaverHook(
                scaffold=self._scaffold,
                save_steps=steps,
                save_secs=secs,
                output_dir=self._summary_dir,
            )
        ]

    def checkpoint_saver(self, steps: Any, secs: Any, saves_graph: bool) -> list[SessionRunHook]:
        """Saves checkpoints, by default every 600 seconds."""
        steps, secs = _or_default(steps, secs, (None, 600))
        if not self._checkpoint_dir or not (_is_positive(steps) or _is_positive(secs)):
            return []
        return [
            CheckpointSaverHook(
                self._checkpoint_dir,
                save_steps=steps,
                save_secs=secs,
                scaffold=self._scaffold,
                save_graph_def=saves_graph,
            )
        ]


def _is_positive(number: float | None) -> bool:
    return bool(number) and number is not None and number > 0


def _or_default(steps: Any, secs: Any, default: tuple[Any, Any]) -> tuple[Any, Any]:
    """Steps and seconds as given; both by default, if neither was given."""
    if steps is USE_DEFAULT and secs is USE_DEFAULT:
        return default
    return None if steps is USE_DEFAULT else steps, None if secs is USE_DEFAULT else secs
