"""`tf.user_ops`: ops and kernels of one's own; docs/own_ops.md has examples."""

from tinytf.api.names import explained as _explained
from tinytf.kernels.own_ops import OwnOp, define_op, register_kernel, restore_kernels

__all__ = ["OwnOp", "define_op", "register_kernel", "restore_kernels"]

__getattr__ = _explained(__name__, "user_ops")
