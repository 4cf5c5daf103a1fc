"""Products of matrices with hints, or of several dtypes: SparseMatMul, BatchMatMulV3."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework import dtypes
from tinytf.framework.array_types import Array
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.transpose import transpose
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.linalg.matmul import batch_kernel, batch_shape, mat_mul_shape, matmul
from tinytf.ops.math.cast import cast
from tinytf.ops.math.complex_numbers import conj

_Pair = tuple[Any, Any]

# SparseMatMul -------------------------------------------------------------------------------------

_sparse_mat_mul = define_op(
    "SparseMatMul",
    "a: Ta, b: Tb -> product: float",
    "transpose_a: bool = false, transpose_b: bool = false, a_is_sparse: bool = false, "
    "b_is_sparse: bool = false",
    "Ta: {float, bfloat16} = DT_FLOAT, Tb: {float, bfloat16} = DT_FLOAT",
    shape=mat_mul_shape,
)


@_sparse_mat_mul.kernel
def _sparse_mat_mul_kernel(a: Array, b: Array, *, transpose_a: bool, transpose_b: bool) -> Array:
    for name, value in (("a", a), ("b", b)):
        if value.ndim != 2:
            raise invalid(f"{name} is not a matrix")
    left, right = a.T if transpose_a else a, b.T if transpose_b else b
    if left.shape[1] != right.shape[0]:
        raise invalid(f"Matrix size incompatible: a: {shown(a)}, b: {shown(b)}")
    return np.dot(left.astype(np.float32, copy=False), right.astype(np.float32, copy=False))


@_sparse_mat_mul.gradient
def _sparse_mat_mul_gradient(op: Operation, gradient: Tensor) -> tuple[Tensor, Tensor]:
    a, b = op.inputs
    attrs = op.attrs
    turned_a, turned_b = attrs["transpose_a"], attrs["transpose_b"]
    # A gradient that comes out of a relu is as sparse as the relu.
    hints = {id(a): attrs["a_is_sparse"], id(b): attrs["b_is_sparse"]}
    hints[id(gradient)] = gradient.op.type == "ReluGrad"

    def product(x: Tensor, y: Tensor, like: Tensor, turned_x: bool, turned_y: bool) -> Tensor:
        sparse = hints[id(x)], hints[id(y)]
        y = transpose(y) if turned_y else y
        result = matmul(x, y, transpose_a=turned_x, a_is_sparse=sparse[0], b_is_sparse=sparse[1])
        return result if result.dtype is like.dtype else cast(result, like.dtype)

    if turned_a:
        of_a = product(b, gradient, a, turned_b, True)
    else:
        of_a = product(gradient, b, a, False, not turned_b)
    if turned_b:
        return of_a, product(gradient, a, b, True, turned_a)
    return of_a, product(a, gradient, b, not turned_a, False)


def sparse_matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """The product of two matrices with many zeros, always float32 (TensorFlow: `tf.sparse_matmul`).

    Args:
      a, b: matrices of float32 or bfloat16.
      transpose_a, transpose_b: whether to exchange rows and columns first.
      a_is_sparse, b_is_sparse: hints; the product is the same.
      name: of the operation.

    Example:
      >>> tf.sparse_matmul([[0.0, 2.0]], [[3.0], [4.0]], a_is_sparse=True)  # [[8.]]
    """
    return _sparse_mat_mul(
        a,
        b,
        name=name,
        transpose_a=transpose_a,
        transpose_b=transpose_b,
        a_is_sparse=a_is_sparse,
        b_is_sparse=b_is_sparse,
    )


# BatchMatMulV3 ------------------------------------------------------------------------------------

_OPERAND = "{floattype, uint8, int8, int16, int32, int64, complextype}"
_batch_mat_mul_v3 = define_op(
    "BatchMatMulV3",
    "x: Ta, y: Tb -> output: Tout",
    f"Ta: {_OPERAND}",
    f"Tb: {_OPERAND}",
    "Tout: {floattype, int16, int32, int64, complextype}, adj_x: bool = false, adj_y: bool = false",
    shape=batch_shape,
    no_gradient="products of 8-bit integers have no derivative",
)


@_batch_mat_mul_v3.kernel
def _batch_mat_mul_v3_kernel(
    x: Array, y: Array, *, Tout: dtypes.DType, adj_x: bool, adj_y: bool
) -> Array:
    kind = Tout.as_numpy_dtype
    wide = np.float32 if np.dtype(kind).itemsize == 2 and kind is not np.int16 else kind
    product = batch_kernel(x.astype(wide), y.astype(wide), adj_x=adj_x, adj_y=adj_y)
    return product.astype(kind, copy=False)


def mixed_matmul(
    operands: tuple[Tensor, Tensor],
    transposes: _Pair,
    adjoints: _Pair,
    sparse: _Pair,
    output_type: Any,
    name: str,
) -> Tensor | None:
    """The rarer nodes that `matmul` builds; None if it is an ordinary product after all."""
    a, b = operands
    kinds = {a.dtype.base_dtype, b.dtype.base_dtype}
    one_wanted = output_type is None or {dtypes.as_dtype(output_type)} == kinds
    ranks = a.shape.ndims, b.shape.ndims
    has_batches = any(rank is None or rank > 2 for rank in ranks)
    if not any(sparse) and has_batches:
        if one_wanted:
            return None
        left, right = (conj(x) if turned else x for x, turned in zip(operands, transposes))
        turned = [t or adjoint for t, adjoint in zip(transposes, adjoints)]
        return _wide_product(left, right, turned, output_type, name)
    short, bytes_ = dtypes.bfloat16, {dtypes.int8, dtypes.uint8}
    use_sparse = any(sparse) and kinds <= {short, dtypes.float32}
    if use_sparse or (short in kinds and len(kinds) > 1 and not kinds & bytes_):
        return _sparse_product(operands, transposes, adjoints, sparse, name)
    if one_wanted:
        return None
    left, right = (conj(x) if turned else x for x, turned in zip(operands, adjoints))
    turned = [t or adjoint for t, adjoint in zip(transposes, adjoints)]
    return _wide_product(left, right, turned, output_type, name)


def _wide_product(a: Any, b: Any, turned: list[bool], output_type: Any, name: str) -> Tensor:
    kind = dtypes.as_dtype(output_type)
    return _batch_mat_mul_v3(a, b, name=name, Tout=kind, adj_x=turned[0], adj_y=turned[1])


def _sparse_product(
    operands: tuple[Tensor, Tensor], transposes: _Pair, adjoints: _Pair, sparse: _Pair, name: str
) -> Tensor:
    a, b = operands
    turned = [t or adjoint for t, adjoint in zip(transposes, adjoints)]
    product = _sparse_mat_mul(
        a,
        b,
        name=name,
        transpose_a=turned[0],
        transpose_b=turned[1],
        a_is_sparse=sparse[0],
        b_is_sparse=sparse[1],
    )
    both_short = a.dtype is b.dtype and a.dtype == dtypes.bfloat16
    return cast(product, dtypes.bfloat16) if both_short else product
