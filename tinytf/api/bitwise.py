"""`tf.bitwise`: integers as rows of bits."""

from tinytf.api.names import explained
from tinytf.ops.math.bitwise import (
    bitwise_and,
    bitwise_or,
    bitwise_xor,
    invert,
    left_shift,
    right_shift,
)

__all__ = ["bitwise_and", "bitwise_or", "bitwise_xor", "invert", "left_shift", "right_shift"]

__getattr__ = explained(__name__, "bitwise")
