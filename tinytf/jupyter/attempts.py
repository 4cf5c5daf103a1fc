"""A run that may fail or wait for ever, for lessons: how it ended, in one word."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework.errors import OpError
from tinytf.protos.config_pb2 import RunOptions


def attempt(session: Any, fetches: Any, feed_dict: Any = None, seconds: float = 1.0) -> Any:
    """Run a step, and give it up after some seconds.

    Args:
      session: a `tf.Session`. fetches, feed_dict: as for its `run`.
      seconds: how long the step may wait.

    Returns:
      what it gives, arrays as lists; or the name of its error: "DeadlineExceededError" for a step
      that was given up.

    Raises:
      TypeError, ValueError: for what cannot be run at all, as `run` does.

    Example:
      >>> with tf.Session() as sess:
      ...     attempt(sess, tf.FIFOQueue(3, tf.int32, shapes=[[]]).dequeue(), seconds=0.1)
      'DeadlineExceededError'
    """
    options = RunOptions(timeout_in_ms=round(seconds * 1000))
    try:
        value = session.run(fetches, feed_dict, options=options)
    except OpError as error:
        return type(error).__name__
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value
