"""Losses of classification: how unlikely the labels are under the predicted scores."""

from __future__ import annotations

from typing import Any

from tinytf import ops
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.tensor import Tensor
from tinytf.losses.distances import require
from tinytf.losses.weighting import Reduction, compute_weighted_loss
from tinytf.ops.base.op_scope import op_scope


def sigmoid_cross_entropy(
    multi_class_labels: Any,
    logits: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Of classes that may come together (TensorFlow: `tf.losses.sigmoid_cross_entropy`).

    Args:
      multi_class_labels: 0 or 1 for each class, [batch, classes].
      logits: the scores, likewise.
      weights, scope, loss_collection, reduction: as of `compute_weighted_loss`.
      label_smoothing: how far labels are moved towards 1/2, from 0 to 1.

    Raises:
      ValueError: if shapes do not fit, or labels or logits are None.

    Example:
      >>> tf.losses.sigmoid_cross_entropy([[1, 0]], [[0.0, 0.0]])  # 0.6931472
    """
    require(multi_class_labels=multi_class_labels, logits=logits)
    inputs = (logits, multi_class_labels, weights)
    with op_scope(scope, "sigmoid_cross_entropy_loss", inputs) as scope:
        logits = convert_to_tensor(logits)
        labels: Any = ops.cast(multi_class_labels, logits.dtype)
        logits.shape.assert_is_compatible_with(labels.shape)
        if label_smoothing > 0:
            labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
        losses = ops.sigmoid_cross_entropy_with_logits(
            labels=labels, logits=logits, name="xentropy"
        )
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def softmax_cross_entropy(
    onehot_labels: Any,
    logits: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Of classes of which one is right (TensorFlow: `tf.losses.softmax_cross_entropy`).

    No gradient flows back to the labels.

    Args:
      onehot_labels: the probability of each class, [batch, classes].
      logits: the scores, likewise.
      weights, scope, loss_collection, reduction: as of `compute_weighted_loss`; weights [batch].
      label_smoothing: how far labels are moved towards 1 / classes, from 0 to 1.

    Raises:
      ValueError: if shapes do not fit, or labels or logits are None.

    Example:
      >>> tf.losses.softmax_cross_entropy([[0, 1]], [[0.0, 0.0]])  # 0.6931472
    """
    require(onehot_labels=onehot_labels, logits=logits)
    with op_scope(scope, "softmax_cross_entropy_loss", (logits, onehot_labels, weights)) as scope:
        logits = convert_to_tensor(logits)
        labels: Any = ops.cast(onehot_labels, logits.dtype)
        logits.shape.assert_is_compatible_with(labels.shape)
        if label_smoothing > 0:
            classes: Any = ops.cast(ops.shape(labels)[-1], logits.dtype)  # type: ignore[index]
            kept, spread = 1.0 - label_smoothing, label_smoothing / classes
            labels = labels * kept + spread
        labels = ops.stop_gradient(labels, name="labels_stop_gradient")
        losses = ops.softmax_cross_entropy_with_logits_v2(
            labels=labels, logits=logits, name="xentropy"
        )
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def sparse_softmax_cross_entropy(
    labels: Any,
    logits: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """`softmax_cross_entropy` of labels that are numbers (`tf.losses.sparse_softmax_...`).

    Args:
      labels: the right class of each, int32 or int64, [batch] or [batch, 1].
      logits: the scores, [batch, classes].
      weights: a number, or of the labels' shape.
      scope, loss_collection, reduction: as of `compute_weighted_loss`.

    Raises:
      ValueError: if shapes do not fit, or labels or logits are None.

    Example:
      >>> tf.losses.sparse_softmax_cross_entropy([1], [[0.0, 0.0]])  # 0.6931472
    """
    require(labels=labels, logits=logits)
    inputs = (logits, labels, weights)
    with op_scope(scope, "sparse_softmax_cross_entropy_loss", inputs) as scope:
        labels, logits = ops.remove_squeezable_dimensions(labels, logits, expected_rank_diff=1)
        weights = _of_the_rank_of(labels, convert_to_tensor(weights))
        losses = ops.sparse_softmax_cross_entropy_with_logits(
            labels=labels, logits=logits, name="xentropy"
        )
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def _of_the_rank_of(labels: Tensor, weights: Tensor) -> Tensor:
    """The weights, without a last dimension of size 1 that they have more than the labels."""
    if labels.shape.ndims is not None and weights.shape.ndims is not None:
        one_more = weights.shape.ndims == labels.shape.ndims + 1
        return ops.squeeze(weights, [-1]) if one_more else weights
    more: Any = ops.rank(weights) - ops.rank(labels)  # type: ignore[operator]
    sizes = weights.shape.sizes
    if sizes is not None and (not sizes or sizes[-1] not in (None, 1)):
        return weights
    return ops.cond(ops.equal(1, more), lambda: ops.squeeze(weights, [-1]), lambda: weights)
