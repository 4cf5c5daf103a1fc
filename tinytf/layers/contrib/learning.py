"""`tf.contrib.slim.learning`: training with a Supervisor. Mirrors contrib/slim's learning.py."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from tinytf.framework.errors import AbortedError, OutOfRangeError
from tinytf.framework.graph import Graph
from tinytf.framework.scope_functions import name_scope
from tinytf.framework.stacks import get_default_graph
from tinytf.layers.contrib import optimizers
from tinytf.layers.contrib.optimizers import (
    add_gradients_summaries,
    clip_gradient_norms,
    multiply_gradients,
)
from tinytf.ops.math.comparison import equal, greater_equal
from tinytf.ops.math.division import floormod
from tinytf.training.global_step import get_or_create_global_step
from tinytf.training.global_step import global_step as read_global_step
from tinytf.training.managed.looking_again import Clock
from tinytf.training.managed.supervisor import Supervisor
from tinytf.training.optimizer import Optimizer

__all__ = ["add_gradients_summaries", "clip_gradient_norms", "create_train_op"]
__all__ += ["multiply_gradients", "train", "train_step"]

_logger = logging.getLogger("tinytf")


def create_train_op(
    total_loss: Any,
    optimizer: Optimizer,
    *args: Any,
    clip_gradient_norm: float = 0,
    gradient_multipliers: Any = None,
    **kwargs: Any,
) -> Any:
    """A training step whose value is the loss (TensorFlow: `slim.learning.create_train_op`).

    Args:
      clip_gradient_norm: the greatest norm of each gradient; 0 for none.
      gradient_multipliers: variable, or its name -> factor of its gradient.
      total_loss, optimizer, args, kwargs: as of `tf.contrib.training.create_train_op`.

    Example:
      >>> slim = tf.contrib.slim
      >>> w = tf.get_variable("w", initializer=4.0)
      >>> sgd = tf.train.GradientDescentOptimizer(0.25)
      >>> train_op = slim.learning.create_train_op(w * w, sgd, clip_gradient_norm=4.0)
    """

    def transform(pairs: Any) -> Any:
        if gradient_multipliers:
            with name_scope("multiply_grads"):
                pairs = multiply_gradients(pairs, gradient_multipliers)
        if clip_gradient_norm > 0:
            with name_scope("clip_grads"):
                pairs = clip_gradient_norms(pairs, clip_gradient_norm)
        return pairs

    how = {"transform_grads_fn": transform, **kwargs}
    return optimizers.create_train_op(total_loss, optimizer, *args, **how)


def train_step(sess: Any, train_op: Any, global_step: Any, train_step_kwargs: Any) -> Any:
    """One step of `train` (TensorFlow: `slim.learning.train_step`).

    Args:
      sess: a session. train_op: what is run. global_step: a variable.
      train_step_kwargs: "should_stop" and "should_log", tensors that say whether.

    Returns:
      the loss, and whether to stop.

    Example:
      >>> w, step = tf.get_variable("w", initializer=4.0), tf.train.create_global_step()
      >>> sgd = tf.train.GradientDescentOptimizer(0.25)
      >>> train_op = tf.contrib.slim.learning.create_train_op(w * w, sgd)
      >>> sess.run(tf.global_variables_initializer())
      >>> stops = {"should_stop": tf.greater_equal(step, 1)}
      >>> loss, is_over = tf.contrib.slim.learning.train_step(sess, train_op, step, stops)
      >>> float(loss), bool(is_over)
      (16.0, True)
    """
    began = time.monotonic()
    loss, step = sess.run([train_op, global_step])
    seconds = time.monotonic() - began
    if "should_log" in train_step_kwargs and sess.run(train_step_kwargs["should_log"]):
        _logger.info("global step %d: loss = %.4f (%.3f sec/step)", step, loss, seconds)
    stops = train_step_kwargs.get("should_stop")
    return loss, False if stops is None else sess.run(stops)


def train(
    train_op: Any,
    logdir: str | None,
    train_step_fn: Callable[..., Any] = train_step,
    train_step_kwargs: Any = None,
    log_every_n_steps: int = 1,
    graph: Graph | None = None,
    master: str = "",
    is_chief: bool = True,
    global_step: Any = None,
    number_of_steps: int | None = None,
    startup_delay_steps: int = 0,
    save_interval_secs: float = 600,
    sync_optimizer: Any = None,
    session_config: Any = None,
    session_wrapper: Callable[[Any], Any] | None = None,
    **supervised: Any,
) -> Any:
    """Train with a Supervisor until steps or input are over (TensorFlow: `slim.learning.train`).

    Args:
      train_op: its value is the loss, as of `create_train_op`.
      logdir: the folder for checkpoints and summaries; None: nothing is saved.
      train_step_fn, train_step_kwargs: one step, as `train_step`, and its last argument.
      log_every_n_steps: how often the loss is logged. number_of_steps: in all; None: for ever.
      graph, global_step: by default the default graph, and its own.
      master, session_config: as of `tf.Session`. is_chief: whether this program saves.
      startup_delay_steps: a worker waits for that step.
      save_interval_secs: how often to save.
      sync_optimizer: a `tf.train.SyncReplicasOptimizer`.
      session_wrapper: a function of the session that gives another one.
      supervised: saver, summary_op, save_summaries_secs, init_op, init_fn, local_init_op and others
        of `tf.train.Supervisor`.

    Returns:
      the last loss.

    Raises:
      ValueError: without a train_op, or for numbers that cannot be.

    Example:
      >>> slim = tf.contrib.slim
      >>> w = tf.get_variable("w", initializer=4.0)
      >>> train_op = slim.learning.create_train_op(w * w, tf.train.GradientDescentOptimizer(0.25))
      >>> float(slim.learning.train(train_op, "./model", number_of_steps=3))
      1.0
    """
    if train_op is None:
        raise ValueError("train_op cannot be None.")
    if number_of_steps is not None and number_of_steps <= 0:
        raise ValueError("`number_of_steps` must be either None or a positive number.")
    if sync_optimizer is not None and startup_delay_steps > 0:
        raise ValueError("startup_delay_steps must be zero when sync_optimizer is supplied.")
    with (graph or get_default_graph()).as_default():
        step = get_or_create_global_step() if global_step is None else global_step
        begin = None if sync_optimizer is None else sync_optimizer.make_session_run_hook(is_chief)
        if begin is not None:
            begin.begin()
        if train_step_kwargs is None:
            train_step_kwargs = _looks_at(step, number_of_steps, log_every_n_steps)
        how = {"save_summaries_secs": 600, "global_step": step, **supervised}
        supervisor = Supervisor(
            is_chief=is_chief, logdir=logdir, save_model_secs=save_interval_secs, **how
        )
    while True:
        try:
            with supervisor.managed_session(master, session_config) as sess:
                sess = session_wrapper(sess) if session_wrapper else sess
                while not is_chief and read_global_step(sess, step) < startup_delay_steps:
                    Clock().pause(1.0, f"global step {startup_delay_steps}")
                if begin is not None:
                    begin.after_create_session(sess, supervisor.coord)
                one_step = partial(train_step_fn, sess, train_op, step, train_step_kwargs)
                loss = _loop(one_step, supervisor)
                if is_chief and logdir:
                    supervisor.stop()  # a thread that still saves would come last
                    _logger.info("Finished training! Saving model to disk.")
                    supervisor.saver.save(sess, supervisor.save_path, global_step=step)
            return loss
        except AbortedError:  # a server of the cluster began anew
            _logger.info("Retrying training!")


def _loop(one_step: Callable[[], Any], supervisor: Supervisor) -> Any:
    """Steps until one of them or the supervisor says stop, or the input is over: the last loss."""
    loss, stops = None, False
    try:
        while not (stops or supervisor.should_stop()):
            loss, stops = one_step()
    except OutOfRangeError as end:
        _logger.info("Caught OutOfRangeError. Stopping Training. %s", end)
    return loss


def _looks_at(step: Any, number_of_steps: int | None, log_every_n_steps: int) -> dict[str, Any]:
    """What `train_step` asks after each step."""
    with name_scope("train_step"):
        found = {"should_stop": greater_equal(step, number_of_steps or step.dtype.max)}
        if log_every_n_steps > 0:
            found["should_log"] = equal(floormod(step, log_every_n_steps), 0)
        return found
