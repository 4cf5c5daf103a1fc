"""Sparse tensors out of what a caller gives."""

from __future__ import annotations

from typing import Any

from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.sparse_tensor import SparseTensor, SparseTensorValue


def convert_to_tensor_or_sparse_tensor(
    value: Any, dtype: Any = None, name: str | None = None
) -> Any:
    """A `SparseTensor` for one or its value, a tensor for anything else.

    TensorFlow: `tf.convert_to_tensor_or_sparse_tensor`.

    Raises:
      RuntimeError: for a sparse tensor of another type than `dtype`.

    Example:
      >>> tf.convert_to_tensor_or_sparse_tensor([1, 2])  # [1, 2]
    """
    if isinstance(value, SparseTensorValue):
        value = SparseTensor.from_value(value)
    if not isinstance(value, SparseTensor):
        return convert_to_tensor(value, dtype=dtype, name=name)
    if dtype is not None and dtypes.as_dtype(dtype) != value.dtype:
        raise RuntimeError(
            f"Sparse dtype mismatch. Requested: {dtypes.as_dtype(dtype).name},  Actual: "
            f"{value.dtype.name}"
        )
    return value


def convert_to_sparse_tensor(value: Any) -> SparseTensor:
    """A `SparseTensor` for one or its value.

    Raises:
      TypeError: "Input must be a SparseTensor.", with the type of anything else.
    """
    if isinstance(value, SparseTensorValue):
        return SparseTensor.from_value(value)
    if not isinstance(value, SparseTensor):
        raise TypeError(
            f"Input must be a SparseTensor. This is a {type(value).__name__}; "
            "tf.sparse.from_dense(x) makes one of a tensor."
        )
    return value
