"""`tf.bitwise`: integers as rows of bits."""

from tinytf.ops.bitwise import bitwise_and, bitwise_or, bitwise_xor, invert

__all__ = ["bitwise_and", "bitwise_or", "bitwise_xor", "invert"]
