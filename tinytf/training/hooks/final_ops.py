"""A hook that evaluates something at the end."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from tinytf.framework.errors import OutOfRangeError
from tinytf.training.hooks.session_run_hook import SessionRunHook

if TYPE_CHECKING:
    from tinytf.session.session import BaseSession


class FinalOpsHook(SessionRunHook):
    """Runs something once, when the session ends (TensorFlow: `tf.train.FinalOpsHook`).

    Args:
      final_ops: what `sess.run` takes: a tensor, a list, a dict.
      final_ops_feed_dict: what is fed then.

    Raises:
      tf.errors.OutOfRangeError: at the end, if it takes a batch of an input that is used up; the
        log says so.

    Example:
      >>> total = tf.Variable(0, name="total")
      >>> add = tf.assign_add(total, 5)
      >>> final = tf.train.FinalOpsHook({"total": total})
      >>> with tf.train.SingularMonitoredSession(hooks=[final]) as sess:
      ...     numbers = [sess.run(add) for _ in range(3)]
      >>> int(final.final_ops_values["total"])
      15
    """

    def __init__(self, final_ops: Any, final_ops_feed_dict: dict[Any, Any] | None = None):
        self._final_ops, self._feeds = final_ops, final_ops_feed_dict
        self._values: Any = None

    @property
    def final_ops_values(self) -> Any:
        """The values, in the structure of `final_ops`; None before the session has ended."""
        return self._values

    def end(self, session: BaseSession) -> None:
        if self._final_ops is None:
            return
        try:
            self._values = session.run(self._final_ops, feed_dict=self._feeds)
        except (OutOfRangeError, StopIteration):
            logging.getLogger("tinytf").warning(
                "FinalOpsHook ran into the end of the input (OutOfRangeError or StopIteration): "
                "its final_ops depend on a queue, a reader or an iterator, which is used up by "
                "now. Let them depend on variables only: a metric's value, not its update."
            )
            raise
