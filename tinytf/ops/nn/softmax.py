"""Softmax, and the cross-entropies of its probabilities."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tinytf.framework import shape_inference
from tinytf.framework.array_types import Array
from tinytf.framework.constant_value import constant_value
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import InvalidArgumentError, invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.array.concat import concat
from tinytf.ops.array.fill import is_zeros
from tinytf.ops.array.range import range as range_op
from tinytf.ops.array.reshape import deprecated_lookup, expand_dims, squeeze
from tinytf.ops.array.shape import rank
from tinytf.ops.array.transpose import transpose
from tinytf.ops.array.where import where
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.linalg.matmul import matmul
from tinytf.ops.math.arithmetic import add, multiply, subtract
from tinytf.ops.math.comparison import less
from tinytf.ops.math.division import floormod
from tinytf.ops.math.exp_log import exp
from tinytf.ops.math.sign import negative
from tinytf.ops.nn.relu import widened
from tinytf.ops.reduce.reduction import reduce_sum

_FLOAT = "T: {half, bfloat16, float, double}"

# Softmax ------------------------------------------------------------------------------------------

_softmax = define_op("Softmax", "logits: T -> softmax: T", _FLOAT)


@_softmax.shape
def _at_least_a_vector(c: shape_inference.InferenceContext) -> TensorShape:
    return shape_inference.with_rank_at_least(c.input(0), 1)


def _shifted(logits: Any, axis: int = -1) -> Any:
    """The logits minus the largest of each row: exp cannot overflow, and no result changes."""
    if logits.ndim < 1:
        raise invalid(f"logits must have >= 1 dimension, got {shown(logits)}")
    wide = np.ascontiguousarray(widened(logits))
    return wide - wide.max(axis, keepdims=True, initial=-np.inf)


@_softmax.kernel
def _softmax_kernel(logits: Array) -> Array:
    powers = np.exp(_shifted(logits))
    return (powers / powers.sum(-1, keepdims=True)).astype(logits.dtype, copy=False)


@_softmax.gradient
def _softmax_gradient(op: Operation, gradient: Tensor) -> Tensor:
    probabilities = op.outputs[0]
    total = reduce_sum(multiply(gradient, probabilities, name="mul"), -1, keepdims=True)
    return multiply(subtract(gradient, total, name="sub"), probabilities, name="mul")


def softmax(logits: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Tensor:
    """exp(logits) / sum(exp(logits)) along a dimension (TensorFlow: `tf.nn.softmax`).

    Args:
      logits: floating-point numbers, of rank 1 or more.
      axis: the dimension whose probabilities add up to 1; by default the last.
      name: of the operation.
      dim: the old name of `axis`.

    Raises:
      InvalidArgumentError: if the axis is out of range. ValueError: for a scalar.

    Example:
      >>> tf.nn.softmax([0.0, 0.0])  # [0.5, 0.5]
    """
    axis = deprecated_lookup("axis", axis, "dim", dim)
    return _along_last_axis(logits, _softmax, -1 if axis is None else axis, name)


def _along_last_axis(
    logits: Any, function: Callable[..., Tensor], axis: Any, name: str | None
) -> Tensor:
    """Apply an op that works along the last dimension along another one."""
    logits = convert_to_tensor(logits)
    count = logits.shape.ndims
    if isinstance(axis, int) and (axis == -1 or (count is not None and axis == count - 1)):
        return function(logits, name=name)

    if count is None:
        raise ValueError(f"The rank of {logits} must be known for a softmax along axis {axis}.")
    known = constant_value(axis) if isinstance(axis, Tensor) else axis
    if known is not None and not -count <= known < count:
        raise InvalidArgumentError(
            f"`dim` must be in the range [{-count}, {count}) where {count} is the number of "
            f"dimensions in the input. Received: dim={known}"
        )
    ndims, input_rank = rank(logits), rank(logits)
    if isinstance(axis, Tensor):
        axis = where(less(axis, 0), add(axis, ndims, name="add"), axis)
        axis = floormod(axis, count, name="mod")
    elif axis < 0:
        axis = floormod(add(axis, ndims, name="add"), count, name="mod")
    swapped = _swap_with_last(logits, axis, subtract(input_rank, 1))
    result = _swap_with_last(function(swapped), axis, subtract(input_rank, 1), name)
    result.set_shape(logits.shape)
    return result


def _swap_with_last(tensor: Tensor, axis: Any, last: Tensor, name: str | None = None) -> Tensor:
    before = range_op(axis)
    after = range_op(add(axis, 1, name="add") if isinstance(axis, Tensor) else axis + 1, last)
    order = concat([before, [last], after, [axis]], 0)
    return transpose(tensor, order, name=name)


# LogSoftmax ---------------------------------------------------------------------------------------

_log_softmax = define_op(
    "LogSoftmax", "logits: T -> logsoftmax: T", _FLOAT, shape=_at_least_a_vector
)


def _log_probabilities(shifted: Any) -> Any:
    return shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))


@_log_softmax.kernel
def _log_softmax_kernel(logits: Array) -> Array:
    return _log_probabilities(_shifted(logits)).astype(logits.dtype, copy=False)


@_log_softmax.gradient
def _log_softmax_gradient(op: Operation, gradient: Tensor) -> Tensor:
    probabilities = exp(op.outputs[0])
    total = reduce_sum(gradient, -1, keepdims=True)
    return subtract(gradient, multiply(total, probabilities, name="mul"), name="sub")


def log_softmax(logits: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Tensor:
    """The logarithm of `softmax`, without its rounding to 0 (TensorFlow: `tf.nn.log_softmax`).

    Args:
      logits: floating-point numbers, of rank 1 or more.
      axis: the dimension whose probabilities add up to 1; by default the last.
      name: of the operation.
      dim: the old name of `axis`.

    Example:
      >>> tf.nn.log_softmax([0.0, 0.0])  # [-0.6931472, -0.6931472]
    """
    axis = deprecated_lookup("axis", axis, "dim", dim)
    return _along_last_axis(logits, _log_softmax, -1 if axis is None else axis, name)


# SoftmaxCrossEntropyWithLogits --------------------------------------------------------------------

cross_entropy_node = define_op(
    "SoftmaxCrossEntropyWithLogits", "features: T, labels: T -> loss: T, backprop: T", _FLOAT
)


@cross_entropy_node.shape
def _cross_entropy_shape(c: shape_inference.InferenceContext) -> list[TensorShape]:
    try:
        both = shape_inference.merge(shape_inference.with_rank(c.input(0), 2), c.input(1))
    except ValueError:  # not equal, but perhaps one can be broadcast to the other
        both = shape_inference.broadcast_shapes(c.input(0), c.input(1))
    if both.sizes is None or len(both.sizes) != 2:
        raise ValueError(
            f"Shape must be broadcasted with rank 2, but is rank {both.ndims}"
        ) from None
    return [TensorShape.of(both.sizes[:1]), both]


@cross_entropy_node.kernel
def _cross_entropy_kernel(logits: Array, labels: Array) -> tuple[Any, Any]:
    if logits.shape != labels.shape:
        try:
            logits, labels = np.broadcast_arrays(logits, labels)
        except ValueError:
            raise invalid(
                f"logits and labels must be broadcastable: logits_size={shown(logits)} "
                f"labels_size={shown(labels)}"
            ) from None
    if logits.ndim != 2:
        raise invalid(
            "logits and labels must be either 2-dimensional, or broadcasted to be 2-dimensional"
        )
    wide = widened(labels)
    shifted = _shifted(logits)
    powers = np.exp(shifted)
    total = powers.sum(-1, keepdims=True)
    loss = (wide * (np.log(total) - shifted)).sum(-1)
    backprop = powers / total - wide
    return loss.astype(logits.dtype, copy=False), backprop.astype(logits.dtype, copy=False)


@cross_entropy_node.gradient
def _cross_entropy_gradient(op: Operation, loss: Tensor, backprop: Any) -> list[Tensor]:
    return [
        _gradient_of_logits(op, loss, backprop),
        _for_each_row(loss, negative(_log_softmax(op.inputs[0]))),
    ]


def _for_each_row(vector: Tensor, matrix: Tensor) -> Tensor:
    return multiply(expand_dims(vector, -1), matrix, name="mul")


def _gradient_of_logits(op: Operation, loss: Tensor, backprop: Any) -> Tensor:
    """The second output is the gradient of the first, computed on the way."""
    result = _for_each_row(loss, op.outputs[1])
    if backprop is not None and not is_zeros(backprop):  # a gradient of this gradient is wanted
        probabilities = _softmax(op.inputs[0])
        product = matmul(expand_dims(backprop, 1), expand_dims(probabilities, 2))
        difference = subtract(backprop, squeeze(product, axis=[1]), name="sub")
        result = add(result, multiply(difference, probabilities, name="mul"), name="add")
    return result


# SparseSoftmaxCrossEntropyWithLogits --------------------------------------------------------------

_FEW_CLASSES = 16

sparse_cross_entropy_node = define_op(
    "SparseSoftmaxCrossEntropyWithLogits",
    "features: T, labels: Tlabels -> loss: T, backprop: T",
    _FLOAT,
    "Tlabels: {int32, int64} = DT_INT64",
)


@sparse_cross_entropy_node.shape
def _sparse_cross_entropy_shape(c: shape_inference.InferenceContext) -> list[TensorShape]:
    features = shape_inference.with_rank(c.input(0), 2).sizes or (None, None)
    labels = shape_inference.with_rank(c.input(1), 1).sizes or (None,)
    rows = shape_inference.merge_dimension(features[0], labels[0])
    return [TensorShape.of((rows,)), TensorShape.of((rows, features[1]))]


@sparse_cross_entropy_node.kernel
def _sparse_cross_entropy_kernel(logits: Array, labels: Array) -> tuple[Any, Any]:
    _check_sparse_labels(logits, labels)
    rows = np.arange(len(labels))
    if logits.shape[1] > _FEW_CLASSES:
        shifted = _shifted(logits)
        places, axis = (rows, labels), -1
    else:  # a few columns: one after the other, each at once, is much faster
        shifted = _shifted(logits.T, 0)
        places, axis = (labels, rows), 0
    powers = np.exp(shifted)
    total = powers.sum(axis, keepdims=True)
    loss = np.log(total.reshape(-1)) - shifted[places]
    powers /= total
    powers[places] -= powers.dtype.type(1)
    backprop = powers if axis else powers.T
    return loss.astype(logits.dtype, copy=False), np.ascontiguousarray(backprop, logits.dtype)


def _check_sparse_labels(logits: Any, labels: Any) -> None:
    if logits.ndim != 2:
        raise invalid(f"logits must be 2-D, but got shape {shown(logits)}")
    if labels.ndim != 1:
        raise invalid(f"labels must be 1-D, but got shape {shown(labels)}")
    if len(logits) != len(labels):
        raise invalid(
            f"logits and labels must have the same first dimension, got logits shape "
            f"{shown(logits)} and labels shape {shown(labels)}"
        )
    classes = logits.shape[1]
    if classes == 0:
        raise invalid(f"Must have at least one class, but got logits shape {shown(logits)}")
    wrong = (labels < 0) | (labels >= classes)
    if wrong.any():
        raise invalid(
            f"Received a label value of {labels[wrong.argmax()]} which is outside the valid range "
            f"of [0, {classes}).  Label values: {' '.join(map(str, labels.tolist()))}"
        )


@sparse_cross_entropy_node.gradient
def _sparse_cross_entropy_gradient(op: Operation, loss: Tensor, backprop: Any) -> list[Any]:
    return [_gradient_of_logits(op, loss, backprop), None]
