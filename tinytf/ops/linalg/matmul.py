"""Products of matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework.array_types import Array
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.dtypes import as_dtype
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import (
    InferenceContext,
    broadcast_shapes,
    merge,
    merge_dimension,
    with_rank,
    with_rank_at_least,
)
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.base.arguments import explains_arguments
from tinytf.ops.base.broadcast_gradients import broadcast_gradient_args
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.math.complex_numbers import conj
from tinytf.ops.reduce.reduction import reduce_sum

_WIDE = ["float", "double", "int16", "int32", "int64", "complex64", "complex128"]
_SHORT = ["bfloat16", "half"]

# MatMul -----------------------------------------------------------------------------------------

_mat_mul = define_op(
    "MatMul",
    "a: T, b: T -> product: T",
    "transpose_a: bool = false, transpose_b: bool = false, "
    "T: {floattype, int32, int64, uint8, uint16, uint32, uint64, complextype}",
)


@_mat_mul.shape
def mat_mul_shape(c: InferenceContext) -> TensorShape:
    """The shape of the product of two matrices, either of which may be transposed."""
    a, b = with_rank(c.input(0), 2).sizes, with_rank(c.input(1), 2).sizes
    if a is None or b is None:
        return unknown_shape(2)
    rows, inner = reversed(a) if c.attrs["transpose_a"] else a
    other_inner, columns = reversed(b) if c.attrs["transpose_b"] else b
    merge_dimension(inner, other_inner)
    return TensorShape.of((rows, columns))


@_mat_mul.kernel(types={"T": _WIDE})
def _mat_mul_kernel(a: Array, b: Array, *, transpose_a: bool, transpose_b: bool) -> Array:
    if a.ndim != b.ndim:
        raise invalid(f"In[0] and In[1] has different ndims: {shown(a)} vs. {shown(b)}")
    if a.ndim != 2:
        raise invalid(f"In[0] and In[1] ndims must be == 2: {a.ndim}")
    try:
        # A transposed view costs nothing: BLAS reads it column by column.
        return np.dot(a.T if transpose_a else a, b.T if transpose_b else b)
    except ValueError:
        raise invalid(f"Matrix size-incompatible: In[0]: {shown(a)}, In[1]: {shown(b)}") from None


@_mat_mul.kernel(types={"T": _SHORT})
def _mat_mul_short(a: Array, b: Array, *, transpose_a: bool, transpose_b: bool) -> Array:
    # 16-bit floats are summed in 32 bits: BLAS has nothing for them, and sums would lose digits.
    product = _mat_mul_kernel(
        a.astype(np.float32), b.astype(np.float32), transpose_a=transpose_a, transpose_b=transpose_b
    )
    return product.astype(a.dtype)


@_mat_mul.gradient
def _mat_mul_gradient(op: Operation, gradient: Any) -> tuple[Tensor, Tensor]:
    def multiply(x: Any, y: Any, turned_x: bool, turned_y: bool) -> Tensor:
        return _mat_mul(x, y, transpose_a=turned_x, transpose_b=turned_y)

    a, b = conj(op.inputs[0]), conj(op.inputs[1])
    turned = op.attrs["transpose_a"], op.attrs["transpose_b"]
    return _product_gradients(multiply, a, b, gradient, *turned)


def _product_gradients(
    multiply: Callable[[Any, Any, bool, bool], Tensor],
    a: Any,
    b: Any,
    gradient: Any,
    turned_a: bool,
    turned_b: bool,
) -> tuple[Tensor, Tensor]:
    """The gradients of `a b`: `g bᵀ` and `aᵀ g`; if a or b was turned, so is its gradient.

    Args:
      multiply: the product of two, each turned or not.
      turned_a, turned_b: whether the product was of aᵀ, of bᵀ.
    """
    if turned_a:
        grad_a = multiply(b, gradient, turned_b, True)
    else:
        grad_a = multiply(gradient, b, False, not turned_b)
    if turned_b:
        return grad_a, multiply(gradient, a, True, turned_a)
    return grad_a, multiply(a, gradient, not turned_a, False)


@explains_arguments
def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: Any = None,
    name: str | None = None,
) -> Tensor:
    """The product of two matrices, or of two batches of them (TensorFlow: `tf.matmul`).

    Args:
      a: [..., rows, inner]. b: [..., inner, columns], of the same dtype. The leading dimensions
        broadcast; with rank 2 on both sides the node is a `MatMul`, else a `BatchMatMulV2`.
      transpose_a, transpose_b: whether to exchange the last two dimensions first.
      adjoint_a, adjoint_b: likewise, and take complex conjugates.
      a_is_sparse, b_is_sparse: hints that many elements are zero: the node is a `SparseMatMul`
        then, if the dtype is float32 or bfloat16; the product is the same.
      output_type: the dtype of the product of 8-bit integers: int32.
      name: of the operation.

    Returns:
      a tensor [..., rows, columns].

    Raises:
      ValueError: if static shapes do not fit, or transpose and adjoint are both asked for.
      InvalidArgumentError: in a run, if shapes do not fit.

    Example:
      >>> tf.matmul([[1, 2]], [[3], [4]])  # [[11]]
    """
    _check_exclusive("a", transpose_a, adjoint_a)
    _check_exclusive("b", transpose_b, adjoint_b)
    with op_scope(name, "MatMul", (a, b)) as scope:
        a = convert_to_tensor(a, name="a")
        b = convert_to_tensor(b, dtype_hint=a.dtype.base_dtype, name="b")
        other = a.dtype is not b.dtype or (output_type and as_dtype(output_type) != a.dtype)
        if other or a_is_sparse or b_is_sparse:
            turned = (transpose_a, transpose_b), (adjoint_a, adjoint_b)
            sparse = (a_is_sparse, b_is_sparse)
            product = ops.mixed_matmul((a, b), *turned, sparse, output_type, scope)
            if product is not None:
                return product
        a_rank, b_rank = a.shape.ndims, b.shape.ndims
        batches = a_rank is None or b_rank is None or a_rank > 2 or b_rank > 2
        if batches and not (a_is_sparse or b_is_sparse):
            if transpose_a:
                a, adjoint_a = conj(a), True
            if transpose_b:
                b, adjoint_b = conj(b), True
            return _batch_mat_mul_v2(a, b, name=scope, adj_x=adjoint_a, adj_y=adjoint_b)
        if adjoint_a:
            a, transpose_a = conj(a), True
        if adjoint_b:
            b, transpose_b = conj(b), True
        return _mat_mul(a, b, name=scope, transpose_a=transpose_a, transpose_b=transpose_b)


def _check_exclusive(which: str, transpose: bool, adjoint: bool) -> None:
    if transpose and adjoint:
        raise ValueError(
            f"Only one of `transpose_{which}` and `adjoint_{which}` can be True. Received "
            f"`transpose_{which}`={transpose}, `adjoint_{which}`={adjoint}."
        )


# BatchMatMulV2 ----------------------------------------------------------------------------------

_ADJOINT = "adj_x: bool = false, adj_y: bool = false"
_batch_mat_mul_v2 = define_op(
    "BatchMatMulV2",
    "x: T, y: T -> output: T",
    "T: {floattype, int16, int32, int64, uint8, uint16, uint32, uint64, complextype}",
    _ADJOINT,
)


def _matrices(c: InferenceContext) -> tuple[TensorShape, TensorShape, tuple[Any, Any]] | None:
    """The leading dimensions of both inputs, and the last two of the result."""
    x = with_rank_at_least(c.input(0), 2).sizes
    y = with_rank_at_least(c.input(1), 2).sizes
    if x is None or y is None:
        return None
    rows, inner = reversed(x[-2:]) if c.attrs["adj_x"] else x[-2:]
    other_inner, columns = reversed(y[-2:]) if c.attrs["adj_y"] else y[-2:]
    merge_dimension(inner, other_inner)
    return TensorShape.of(x[:-2]), TensorShape.of(y[:-2]), (rows, columns)


@_batch_mat_mul_v2.shape
def batch_shape(c: InferenceContext) -> TensorShape:
    """The shape of the products of two batches of matrices, which are broadcast."""
    found = _matrices(c)
    if found is None:
        return unknown_shape()
    return broadcast_shapes(found[0], found[1]).concatenate(TensorShape.of(found[2]))


def _adjoint(value: Any) -> Any:
    return np.conjugate(np.swapaxes(value, -1, -2))


@_batch_mat_mul_v2.kernel(types={"T": _WIDE})
def batch_kernel(x: Array, y: Array, *, adj_x: bool, adj_y: bool) -> Array:
    """The products of two batches of matrices, either of which may be taken adjoint."""
    for index, value in enumerate((x, y)):
        if value.ndim < 2:
            raise invalid(f"In[{index}] ndims must be >= 2: {value.ndim}")
    try:
        return np.matmul(_adjoint(x) if adj_x else x, _adjoint(y) if adj_y else y)
    except ValueError:
        raise _explain(x, y, adj_x, adj_y) from None


def _explain(x: Any, y: Any, adj_x: bool, adj_y: bool) -> Exception:
    try:
        np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    except ValueError:
        return invalid(
            f"In[0] and In[1] must have compatible batch dimensions: {shown(x)} vs. {shown(y)}"
        )
    return invalid(
        f"Matrix size-incompatible: In[0]: {shown(x)}, In[1]: {shown(y)} {adj_x:d} {adj_y:d}"
    )


@_batch_mat_mul_v2.kernel(types={"T": _SHORT})
def _batch_kernel_short(x: Array, y: Array, *, adj_x: bool, adj_y: bool) -> Array:
    product = batch_kernel(x.astype(np.float32), y.astype(np.float32), adj_x=adj_x, adj_y=adj_y)
    return product.astype(x.dtype)


def _batch_gradients(op: Operation, gradient: Any) -> tuple[Tensor, Tensor]:
    def multiply(x: Any, y: Any, turned_x: bool, turned_y: bool) -> Tensor:
        return matmul(x, y, adjoint_a=turned_x, adjoint_b=turned_y)

    (a, b), turned = op.inputs, (op.attrs["adj_x"], op.attrs["adj_y"])
    return _product_gradients(multiply, a, b, gradient, *turned)


@_batch_mat_mul_v2.gradient
def _batch_mat_mul_v2_gradient(op: Operation, gradient: Any) -> tuple[Tensor, Tensor]:
    grad_x, grad_y = _batch_gradients(op, gradient)
    x, y = (tensor.shape for tensor in op.inputs)
    if x.ndims == 2 and y.ndims == 2:
        return grad_x, grad_y
    x_batch, y_batch = x[:-2], y[:-2]
    if x_batch.is_fully_defined() and y_batch.is_fully_defined() and x_batch == y_batch:
        return grad_x, grad_y
    # What was broadcast forwards is summed up backwards.
    x_sizes: Any = ops.shape(op.inputs[0])
    y_sizes: Any = ops.shape(op.inputs[1])
    x_axes, y_axes = broadcast_gradient_args(x_sizes[:-2], y_sizes[:-2])
    grad_x = ops.reshape(reduce_sum(grad_x, x_axes), x_sizes)
    return grad_x, ops.reshape(reduce_sum(grad_y, y_axes), y_sizes)


# BatchMatMul ------------------------------------------------------------------------------------

# The older op, which does not broadcast, of graphs built by older TensorFlows.
_batch_mat_mul = define_op(
    "BatchMatMul", "x: T, y: T -> output: T", "T: {floattype, int32, int64, complextype}", _ADJOINT
)


@_batch_mat_mul.shape
def _equal_batches(c: InferenceContext) -> TensorShape:
    found = _matrices(c)
    if found is None:
        return unknown_shape()
    return merge(found[0], found[1]).concatenate(TensorShape.of(found[2]))


_batch_mat_mul.kernel(batch_kernel, types={"T": _WIDE})
_batch_mat_mul.kernel(_batch_kernel_short, types={"T": _SHORT})
_batch_mat_mul.gradient(_batch_gradients)
