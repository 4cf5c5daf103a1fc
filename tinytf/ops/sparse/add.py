"""Sums of sparse tensors, and of a sparse and a dense one."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, with_rank
from tinytf.framework.sparse_tensor import SparseTensor, SparseTensorValue
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.array.gather_nd import gather_nd
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.sparse import parts
from tinytf.ops.sparse.conversion import convert_to_sparse_tensor

# SparseAdd ----------------------------------------------------------------------------------------

_add = define_op(
    "SparseAdd",
    f"{parts.arguments('a_')}, {parts.arguments('b_')}, thresh: Treal -> {parts.arguments('sum_')}",
    "T: numbertype, Treal: realnumbertype",
)


@_add.shape
def _add_shape(c: InferenceContext) -> list[TensorShape]:
    shape = with_rank(c.input(2), 1)
    return parts.static_shapes(None if shape.sizes is None else shape.sizes[0])


@_add.kernel
def _add_kernel(*inputs: Any) -> Any:
    a_indices, a_values, a_shape, b_indices, b_values, b_shape, thresh = inputs
    _check_terms(a_indices, a_values, a_shape, b_indices, b_values, b_shape)
    if np.ndim(thresh):
        raise invalid(f"The magnitude threshold must be a scalar: got shape {shown(thresh)}")
    in_a, in_b = parts.merged(a_indices, b_indices)
    total = parts.values_at(a_values, in_a) + parts.values_at(b_values, in_b)
    # The threshold is for sums: what only one of them has stays, however small.
    kept = (in_a < 0) | (in_b < 0) | (np.abs(total) >= thresh)
    rows = parts.merged_rows(a_indices, b_indices, in_a, in_b)
    return rows[kept], total[kept], a_shape


def _check_terms(
    a_indices: Any, a_values: Any, a_shape: Any, b_indices: Any, b_values: Any, b_shape: Any
) -> None:
    for what, a, b, rank in (
        ("indices should be matrices", a_indices, b_indices, 2),
        ("values should be vectors", a_values, b_values, 1),
        ("shapes should be a vector", a_shape, b_shape, 1),
    ):
        if not np.ndim(a) == np.ndim(b) == rank:
            raise invalid(f"Input {what} but received shapes: {shown(a)} and {shown(b)}")
    if a_indices.shape[1] != b_indices.shape[1]:
        raise invalid(
            "Input indices must have the same dimension, got "
            f"{a_indices.shape[1]} and {b_indices.shape[1]}"
        )
    if a_indices.shape[1] != len(a_shape):
        raise invalid(
            "Second dimension of a_indices and length of a_shape must match, got "
            f"{a_indices.shape[1]} and {len(a_shape)}"
        )
    if (len(a_values), len(b_values)) != (len(a_indices), len(b_indices)):
        raise invalid(
            f"Expected {len(a_indices)} and {len(b_indices)} non-empty input values, got "
            f"{len(a_values)} and {len(b_values)}"
        )
    parts.check_same_shape(a_shape, b_shape)


@_add.gradient
def _add_gradient(op: Operation, _: Any, gradient: Any, __: Any) -> list[Any]:
    a_gradient, b_gradient = _add_grad(gradient, op.inputs[0], op.inputs[3], op.outputs[0])
    a_gradient.set_shape(op.inputs[1].shape)
    b_gradient.set_shape(op.inputs[4].shape)
    return [None, a_gradient, None, None, b_gradient, None, None]


def sparse_add(a: Any, b: Any, threshold: Any = None, thresh: Any = None) -> Any:
    """The sum of two tensors of one shape, of which one at least is sparse.

    TensorFlow: `tf.sparse_add`, `tf.sparse.add`.

    Args:
      a, b: sparse tensors, with their indices row after row; or one of them dense.
      threshold, thresh: (the newer and the older name) where both have an element, the sum is
        left out if its magnitude is smaller; 0 by default.

    Returns:
      a `SparseTensor`; with a dense tensor a dense one.

    Raises:
      TypeError: if both are dense.
      InvalidArgumentError: in a run, for shapes that differ: there is no broadcasting.

    Example:
      >>> a = tf.SparseTensor([[0, 1], [1, 0]], [1.0, 2.0], [2, 2])
      >>> tf.sparse.to_dense(tf.sparse.add(a, a))  # [[0., 2.], [4., 0.]]
      >>> tf.sparse.add(a, tf.ones([2, 2]))  # [[1., 2.], [3., 1.]]
    """
    threshold = ops.deprecated_lookup("threshold", threshold, "thresh", thresh)
    sparse = [isinstance(x, SparseTensor | SparseTensorValue) for x in (a, b)]
    if not any(sparse):
        raise TypeError("At least one input should be SparseTensor; do you mean to use tf.add()?")
    if not all(sparse):
        if sparse[1]:
            a, b = b, a
        return _dense_add(a.indices, a.values, a.dense_shape, b)
    a, b = convert_to_sparse_tensor(a), convert_to_sparse_tensor(b)
    limit = convert_to_tensor(
        0 if threshold is None else threshold, dtype=a.dtype.real_dtype, name="threshold"
    )
    indices, values, shape = _add(*parts.parts_of(a), *parts.parts_of(b), limit)
    a.shape.assert_is_compatible_with(b.shape)
    known = ops.broadcast_static_shape(a.shape, b.shape)
    if known.is_fully_defined():
        shape = known.as_list()
    return SparseTensor(indices, values, shape)


# SparseAddGrad ------------------------------------------------------------------------------------

_add_grad = define_op(
    "SparseAddGrad",
    "backprop_val_grad: T, a_indices: int64, b_indices: int64, sum_indices: int64 -> "
    "a_val_grad: T, b_val_grad: T",
    "T: numbertype",
    no_gradient="TensorFlow defines none",
)


@_add_grad.shape
def _add_grad_shape(c: InferenceContext) -> list[TensorShape]:
    shapes = [with_rank(c.input(index), 2) for index in (1, 2)]
    return [TensorShape.of((None if s.sizes is None else s.sizes[0],)) for s in shapes]


@_add_grad.kernel
def _add_grad_kernel(gradient: Any, a_indices: Any, b_indices: Any, sum_indices: Any) -> Any:
    if not np.ndim(a_indices) == np.ndim(b_indices) == np.ndim(sum_indices) == 2:
        raise invalid(
            "Input indices should be matrices but received shapes: "
            f"{shown(a_indices)} and {shown(b_indices)}"
        )
    if np.ndim(gradient) != 1:
        raise invalid(
            f"Input backprop_val_grad should be a vector but received shape: {shown(gradient)}"
        )
    if not a_indices.shape[1] == b_indices.shape[1] == sum_indices.shape[1]:
        raise invalid(
            "The densified operands should have the same ndims; for A, B, sum got: "
            f"{a_indices.shape[1]}, {b_indices.shape[1]}, {sum_indices.shape[1]}"
        )
    if len(gradient) != len(sum_indices):
        raise invalid(
            "# elements of backprop_val_grad and # rows of sum_indices should match (#nnz of "
            f"sum): got {len(gradient)} and {len(sum_indices)}"
        )
    results = []
    for indices in (a_indices, b_indices):
        own, in_sum = parts.merged(indices, sum_indices)
        result = np.zeros(len(indices), gradient.dtype)
        shared = (own >= 0) & (in_sum >= 0)
        result[own[shared]] = gradient[in_sum[shared]]
        results.append(result)
    return results


# SparseTensorDenseAdd -----------------------------------------------------------------------------

_dense_add = define_op(
    "SparseTensorDenseAdd",
    "a_indices: Tindices, a_values: T, a_shape: Tindices, b: T -> output: T",
    "T: numbertype, Tindices: {int32, int64}",
    shape=lambda c: c.input(3),
)


@_dense_add.kernel
def _dense_add_kernel(indices: Any, values: Any, shape: Any, dense: Any) -> np.ndarray:
    if np.ndim(indices) != 2:
        raise invalid(f"Input a_indices should be a matrix but received shape: {shown(indices)}")
    if np.ndim(values) != 1 or np.ndim(shape) != 1:
        raise invalid(
            "Inputs a_values and a_shape should be vectors but received shapes: "
            f"{shown(values)} and {shown(shape)}"
        )
    for first, second in ((len(indices), len(values)), (indices.shape[1], len(shape))):
        if first != second:
            raise invalid(f"Dimensions {first} and {second} are not compatible")
    if len(shape) != np.ndim(dense):
        raise invalid(
            f"Two operands have different ranks; received: {len(shape)} and {np.ndim(dense)}"
        )
    for axis in np.flatnonzero(shape != np.shape(dense))[:1]:
        raise invalid(
            f"Dimension {axis} does not equal (no broadcasting is supported): sparse side "
            f"{shape[axis]} vs dense side {np.shape(dense)[axis]}"
        )
    for row, axis in np.argwhere(parts.outside(indices, shape))[:1]:
        raise invalid(
            f"Sparse tensor has an invalid index on dimension {axis}: a_indices({row},{axis}) = "
            f"{indices[row, axis]}, dense tensor shape: {' '.join(map(str, shape.tolist()))}"
        )
    if not 1 <= len(shape) <= 5:
        raise invalid(
            "Only tensors with ranks between 1 and 5 are currently supported.  Tensor rank: "
            f"{len(shape)}"
        )
    result = np.array(dense)
    np.add.at(result, tuple(indices.T), values)
    return result


@_dense_add.gradient
def _dense_add_gradient(op: Operation, gradient: Any) -> list[Any]:
    return [None, gather_nd(gradient, op.inputs[0]), None, gradient]
