"""How often values come, of those that come."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.scope_functions import control_dependencies
from tinytf.framework.shape_inference import InferenceContext, merge, with_rank
from tinytf.framework.sparse_tensor import SparseTensor
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.array.constant import constant
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.check.assert_values import assert_equal
from tinytf.ops.sparse import parts

_OUTPUTS = "output_indices: int64, output_values: output_type, output_dense_shape: int64"
_ATTRS = (
    "T: {int32, int64}, minlength: int >= -1 = -1, maxlength: int >= -1 = -1, "
    "binary_output: bool, output_type: {int32, int64, float, double}"
)
_NO_GRADIENT = "how often something comes does not change by small amounts"

# DenseCountSparseOutput ---------------------------------------------------------------------------

_dense = define_op(
    "DenseCountSparseOutput",
    f"values: T, weights: output_type -> {_OUTPUTS}",
    _ATTRS,
    no_gradient=_NO_GRADIENT,
)


@_dense.shape
def _dense_shape(c: InferenceContext) -> list[TensorShape]:
    shape, weights = c.input(0), c.input(1)
    if weights.num_elements() != 0:  # none at all stand for ones
        shape = merge(weights, shape)
    return parts.static_shapes(shape.ndims)


@_dense.kernel
def _dense_kernel(values: Any, weights: Any, *, node: Operation) -> Any:
    if np.ndim(values) not in (1, 2):
        raise invalid(f"Input must be a 1 or 2-dimensional tensor. Got: {shown(values)}")
    if weights.size and weights.shape != values.shape:
        raise invalid(
            f"Weights and data must have the same shape. Weight shape: {shown(weights)}; data "
            f"shape: {shown(values)}"
        )
    if values.ndim == 2 and not len(values):
        raise invalid("Invalid input: Shapes dimension cannot be 0.")
    rows = np.repeat(np.arange(len(values)), values.shape[1]) if values.ndim == 2 else None
    batches = len(values) if values.ndim == 2 else None
    return _counts(values.reshape(-1), rows, batches, weights.reshape(-1), node)


def _counts(values: Any, rows: Any, batches: int | None, weights: Any, node: Operation) -> Any:
    """A sparse tensor of counts; `batches` is None for a vector of them."""
    if (values < 0).any():
        raise invalid("Input values must all be non-negative")
    least, most = node.attrs["minlength"], node.attrs["maxlength"]
    inside = values < most if most >= 0 else np.ones(len(values), bool)
    found = values[inside].astype(np.int64)[:, None]
    if batches is not None:
        found = np.concatenate([rows[inside, None], found], axis=1)
    indices, numbers = parts.numbered(found)
    counts = np.zeros(len(indices), weights.dtype)
    if node.attrs["binary_output"]:
        counts[:] = 1
    else:
        np.add.at(counts, numbers, weights[inside] if weights.size else weights.dtype.type(1))
    largest = int(found[:, -1].max(initial=0))
    size = most if most >= 0 else max(largest + 1, least)
    return indices, counts, np.array([size] if batches is None else [batches, size], np.int64)


# SparseCountSparseOutput --------------------------------------------------------------------------

_sparse = define_op(
    "SparseCountSparseOutput",
    f"indices: int64, values: T, dense_shape: int64, weights: output_type -> {_OUTPUTS}",
    _ATTRS,
    no_gradient=_NO_GRADIENT,
)


@_sparse.shape
def _sparse_shape(c: InferenceContext) -> list[TensorShape]:
    _, rank = with_rank(c.input(0), 2).sizes or (None, None)
    return parts.static_shapes(rank)


@_sparse.kernel
def _sparse_kernel(indices: Any, values: Any, shape: Any, weights: Any, *, node: Operation) -> Any:
    _check(indices, values, shape)
    if weights.size and weights.shape != values.shape:
        raise invalid(
            f"Weights and values must have the same shape. Weight shape: {shown(weights)}; values "
            f"shape: {shown(values)}"
        )
    batches = None if len(shape) == 1 else int(shape[0])
    if batches is not None and not 0 < batches < 2**31 - 1:
        raise invalid(f"Cannot allocate {batches} batches, is the dense shape too wide?")
    return _counts(values, indices[:, 0], batches, weights.reshape(-1), node)


def _check(indices: Any, values: Any, shape: Any) -> None:
    if np.ndim(indices) != 2:
        raise invalid(f"Input indices must be a 2-dimensional tensor. Got: {shown(indices)}")
    for what, value in (("values", values), ("shape", shape)):
        if np.ndim(value) != 1:
            raise invalid(f"Input {what} must be a vector. Got: {shown(value)}")
    if len(values) != len(indices):
        raise invalid(
            "Number of values must match first dimension of indices."
            f"Got {len(values)} values, indices shape: {shown(indices)}"
        )
    if len(shape) != indices.shape[1]:
        raise invalid(
            "Number of dimensions must match second dimension of indices."
            f"Got {len(shape)} dimensions, indices shape: {shown(indices)}"
        )
    if not len(shape):
        raise invalid("The shape argument requires at least one element.")
    for row, axis in np.argwhere(parts.outside(indices, shape))[:1]:
        raise invalid(
            f"Invalid index value at {row}: dimension {axis} has value {indices[row, axis]} which "
            f"is not in [0, {shape[axis]}) (as given by dense shape {shape.tolist()})"
        )


# SparseBincount -----------------------------------------------------------------------------------

_bincount = define_op(
    "SparseBincount",
    "indices: int64, values: Tidx, dense_shape: int64, size: Tidx, weights: T -> output: T",
    "Tidx: {int32, int64}, T: {int32, int64, float, double}, binary_output: bool = false",
    no_gradient=_NO_GRADIENT,
)


@_bincount.shape
def _bincount_shape(c: InferenceContext) -> TensorShape:
    size, shape = c.constant(3), c.constant(2)
    if size is None or shape is None:
        return unknown_shape()
    if size.ndim:
        raise ValueError(f"Shape must be rank 0 but is rank {size.ndim}")
    if size < 0:
        raise ValueError(f"size ({size}) must be non-negative")
    if len(shape) > 2:
        raise ValueError("Input must be less than rank 2")
    return TensorShape.of((*shape.tolist()[:-1], int(size)))


@_bincount.kernel
def _bincount_kernel(
    indices: Any, values: Any, shape: Any, size: Any, weights: Any, *, binary_output: bool
) -> np.ndarray:
    parts.check_whole(indices, values, shape)
    parts.check_within(indices, shape)
    if np.ndim(size) or size < 0:
        raise invalid(f"size ({size}) must be a non-negative scalar")
    if weights.size and weights.shape != values.shape:
        raise invalid("Input indices and weights must have the same size.")
    if (values < 0).any():
        raise invalid("Input arr must be non-negative!")
    inside = values < size
    places: Any = values[inside]
    if len(shape) > 1:
        places = (indices[inside, 0], places)
    result = np.zeros((*shape.tolist()[:1][: len(shape) - 1], int(size)), weights.dtype)
    if binary_output:
        result[places] = 1
    else:
        np.add.at(result, places, weights[inside] if weights.size else weights.dtype.type(1))
    return result


# tf.sparse.bincount -------------------------------------------------------------------------------


def sparse_bincount(
    values: Any,
    weights: Any = None,
    axis: int | None = 0,
    minlength: int | None = None,
    maxlength: int | None = None,
    binary_output: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """How often each number comes, as a sparse tensor (TensorFlow: `tf.sparse.bincount`).

    Args:
      values: natural numbers, int32 or int64: a tensor, or a sparse tensor.
      weights: what each counts instead of 1; of the same kind and shape as `values`.
      axis: 0 for one vector of counts, -1 for one for each row.
      minlength: the result is at least as long.
      maxlength: values from here on do not count; the result is exactly as long.
      binary_output: 1 for what comes, however often.
      name: of the operation.

    Raises:
      ValueError: for another axis, and for weights with `binary_output`.

    Example:
      >>> counts = tf.sparse.bincount([1, 1, 3])
      >>> tf.sparse.to_dense(counts)  # [0, 2, 0, 1]
    """
    with op_scope(name, "count", [values, weights]):
        if not isinstance(values, SparseTensor):
            values = convert_to_tensor(values, name="values")
        if weights is not None and not isinstance(weights, SparseTensor):
            weights = convert_to_tensor(weights, name="weights")
        if weights is not None and binary_output:
            raise ValueError(
                "Arguments `binary_output` and `weights` are mutually exclusive. Please specify "
                "only one."
            )
        if axis not in (None, 0, -1):
            raise ValueError(
                f"Unsupported value for argument axis={axis}. Only 0 and -1 are currently "
                "supported."
            )
        if axis != -1:
            values, weights = _flat(values, weights)
        attrs: dict[str, Any] = {
            "minlength": -1 if minlength is None else minlength,
            "maxlength": -1 if maxlength is None else maxlength,
            "binary_output": binary_output,
        }
        if isinstance(values, SparseTensor):
            weights = _sparse_weights(values, weights)
            return SparseTensor(*_sparse(*parts.parts_of(values), weights, **attrs))
        if weights is None:
            weights = constant([], dtype=values.dtype)
        elif not isinstance(weights, Tensor):
            raise ValueError(
                "Argument `weights` must be a tf.Tensor if `values` is a tf.Tensor. Received "
                f"weights={weights} of type: {type(weights).__name__}"
            )
        return SparseTensor(*_dense(values, weights, **attrs))


def _flat(values: Any, weights: Any) -> tuple[Any, Any]:
    """All values as one vector, and their weights."""
    if isinstance(values, SparseTensor):
        return values.values, None if weights is None else _sparse_weights(values, weights)
    if weights is not None:
        weights = ops.reshape(weights, [-1])
    return ops.reshape(values, [-1]), weights


def _sparse_weights(values: SparseTensor, weights: Any) -> Tensor:
    """The weights' elements, once it is clear that they are where the values are."""
    if weights is None:
        return constant([], dtype=values.dtype)
    if not isinstance(weights, SparseTensor):
        raise ValueError(
            "Argument `weights` must be a SparseTensor if `values` is a SparseTensor. Received "
            f"weights={weights} of type: {type(weights).__name__}"
        )
    checks = []
    for part, what in (("dense_shape", "dense shape"), ("indices", "indices")):
        own, other = getattr(weights, part), getattr(values, part)
        if own is not other:
            message = f"'weights' and 'values' must have the same {what}."
            checks.append(assert_equal(own, other, message=message))
    if not checks:
        return weights.values
    with control_dependencies(checks):
        return ops.identity(weights.values)
