"""`tf.contrib.learn.RunConfig`. Mirrors contrib/learn's estimators/run_config.py."""

from __future__ import annotations

from typing import Any

from tinytf.estimator import run_config as core
from tinytf.protos.config_pb2 import ConfigProto


class RunConfig(core.RunConfig):
    """How an estimator runs (TensorFlow: `tf.contrib.learn.RunConfig`).

    Args:
      master, evaluation_master: where sessions are; by default as TF_CONFIG says.
      num_cores, log_device_placement, gpu_memory_fraction: of sessions without `session_config`;
        0 cores for all.
      others: as of `tf.estimator.RunConfig`.

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
        save_summary_steps: int = 100,
        save_checkpoints_secs: float | None = 600,
        save_checkpoints_steps: int | None = None,
        keep_checkpoint_max: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000,
        log_step_count_steps: int = 100,
        protocol: str | None = None,
        evaluation_master: str = "",
        model_dir: str | None = None,
        session_config: Any = None,
    ):
        super().__init__(
            model_dir,
            tf_random_seed,
            save_summary_steps,
            save_checkpoints_steps,
            None if save_checkpoints_steps is not None else save_checkpoints_secs,
            session_config,
            keep_checkpoint_max,
            keep_checkpoint_every_n_hours,
            log_step_count_steps,
            protocol=protocol,
        )
        config = self._session_config or ConfigProto(allow_soft_placement=True)
        if session_config is None:
            config.log_device_placement = log_device_placement
            config.intra_op_parallelism_threads = num_cores
            config.inter_op_parallelism_threads = num_cores
            config.gpu_options.per_process_gpu_memory_fraction = gpu_memory_fraction
        self._session_config = config
        self._master = self._master if master is None else master
        self._evaluation_master = evaluation_master or self._evaluation_master
