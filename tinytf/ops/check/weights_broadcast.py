"""Weights of losses and metrics: scalars, or of the values' rank with sizes that are theirs or 1.

Composites, as in TensorFlow (python/ops/weights_broadcast_ops.py), used by `tf.losses` and
`tf.metrics`.
"""

from __future__ import annotations

from typing import Any

from tinytf import ops
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.operation import Operation
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.sets import set_difference
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.check.assert_op import Assert
from tinytf.ops.control_flow.cond import cond
from tinytf.ops.control_flow.primitives import no_op
from tinytf.ops.math.arithmetic import multiply
from tinytf.ops.math.comparison import equal

_PROBLEM = "weights can not be broadcast to values."


def broadcast_weights(weights: Any, values: Any) -> Tensor:
    """Weights in the shape of the values.

    Raises:
      ValueError, InvalidArgumentError: as `assert_broadcastable`.
    """
    with op_scope(None, "broadcast_weights", (weights, values)) as scope:
        values = convert_to_tensor(values, name="values")
        weights = convert_to_tensor(weights, dtype=values.dtype.base_dtype, name="weights")
        both_known = weights.shape.is_fully_defined() and values.shape.is_fully_defined()
        if both_known and weights.shape.is_compatible_with(values.shape):
            return weights
        check = assert_broadcastable(weights, values)
        with get_default_graph().control_dependencies([check]):
            return multiply(weights, ops.ones_like(values), name=scope)


def assert_broadcastable(weights: Any, values: Any) -> Operation:
    """An operation that fails if weights do not fit values; one that does nothing if they do.

    Raises:
      ValueError: if it is known now that they do not fit.
    """
    with op_scope(None, "assert_broadcastable", (weights, values)) as scope:
        weights, weights_shape, weights_rank = _described(weights, "weights")
        values, values_shape, values_rank = _described(values, "values")
        known = _fits_as_known(weights, values)
        if known is not None:
            return no_op(name=known)
        is_scalar = equal(0, weights_rank, name="is_scalar")
        of_weights = ("weights.shape=", weights.name, weights_shape)
        of_values = ("values.shape=", values.name, values_shape)
        seen = (*of_weights, *of_values, "is_scalar=", is_scalar)

        def sizes_fit() -> Tensor:
            return _have_fitting_sizes(weights_rank, weights_shape, values_rank, values_shape)

        is_valid = cond(is_scalar, lambda: is_scalar, sizes_fit, name="is_valid_shape")
        return Assert(is_valid, (_PROBLEM, *seen), name=scope)


def _described(tensor: Any, name: str) -> tuple[Tensor, Tensor, Tensor]:
    """A tensor, its shape and its rank."""
    with op_scope(None, name, (tensor,)) as scope:
        tensor = convert_to_tensor(tensor, name=scope)
        return tensor, ops.shape(tensor, name="shape"), ops.rank(tensor, name="rank")


def _fits_as_known(weights: Tensor, values: Tensor) -> str | None:
    """The name of what says that they fit; None if that is not known before the run.

    Raises:
      ValueError: if they do not.
    """
    if weights.shape.ndims is None or values.shape.ndims is None:
        return None
    if weights.shape.ndims == 0:
        return "static_scalar_check_success"
    if weights.shape.ndims != values.shape.ndims:
        raise ValueError(
            f"{_PROBLEM} values.rank={values.shape.ndims}. weights.rank={weights.shape.ndims}. "
            f"values.shape={values.shape}. weights.shape={weights.shape}. Weights are a scalar, or "
            f"have as many dimensions as the values. Received weights={weights}, values={values}"
        )
    if not (weights.shape.is_fully_defined() and values.shape.is_fully_defined()):
        return None
    wanted, got = values.shape.as_list(), weights.shape.as_list()
    for axis, (size, weight) in enumerate(zip(wanted, got, strict=True)):
        if weight not in (1, size):
            raise ValueError(
                f"{_PROBLEM} Mismatch at dim {axis}. values.shape={wanted}, weights.shape={got}. "
                f"Received weights={weights}, values={values}"
            )
    return "static_dims_check_success"


def _have_fitting_sizes(
    weights_rank: Tensor, weights_shape: Tensor, values_rank: Tensor, values_shape: Tensor
) -> Tensor:
    inputs = (weights_rank, weights_shape, values_rank, values_shape)
    with op_scope(None, "has_valid_nonscalar_shape", inputs) as scope:
        is_same_rank = equal(values_rank, weights_rank, name="is_same_rank")

        def each_fits() -> Tensor:
            return _each_size_is_one_or_the_same(weights_shape, values_shape)

        return cond(is_same_rank, each_fits, lambda: is_same_rank, name=scope)


def _each_size_is_one_or_the_same(weights_shape: Tensor, values_shape: Tensor) -> Tensor:
    with op_scope(None, "has_invalid_dims", (weights_shape, values_shape)) as scope:
        sizes = ops.expand_dims(values_shape, -1)
        valid = ops.concat((sizes, ops.ones_like(sizes)), axis=1)
        invalid = set_difference(ops.expand_dims(weights_shape, -1), valid)
        count = ops.size(invalid.values, name="num_invalid_dims")
        return equal(0, count, name=scope)
