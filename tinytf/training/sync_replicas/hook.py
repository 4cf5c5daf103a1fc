"""The hook of synchronous training: initialises a replica, starts the chief's queue runner."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tinytf.training.hooks.session_run_hook import SessionRunHook
from tinytf.training.managed import readiness

if TYPE_CHECKING:
    from tinytf.session.session import BaseSession
    from tinytf.training.sync_replicas.optimizer import SyncReplicasOptimizer


class SyncReplicasHook(SessionRunHook):
    """What `SyncReplicasOptimizer.make_session_run_hook` returns.

    Args:
      sync_optimizer: whose replica it is. is_chief: whether it is the chief's.
      num_tokens: how many tokens the chief puts in at the beginning.

    Raises:
      ValueError: in `begin`, before the optimizer's `apply_gradients`. RuntimeError: when the
        session is made, if a variable has no value.
    """

    def __init__(self, sync_optimizer: SyncReplicasOptimizer, is_chief: bool, num_tokens: int):
        self._sync_optimizer = sync_optimizer
        self._is_chief = is_chief
        self._num_tokens = num_tokens
        self._local_init_op: Any = None
        self._init_tokens_op: Any = None
        self._q_runner: Any = None

    def begin(self) -> None:
        optimizer = self._sync_optimizer
        if not optimizer._gradients_applied:
            raise ValueError(
                "SyncReplicasOptimizer.apply_gradient should be called before using the hook: "
                "minimize() or apply_gradients(), when the graph is built."
            )
        if self._is_chief:
            self._local_init_op = optimizer.chief_init_op
            self._q_runner = optimizer.get_chief_queue_runner()
            self._init_tokens_op = optimizer.get_init_tokens_op(self._num_tokens)
        else:
            self._local_init_op = optimizer.local_step_init_op

    def after_create_session(self, session: BaseSession, coord: Any) -> None:
        try:
            readiness.check(session, self._sync_optimizer.ready_for_local_init_op)
        except readiness.NotReady as lack:
            raise RuntimeError(
                f"Init operations did not make model ready for SyncReplicasOptimizer local_init. "
                f"Init op: {self._local_init_op.name}, error: {lack}"
                f"{readiness.advice(session.graph, lack, None)}"
            ) from None
        session.run(self._local_init_op)
        if self._init_tokens_op is not None:
            session.run(self._init_tokens_op)
        if self._q_runner is not None:
            self._q_runner.create_threads(session, coord=coord, daemon=True, start=True)
