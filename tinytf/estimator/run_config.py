"""Where and how an estimator runs: `RunConfig`, which reads TF_CONFIG.

Mirrors tensorflow_estimator/python/estimator/run_config.py.
"""

from __future__ import annotations

import copy
import json
import logging
import os
import tempfile
from collections.abc import Callable
from typing import Any

from tinytf.distributed.cluster.cluster_spec import ClusterSpec
from tinytf.estimator.model_fn import argument_names
from tinytf.protos.config_pb2 import ConfigProto
from tinytf.training.device_setter import STANDARD_PS_OPS, replica_device_setter

_logger = logging.getLogger("tinytf")
#: No value was given, not even None.
_USE_DEFAULT: Any = object()
_BOTH_SAVES = "`save_checkpoints_steps` and `save_checkpoints_secs` cannot be both set."


class TaskType:
    """The jobs of an estimator's cluster."""

    MASTER = "master"
    PS = "ps"
    WORKER = "worker"
    CHIEF = "chief"
    EVALUATOR = "evaluator"


def _is_device_fn(function: Any) -> bool:
    return callable(function) and argument_names(function) == ["op"]


_Check = tuple[Callable[[Any], bool], str]
_AT_LEAST_0: _Check = (lambda number: number >= 0, "should be >= 0")
_POSITIVE: _Check = (lambda number: number > 0, "should be > 0")
#: What must hold of a field that is set, and what is said if it does not.
_CHECKS: dict[str, _Check] = {
    **dict.fromkeys(("save_summary_steps", "keep_checkpoint_max"), _AT_LEAST_0),
    **dict.fromkeys(("save_checkpoints_steps", "save_checkpoints_secs"), _AT_LEAST_0),
    **dict.fromkeys(("keep_checkpoint_every_n_hours", "log_step_count_steps"), _POSITIVE),
    "session_creation_timeout_secs": _POSITIVE,
    "model_dir": (bool, "should be non-empty"),
    "session_config": (
        lambda config: type(config).__name__ == "ConfigProto",
        "must be instance of ConfigProto",
    ),
    "tf_random_seed": (lambda seed: isinstance(seed, int), "must be integer"),
    "device_fn": (_is_device_fn, 'must be callable with exactly one argument "op"'),
    "protocol": (lambda name: name in ("grpc", "grpc+verbs"), "should be grpc or grpc+verbs"),
    "experimental_max_worker_delay_secs": (lambda n: isinstance(n, int), "must be an integer"),
}
_DISTRIBUTES = ("train_distribute", "eval_distribute", "experimental_distribute")
_UNCHECKED = (*_DISTRIBUTES, "checkpoint_save_graph_def")
_SAVES = ("save_checkpoints_steps", "save_checkpoints_secs")


class RunConfig:
    """How an estimator runs (TensorFlow: `tf.estimator.RunConfig`).

    In a cluster each task finds its place in the environment variable TF_CONFIG:

        {"cluster": {"chief": ["host0:2222"], "worker": ["host1:2222"], "ps": ["host2:2222"]},
         "task": {"type": "worker", "index": 0}}

    A task of the type "evaluator" is not part of the cluster: it watches `model_dir`.

    Args:
      model_dir: where checkpoints and summaries go. tf_random_seed: the seed of each graph.
      save_summary_steps: how often to save summaries, in steps; 0: never.
      save_checkpoints_steps, save_checkpoints_secs: how often to save checkpoints, in steps or in
        seconds; without both every 600 seconds, with None never.
      session_config: a `tf.ConfigProto`.
      keep_checkpoint_max: so many of the latest checkpoints are kept; 0 or None: all.
      keep_checkpoint_every_n_hours: one in so many hours is kept besides.
      log_step_count_steps: how often to log the loss and the steps per second.
      device_fn: called with each operation, gives its device; by default variables go to the
        parameter servers in turn.
      protocol: of the servers, "grpc".
      experimental_max_worker_delay_secs: worker N waits 5 * (N + 1) seconds before it begins, but
        so many at most.
      session_creation_timeout_secs: how long a worker waits for the chief.
      checkpoint_save_graph_def: whether the graph is written beside checkpoints.

    Attributes:
      cluster_spec, task_type, task_id, master, evaluation_master, is_chief, num_ps_replicas,
      num_worker_replicas, global_id_in_cluster, service: from TF_CONFIG.

    Raises:
      ValueError: for values that cannot be, in TF_CONFIG, too. NotImplementedError: for a
      distribution strategy.

    Example:
      >>> config = tf.estimator.RunConfig(tf_random_seed=42, save_checkpoints_steps=500)
      >>> config.is_chief, config.num_worker_replicas, config.replace(tf_random_seed=7).master
      (True, 1, '')
    """

    def __init__(
        self,
        model_dir: str | os.PathLike[str] | None = None,
        tf_random_seed: int | None = None,
        save_summary_steps: int | None = 100,
        save_checkpoints_steps: int | None = _USE_DEFAULT,
        save_checkpoints_secs: float | None = _USE_DEFAULT,
        session_config: Any = None,
        keep_checkpoint_max: int | None = 5,
        keep_checkpoint_every_n_hours: float | None = 10000,
        log_step_count_steps: int | None = 100,
        train_distribute: Any = None,
        device_fn: Callable[[Any], str] | None = None,
        protocol: str | None = None,
        eval_distribute: Any = None,
        experimental_distribute: Any = None,
        experimental_max_worker_delay_secs: int | None = None,
        session_creation_timeout_secs: float = 7200,
        checkpoint_save_graph_def: bool = True,
    ):
        given = {name: value for name, value in locals().items() if name != "self"}
        steps, secs = save_checkpoints_steps, save_checkpoints_secs
        if _USE_DEFAULT not in (steps, secs) and None not in (steps, secs):
            raise ValueError(_BOTH_SAVES)
        if steps is _USE_DEFAULT:
            given["save_checkpoints_secs"] = 600 if secs is _USE_DEFAULT else secs
            given["save_checkpoints_steps"] = None
        elif secs is _USE_DEFAULT:
            given["save_checkpoints_secs"] = None
        text = os.environ.get("TF_CONFIG") or "{}"
        try:
            tf_config = json.loads(text)
            if tf_config:
                _logger.info("TF_CONFIG environment variable: %s", tf_config)
            given["model_dir"] = _model_dir(tf_config, model_dir)
            self._set(given)
            self._find_task(tf_config)
        except (ValueError, TypeError, AttributeError) as error:
            error.add_note(
                f"(The environment variable TF_CONFIG is {text!r}. It holds JSON, which json.dumps "
                'writes: {"cluster": {"chief": ["host:port"], ...}, "task": {"type": "chief", '
                '"index": 0}}.)'
            )
            raise
        if session_config is None and self._cluster_spec:
            self._session_config = session_config_of(self._task_type, self._task_id)

    def replace(self, **kwargs: Any) -> RunConfig:
        """A copy with other values for some fields; what comes from TF_CONFIG cannot be replaced.

        Setting one of `save_checkpoints_steps` and `save_checkpoints_secs` clears the other.

        Raises:
          ValueError: for a field that cannot be replaced, or a value that cannot be.
        """
        for name in kwargs:
            if name not in _CHECKS and name not in _UNCHECKED:
                raise ValueError(
                    f"Replacing {name} is not supported. Allowed properties are "
                    f"{sorted([*_CHECKS, *_UNCHECKED])}."
                )
        saves = {name: kwargs[name] for name in _SAVES if kwargs.get(name) is not None}
        if len(saves) == 2:
            raise ValueError(_BOTH_SAVES)
        made = copy.copy(self)
        made._set({**(dict.fromkeys(_SAVES) if saves else {}), **kwargs})
        return made

    def _set(self, fields: dict[str, Any]) -> None:
        for name, value in fields.items():
            if name in _DISTRIBUTES and value is not None:
                raise NotImplementedError(
                    f"{name}: there are no distribution strategies here. Tasks named by TF_CONFIG, "
                    f"with parameter servers, train on several machines; tf.device places "
                    f"operations on several cards."
                )
            is_valid, what = _CHECKS.get(name, (bool, ""))
            if what and value is not None and not is_valid(value):
                raise ValueError(f"{name} {what}. Given: {value!r}")
            vars(self)[f"_{name}"] = value

    def __getattr__(self, name: str) -> Any:
        if (value := vars(self).get(f"_{name}", _USE_DEFAULT)) is not _USE_DEFAULT:
            return value
        raise AttributeError(f"'RunConfig' object has no attribute {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_"):
            raise AttributeError(
                f"can't set attribute {name!r} of a RunConfig: config = "
                f"config.replace({name}={value!r}) makes a new one."
            )
        super().__setattr__(name, value)

    def _find_task(self, tf_config: dict[str, Any]) -> None:
        """Sets what TF_CONFIG says of this task."""
        task = tf_config.get("task", {})
        cluster = ClusterSpec(tf_config.get("cluster", {}))
        self._service = tf_config.get("service")
        if self._service is not None and not isinstance(self._service, dict):
            raise TypeError(
                f'If "service" is set in TF_CONFIG, it must be a dict. Given {type(self._service)}'
            )
        chief = TaskType.MASTER if TaskType.MASTER in cluster.jobs else TaskType.CHIEF
        found = _checked_task(cluster, task, chief) if cluster else _only_task(task)
        self._task_type, self._task_id = found
        is_evaluator = self._task_type == TaskType.EVALUATOR
        self._cluster_spec = ClusterSpec({}) if is_evaluator else cluster
        self._is_chief = not cluster or self._task_type == chief
        self._master = "" if is_evaluator else tf_config.get("session_master", "")
        self._evaluation_master = ""
        if is_evaluator or not cluster:
            self._evaluation_master = tf_config.get("eval_session_master", "")
        members = self._cluster_spec.as_dict()
        if members and "session_master" not in tf_config and sum(map(len, members.values())) > 1:
            self._master = "grpc://" + cluster.task_address(self._task_type, self._task_id)
        self._num_ps_replicas = len(members.get(TaskType.PS, ()))
        self._num_worker_replicas = sum(len(members.get(job, ())) for job in (chief, "worker"))
        self._global_id_in_cluster: int | None = None if is_evaluator else 0
        if members:
            others = sorted(set(members) - {chief, TaskType.PS})
            order = [chief, *others, TaskType.PS]
            before = order[: order.index(self._task_type)]
            self._global_id_in_cluster = self._task_id + sum(len(members[job]) for job in before)
        elif not is_evaluator:
            self._num_worker_replicas = 1


def _only_task(task: dict[str, Any]) -> tuple[str, int]:
    """Type and index of the task of a program that is alone."""
    kind, index = task.get("type", TaskType.WORKER), int(task.get("index", 0))
    for name, value, wanted in (("type", kind, TaskType.WORKER), ("index", index, 0)):
        if value != wanted:
            raise ValueError(
                f'If "cluster" is not set in TF_CONFIG, task {name} must be '
                f"{str(wanted).upper()}. Given: {value!r}"
            )
    return kind, index


def _checked_task(cluster: ClusterSpec, task: dict[str, Any], chief: str) -> tuple[str, int]:
    """Type and index of the task that this program is."""
    if chief not in cluster.jobs:
        raise ValueError(
            f'If "cluster" is set in TF_CONFIG, it must have one "{chief}" node. It has: '
            f"{', '.join(cluster.jobs)}. The chief trains as the workers do, and saves; it is a "
            f"job of its own, with one task."
        )
    if cluster.num_tasks(chief) > 1:
        raise ValueError(f'The "cluster" in TF_CONFIG must have only one "{chief}" node.')
    if chief == TaskType.MASTER and TaskType.CHIEF in cluster.jobs:
        raise ValueError("If `master` node exists in `cluster`, job `chief` is not supported.")
    kind, index = task.get("type"), task.get("index")
    if not kind:
        raise ValueError('If "cluster" is set in TF_CONFIG, task type must be set.')
    if index is None:
        raise ValueError('If "cluster" is set in TF_CONFIG, task index must be set.')
    number = int(index)
    if number < 0:
        raise ValueError("Task index must be non-negative number.")
    if kind == TaskType.EVALUATOR:
        if chief == TaskType.MASTER:
            raise ValueError(
                "If `master` node exists in `cluster`, task_type `evaluator` is not supported."
            )
        return kind, number
    note = "Note that these values may be coming from the TF_CONFIG environment variable."
    if kind not in cluster.jobs:
        raise ValueError(f"{kind} is not a valid task_type in the cluster_spec:\n{cluster}\n{note}")
    if number >= cluster.num_tasks(kind):
        raise ValueError(
            f"{number} is not a valid task_id for task_type {kind} in the cluster_spec:\n"
            f"{cluster}\n{note}"
        )
    return kind, number


def session_config_of(task_type: str = "", task_id: int = 0) -> Any:
    """The configuration of sessions that is used by default.

    A task of a cluster talks to the parameter servers and to itself only, so that it neither waits
    for other workers nor fails with them.
    """
    config = ConfigProto(allow_soft_placement=True)
    config.graph_options.rewrite_options.meta_optimizer_iterations = 1  # ONE
    seen = {
        TaskType.WORKER: ["/job:ps", f"/job:worker/task:{task_id}"],
        TaskType.PS: ["/job:ps", "/job:worker", "/job:chief", "/job:master"],
    }
    config.device_filters.extend(seen.get(task_type, ["/job:ps", f"/job:{task_type}"]))
    if not task_type:
        del config.device_filters[:]
    return config


def _model_dir(tf_config: dict[str, Any], given: Any) -> str | None:
    model_dir = given if given is None else os.fspath(given)
    in_tf_config = tf_config.get("model_dir")
    if model_dir == "":
        raise ValueError("model_dir should be non-empty.")
    if in_tf_config == "":
        raise ValueError("model_dir in TF_CONFIG should be non-empty.")
    if model_dir and in_tf_config and model_dir != in_tf_config:
        raise ValueError(
            f"`model_dir` provided in RunConfig construct, if set, must have the same value as the "
            f'model_dir in TF_CONFIG. model_dir: {model_dir}\nTF_CONFIG["model_dir"]: '
            f"{in_tf_config}.\n"
        )
    if in_tf_config:
        _logger.info("Using model_dir in TF_CONFIG: %s", in_tf_config)
    return model_dir or in_tf_config


def complete(config: Any, model_dir: Any) -> RunConfig:
    """A configuration with a folder, and with a configuration for sessions."""
    if config is None:
        config = RunConfig()
        _logger.info("Using default config.")
    if not isinstance(config, RunConfig):
        raise ValueError(f"config must be an instance of `RunConfig`, but provided {config}.")
    if config.session_config is None:
        config = config.replace(session_config=session_config_of())
    model_dir = None if model_dir is None else os.fspath(model_dir)
    if model_dir is not None and config.model_dir not in (None, model_dir):
        raise ValueError(
            f"`model_dir` are set both in constructor and `RunConfig`, but with different values. "
            f"In constructor: '{model_dir}', in `RunConfig`: '{config.model_dir}' "
        )
    if not model_dir and config.model_dir is None:
        model_dir = tempfile.mkdtemp()
        _logger.warning("Using temporary folder as model directory: %s", model_dir)
    return config.replace(model_dir=model_dir) if model_dir else config


def device_setter_of(config: RunConfig) -> Any:
    """Puts variables on the parameter servers, the rest on this task; None without servers."""
    if not config.num_ps_replicas:
        return None
    return replica_device_setter(
        ps_tasks=config.num_ps_replicas,
        worker_device=f"/job:{config.task_type}/task:{config.task_id}",
        merge_devices=True,
        ps_ops=list(STANDARD_PS_OPS),
        cluster=config.cluster_spec,
    )
