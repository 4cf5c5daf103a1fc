"""How far predictions are from labels.

All take `weights`, `scope`, `loss_collection` and `reduction` as `compute_weighted_loss` does, and
raise ValueError if shapes do not fit or an argument is None.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.layers.declared import parameter, parameters_of, with_parameters
from tinytf.losses.collecting import add_loss
from tinytf.losses.weighting import Reduction, compute_weighted_loss, number_present
from tinytf.ops.array.reshape import deprecated_lookup
from tinytf.ops.base.op_scope import op_scope


def require(**arguments: Any) -> None:
    """Raise ValueError for what is None."""
    for name, value in arguments.items():
        if value is None:
            raise ValueError(f"Argument `{name}` must not be None.")


def elementwise(of_each: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Make a loss of a function of labels and predictions, element by element (decorator).

    It takes `weights` behind these two, and `scope`, `loss_collection` and `reduction` at the end,
    as `compute_weighted_loss`; its default scope is the function's name.
    """
    labels, predictions, *own = parameters_of(of_each)
    weights = parameter("weights", 1.0)
    collected = [parameter("scope", None), parameter("loss_collection", GraphKeys.LOSSES)]
    reduction = parameter("reduction", Reduction.SUM_BY_NONZERO_WEIGHTS)
    parameters = [labels, predictions, weights, *own, *collected, reduction]

    def called(given: dict[str, Any]) -> Tensor:
        pair = {name: given.pop(name) for name in (labels.name, predictions.name)}
        how = [given.pop(one.name) for one in (weights, *collected, reduction)]
        return _weighted(of_each.__name__, pair, partial(of_each, **given), *how)

    return with_parameters(parameters, of_each, called)


def _weighted(
    name: str,
    pair: dict[str, Any],
    of_each: Callable[[Any, Any], Tensor],
    weights: Any,
    scope: str | None,
    loss_collection: str | None,
    reduction: str,
) -> Tensor:
    """A loss of float32 labels and predictions, element by element (`of_each`), and weighted.

    Args:
      pair: labels and predictions, by the names that a message calls them by.
    """
    require(**pair)
    labels, predictions = pair.values()
    with op_scope(scope, name, (predictions, labels, weights)) as scope:
        predictions = ops.cast(predictions, dtypes.float32)
        labels = ops.cast(labels, dtypes.float32)
        predictions.shape.assert_is_compatible_with(labels.shape)
        losses = of_each(labels, predictions)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@elementwise
def absolute_difference(labels: Any, predictions: Any) -> Tensor:
    """The mean of |prediction - label| (TensorFlow: `tf.losses.absolute_difference`).

    Args:
      labels, predictions: of one shape; computed as float32.
      weights, scope, loss_collection, reduction: as of `compute_weighted_loss`.

    Example:
      >>> tf.losses.absolute_difference([1.0, 2.0], [1.5, 4.0])  # 1.25
    """
    return ops.absolute(ops.subtract(predictions, labels))


@elementwise
def mean_squared_error(labels: Any, predictions: Any) -> Tensor:
    """The mean of (prediction - label)² (TensorFlow: `tf.losses.mean_squared_error`).

    Args:
      labels, predictions: of one shape; computed as float32.
      weights, scope, loss_collection, reduction: as of `compute_weighted_loss`.

    Example:
      >>> tf.losses.mean_squared_error([1.0, 2.0], [1.5, 4.0])  # 2.125
    """
    return ops.squared_difference(predictions, labels)


@elementwise
def huber_loss(labels: Any, predictions: Any, delta: float = 1.0) -> Tensor:
    """Half the square of small differences, linear for large ones (`tf.losses.huber_loss`).

    With d = |prediction - label|: d² / 2 up to `delta`, then delta·d - delta² / 2, so that a few
    that are far off do not count too much.

    Args:
      labels, predictions: of one shape; computed as float32.
      delta: where it becomes linear.
      weights, scope, loss_collection, reduction: as of `compute_weighted_loss`.

    Example:
      >>> tf.losses.huber_loss([1.0, 2.0], [1.5, 4.0])  # 0.8125
    """
    distance = ops.absolute(ops.subtract(predictions, labels))
    quadratic = ops.minimum(distance, delta)
    linear = ops.subtract(distance, quadratic)
    half = convert_to_tensor(0.5, dtype=quadratic.dtype)
    return ops.add(
        ops.multiply(half, ops.multiply(quadratic, quadratic)), ops.multiply(delta, linear)
    )


@elementwise
def log_loss(labels: Any, predictions: Any, epsilon: float = 1e-7) -> Tensor:
    """The cross-entropy of probabilities, not of scores (TensorFlow: `tf.losses.log_loss`).

    Args:
      labels: 0 or 1, or between. predictions: probabilities, of the same shape.
      epsilon: added before the logarithm, so that 0 has one.
      weights, scope, loss_collection, reduction: as of `compute_weighted_loss`.

    Example:
      >>> tf.losses.log_loss([1.0, 0.0], [0.5, 0.5])  # 0.6931470
    """
    hit: Any = ops.multiply(labels, ops.log(predictions + epsilon))
    return -hit - ops.multiply(1 - labels, ops.log(1 - predictions + epsilon))


@elementwise
def hinge_loss(labels: Any, logits: Any) -> Tensor:
    """The mean of max(0, 1 - score on the right side) (TensorFlow: `tf.losses.hinge_loss`).

    Args:
      labels: 0 or 1. logits: scores, of the same shape: above 0 for 1, below 0 for 0.
      weights, scope, loss_collection, reduction: as of `compute_weighted_loss`.

    Example:
      >>> tf.losses.hinge_loss([1.0, 0.0], [0.5, -3.0])  # 0.25
    """
    ones = ops.ones_like(labels)
    signs = ops.subtract(2 * labels, ones)
    return ops.relu(ops.subtract(ones, ops.multiply(signs, logits)))


def cosine_distance(
    labels: Any,
    predictions: Any,
    axis: int | None = None,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    dim: int | None = None,
) -> Tensor:
    """1 - the cosine of the angle between both (TensorFlow: `tf.losses.cosine_distance`).

    Args:
      labels, predictions: of one shape, vectors of length 1 along `axis` (that is not checked).
      axis: along which. dim: its older name.
      weights, scope, loss_collection, reduction: as of `compute_weighted_loss`.

    Example:
      >>> tf.losses.cosine_distance([[1.0, 0.0]], [[0.6, 0.8]], axis=1)  # 0.4
    """
    axis = deprecated_lookup("axis", axis, "dim", dim)
    if axis is None:
        raise ValueError("You must specify argument `axis`.")

    def of_each(labels: Any, predictions: Any) -> Tensor:
        cosine: Any = ops.reduce_sum(ops.multiply(predictions, labels), axis=(axis,), keepdims=True)
        return 1 - cosine

    pair = {"labels": labels, "predictions": predictions}
    how = (weights, scope, loss_collection, reduction)
    return _weighted("cosine_distance_loss", pair, of_each, *how)


def mean_pairwise_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
) -> Tensor:
    """How far differences within an example are off (`tf.losses.mean_pairwise_squared_error`).

    Of every pair of elements of an example, the square of the difference between their difference
    in the predictions and that in the labels; so a constant that is added to all costs nothing.

    Args:
      labels, predictions: of one shape, [batch, ...]; computed as float32.
      weights: a number, or [batch, 1, ...].
      scope, loss_collection: as of `compute_weighted_loss`.

    Example:
      >>> tf.losses.mean_pairwise_squared_error([[1.0, 2.0]], [[5.0, 7.0]])  # 1.0
    """
    require(labels=labels, predictions=predictions)
    with op_scope(scope, "mean_pairwise_squared_error", (predictions, labels, weights)):
        weights = ops.cast(weights, dtypes.float32)
        labels = ops.cast(labels, dtypes.float32)
        check = ops.assert_broadcastable(weights, labels)
        with get_default_graph().control_dependencies([check]):
            predictions = ops.cast(predictions, dtypes.float32)
            predictions.shape.assert_is_compatible_with(labels.shape)
            loss = _mean_over_pairs(ops.subtract(predictions, labels), weights)
            add_loss(loss, loss_collection)
            return loss


def _mean_over_pairs(differences: Tensor, weights: Any) -> Tensor:
    """From sums: the mean over pairs of (a - b)² is 2·(n·sum of squares - square of sum)/(n·(n-1)).

    TensorFlow computes it in two terms; so its graph is ours.
    """
    axes = ops.range(1, ops.rank(differences))
    squares = ops.reduce_sum(ops.square(differences), axis=axes, keepdims=True)
    count: Any = number_present(differences, weights, per_batch=True)

    def over(sums: Tensor, number: Any) -> Any:
        return 2.0 * ops.div_no_nan(sums, ops.maximum(number, 0), name="value")  # type: ignore[operator]

    first = over(squares, count - 1)
    total = ops.reduce_sum(differences, axis=axes, keepdims=True)
    second = over(ops.square(total), ops.multiply(count, count - 1))
    loss = ops.reduce_sum(ops.multiply(first - second, weights))
    is_any: Any = ops.reduce_sum(count)
    return ops.where(is_any > 0, loss, ops.zeros_like(loss), name="value")
