"""Weights, and how the losses of a batch become one number."""

from __future__ import annotations

from typing import Any

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.losses.collecting import add_loss
from tinytf.ops.base.op_scope import op_scope


class Reduction:
    """How the weighted losses of a batch become one (TensorFlow: `tf.losses.Reduction`).

    Attributes:
      NONE: not at all: each for itself.
      SUM: their sum.
      MEAN: the sum, divided by the sum of the weights.
      SUM_OVER_BATCH_SIZE: divided by the number of losses.
      SUM_BY_NONZERO_WEIGHTS, SUM_OVER_NONZERO_WEIGHTS: divided by the number of those whose weight
        is not 0.

    Example:
      >>> each = tf.losses.Reduction.NONE
      >>> tf.losses.absolute_difference([1.0, 2.0], [1.5, 4.0], reduction=each)  # [0.5, 2.0]
    """

    NONE = "none"
    SUM = "weighted_sum"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    MEAN = "weighted_mean"
    SUM_BY_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"
    SUM_OVER_NONZERO_WEIGHTS = SUM_BY_NONZERO_WEIGHTS

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """All of them."""
        over = (cls.SUM_OVER_NONZERO_WEIGHTS, cls.SUM_BY_NONZERO_WEIGHTS)
        return (cls.NONE, cls.SUM, cls.MEAN, cls.SUM_OVER_BATCH_SIZE, *over)

    @classmethod
    def validate(cls, key: Any) -> None:
        """Raise ValueError if `key` is none of them."""
        if key not in cls.all():
            raise ValueError(f"Invalid Reduction Key {key}. Key should be one of {cls.all()}.")


def compute_weighted_loss(
    losses: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Losses times their weights, as one number (TensorFlow: `tf.losses.compute_weighted_loss`).

    Args:
      losses: of whatever, a tensor [batch, ...]; integers are computed as float32.
      weights: a number; or a tensor of as many dimensions as losses, their sizes the same or 1.
      scope: the name of the operations' scope.
      loss_collection: which collection the result is added to; None for none.
      reduction: one of `Reduction`.

    Returns:
      a scalar of the losses' dtype; with Reduction.NONE, of their shape.

    Raises:
      ValueError: if the weights do not fit, or there is no such reduction.
      InvalidArgumentError: likewise, if the shapes are known in the run only.

    Example:
      >>> tf.losses.compute_weighted_loss([1.0, 2.0, 6.0], [1.0, 1.0, 0.0])  # 1.5
    """
    Reduction.validate(reduction)
    with op_scope(scope, "weighted_loss", (losses, weights)):
        check = ops.assert_broadcastable(weights, losses)
        with get_default_graph().control_dependencies([check]):
            losses = convert_to_tensor(losses)
            dtype = losses.dtype
            losses = ops.cast(losses, dtypes.float32)
            weights = ops.cast(weights, dtypes.float32)
            weighted = ops.multiply(losses, weights)
            loss = ops.cast(_reduced(weighted, losses, weights, reduction), dtype)
            add_loss(loss, loss_collection)
            return loss


def _reduced(weighted: Tensor, losses: Tensor, weights: Any, reduction: str) -> Tensor:
    if reduction == Reduction.NONE:
        return weighted
    loss = ops.reduce_sum(weighted)
    if reduction == Reduction.SUM:
        return loss
    if reduction == Reduction.MEAN:
        count = ops.reduce_sum(ops.ones_like(losses) * weights)
    elif reduction == Reduction.SUM_OVER_BATCH_SIZE:
        count = _number_of(losses)
    else:
        count = number_present(losses, weights)
    # The sum of a scalar adds an operation, and does nothing: TensorFlow's graphs have it.
    return ops.div_no_nan(ops.reduce_sum(loss), count, name="value")


def number_present(losses: Tensor, weights: Any, per_batch: bool = False) -> Tensor:
    """How many losses have a weight that is not 0.

    Args:
      per_batch: whether to count those of each row, [batch, 1, ...], not of the whole.
    """
    if isinstance(weights, float) and weights != 0.0:
        return _number_of(losses)
    with op_scope(None, "num_present", (losses, weights)) as scope:
        weights = ops.cast(weights, dtypes.float32)
        is_zero = ops.equal(weights, 0.0)
        present = ops.where(is_zero, ops.zeros_like(weights), ops.ones_like(weights))
        present = ops.broadcast_weights(present, losses)
        if not per_batch:
            return ops.reduce_sum(present, name=scope)
        axes = ops.range(1, ops.rank(present))
        return ops.reduce_sum(present, axis=axes, keepdims=True, name=scope)


def _number_of(losses: Tensor) -> Tensor:
    with op_scope(None, "num_elements", [losses]) as scope:
        return ops.cast(ops.size(losses, name=scope), losses.dtype)
