"""Synchronous training: all replicas' gradients make one step.

optimizer   `tf.train.SyncReplicasOptimizer`: accumulators, tokens, the chief's queue runner
hook        what a monitored session needs for it
"""
