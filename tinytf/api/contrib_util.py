"""`tf.contrib.util`: tensors as messages, under their first names."""

from tinytf.api.names import explained as _explained
from tinytf.framework.constant_value import constant_value
from tinytf.framework.tensor_value import make_ndarray, make_tensor_proto

__all__ = ["constant_value", "make_ndarray", "make_tensor_proto"]

__getattr__ = _explained(__name__, "contrib.util")
