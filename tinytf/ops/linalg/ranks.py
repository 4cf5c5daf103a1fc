"""Rank and pseudo-inverse, by way of the singular values."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.where import where_v2
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.linalg.decompositions import svd
from tinytf.ops.linalg.matmul import matmul
from tinytf.ops.math.arithmetic import maximum
from tinytf.ops.math.cast import cast
from tinytf.ops.reduce.reduction import reduce_max, reduce_sum


def matrix_rank(
    a: Any, tol: Any = None, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """How many singular values are not 0 (TensorFlow: `tf.linalg.matrix_rank`).

    Args:
      a: [..., m, n], floating-point.
      tol: what counts as 0; by default the largest singular value times the larger size times
        the precision of the dtype.
      validate_args: not used.
      name: of the operation.

    Example:
      >>> tf.linalg.matrix_rank([[1.0, 2.0], [2.0, 4.0]])  # 1
    """
    with op_scope(name, "matrix_rank"):
        a = convert_to_tensor(a, dtype_hint=dtypes.float32, name="a")
        values: Any = svd(a, compute_uv=False)
        if tol is None:
            last, larger = a.shape[-2:], None
            if last.is_fully_defined():
                larger = np.max(last.as_list())
            else:
                sizes: Any = ops.shape(a)
                larger = reduce_max(sizes[-2:])
            precision = np.finfo(a.dtype.as_numpy_dtype).eps
            tol = precision * cast(larger, a.dtype) * reduce_max(values, axis=-1, keepdims=True)
        return reduce_sum(cast(values > tol, dtypes.int32), axis=-1)


def pinv(a: Any, rcond: Any = None, validate_args: bool = False, name: str | None = None) -> Tensor:
    """The Moore-Penrose pseudo-inverse (TensorFlow: `tf.linalg.pinv`).

    Args:
      a: [..., m, n], floating-point.
      rcond: singular values below this share of the largest one count as 0; by default 10 times
        the larger size times the precision of the dtype.
      validate_args: not used.
      name: of the operation.

    Returns:
      a tensor [..., n, m].

    Example:
      >>> tf.linalg.pinv([[2.0, 0.0], [0.0, 0.0]])  # [[0.5, 0.], [0., 0.]]
    """
    with op_scope(name, "pinv"):
        a = convert_to_tensor(a, name="a")
        kind = a.dtype.as_numpy_dtype
        if rcond is None:
            rcond = 10.0 * _larger_size(a, kind) * np.finfo(kind).eps
        rcond = convert_to_tensor(rcond, dtype=a.dtype, name="rcond")
        values, u, v = svd(a, full_matrices=False, compute_uv=True)
        cutoff = rcond * reduce_max(values, axis=-1)
        counts = values > ops.expand_dims(cutoff, -1)
        kept = where_v2(counts, values, np.array(np.inf, kind))
        result = matmul(v / ops.expand_dims(kept, -2), u, adjoint_b=True)
        if a.shape.ndims is not None:
            result.set_shape(a.shape[:-2].concatenate([a.shape[-1], a.shape[-2]]))
        return result


def _larger_size(a: Tensor, kind: Any) -> Any:
    static: list[Any] = a.shape[-2:].as_list() if a.shape.ndims is not None else [None, None]
    rows, columns = (_size_of(a, size, axis) for size, axis in zip(static, (-2, -1)))
    if isinstance(rows, int) and isinstance(columns, int):
        return float(max(rows, columns))
    return cast(maximum(rows, columns), kind)


def _size_of(a: Tensor, static: int | None, axis: int) -> Any:
    if static is not None:
        return static
    sizes: Any = ops.shape(a)
    return sizes[axis]
