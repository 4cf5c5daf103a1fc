"""Initial values that are special matrices: `tf.initializers.orthogonal` and `identity`.

Mirrors parts of tensorflow/python/ops/init_ops.py.
"""

from __future__ import annotations

import math
from typing import Any

from tinytf.framework import dtypes
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.diag import diag_part
from tinytf.ops.array.reshape import reshape
from tinytf.ops.array.slice import slice
from tinytf.ops.linalg.decompositions import qr_op
from tinytf.ops.linalg.eye import eye
from tinytf.ops.linalg.matrices import matrix_transpose
from tinytf.ops.math.arithmetic import multiply
from tinytf.ops.math.sign import sign
from tinytf.ops.random.basic import random_normal
from tinytf.ops.variables.initializers import Initializer, floating, known_sizes


class Orthogonal(Initializer):
    """Random with orthonormal columns, or rows (TensorFlow: `tf.orthogonal_initializer`).

    All dimensions but the last count as rows.

    Args:
      gain: what the matrix is multiplied with.
      seed: see `tf.set_random_seed`.

    Raises:
      ValueError (when called): for a shape of fewer than two dimensions.

    Example:
      >>> w = tf.orthogonal_initializer()([4, 3])
      >>> np.allclose(tf.matmul(w, w, transpose_a=True).eval(), np.eye(3), atol=1e-5)  # True
    """

    def __init__(self, gain: float = 1.0, seed: int | None = None, dtype: Any = dtypes.float32):
        self.gain: Any = gain
        self.dtype = floating(dtype)
        self.seed = seed

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        """An orthogonal matrix in this shape."""
        sizes = known_sizes(shape)
        if len(sizes) < 2:
            raise ValueError(
                f"The tensor to initialize, specified by argument `shape` must be at least "
                f"two-dimensional. Received shape={shape}"
            )
        rows, columns = math.prod(sizes[:-1]), sizes[-1]
        wide = rows < columns
        flat = (columns, rows) if wide else (rows, columns)
        q, r = qr_op(random_normal(flat, dtype=self._kind(dtype), seed=self.seed))
        # The signs make the distribution uniform over all orthogonal matrices.
        q = multiply(q, sign(diag_part(r)), name="mul")
        if wide:
            q = matrix_transpose(q)
        scaled: Tensor = self.gain * reshape(q, sizes)
        return scaled


class Identity(Initializer):
    """The identity matrix, times `gain` (TensorFlow: `tf.initializers.identity`).

    Raises:
      ValueError (when called): if the shape has not two dimensions.

    Example:
      >>> tf.initializers.identity(gain=2.0)([2, 3]).eval()  # [[2., 0., 0.], [0., 2., 0.]]
    """

    def __init__(self, gain: float = 1.0, dtype: Any = dtypes.float32):
        self.gain: Any = gain
        self.dtype = floating(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        """The matrix, or its part that `partition_info` tells."""
        full_shape = known_sizes(shape, partition_info)
        if len(full_shape) != 2:
            raise ValueError(
                f"The tensor to initialize, specified by argument `shape` must be at least "
                f"two-dimensional. Received shape={shape}"
            )
        value = _eye(full_shape, self._kind(dtype))
        if partition_info is not None:
            value = slice(value, partition_info.var_offset, shape)
        scaled: Tensor = self.gain * value
        return scaled


def _eye(sizes: list[int], kind: dtypes.DType) -> Tensor:

    rows, columns = sizes
    return eye(rows, columns, dtype=kind)


orthogonal_initializer = Orthogonal
