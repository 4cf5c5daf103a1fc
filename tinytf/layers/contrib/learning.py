"""`tf.contrib.slim.learning`: training with a Supervisor. Mirrors contrib/slim's learning.py."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any

from tinytf.framework.errors import AbortedError, OutOfRangeError
from tinytf.framework.graph import Graph
from tinytf.framework.scope_functions import control_dependencies, name_scope
from tinytf.framework.stacks import get_default_graph
from tinytf.layers.contrib import optimizers
from tinytf.layers.contrib.optimizers import (
    add_gradients_summaries,
    clip_gradient_norms,
    multiply_gradients,
)
from tinytf.ops.control_flow.grouping import group
from tinytf.ops.lookup.initializers import tables_initializer
from tinytf.ops.math.comparison import equal, greater_equal
from tinytf.ops.math.division import floormod
from tinytf.ops.variables.variable import local_variables_initializer
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
    global_step: Any = optimizers._OF_THE_GRAPH,
    update_ops: Any = None,
    variables_to_train: Any = None,
    clip_gradient_norm: float = 0,
    summarize_gradients: bool = False,
    gate_gradients: int = Optimizer.GATE_OP,
    aggregation_method: Any = None,
    colocate_gradients_with_ops: bool = False,
    gradient_multipliers: Any = None,
    check_numerics: bool = True,
) -> Any:
    """A training step whose value is the loss (TensorFlow: `slim.learning.create_train_op`).

    Args:
      clip_gradient_norm: the greatest norm of each gradient; 0 for none.
      gradient_multipliers: variable, or its name -> factor of its gradient.
      others: as of `tf.contrib.training.create_train_op`.

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

    return optimizers.create_train_op(
        total_loss,
        optimizer,
        global_step,
        update_ops,
        variables_to_train,
        transform,
        summarize_gradients,
        gate_gradients,
        aggregation_method,
        colocate_gradients_with_ops,
        check_numerics,
    )


def train_step(sess: Any, train_op: Any, global_step: Any, train_step_kwargs: Any) -> Any:
    """One step of `train` (TensorFlow: `slim.learning.train_step`).

    Args:
      sess: a session. train_op: what is run. global_step: a variable.
      train_step_kwargs: "should_stop" and "should_log", tensors that say whether.

    Returns:
      the loss, and whether to stop.
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
    save_summaries_secs: float = 600,
    sync_optimizer: Any = None,
    session_config: Any = None,
    session_wrapper: Callable[[Any], Any] | None = None,
    ignore_live_threads: bool = False,
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
      save_interval_secs, save_summaries_secs: how often to save.
      sync_optimizer: a `tf.train.SyncReplicasOptimizer`.
      session_wrapper: a function of the session that gives another one.
      ignore_live_threads: whether threads may outlive the training.
      supervised: saver, summary_op, init_op, init_fn, local_init_op and others of
        `tf.train.Supervisor`.

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
    starting: tuple[Any, Any] | None = None
    graph = graph or get_default_graph()
    with graph.as_default():
        step = get_or_create_global_step() if global_step is None else global_step
        if sync_optimizer is not None:
            supervised |= _synchronous(sync_optimizer, is_chief)
            starting = sync_optimizer.get_init_tokens_op(), sync_optimizer.get_chief_queue_runner()
        how = train_step_kwargs
        if how is None:
            with name_scope("train_step"):
                how = {"should_stop": greater_equal(step, number_of_steps or step.dtype.max)}
                if log_every_n_steps > 0:
                    how["should_log"] = equal(floormod(step, log_every_n_steps), 0)
    supervisor = Supervisor(
        graph,
        is_chief=is_chief,
        logdir=logdir,
        global_step=step,
        save_model_secs=save_interval_secs,
        save_summaries_secs=save_summaries_secs,
        **supervised,
    )
    loss = None
    while True:
        try:
            with supervisor.managed_session(master, session_config, False) as sess:
                sess = session_wrapper(sess) if session_wrapper else sess
                if is_chief and logdir:
                    supervisor.start_standard_services(sess)
                while not is_chief and read_global_step(sess, step) < startup_delay_steps:
                    Clock().pause(1.0, f"global step {startup_delay_steps}")
                threads = supervisor.start_queue_runners(sess)
                if is_chief and starting:
                    supervisor.start_queue_runners(sess, [starting[1]])
                    sess.run(starting[0])
                try:
                    stops = False
                    while not (stops or supervisor.should_stop()):
                        loss, stops = train_step_fn(sess, train_op, step, how)
                except OutOfRangeError as end:
                    _logger.info("Caught OutOfRangeError. Stopping Training. %s", end)
                supervisor.request_stop()
                if is_chief and logdir:
                    _logger.info("Finished training! Saving model to disk.")
                    supervisor.saver.save(sess, supervisor.save_path, global_step=step)
                    supervisor.stop(threads, ignore_live_threads=ignore_live_threads)
            return loss
        except AbortedError:  # a server of the cluster began anew
            _logger.info("Retrying training!")


def _synchronous(optimizer: Any, is_chief: bool) -> dict[str, Any]:
    """What a Supervisor runs for a `SyncReplicasOptimizer` before it is ready."""
    local = group(local_variables_initializer(), tables_initializer())
    with control_dependencies([local]):
        own = optimizer.chief_init_op if is_chief else optimizer.local_step_init_op
        local_init_op = group(own)
    return {
        "local_init_op": local_init_op,
        "ready_for_local_init_op": optimizer.ready_for_local_init_op,
    }
