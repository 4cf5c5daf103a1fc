"""How an estimator trains: the model, its hooks, and the loop.

Mirrors a part of tensorflow_estimator/python/estimator/estimator.py.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tinytf.estimator.input_results import parse
from tinytf.estimator.model_fn import ModeKeys
from tinytf.estimator.run_config import RunConfig
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.stacks import get_default_graph
from tinytf.ops.summary.summaries import scalar
from tinytf.training.global_step import get_global_step
from tinytf.training.hooks.checkpoint_saver import CheckpointSaverHook
from tinytf.training.hooks.global_step_hook import global_step_read
from tinytf.training.hooks.logging_tensor import LoggingTensorHook
from tinytf.training.hooks.nan_tensor import NanTensorHook
from tinytf.training.managed.training_session import MonitoredTrainingSession
from tinytf.training.saver import Saver

if TYPE_CHECKING:
    from tinytf.estimator.estimator import Estimator

_logger = logging.getLogger("tinytf")


def train_model(
    estimator: Estimator, input_fn: Callable[..., Any], hooks: list[Any], listeners: list[Any]
) -> Any:
    """Build the model in the default graph and train it; the last loss.

    Args:
      estimator: whose model it is. input_fn: gives features and labels.
      hooks: the user's. listeners: are told of checkpoints.
    """
    estimator._begin_graph()
    global_step_read()
    features, labels, input_hooks = parse(estimator._call_input_fn(input_fn, ModeKeys.TRAIN))
    spec = estimator._call_model_fn(features, labels, ModeKeys.TRAIN, estimator.config)
    estimator._warm_start_unless(estimator.latest_checkpoint())
    config, graph, step = estimator.config, get_default_graph(), get_global_step()
    if not any(each.op.name == "loss" for each in graph.get_collection(GraphKeys.SUMMARIES)):
        scalar("loss", spec.loss)
    graph.add_to_collection(GraphKeys.LOSSES, spec.loss)
    worker_hooks = [*input_hooks, *hooks, NanTensorHook(spec.loss)]
    if config.log_step_count_steps is not None:
        shown = {"loss": spec.loss, "step": step}
        worker_hooks.append(LoggingTensorHook(shown, every_n_iter=config.log_step_count_steps))
    worker_hooks.extend(spec.training_hooks)
    if not (spec.scaffold.saver or graph.get_collection(GraphKeys.SAVERS)):
        graph.add_to_collection(GraphKeys.SAVERS, _saver(config))
    chief_hooks = _checkpoint_hooks(estimator, spec, worker_hooks, listeners)
    with MonitoredTrainingSession(
        master=config.master,
        is_chief=config.is_chief,
        checkpoint_dir=estimator.model_dir,
        scaffold=spec.scaffold,
        hooks=worker_hooks,
        chief_only_hooks=[*chief_hooks, *spec.training_chief_hooks],
        save_checkpoint_secs=0,
        config=config.session_config,
        max_wait_secs=config.session_creation_timeout_secs,
        save_graph_def=config.checkpoint_save_graph_def,
        save_summaries_steps=config.save_summary_steps,
        log_step_count_steps=config.log_step_count_steps,
    ) as session:
        loss, steps = None, 0
        while not session.should_stop():
            _, loss = session.run([spec.train_op, spec.loss])
            steps += 1
    if not steps:
        _logger.warning(
            "Training with estimator made no steps. Perhaps input is empty or misspecified."
        )
    return loss


def _saver(config: RunConfig) -> Saver:
    return Saver(
        sharded=True,
        max_to_keep=config.keep_checkpoint_max,
        keep_checkpoint_every_n_hours=config.keep_checkpoint_every_n_hours,
        defer_build=True,
        save_relative_paths=True,
    )


def _checkpoint_hooks(
    estimator: Estimator, spec: Any, hooks: list[Any], listeners: list[Any]
) -> list[Any]:
    """What saves, if no hook of the user's does; with the listeners."""
    config, made = estimator.config, []
    savers = [
        hook
        for hook in (*hooks, *spec.training_chief_hooks)
        if isinstance(hook, CheckpointSaverHook)
    ]
    if not savers and (config.save_checkpoints_secs or config.save_checkpoints_steps):
        savers = made = [
            CheckpointSaverHook(
                estimator.model_dir,
                save_secs=config.save_checkpoints_secs,
                save_steps=config.save_checkpoints_steps,
                scaffold=spec.scaffold,
                save_graph_def=config.checkpoint_save_graph_def,
            )
        ]
    if listeners and not savers:
        raise ValueError(
            "There should be a CheckpointSaverHook to use saving_listeners. Please set one of "
            "the RunConfig.save_checkpoints_steps or RunConfig.save_checkpoints_secs."
        )
    if listeners:
        known = savers[0]._listeners
        known.extend(each for each in listeners if each not in known)
    return made
