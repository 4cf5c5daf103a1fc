"""`TensorSpec`: type and static shape of a tensor that is not there yet."""

from __future__ import annotations

from typing import Any

from tinytf.framework import dtypes
from tinytf.framework.tensor_shape import TensorShape


class TensorSpec:
    """Describes a tensor (TensorFlow: `tf.TensorSpec`).

    Args:
      shape: anything that `tf.TensorShape` takes. dtype: of the elements. name: for people.

    Example:
      >>> tf.TensorSpec([None, 3], tf.float32)
      TensorSpec(shape=(?, 3), dtype=tf.float32, name=None)
    """

    __slots__ = ("dtype", "name", "shape")

    def __init__(self, shape: Any, dtype: Any = dtypes.float32, name: str | None = None):
        self.shape = TensorShape(shape)
        self.dtype = dtypes.as_dtype(dtype)
        self.name = name

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> TensorSpec:
        """The description of a tensor (TensorFlow: `tf.TensorSpec.from_tensor`)."""
        return cls(tensor.shape, tensor.dtype.base_dtype, name or tensor.op.name)

    def with_shape(self, shape: Any) -> TensorSpec:
        """The same of another shape."""
        return TensorSpec(shape, self.dtype)

    def is_compatible_with(self, other: Any) -> bool:
        """Whether a tensor, or what another description describes, may be what this one says."""
        return self.dtype == other.dtype and self.shape.is_compatible_with(other.shape)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TensorSpec):
            return NotImplemented
        mine = self.shape.sizes, self.dtype, self.name
        return mine == (other.shape.sizes, other.dtype, other.name)

    def __hash__(self) -> int:
        return hash((self.shape.sizes, self.dtype, self.name))

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self.shape}, dtype={self.dtype!r}, name={self.name!r})"


class SparseTensorSpec:
    """Describes a sparse tensor (TensorFlow: `tf.SparseTensorSpec`).

    Args:
      shape: of the dense tensor, anything that `tf.TensorShape` takes. dtype: of the values.

    Example:
      >>> tf.SparseTensorSpec([2, 3], tf.float32)
      SparseTensorSpec(TensorShape([Dimension(2), Dimension(3)]), tf.float32)
    """

    __slots__ = ("dtype", "shape")

    def __init__(self, shape: Any = None, dtype: Any = dtypes.float32):
        self.shape = TensorShape(shape)
        self.dtype = dtypes.as_dtype(dtype)

    def with_shape(self, shape: Any) -> SparseTensorSpec:
        """The same of another shape."""
        return SparseTensorSpec(shape, self.dtype)

    def is_compatible_with(self, other: Any) -> bool:
        """Whether a sparse tensor, or what another description describes, may be this."""
        return self.dtype == other.dtype and self.shape.is_compatible_with(other.shape)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SparseTensorSpec):
            return NotImplemented
        return (self.shape.sizes, self.dtype) == (other.shape.sizes, other.dtype)

    def __hash__(self) -> int:
        return hash((self.shape.sizes, self.dtype))

    def __repr__(self) -> str:
        return f"SparseTensorSpec({self.shape!r}, {self.dtype!r})"
