"""`tf.sparse`: tensors by their elements other than zero."""

from tinytf.api.not_yet import explained
from tinytf.framework.sparse_tensor import SparseTensor
from tinytf.ops.array_oddments import sparse_mask as mask
from tinytf.ops.queues.accumulator_classes import SparseConditionalAccumulator
from tinytf.ops.sorted_segments import sparse_segment_mean as segment_mean
from tinytf.ops.sorted_segments import sparse_segment_sqrt_n as segment_sqrt_n
from tinytf.ops.sorted_segments import sparse_segment_sum as segment_sum
from tinytf.ops.sparse.placeholders import sparse_placeholder as placeholder
from tinytf.ops.sparse.reordering import sparse_reorder as reorder
from tinytf.ops.sparse.rows import sparse_retain as retain
from tinytf.ops.sparse.dense import sparse_tensor_to_dense as to_dense

__all__ = [
    "SparseConditionalAccumulator", "SparseTensor", "mask", "placeholder", "reorder",
    "retain", "segment_mean", "segment_sqrt_n", "segment_sum", "to_dense",
]  # fmt: skip

__getattr__ = explained(__name__, "sparse")
