"""The steps of optimizers as operations: one for each variable, which reads, computes and writes.

An optimizer's ops are declared at once, by a `Family`: dense and sparse ones, each for reference
and for resource variables. They compute the new values beside the old ones and put them in place at
once, so that a reader sees a whole value and an interrupt cannot leave half a step behind.

Mirrors tensorflow/core/kernels/training_ops.cc.
"""
