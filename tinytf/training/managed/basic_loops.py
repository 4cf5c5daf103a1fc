"""`tf.train.basic_train_loop`: a supervisor's training loop, begun anew when a server restarts.

Mirrors tensorflow/python/training/basic_loops.py.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tinytf.framework.errors import AbortedError
from tinytf.training.managed.supervisor import Supervisor


def basic_train_loop(
    supervisor: Supervisor,
    train_step_fn: Callable[..., object],
    args: Sequence[Any] | None = None,
    kwargs: Mapping[str, Any] | None = None,
    master: str = "",
) -> None:
    """Train until the supervisor stops (TensorFlow: `tf.train.basic_train_loop`).

    After an AbortedError, by which a server tells that another one has been restarted, a new
    session is opened and the model restored, and training goes on.

    Args:
      supervisor: opens the session.
      train_step_fn: called again and again as `train_step_fn(sess, *args, **kwargs)`; it does one
        step, and calls `supervisor.request_stop()` when there have been enough.
      args, kwargs: its other arguments.
      master: the session's target.

    Raises:
      what the steps raise, except AbortedError and what means that the input has ended.

    Example:
      >>> step = tf.train.get_or_create_global_step()
      >>> next_step = step.assign_add(1)
      >>> supervisor = tf.train.Supervisor()
      >>> def train(sess):
      ...     if sess.run(next_step) == 3:
      ...         supervisor.request_stop()
      >>> tf.train.basic_train_loop(supervisor, train)
    """
    while True:
        try:
            with supervisor.managed_session(master) as sess:
                while not supervisor.should_stop():
                    train_step_fn(sess, *(args or ()), **(kwargs or {}))
            return
        except AbortedError as error:
            logging.getLogger("tinytf").info("Training begins anew after: %s", error.message)
