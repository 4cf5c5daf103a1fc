"""Synchronous training: all replicas' gradients make one step.

optimizer       `tf.train.SyncReplicasOptimizer`: accumulators, tokens, the chief's queue runner
chief           the queue runner that makes the steps
hook            what a monitored session needs for it
contributions   who gave the gradients of which step
"""

from tinytf.training.sync_replicas.contributions import (
    Late,
    SyncContributions,
    SyncStep,
    contributions,
)

__all__ = ["Late", "SyncContributions", "SyncStep", "contributions"]
