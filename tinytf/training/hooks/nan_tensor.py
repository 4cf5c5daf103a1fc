"""A hook that ends a training whose loss is no number any more."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

from tinytf.framework.stacks import get_default_graph
from tinytf.training.hooks.graph_elements import graph_element
from tinytf.training.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)


class NanLossDuringTrainingError(RuntimeError):
    """The loss is NaN (TensorFlow: `tf.train.NanLossDuringTrainingError`).

    Example:
      >>> str(tf.train.NanLossDuringTrainingError())
      'NaN loss during training.'
    """

    def __str__(self) -> str:
        return " ".join(["NaN loss during training.", *map(str, self.args)])


class NanTensorHook(SessionRunHook):
    """Ends the training when the loss is NaN (TensorFlow: `tf.train.NanTensorHook`).

    An infinite loss does not end it.

    Args:
      loss_tensor: the loss, a single number; or its name.
      fail_on_nan_loss: whether to raise; otherwise the training ends as if it were done, with a
        warning in the log.

    Raises:
      NanLossDuringTrainingError: after the run in which the loss is NaN. ValueError: when the
        session is made, if the loss has more than one number, or is of another graph.

    Example:
      >>> x = tf.placeholder(tf.float32, [])
      >>> loss = tf.log(x)
      >>> hooks = [tf.train.NanTensorHook(loss, fail_on_nan_loss=False)]
      >>> with tf.train.SingularMonitoredSession(hooks) as sess:
      ...     for value in [2.0, 1.0, -1.0, 1.0]:
      ...         if not sess.should_stop():
      ...             print(sess.run(loss, {x: value}))
      0.6931472
      0.0
      nan
    """

    def __init__(self, loss_tensor: Any, fail_on_nan_loss: bool = True):
        self._loss_tensor, self._fails = loss_tensor, fail_on_nan_loss

    def begin(self) -> None:
        self._loss = graph_element(self._loss_tensor, get_default_graph(), "NanTensorHook")
        shape = getattr(self._loss, "shape", None)
        if shape is not None and shape.is_fully_defined():
            self._check_single(shape.num_elements(), shape)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        return SessionRunArgs(self._loss)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        value = np.asarray(run_values.results)
        self._check_single(value.size, value.shape)
        if not np.isnan(value).any():
            return
        logger, message = logging.getLogger("tinytf"), "Model diverged with loss = NaN."
        if self._fails:
            logger.error(message)
            raise NanLossDuringTrainingError(
                f"{self._loss.name} is NaN. Often the learning rate is too high, or there is a "
                f"log(0) or 0/0; tf.add_check_numerics_ops() finds the operation that it comes "
                f"from first."
            )
        logger.warning(message)
        run_context.request_stop()

    def _check_single(self, numbers: int, shape: Any) -> None:
        if numbers != 1:
            raise ValueError(
                f"NanTensorHook watches a single number, and {self._loss.name} has the shape "
                f"{shape}. tf.reduce_mean(...) makes one number of it."
            )
