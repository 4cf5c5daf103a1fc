"""`tf.contrib.seq2seq.sequence_loss`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tinytf import ops
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.slice import getitem


def sequence_loss(
    logits: Any,
    targets: Any,
    weights: Any,
    average_across_timesteps: bool = True,
    average_across_batch: bool = True,
    sum_over_timesteps: bool = False,
    sum_over_batch: bool = False,
    softmax_loss_function: Callable[..., Any] | None = None,
    name: str | None = None,
) -> Tensor:
    """The weighted cross-entropy of sequences (TensorFlow: `tf.contrib.seq2seq.sequence_loss`).

    Args:
      logits: [batch, time, classes]. targets: the right classes, [batch, time].
      weights: of each step, [batch, time]: 0 after the end, as `tf.sequence_mask` makes them.
      average_across_timesteps, average_across_batch: whether to take the mean, by weights.
      sum_over_timesteps, sum_over_batch: whether to divide the sum by how many weights are not 0.
      softmax_loss_function: a function of `labels` and `logits`, instead of the cross-entropy.
      name: a name scope.

    Raises:
      ValueError: for other ranks; if a mean and a sum are asked for at the same time.

    Example:
      >>> mask = tf.sequence_mask([3, 1], 3, tf.float32)
      >>> logits, targets = tf.zeros([2, 3, 4]), tf.zeros([2, 3], tf.int32)
      >>> tf.contrib.seq2seq.sequence_loss(logits, targets, mask)  # 1.3862944
    """
    logits, targets, weights = map(convert_to_tensor, (logits, targets, weights))
    if logits.shape.ndims != 3:
        raise ValueError("Logits must be a [batch_size x sequence_length x logits] tensor")
    if targets.shape.ndims != 2:
        raise ValueError("Targets must be a [batch_size x sequence_length] tensor")
    if weights.shape.ndims != 2:
        raise ValueError("Weights must be a [batch_size x sequence_length] tensor")
    means, sums = (
        (average_across_batch, average_across_timesteps),
        (sum_over_batch, sum_over_timesteps),
    )
    for which, mean, total in zip(("batch", "timesteps"), means, sums, strict=True):
        if mean and total:
            raise ValueError(
                f"average_across_{which} and sum_over_{which} cannot be set to True at same time."
            )
    with get_default_graph().name_scope(name or "sequence_loss"):
        flat = ops.reshape(logits, [-1, getitem(ops.shape(logits), 2)])
        function = softmax_loss_function or ops.sparse_softmax_cross_entropy_with_logits
        losses = function(labels=ops.reshape(targets, [-1]), logits=flat)
        losses = ops.multiply(losses, ops.reshape(weights, [-1]))
        axis: list[int] | None = None
        if not (all(means) or all(sums)):
            losses = ops.reshape(losses, getitem(ops.shape(logits), slice(0, 2)))
            chosen = means if any(means) else sums
            if not any(chosen):
                return losses
            axis = [0] if chosen[0] else [1]
        losses = ops.reduce_sum(losses, axis=axis)
        if all(means) or (axis and any(means)):
            return ops.div_no_nan(losses, ops.reduce_sum(weights, axis=axis))
        return ops.div_no_nan(losses, ops.cast(ops.count_nonzero(weights, axis=axis), losses.dtype))
