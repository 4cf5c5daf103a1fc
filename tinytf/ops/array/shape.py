"""Shapes as values: shape, shape_n, size, rank."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.array_types import Array
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.op_card import define_op
from tinytf.framework.shape_inference import is_scalar
from tinytf.framework.sparse_tensor import SparseTensor
from tinytf.framework.stacks import graph_to_build_in
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.array.constant import constant
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.base.shape_rules import element_count
from tinytf.ops.math.cast import cast_op

# Shape --------------------------------------------------------------------------------------------

shape_op = define_op(
    "Shape",
    "input: T -> output: out_type",
    "T: type, out_type: {int32, int64} = DT_INT32",
    no_gradient="a shape does not change with the values",
    shape=lambda c: _vector_as_long_as_the_rank(c.input(0)),
)


def _vector_as_long_as_the_rank(shape: TensorShape) -> TensorShape:
    return TensorShape.of((shape.ndims,))


@shape_op.kernel
def _shape_kernel(value: Array, *, out_type: dtypes.DType) -> np.ndarray:
    return np.array(np.shape(value), out_type.as_numpy_dtype)


def shape(input: Any, name: str | None = None, out_type: Any = None) -> Tensor:
    """The shape of a tensor, as a vector (TensorFlow: `tf.shape`).

    It is a constant if the static shape is fully known, and else computed when it runs.

    Args:
      input: a tensor of any shape and dtype, or a `SparseTensor`.
      name: of the operation.
      out_type: `tf.int32` (the default) or `tf.int64`.

    Example:
      >>> tf.shape(tf.zeros([2, 3]))  # [2, 3]
    """
    kind = dtypes.int32 if out_type is None else dtypes.as_dtype(out_type)
    if isinstance(input, Tensor):
        return _shape_of(input, name or "Shape", kind)
    with op_scope(name, "Shape", (input,)) as scope:
        if isinstance(input, SparseTensor):
            return _dense_shape(input, kind)
        return _shape_of(convert_to_tensor(input), scope, kind)


def _dense_shape(sparse: SparseTensor, kind: dtypes.DType) -> Tensor:
    """A node that converts it even to its own type, as TensorFlow has it."""
    return cast_op(sparse.dense_shape, DstT=kind)


def _shape_of(tensor: Tensor, name: str, kind: dtypes.DType) -> Tensor:
    if tensor.shape.is_fully_defined():
        with graph_to_build_in(tensor.graph).as_default():
            return constant(tensor.shape.as_list(), kind, name=name)
    return shape_op(tensor, name=name, out_type=kind)


def shape_of_any(input: Any) -> Tensor:
    """`shape`, under the names that TensorFlow's own functions give where they call it."""
    with op_scope(None, "Shape", (input,)) as scope:
        tensor = convert_to_tensor(input)
        if tensor.shape.is_fully_defined():
            return constant(tensor.shape.as_list(), dtypes.int32, name="shape_as_tensor")
        return shape_op(tensor, name=scope)


def shape_node(input: Tensor) -> Tensor:
    """A `Shape` node even where the static shape is known."""
    return shape_op(input)


# ShapeN -------------------------------------------------------------------------------------------

_shape_n = define_op(
    "ShapeN",
    "input: N * T -> output: N * out_type",
    "N: int >= 1, T: type, out_type: {int32, int64} = DT_INT32",
    no_gradient="a shape does not change with the values",
    shape=lambda c: [_vector_as_long_as_the_rank(shape) for shape in c.shapes()],
)


@_shape_n.kernel
def _shape_n_kernel(*values: Array, out_type: dtypes.DType) -> list[np.ndarray]:
    return [np.array(np.shape(value), out_type.as_numpy_dtype) for value in values]


def shape_n(input: Any, out_type: Any = dtypes.int32, name: str | None = None) -> list[Tensor]:
    """The shapes of several tensors of one dtype, by one node (TensorFlow: `tf.shape_n`).

    Args:
      input: a list of at least one tensor.
      out_type: `tf.int32` or `tf.int64`.
      name: of the operation.

    Example:
      >>> tf.shape_n([tf.zeros([2, 3]), tf.zeros([4])])  # [[2, 3], [4]]
    """
    return _shape_n(input, name=name, out_type=out_type)


# Size ---------------------------------------------------------------------------------------------

_size = define_op(
    "Size",
    "input: T -> output: out_type",
    "T: type, out_type: {int32, int64} = DT_INT32",
    shape=is_scalar,
    no_gradient="the number of elements does not change with the values",
)


@_size.kernel
def _size_kernel(value: Array, *, out_type: dtypes.DType) -> Array:
    return out_type.as_numpy_dtype(np.size(value))


def size(input: Any, name: str | None = None, out_type: Any = None) -> Tensor:
    """The number of elements of a tensor, a scalar (TensorFlow: `tf.size`).

    It is a constant if the static shape says it.

    Args:
      input: a tensor of any shape and dtype, or a `SparseTensor`.
      name: of the operation.
      out_type: `tf.int32` (the default) or `tf.int64`.

    Example:
      >>> tf.size(tf.zeros([2, 3]))  # 6
    """
    kind = dtypes.int32 if out_type is None else dtypes.as_dtype(out_type)
    with op_scope(name, "Size", (input,)) as scope:
        if isinstance(input, SparseTensor):
            return ops.prod_op(_dense_shape(input, kind), 0, name=scope)
        tensor = convert_to_tensor(input)
        count = element_count(tensor.shape)
        if count is not None:
            return constant(count, kind, name=scope)
        return _size(tensor, name=scope, out_type=kind)


# Rank ---------------------------------------------------------------------------------------------

_rank = define_op(
    "Rank",
    "input: T -> output: int32",
    "T: type",
    shape=is_scalar,
    no_gradient="the rank does not change with the values",
)


@_rank.kernel
def _rank_kernel(value: Array) -> np.int32:
    return np.int32(np.ndim(value))


def rank(input: Any, name: str | None = None) -> Tensor:
    """The number of dimensions of a tensor, an int32 scalar (TensorFlow: `tf.rank`).

    It is a constant if the static rank is known.

    Args:
      input: a tensor of any shape and dtype, or a `SparseTensor`.
      name: of the operation.

    Example:
      >>> tf.rank(tf.zeros([2, 3]))  # 2
    """
    with op_scope(name, "Rank", (input,)) as scope:
        if isinstance(input, SparseTensor):
            return _size(input.dense_shape, name=scope)
        tensor = convert_to_tensor(input)
        if tensor.shape.ndims is not None:
            return constant(tensor.shape.ndims, dtypes.int32, name=scope)
        return _rank(tensor, name=scope)


def rank_node(input: Tensor) -> Tensor:
    """A `Rank` node even where the static rank is known, for graphs that are to be TensorFlow's."""
    return _rank(input)
