"""Tensors stacked as they come: parallel_stack."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework.array_types import Array
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.op_card import define_op
from tinytf.framework.shape_inference import InferenceContext, merge
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.base.op_scope import op_scope

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
def _parallel_concat_kernel(*values: Array) -> np.ndarray:
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
        return _parallel_concat([ops.expand_dims(value, 0) for value in values], shape=result)
