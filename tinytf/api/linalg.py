"""`tf.linalg`: linear algebra."""

from tinytf.ops.matrix import matmul

__all__ = ["matmul"]
