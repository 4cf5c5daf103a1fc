"""A hook that feeds each run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tinytf.training.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
)


class FeedFnHook(SessionRunHook):
    """Feeds each run what a function returns (TensorFlow: `tf.train.FeedFnHook`).

    Args:
      feed_fn: a function without arguments that returns a feed_dict; called before each run.

    Raises:
      TypeError: if it is no function; before a run, if it does not return a dict.

    Example:
      >>> x = tf.placeholder(tf.float32, [])
      >>> ten_times = 10 * x
      >>> numbers = iter([1.0, 2.0, 3.0])
      >>> feed = tf.train.FeedFnHook(lambda: {x: next(numbers)})
      >>> with tf.train.SingularMonitoredSession(hooks=[feed]) as sess:
      ...     [float(sess.run(ten_times)) for _ in range(3)]
      [10.0, 20.0, 30.0]
    """

    def __init__(self, feed_fn: Callable[[], Mapping[Any, Any] | None]):
        if not callable(feed_fn):
            raise TypeError(
                f"feed_fn must be a function that returns a feed_dict, got {feed_fn!r}. For the "
                f"same values in each run: FeedFnHook(lambda: {{x: 1.0}})"
            )
        self.feed_fn = feed_fn

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        feeds = self.feed_fn()
        if feeds is not None and not isinstance(feeds, Mapping):
            raise TypeError(
                f"feed_fn must return a dict of tensors and their values, and {self.feed_fn!r} "
                f"returned {feeds!r}"
            )
        return SessionRunArgs(fetches=None, feed_dict=None if feeds is None else dict(feeds))
