"""`tf.sparse`: tensors by their elements other than zero."""

from tinytf.api.names import explained as _explained
from tinytf.framework.sparse_tensor import SparseTensor
from tinytf.ops.sparse.mask import sparse_mask as mask
from tinytf.ops.queues.accumulator_classes import SparseConditionalAccumulator
from tinytf.ops.segment.sorted import sparse_segment_mean as segment_mean
from tinytf.ops.segment.sorted import sparse_segment_sqrt_n as segment_sqrt_n
from tinytf.ops.segment.sorted import sparse_segment_sum as segment_sum
from tinytf.ops.sparse.add import sparse_add as add
from tinytf.ops.sparse.bincount import sparse_bincount as bincount
from tinytf.ops.sparse.cross import sparse_cross as cross
from tinytf.ops.sparse.cross import sparse_cross_hashed as cross_hashed
from tinytf.ops.sparse.to_dense import from_dense
from tinytf.ops.sparse.to_dense import sparse_eye as eye
from tinytf.ops.sparse.to_dense import sparse_tensor_to_dense as to_dense
from tinytf.ops.sparse.maximum import sparse_maximum as maximum
from tinytf.ops.sparse.maximum import sparse_minimum as minimum
from tinytf.ops.sparse.concat import sparse_concat as concat
from tinytf.ops.sparse.concat import sparse_slice as slice
from tinytf.ops.sparse.concat import sparse_split as split
from tinytf.ops.sparse.merge import sparse_merge as merge
from tinytf.ops.sparse.merge import sparse_to_indicator as to_indicator
from tinytf.ops.sparse.softmax import sparse_softmax as softmax
from tinytf.ops.sparse.placeholders import sparse_placeholder as placeholder
from tinytf.ops.sparse.matmul import sparse_tensor_dense_matmul as matmul
from tinytf.ops.sparse.matmul import sparse_tensor_dense_matmul as sparse_dense_matmul
from tinytf.ops.sparse.reduce import sparse_reduce_max as reduce_max
from tinytf.ops.sparse.reduce import sparse_reduce_max_sparse as reduce_max_sparse
from tinytf.ops.sparse.reduce import sparse_reduce_sum as reduce_sum
from tinytf.ops.sparse.reduce import sparse_reduce_sum_sparse as reduce_sum_sparse
from tinytf.ops.sparse.reorder import sparse_reorder as reorder
from tinytf.ops.sparse.retain import sparse_fill_empty_rows as fill_empty_rows
from tinytf.ops.sparse.retain import sparse_retain as retain
from tinytf.ops.sparse.reshape import sparse_expand_dims as expand_dims
from tinytf.ops.sparse.reshape import sparse_reset_shape as reset_shape
from tinytf.ops.sparse.reshape import sparse_reshape as reshape
from tinytf.ops.sparse.reshape import sparse_transpose as transpose

__all__ = ["SparseConditionalAccumulator", "SparseTensor", "add", "bincount", "concat", "cross"]
__all__ += ["cross_hashed", "expand_dims", "eye", "fill_empty_rows", "from_dense", "mask", "matmul"]
__all__ += ["maximum", "merge", "minimum", "placeholder", "reduce_max", "reduce_max_sparse"]
__all__ += ["reduce_sum", "reduce_sum_sparse", "reorder", "reset_shape", "reshape", "retain"]
__all__ += ["segment_mean", "segment_sqrt_n", "segment_sum", "slice", "softmax"]
__all__ += ["sparse_dense_matmul", "split", "to_dense", "to_indicator", "transpose"]

__getattr__ = _explained(__name__, "sparse")
