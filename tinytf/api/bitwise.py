"""`tf.bitwise`: integers as rows of bits."""

from tinytf.api.names import explained as _explained
from tinytf.ops.math.bitwise import (
    bitwise_and,
    bitwise_or,
    bitwise_xor,
    invert,
    left_shift,
    right_shift,
)

__all__ = ["bitwise_and", "bitwise_or", "bitwise_xor", "invert", "left_shift", "right_shift"]

__getattr__ = _explained(__name__, "bitwise")
