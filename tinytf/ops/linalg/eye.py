"""The unit matrix, and batches of it: eye."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.tensor import Tensor
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.linalg.matrix_diag import matrix_diag, matrix_set_diag
from tinytf.ops.math.arithmetic import minimum


def eye(
    num_rows: Any,
    num_columns: Any = None,
    batch_shape: Any = None,
    dtype: Any = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """The identity matrix, or a batch of it (TensorFlow: `tf.eye`).

    Args:
      num_rows: how many rows, a number or a scalar int32 tensor.
      num_columns: likewise; by default as many as rows.
      batch_shape: leading dimensions, a list or an int32 vector.
      dtype: of the result.
      name: of the operations' scope.

    Raises:
      TypeError: if a size is no integer. ValueError: if it is negative.

    Example:
      >>> tf.eye(2)  # [[1., 0.], [0., 1.]]
    """
    with op_scope(name, "eye", (num_rows, num_columns, batch_shape)):
        square = num_columns is None
        batch_shape = [] if batch_shape is None else batch_shape
        num_columns = num_rows if num_columns is None else num_columns
        if isinstance(num_rows, Tensor) or isinstance(num_columns, Tensor):
            length: Any = minimum(num_rows, num_columns)
        else:
            for size in (num_rows, num_columns):
                if not isinstance(size, int | np.integer):
                    raise TypeError(
                        f"Arguments `num_rows` and `num_columns` must be positive integer values. "
                        f"Received: num_rows={num_rows}, num_columns={num_columns}"
                    )
            square = num_rows == num_columns
            length = min(num_rows, num_columns)
        if isinstance(batch_shape, Tensor) or isinstance(length, Tensor):
            batch: Any = convert_to_tensor(batch_shape, name="shape", dtype=dtypes.int32)
            diagonal_shape: Any = ops.concat((batch, [length]), axis=0)
            if not square:
                sizes: Any = ops.concat((batch, [num_rows, num_columns]), axis=0)
        else:
            diagonal_shape = [*batch_shape, length]
            sizes = [*batch_shape, num_rows, num_columns]
        ones = ops.ones(diagonal_shape, dtype=dtype)
        if square:
            return matrix_diag(ones)
        return matrix_set_diag(ops.zeros(sizes, dtype=dtype), ones)
