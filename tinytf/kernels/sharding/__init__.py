"""Kernels that split their work over the threads of a pool: the runtime's intra-op parallelism.

`sharded(op, function, pool)` gives the sharded form of a bound kernel. It decides at each call,
from the real sizes, whether splitting pays; what it returns is the same to the last bit either way.
TensorFlow: core/util/work_sharder.cc.
"""

from tinytf.kernels.sharding.pool import ShardPool
from tinytf.kernels.sharding.table import is_shardable, sharded

__all__ = ["ShardPool", "is_shardable", "sharded"]
