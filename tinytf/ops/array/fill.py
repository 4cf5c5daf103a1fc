"""Tensors full of one value."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.array_types import Array
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, unchanged, with_rank
from tinytf.framework.sparse_tensor import SparseTensor
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, as_shape
from tinytf.ops.array.constant import constant
from tinytf.ops.array.reshape import reshape
from tinytf.ops.array.shape import shape, shape_node
from tinytf.ops.base.arguments import explains_arguments
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.base.shape_rules import shape_from_input, shown

#: Below this number of elements `tf.zeros` and `tf.ones` make a constant.
_SMALL = 1000

# Fill ---------------------------------------------------------------------------------------------

_fill = define_op(
    "Fill",
    "dims: index_type, value: T -> output: T",
    "T: type, index_type: {int32, int64} = DT_INT32",
)


@_fill.shape
def _fill_shape(c: InferenceContext) -> TensorShape:
    result = shape_from_input(c, 0)
    with_rank(c.input(1), 0)
    sizes = c.constant(0)
    if sizes is not None and (sizes < 0).any():
        raise ValueError("Fill dimensions must be >= 0")
    return result


@_fill.kernel
def _fill_kernel(dims: Array, value: Array) -> np.ndarray:
    sizes = np.asarray(dims)
    if sizes.ndim > 1:
        raise invalid(f"dims must represent a vector, got shape {shown(sizes)}")
    if value.shape not in ((), (1,)):
        raise invalid(f"value must represent a scalar, got shape {shown(value)}")
    for size in sizes.reshape(-1).tolist():
        if size < 0:
            raise invalid(f"Dimension {size} must be >= 0")
    return np.full(sizes.reshape(-1), value.reshape(()), value.dtype)


@_fill.gradient
def _fill_gradient(op: Operation, gradient: Tensor) -> list[Tensor | None]:
    return [None, ops.reduce_sum(gradient)]


def fill(dims: Any, value: Any, name: str | None = None) -> Tensor:
    """A tensor of the given shape, full of one value (TensorFlow: `tf.fill`).

    Args:
      dims: the shape, an int32 or int64 vector; it may be computed.
      value: a scalar of any dtype.
      name: of the operation.

    Raises:
      ValueError, InvalidArgumentError: if a size is negative or `value` is no scalar.

    Example:
      >>> tf.fill([2, 2], 7)  # [[7, 7], [7, 7]]
    """
    return _fill(dims, value, name=name)


@explains_arguments
def zeros(shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> Tensor:
    """A tensor full of zeros (TensorFlow: `tf.zeros`).

    A shape of Python numbers with fewer than 1,000 elements gives a constant, any other a `Fill`.

    Args:
      shape: a list of sizes, a `TensorShape`, or a tensor that computes them.
      dtype: of the elements; False for bool, "" for string.
      name: of the operation.

    Example:
      >>> tf.zeros([2, 3]).shape  # (2, 3)
    """
    kind = dtypes.as_dtype(dtype).base_dtype
    value = "" if kind == dtypes.string else _as_element(0, kind)
    return _filled(value, shape, kind, name, "zeros")


@explains_arguments
def ones(shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> Tensor:
    """A tensor full of ones (TensorFlow: `tf.ones`); see `zeros`.

    Args:
      shape: a list of sizes, a `TensorShape`, or a tensor that computes them.
      dtype: of the elements; True for bool.
      name: of the operation.

    Raises:
      TypeError: for strings.

    Example:
      >>> tf.ones([2, 3])  # [[1., 1., 1.], [1., 1., 1.]]
    """
    kind = dtypes.as_dtype(dtype).base_dtype
    return _filled(_as_element(1, kind), shape, kind, name, "ones")


def _as_element(number: int, kind: dtypes.DType) -> Any:
    if kind.is_bool:
        return bool(number)
    return np.asarray(number, kind.as_numpy_dtype) if kind.is_quantized else number


def _filled(value: Any, shape: Any, kind: dtypes.DType, name: str | None, default: str) -> Tensor:
    sizes = None if isinstance(shape, Tensor) else _sizes_of_list(shape)
    if sizes is not None and math.prod(sizes) < _SMALL:
        return constant(value, kind, shape=sizes, name=name or default)
    with op_scope(name, default, (shape,)) as scope:
        if not isinstance(shape, Tensor):
            shape = _as_shape_tensor(shape)
        if not shape.shape.sizes:  # a scalar, or perhaps one
            shape = reshape(shape, [-1])
        return _fill(shape, constant(value, kind), name=scope)


def _sizes_of_list(shape: Any) -> tuple[int, ...] | None:
    """The sizes if they are all plain numbers in a list, array or `TensorShape`."""
    if isinstance(shape, TensorShape):
        return shape.sizes if shape.is_fully_defined() else None  # type: ignore[return-value]
    if isinstance(shape, np.ndarray) and shape.ndim == 1:
        shape = shape.tolist()
    if not isinstance(shape, list | tuple):
        return None
    is_known = [hasattr(size, "__index__") and not isinstance(size, Tensor) for size in shape]
    sizes = tuple(int(size) if known else -1 for size, known in zip(shape, is_known))
    return sizes if min(sizes, default=0) >= 0 else None


def _as_shape_tensor(shape: Any) -> Tensor:
    try:
        static = as_shape(shape)
    except (TypeError, ValueError):
        static = None  # it holds tensors, perhaps
    if static is not None and static.is_fully_defined():
        return convert_to_tensor(static)
    return convert_to_tensor(shape, dtype=dtypes.int32)


# ZerosLike ----------------------------------------------------------------------------------------

zeros_like_op = define_op("ZerosLike", "x: T -> y: T", "T: type", shape=unchanged)


@zeros_like_op.kernel
def _zeros_like_kernel(x: Array) -> np.ndarray:
    if x.dtype == object:
        return np.full(x.shape, b"", object)
    return np.zeros(x.shape, x.dtype)


@zeros_like_op.gradient
def _zeros_like_gradient(op: Operation, gradient: Tensor) -> None:
    return None


def zeros_like(
    tensor: Any, dtype: Any = None, name: str | None = None, optimize: bool = True
) -> Tensor:
    """Zeros in the shape of a tensor (TensorFlow: `tf.zeros_like`).

    Args:
      tensor: of any shape and dtype; of a `SparseTensor`, the zeros are a tensor.
      dtype: of the result; by default that of `tensor`.
      name: of the operation.
      optimize: whether a static shape that is known may make it a constant.

    Example:
      >>> tf.zeros_like([5, 6, 7])  # [0, 0, 0]
    """
    kind = None if dtype is None else dtypes.as_dtype(dtype)
    with op_scope(name, "zeros_like", (tensor,)) as scope:
        if isinstance(tensor, SparseTensor):
            known = optimize and tensor.shape.is_fully_defined()
            sizes = tensor.shape if known else shape(tensor)
            return zeros(sizes, kind or tensor.dtype, name=scope)
        tensor = convert_to_tensor(tensor, name="tensor")
        if optimize and tensor.shape.is_fully_defined() and tensor.dtype != dtypes.variant:
            return zeros(tensor.shape, kind or tensor.dtype, name=scope)
        if kind is not None and kind != tensor.dtype and kind != dtypes.variant:
            return zeros(shape(tensor), kind, name=scope)
        return zeros_like_op(tensor, name=scope)


def is_zeros(tensor: Any) -> bool:
    """Whether a tensor is full of zeros for sure, as `zeros` and `zeros_like` make it."""
    op = getattr(tensor, "op", None)
    if op is None or op.type == "ZerosLike":
        return op is not None
    if op.type == "Const":
        return not np.any(op.attrs["value"])
    return op.type == "Fill" and is_zeros(op.inputs[1])


# OnesLike -----------------------------------------------------------------------------------------

_ones_like = define_op(
    "OnesLike",
    "x: T -> y: T",
    "T: {floattype, int8, uint8, int16, uint16, int32, uint32, int64, uint64, complextype, bool}",
    shape=unchanged,
)


@_ones_like.kernel
def _ones_like_kernel(x: Array) -> np.ndarray:
    return np.ones(x.shape, x.dtype)


@_ones_like.gradient
def _ones_like_gradient(op: Operation, gradient: Tensor) -> None:
    return None


def ones_like(
    tensor: Any, dtype: Any = None, name: str | None = None, optimize: bool = True
) -> Tensor:
    """Ones in the shape of a tensor (TensorFlow: `tf.ones_like`).

    Args:
      tensor: of any shape and numeric or bool dtype.
      dtype: of the result; by default that of `tensor`.
      name: of the operation.
      optimize: whether a static shape that is known may make it a constant.

    Example:
      >>> tf.ones_like([5, 6, 7])  # [1, 1, 1]
    """
    with op_scope(name, "ones_like", (tensor,)) as scope:
        tensor = convert_to_tensor(tensor, name="tensor")
        result = ones(_shape_for_ones(tensor, optimize), dtype or tensor.dtype, name=scope)
        result.set_shape(tensor.shape)
        return result


def _shape_for_ones(tensor: Tensor, optimize: bool) -> Tensor:
    if not optimize:
        return shape_node(tensor)
    if tensor.shape.is_fully_defined():
        with op_scope(None, "Shape"):
            return convert_to_tensor(tensor.shape)
    return shape(tensor)
