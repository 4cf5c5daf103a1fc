"""`tf.contrib.nn`: what came into tf.nn later."""

from tinytf.api.names import explained as _explained
from tinytf.ops.nn.convolution_1d import conv1d_transpose

__all__ = ["conv1d_transpose"]

__getattr__ = _explained(__name__, "contrib.nn")
