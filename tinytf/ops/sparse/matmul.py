"""A sparse matrix times a dense one."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, merge_dimension, with_rank
from tinytf.framework.sparse_tensor import SparseTensor, SparseTensorValue
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.base.shape_rules import shape_from_input, shown
from tinytf.ops.linalg.matmul import matmul
from tinytf.ops.linalg.matrices import matrix_transpose
from tinytf.ops.sparse import parts
from tinytf.ops.sparse.conversion import convert_to_sparse_tensor

_matmul = define_op(
    "SparseTensorDenseMatMul",
    "a_indices: Tindices, a_values: T, a_shape: int64, b: T -> product: T",
    "T: type, Tindices: {int32, int64} = DT_INT64, adjoint_a: bool = false",
    "adjoint_b: bool = false",
)


@_matmul.shape
def _matmul_shape(c: InferenceContext) -> TensorShape:
    with_rank(c.input(0), 2)
    with_rank(c.input(1), 1)
    a = with_rank(shape_from_input(c, 2), 2).sizes or (None, None)
    b = with_rank(c.input(3), 2).sizes or (None, None)
    left, inner_left = a[::-1] if c.attrs["adjoint_a"] else a
    inner_right, right = b[::-1] if c.attrs["adjoint_b"] else b
    merge_dimension(inner_left, inner_right)
    return TensorShape.of((left, right))


@_matmul.kernel
def _matmul_kernel(
    indices: Any, values: Any, shape: Any, b: Any, *, adjoint_a: bool, adjoint_b: bool
) -> np.ndarray:
    _check(indices, values, shape, b)
    rows, columns = indices.T[::-1] if adjoint_a else indices.T
    height, inner = shape.tolist()[::-1] if adjoint_a else shape.tolist()
    right = b.conj().T if adjoint_b else b
    if inner != len(right):
        raise invalid(
            "Cannot multiply A and B because inner dimension does not match: "
            f"{inner} vs. {len(right)}.  Did you forget a transpose?  Dimensions of A: "
            f"[{shape[0]}, {shape[1]}).  Dimensions of B: {shown(b)}"
        )
    result = np.zeros((height, right.shape[1]), b.dtype)
    if not (result.size and values.size and b.size):
        return result
    for what, found, limit, column in (("k", columns, inner, 1), ("m", rows, height, 0)):
        for place in np.flatnonzero((found < 0) | (found >= limit))[:1]:
            raise invalid(
                f"{what} ({found[place]}) from index[{place},{column ^ adjoint_a}] out of bounds "
                f"(>={limit})"
            )
    factors = values.conj() if adjoint_a else values
    order = np.argsort(rows, kind="stable")
    rows, columns, factors = rows[order], columns[order], factors[order]
    starts = parts.group_starts(rows[:, None])
    # So many products at a time: the matrix of all of them might not fit into memory.
    block = max(1, _PRODUCTS_AT_A_TIME // max(1, right.shape[1]))
    for first in range(0, len(rows), block):
        part = slice(first, first + block)
        products = factors[part, None] * right[columns[part]]
        begins = np.union1d(starts[(starts >= first) & (starts < first + block)], first)
        result[rows[begins]] += np.add.reduceat(products, begins - first, axis=0)
    return result


_PRODUCTS_AT_A_TIME = 1 << 20


def _check(indices: Any, values: Any, shape: Any, b: Any) -> None:
    for name, value, rank in (("b", b, 2), ("a_shape", shape, 1)):
        if np.ndim(value) != rank:
            kind = "matrix" if rank == 2 else "vector"
            raise invalid(f"Tensor '{name}' is not a {kind}")
    if len(shape) != 2:
        raise invalid("Tensor 'a_shape' must have 2 elements")
    if np.ndim(values) != 1:
        raise invalid("Tensor 'a_values' is not a vector")
    if np.ndim(indices) != 2:
        raise invalid("Tensor 'a_indices' is not a matrix")
    if len(indices) != len(values):
        raise invalid("Number of rows of a_indices does not match number of entries in a_values")
    if indices.shape[1] != 2:
        raise invalid("Number of columns of a_indices does not match number of entries in a_shape")


@_matmul.gradient
def _matmul_gradient(op: Operation, gradient: Any) -> list[Any]:
    indices, values, shape, b = op.inputs
    adjoint_a, adjoint_b = op.attrs["adjoint_a"], op.attrs["adjoint_b"]
    of_b = _matmul(indices, values, shape, gradient, adjoint_a=not adjoint_a)
    if adjoint_b:
        of_b = matrix_transpose(of_b, conjugate=True)
    places: Any = indices
    rows, columns = places[:, 0], places[:, 1]
    if adjoint_a:
        rows, columns = columns, rows
    from_gradient = ops.gather(gradient, rows)
    from_b = ops.gather(ops.transpose(b) if adjoint_b else b, columns)
    # Each element is the product of a row of the one and a row of the other. As matrices they
    # stand or lie, as TensorFlow's do.
    left = ops.expand_dims(from_gradient, -1 if adjoint_a else -2)
    right = ops.expand_dims(from_b, -1 if adjoint_a != adjoint_b else -2)
    product = matmul(left, right, adjoint_a=adjoint_a, adjoint_b=adjoint_a == adjoint_b)
    return [None, ops.squeeze(product, axis=[-2, -1]), None, of_b]


def sparse_tensor_dense_matmul(
    sp_a: Any, b: Any, adjoint_a: bool = False, adjoint_b: bool = False, name: str | None = None
) -> Tensor:
    """A sparse matrix times a dense one, or a dense one times a sparse one.

    TensorFlow: `tf.sparse_tensor_dense_matmul`, `tf.sparse.sparse_dense_matmul`,
    `tf.sparse.matmul`.

    Args:
      sp_a: a sparse matrix [m, n]; or a dense one, if `b` is sparse.
      b: a dense matrix [n, p], of the same type; or a sparse one.
      adjoint_a, adjoint_b: transpose it, and take conjugates, before.
      name: of the operation.

    Returns:
      a dense tensor [m, p].

    Raises:
      ValueError, InvalidArgumentError: if shapes do not fit, or an index is outside.

    Example:
      >>> a = tf.SparseTensor([[0, 1], [1, 0]], [2.0, 3.0], [2, 2])
      >>> tf.sparse.sparse_dense_matmul(a, [[1.0], [10.0]])  # [[20.], [3.]]
    """
    if isinstance(b, SparseTensor | SparseTensorValue):
        # The product of the transposes the other way round, transposed.
        if adjoint_a == adjoint_b:
            adjoint_a, adjoint_b = not adjoint_a, not adjoint_b
        return ops.transpose(sparse_tensor_dense_matmul(b, sp_a, adjoint_a, adjoint_b))
    a = convert_to_sparse_tensor(sp_a)
    with op_scope(name, "SparseTensorDenseMatMul", [a.indices, a.values, b]):
        b = convert_to_tensor(b, name="b")
        return _matmul(*parts.parts_of(a), b, adjoint_a=adjoint_a, adjoint_b=adjoint_b)
