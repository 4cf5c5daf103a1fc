"""The larger or smaller of each two elements, where what is not there counts as 0."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext
from tinytf.framework.sparse_tensor import SparseTensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.sparse import parts


def _extremum(kind: str, choose: Callable[..., Any], types: str) -> OpCard:
    inputs = f"{parts.arguments('a_')}, {parts.arguments('b_')}"
    card = define_op(
        f"SparseSparse{kind}", f"{inputs} -> output_indices: int64, output_values: T", f"T: {types}"
    )

    @card.shape
    def shape(c: InferenceContext) -> list[TensorShape]:
        parts.check_static_ranks(c, 0)
        parts.check_static_ranks(c, 3)
        return parts.static_shapes()[:2]

    @card.kernel
    def kernel(
        a_indices: Any, a_values: Any, a_shape: Any, b_indices: Any, b_values: Any, b_shape: Any
    ) -> Any:
        for part in ((a_indices, a_values, a_shape), (b_indices, b_values, b_shape)):
            parts.check_whole(*part)
            parts.check_within(part[0], part[2])
        parts.check_same_shape(a_shape, b_shape)
        in_a, in_b = parts.merged(a_indices, b_indices)
        values = choose(parts.values_at(a_values, in_a), parts.values_at(b_values, in_b))
        return parts.merged_rows(a_indices, b_indices, in_a, in_b), values

    @card.gradient
    def gradient(op: Operation, *_: Any) -> Any:
        raise NotImplementedError(f"Gradient for SparseSparse{kind} is not implemented.")

    return card


_maximum = _extremum("Maximum", np.maximum, "realnumbertype")
_minimum = _extremum("Minimum", np.minimum, "numbertype")


def sparse_maximum(sp_a: SparseTensor, sp_b: SparseTensor, name: str | None = None) -> SparseTensor:
    """The larger of each two elements (TensorFlow: `tf.sparse_maximum`, `tf.sparse.maximum`).

    The result has the places of both; where one of them has none, its element is 0. There is no
    gradient.

    Args:
      sp_a, sp_b: sparse tensors of one shape and type, with their indices row after row.
      name: of the operation.

    Raises:
      InvalidArgumentError: in a run, for shapes that differ.

    Example:
      >>> a = tf.SparseTensor([[0], [1]], [5, -1], [3])
      >>> b = tf.SparseTensor([[0], [2]], [3, 4], [3])
      >>> tf.sparse.to_dense(tf.sparse.maximum(a, b))  # [5, 0, 4]
    """
    return _chosen(_maximum, "SparseSparseMaximum", sp_a, sp_b, name)


def sparse_minimum(sp_a: SparseTensor, sp_b: SparseTensor, name: str | None = None) -> SparseTensor:
    """The smaller of each two elements (TensorFlow: `tf.sparse_minimum`, `tf.sparse.minimum`).

    As `tf.sparse.maximum`.

    Example:
      >>> a = tf.SparseTensor([[0], [1]], [5, -1], [3])
      >>> b = tf.SparseTensor([[0], [2]], [3, 4], [3])
      >>> tf.sparse.to_dense(tf.sparse.minimum(a, b))  # [3, -1, 0]
    """
    return _chosen(_minimum, "SparseSparseMinimum", sp_a, sp_b, name)


def _chosen(
    card: OpCard, default_name: str, a: SparseTensor, b: SparseTensor, name: str | None
) -> SparseTensor:
    with op_scope(name, default_name, [a.indices, a.values, b.indices, b.values]) as scope:
        indices, values = card(*parts.parts_of(a), *parts.parts_of(b), name=scope)
    return SparseTensor(indices, values, a.dense_shape)
