"""`tf.contrib.learn.RunConfig`. Mirrors contrib/learn's estimators/run_config.py."""

from __future__ import annotations

from typing import Any

from tinytf.estimator import run_config as core


class RunConfig(core.RunConfig):
    """How an estimator runs (TensorFlow: `tf.contrib.learn.RunConfig`).

    Args:
      master, evaluation_master: where sessions are; by default as TF_CONFIG says.
      num_cores, log_device_placement, gpu_memory_fraction: of sessions without `session_config`;
        0 cores for all.
      tf_random_seed, others: as of `tf.estimator.RunConfig`.

    Example:
      >>> tf.contrib.learn.RunConfig(tf_random_seed=42, save_checkpoints_secs=1).tf_random_seed
      42
    """

    def __init__(
        self,
        master: str | None = None,
        num_cores: int = 0,
        log_device_placement: bool = False,
        gpu_memory_fraction: float = 1.0,
        tf_random_seed: int | None = None,
        evaluation_master: str = "",
        **others: Any,
    ):
        super().__init__(tf_random_seed=tf_random_seed, **others)
        if others.get("session_config") is None:
            config = self._session_config or core.session_config_of()
            config.log_device_placement = log_device_placement
            config.intra_op_parallelism_threads = num_cores
            config.inter_op_parallelism_threads = num_cores
            config.gpu_options.per_process_gpu_memory_fraction = gpu_memory_fraction
            self._session_config = config
        self._master = self._master if master is None else master
        self._evaluation_master = evaluation_master or self._evaluation_master
