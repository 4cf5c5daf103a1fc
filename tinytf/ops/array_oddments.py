"""Array ops that stand alone: unravel_index, parallel_stack, sparse_mask, guarantee_const."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.indexed_slices import IndexedSlices
from tinytf.framework.op_card import define_op
from tinytf.framework.shape_inference import InferenceContext, merge, unchanged, with_rank
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.gathering import gather
from tinytf.ops.op_scope import op_scope
from tinytf.ops.shape_rules import shown
from tinytf.ops.shapes import expand_dims
from tinytf.ops.stitching import _list_diff

# UnravelIndex -----------------------------------------------------------------------------------

_unravel_index = define_op(
    "UnravelIndex",
    "indices: Tidx, dims: Tidx -> output: Tidx",
    "Tidx: {int32, int64} = DT_INT32",
    no_gradient="indices are integers",
)


@_unravel_index.shape
def _unravel_index_shape(c: InferenceContext) -> TensorShape:
    indices, dims = c.input(0), with_rank(c.input(1), 1).sizes
    count = None if dims is None else dims[0]
    if indices.sizes is None:
        return unknown_shape()
    return TensorShape.of((count,) if not indices.sizes else (count, indices.num_elements()))


@_unravel_index.kernel
def _unravel_index_kernel(indices: Any, dims: Any) -> np.ndarray:
    if indices.ndim > 1:
        raise invalid(f'The indices can only be scalar or vector, got "{shown(indices)}"')
    if dims.ndim != 1:
        raise invalid(f'The indices can only be 1-D, got "{shown(dims)}"')
    sizes = dims.tolist()
    if 0 in sizes:
        raise invalid(
            f"Input dims cannot contain a dim of zero, but dims contains zero at index "
            f"{sizes.index(0)}"
        )
    if (indices >= np.prod(dims, dtype=np.int64)).any():
        raise invalid("index is out of bound as with dims")
    rest, rows = np.asarray(indices), []
    for size in reversed(sizes[1:]):
        rest, row = np.trunc(rest / size).astype(dims.dtype), np.fmod(rest, size)
        rows.append(row)
    return np.array([rest, *reversed(rows)], dims.dtype)


def unravel_index(indices: Any, dims: Any, name: str | None = None) -> Tensor:
    """Indices into a flat array as coordinates (TensorFlow: `tf.unravel_index`).

    Args:
      indices: integers, a scalar or vector.
      dims: the shape of the array, a vector of the same dtype.
      name: of the operation.

    Returns:
      [rank, number of indices], or [rank] for a scalar.

    Raises:
      ValueError, InvalidArgumentError: for an index out of range, or if shapes do not fit.

    Example:
      >>> tf.unravel_index([2, 5], [3, 3])  # [[0, 1], [2, 2]]
    """
    return _unravel_index(indices, dims, name=name)


# ParallelConcat ---------------------------------------------------------------------------------

_parallel_concat = define_op(
    "ParallelConcat",
    "values: N * T -> output: T",
    "N: int >= 1, T: type, shape: shape",
    no_gradient="TensorFlow defines none: tf.stack has one",
)


@_parallel_concat.shape
def _parallel_concat_shape(c: InferenceContext) -> TensorShape:
    result = c.attrs["shape"]
    if not result.is_fully_defined():
        raise ValueError("shape attr must be fully defined.")
    rest = TensorShape.of((1, *result.sizes[1:]))
    for shape in c.shapes():
        if not shape.is_fully_defined():
            raise ValueError("All input shapes must be fully defined.")
        if merge(shape, rest).sizes[0] != 1:  # type: ignore[index]
            raise ValueError("Size of first dimension must be 1.")
    return result


@_parallel_concat.kernel
def _parallel_concat_kernel(*values: Any) -> np.ndarray:
    return np.concatenate(values)


def parallel_stack(values: Any, name: str | None = "parallel_stack") -> Tensor:
    """Tensors of one known shape, stacked (TensorFlow: `tf.parallel_stack`).

    As `tf.stack` with axis 0, but not differentiable; TensorFlow copies each as soon as it is
    there.

    Args:
      values: a list of tensors of the same, known, shape and dtype.
      name: of the operations' scope.

    Raises:
      ValueError: if a shape is not known, or another one.

    Example:
      >>> tf.parallel_stack([[1, 2], [3, 4]])  # [[1, 2], [3, 4]]
    """
    with op_scope(name, "parallel_stack"):
        first = convert_to_tensor(values[0])
        result = TensorShape([len(values)]).concatenate(first.shape)
        return _parallel_concat([expand_dims(value, 0) for value in values], shape=result)


# GuaranteeConst ---------------------------------------------------------------------------------

_guarantee_const = define_op(
    "GuaranteeConst",
    "input: T -> output: T",
    "T: type",
    stateful=True,
    shape=unchanged,
    no_gradient="TensorFlow defines none: what is promised to be constant",
)


@_guarantee_const.kernel
def _pass_on(value: Any) -> Any:
    return value


def guarantee_const(input: Any, name: str | None = None) -> Tensor:
    """The value, promised never to change (TensorFlow: `tf.guarantee_const`).

    Args:
      input: of any shape and dtype.
      name: of the operation.

    Example:
      >>> tf.guarantee_const([1, 2])  # [1, 2]
    """
    return _guarantee_const(input, name=name)


# sparse_mask ------------------------------------------------------------------------------------


def sparse_mask(a: IndexedSlices, mask_indices: Any, name: str | None = None) -> IndexedSlices:
    """Indexed slices without those of some indices (TensorFlow 1.x: `tf.sparse_mask`).

    Args:
      a: the slices.
      mask_indices: what is left out, a vector of the dtype of `a.indices`.
      name: of the operations' scope.

    Example:
      >>> a = tf.IndexedSlices(tf.constant([1.0, 2.0]), tf.constant([4, 7]))
      >>> tf.sparse_mask(a, [4]).indices  # [7]
    """
    with op_scope(name, "sparse_mask", (a, mask_indices)) as scope:
        indices, kept = _list_diff(a.indices, mask_indices)
        return IndexedSlices(gather(a.values, kept, name=scope), indices, a.dense_shape)
