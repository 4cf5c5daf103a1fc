"""Losses as they were in 2016 (`tf.contrib.losses`): those of `tf.losses`, predictions first.

Weights say what each example counts, [batch], or what each of its parts counts: they are aligned
with the first dimensions of the losses, where `tf.losses` wants as many as these have.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.tensor import Tensor
from tinytf.losses import cross_entropies, distances, weighting
from tinytf.losses.collecting import add_loss
from tinytf.ops.array.reshape import expand_dims, squeeze
from tinytf.ops.array.shape import shape
from tinytf.ops.math.arithmetic import multiply, subtract
from tinytf.ops.math.cast import cast
from tinytf.ops.math.division import div_no_nan
from tinytf.ops.reduce.reduction import reduce_prod


def _turned(loss: Callable[..., Tensor], fewer: int = 0) -> Callable[..., Tensor]:
    """The loss with its first two arguments the other way round.

    Args:
      loss: of `tf.losses`. fewer: how many dimensions its losses have less than the predictions.
    """
    second, first, *others = inspect.signature(loss).parameters.values()
    order = [first, second, *others]

    @functools.wraps(loss)
    def turned(*args: Any, **kwargs: Any) -> Tensor:
        named = {p.name: value for p, value in zip(order, args, strict=False)} | kwargs
        given = named.get(first.name)
        rank = None if given is None else convert_to_tensor(given).shape.ndims
        if rank is not None:
            named["weights"] = _of_rank(rank - fewer, named.get("weights", 1.0))
        return loss(**named)

    turned.__signature__ = inspect.Signature(order)  # type: ignore[attr-defined]
    return turned


def _of_rank(rank: int, weights: Any) -> Any:
    """The weights with dimensions of size 1 at the end, as many as losses of this rank need."""
    weights = convert_to_tensor(weights)
    sizes = weights.shape.sizes
    if not sizes:
        return weights
    if len(sizes) > 1 and sizes[-1] == 1:
        weights = squeeze(weights, [-1])
    for _ in range(rank - weights.shape.ndims):
        weights = expand_dims(weights, -1)
    return weights


absolute_difference = _turned(distances.absolute_difference)
cosine_distance = _turned(distances.cosine_distance)
log_loss = _turned(distances.log_loss)
mean_squared_error = _turned(distances.mean_squared_error)
sigmoid_cross_entropy = _turned(cross_entropies.sigmoid_cross_entropy)
softmax_cross_entropy = _turned(cross_entropies.softmax_cross_entropy, fewer=1)
sparse_softmax_cross_entropy = _turned(cross_entropies.sparse_softmax_cross_entropy, fewer=1)


def compute_weighted_loss(losses: Any, weights: Any = 1.0, scope: str | None = None) -> Tensor:
    """The mean of losses times weights (TensorFlow: `tf.contrib.losses.compute_weighted_loss`).

    Args:
      losses: [batch, ...], of a rank that is known. weights: a number, or [batch, ...] of fewer
        dimensions, or as many. scope: the name of the operations' scope.

    Raises:
      ValueError: if the rank of the losses is not known, or the weights do not fit.

    Example:
      >>> tf.contrib.losses.compute_weighted_loss([[1.0, 2.0], [6.0, 8.0]], [1.0, 0.0])  # 1.5
    """
    losses = convert_to_tensor(losses)
    if losses.shape.ndims is None:
        raise ValueError("losses.get_shape().ndims cannot be None: give losses a shape.")
    weights = _of_rank(losses.shape.ndims, weights)
    return weighting.compute_weighted_loss(losses, weights, scope)


def hinge_loss(logits: Any, labels: Any = None, scope: str | None = None) -> Tensor:
    """The hinge loss of each, in no collection (TensorFlow: `tf.contrib.losses.hinge_loss`).

    Args:
      logits: scores, for a label 1 if above 0. labels: 0 or 1. scope: the operations' scope.

    Example:
      >>> tf.contrib.losses.hinge_loss([0.5, 2.0], [1.0, 0.0])  # [0.5, 3.0]
    """
    each = weighting.Reduction.NONE
    return distances.hinge_loss(labels, logits, 1.0, scope, loss_collection=None, reduction=each)


def mean_pairwise_squared_error(
    predictions: Any, labels: Any = None, weights: Any = 1.0, scope: str | None = None
) -> Tensor:
    """How far differences are off (TensorFlow: `tf.contrib.losses.mean_pairwise_squared_error`).

    Args:
      predictions, labels: [batch, ...]. weights: a number, or [batch]. scope: the operations'.

    Returns:
      as `tf.losses.mean_pairwise_squared_error`; but the mean is over all pairs of an example's n
      elements, and those of an element with itself are among them: (n - 1) / n of that.

    Example:
      >>> tf.contrib.losses.mean_pairwise_squared_error([[5.0, 7.0]], [[1.0, 2.0]])  # 0.5
    """
    predictions = convert_to_tensor(predictions)
    turned = _turned(distances.mean_pairwise_squared_error)
    loss = turned(predictions, labels, weights, scope, loss_collection=None)
    count = cast(reduce_prod(shape(predictions)[1:]), loss.dtype)  # type: ignore[index]
    loss = multiply(loss, div_no_nan(subtract(count, 1.0), count))
    add_loss(loss)
    return loss
