"""The softmax of each row's elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, with_rank
from tinytf.framework.sparse_tensor import SparseTensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.sparse import parts
from tinytf.ops.sparse.elementwise import sparse_dense_cwise_add
from tinytf.ops.sparse.reduce import sparse_reduce_sum

_softmax = define_op(
    "SparseSoftmax", parts.arguments("sp_") + " -> output: T", "T: {half, float, double}"
)


@_softmax.shape
def _softmax_shape(c: InferenceContext) -> TensorShape:
    parts.check_static_ranks(c)
    return with_rank(c.input(1), 1)


@_softmax.kernel
def _softmax_kernel(indices: Any, values: Any, shape: Any) -> np.ndarray:
    if np.ndim(indices) != 2:
        raise invalid(f"Input sp_indices should be a matrix but received shape: {shown(indices)}")
    if np.ndim(values) != 1 or np.ndim(shape) != 1:
        raise invalid(
            "Inputs sp_values and sp_shape should be vectors but received shapes: "
            f"{shown(values)} and {shown(shape)}"
        )
    if len(shape) < 2:
        sizes = " ".join(map(str, shape.tolist()))
        raise invalid(f"Input should have rank >= 2, but received shape: {sizes}")
    parts.check_created(indices, values, shape)
    order = parts.in_order(indices)
    starts = parts.group_starts(indices[order, :-1])
    if not len(starts):
        return values
    # The result is in order, as TensorFlow's, even if the indices were not.
    row = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(values))))
    sorted_values = values[order]
    powers = np.exp(sorted_values - np.maximum.reduceat(sorted_values, starts)[row])
    return powers / np.add.reduceat(powers, starts)[row]


@_softmax.gradient
def _softmax_gradient(op: Operation, gradient: Any) -> list[Any]:
    indices, shape = op.inputs[0], op.inputs[2]
    output: Any = SparseTensor(indices, op.outputs[0], shape)
    above: Any = SparseTensor(indices, gradient, shape)
    product = SparseTensor(indices, output.values * above.values, shape)
    total: Any = sparse_reduce_sum(product, [-1], keepdims=True)
    shifted: Any = sparse_dense_cwise_add(above, -total)
    return [None, shifted.values * output.values, None]


def sparse_softmax(sp_input: SparseTensor, name: str | None = None) -> SparseTensor:
    """The softmax of each row (TensorFlow: `tf.sparse_softmax`, `tf.sparse.softmax`).

    Only the elements that it has take part: those of a row, along the last dimension, add up to 1.

    Args:
      sp_input: a sparse tensor of floats, of rank 2 or more, with its indices row after row.
      name: of the operation.

    Raises:
      InvalidArgumentError: in a run, for rank 1.

    Example:
      >>> x = tf.SparseTensor([[0, 0], [0, 2], [1, 1]], [1.0, 1.0, 5.0], [2, 3])
      >>> tf.sparse.softmax(x).values  # [0.5, 0.5, 1.]
    """
    with op_scope(name, "SparseSoftmax", [sp_input.indices, sp_input.values]):
        return sp_input.with_values(_softmax(*parts.parts_of(sp_input)))
