"""`tf.sparse`: tensors by their elements other than zero."""

from tinytf.api.not_yet import explained
from tinytf.framework.sparse_tensor import SparseTensor
from tinytf.ops.sparse import sparse_placeholder as placeholder
from tinytf.ops.sparse import sparse_tensor_to_dense as to_dense

__all__ = ["SparseTensor", "placeholder", "to_dense"]

__getattr__ = explained(__name__, "sparse")
