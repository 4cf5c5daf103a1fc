"""Checkpoints as they appear. Mirrors a part of tensorflow/python/training/checkpoint_utils.py."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterator

from tinytf.training.checkpoint_state import latest_checkpoint
from tinytf.training.managed.looking_again import Clock, Looks

_logger = logging.getLogger("tinytf")
_clock = Clock()


def wait_for_new_checkpoint(
    checkpoint_dir: str,
    last_checkpoint: str | None = None,
    seconds_to_sleep: float = 1,
    timeout: float | None = None,
) -> str | None:
    """The latest checkpoint of a folder, once there is another one than the last.

    TensorFlow: `tf.contrib.training.wait_for_new_checkpoint`.

    Args:
      checkpoint_dir: the folder. last_checkpoint: the path of the last; None: any is new.
      seconds_to_sleep: from one look to the next. timeout: so many seconds at most.

    Returns:
      its path; None after the timeout.

    Example:
      >>> saver = tf.train.Saver([tf.Variable(0, name="v")])
      >>> sess.run(tf.global_variables_initializer())
      >>> path = saver.save(sess, "./folder/model", global_step=5)
      >>> tf.contrib.training.wait_for_new_checkpoint("./folder", timeout=0)
      './folder/model-5'
    """
    looks = Looks(_clock, seconds_to_sleep, math.inf if timeout is None else timeout)
    _logger.info("Waiting for new checkpoint at %s", checkpoint_dir)
    what = f"a new checkpoint in {checkpoint_dir}"
    while (path := latest_checkpoint(checkpoint_dir)) in (None, last_checkpoint):
        if not looks.again(what, lambda: f"Waiting for {what}: whoever trains writes it."):
            return None
    _logger.info("Found new checkpoint at %s", path)
    return path


def checkpoints_iterator(
    checkpoint_dir: str,
    min_interval_secs: float = 0,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Iterator[str]:
    """The checkpoints of a folder as they appear (TensorFlow: `tf.train.checkpoints_iterator`).

    Args:
      checkpoint_dir: the folder. min_interval_secs: from one to the next so many seconds at least.
      timeout: so many seconds it waits for the next one; None: for ever.
      timeout_fn: called after that; whether there will be no more. Without it there are none.

    Yields:
      paths; of several that came meanwhile only the latest.

    Example:
      >>> saver = tf.train.Saver([tf.Variable(0, name="v")])
      >>> sess.run(tf.global_variables_initializer())
      >>> path = saver.save(sess, "./folder/model", global_step=5)
      >>> list(tf.contrib.training.checkpoints_iterator("./folder", timeout=0))
      ['./folder/model-5']
    """
    path = None
    while True:
        found = wait_for_new_checkpoint(checkpoint_dir, path, timeout=timeout)
        if found is None:
            if timeout_fn is None or timeout_fn():
                _logger.info("Timed-out waiting for a checkpoint.")
                return
            continue
        path, began = found, _clock.now()
        yield path
        if (left := began + min_interval_secs - _clock.now()) > 0:
            _clock.pause(left, f"the next look for checkpoints in {checkpoint_dir}")
