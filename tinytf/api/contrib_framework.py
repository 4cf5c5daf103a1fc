"""`tf.contrib.framework`: the part of it that `tf` and `tf.train` have taken over."""

from tinytf.api.names import explained as _explained
from tinytf.framework.tensor_spec import TensorSpec
from tinytf.ops.array.broadcast_to import broadcast_to
from tinytf.ops.queues.critical_section import CriticalSection
from tinytf.ops.check.assert_shapes import assert_same_float_dtype, assert_scalar
from tinytf.ops.sparse.conversion import convert_to_tensor_or_sparse_tensor
from tinytf.ops.array.sort import argsort, sort
from tinytf.ops.variables.checks import is_tensor
from tinytf.training.global_step import assert_global_step, create_global_step, get_global_step
from tinytf.training.global_step import get_or_create_global_step

__all__ = ["CriticalSection", "TensorSpec", "argsort", "assert_global_step"]
__all__ += ["assert_same_float_dtype", "assert_scalar", "broadcast_to"]
__all__ += ["convert_to_tensor_or_sparse_tensor", "create_global_step", "get_global_step"]
__all__ += ["get_or_create_global_step", "is_tensor", "sort"]

__getattr__ = _explained(__name__, "contrib.framework")
