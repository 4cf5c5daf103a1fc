"""What metrics are made of: variables that add up batches, weights, and means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.layers.declared import parameter, parameters_of, with_parameters
from tinytf.ops.variables import state
from tinytf.ops.variables.scope import variable_scope
from tinytf.ops.variables.variable import Variable
from tinytf.ops.variables.variable_creators import VariableAggregation, VariableSynchronization

#: What a metric returns: its value so far, and what takes another batch in and gives it then.
Metric = tuple[Any, Any]


def metric(build: Callable[..., Metric]) -> Callable[..., Metric]:
    """Let what a function builds be added to collections (decorator).

    What it makes takes `metrics_collections` and `updates_collections` as well, before `name`, its
    last argument: lists of collections that value and update_op are added to.
    """
    *own, name = parameters_of(build)
    collections = [parameter("metrics_collections", None), parameter("updates_collections", None)]

    def called(given: dict[str, Any]) -> Metric:
        wanted = [given.pop(one.name) for one in collections]
        return collected(build(**given), *wanted)

    return with_parameters([*own, *collections, name], build, called)


def collected(found: Metric, metrics_collections: Any, updates_collections: Any) -> Metric:
    """A metric, (value, update_op), of which both are added to these collections."""
    for collections, tensor in zip((metrics_collections, updates_collections), found, strict=True):
        if collections:
            get_default_graph().add_to_collections(collections, tensor)
    return found


@metric
def mean(values: Any, weights: Any = None, name: str | None = None) -> Metric:
    """The mean of all values of all batches (TensorFlow: `tf.metrics.mean`).

    Args:
      values: numbers of any shape; computed as float32.
      weights: what each counts: a number, or of the values' rank with sizes that are theirs or 1.
      metrics_collections, updates_collections: lists of collections that the two tensors go into.
      name: of the variable scope.

    Returns:
      (value, update_op): the mean so far, 0 before the first batch; and what takes another batch
      in and gives the mean then.

    Raises:
      ValueError: if weights do not fit.

    Example:
      >>> number = tf.placeholder(tf.float32)
      >>> mean, update = tf.metrics.mean(number)
      >>> sess.run(tf.local_variables_initializer())
      >>> for n in (1.0, 2.0, 6.0):
      ...     last = sess.run(update, {number: n})
      >>> float(last), float(sess.run(mean))
      (3.0, 3.0)
    """
    with variable_scope(name, "mean", (values, weights)):
        values = ops.cast(values, dtypes.float32)
        total = metric_variable([], dtypes.float32, "total")
        count = metric_variable([], dtypes.float32, "count")
        if weights is None:
            number = ops.cast(ops.size(values), dtypes.float32)
        else:
            values, weights = _weighted(values, weights)
            number = ops.reduce_sum(weights)
        new_total = state.assign_add(total, ops.reduce_sum(values))
        return _mean_of(values, number, total, new_total, count)


@metric
def mean_tensor(values: Any, weights: Any = None, name: str | None = None) -> Metric:
    """The mean over all batches, element by element (TensorFlow: `tf.metrics.mean_tensor`).

    Args:
      values: numbers, always of one shape; computed as float32.
      weights, metrics_collections, updates_collections, name: as of `mean`.

    Returns:
      (value, update_op), of the values' shape.

    Raises:
      ValueError: if weights do not fit.

    Example:
      >>> pair = tf.placeholder(tf.float32, [2])
      >>> mean, update = tf.metrics.mean_tensor(pair)
      >>> sess.run(tf.local_variables_initializer())
      >>> for two in ([1.0, 10.0], [3.0, 30.0]):
      ...     last = sess.run(update, {pair: two})
      >>> last.tolist()
      [2.0, 20.0]
    """
    with variable_scope(name, "mean", (values, weights)):
        values = ops.cast(values, dtypes.float32)
        total = metric_variable(values.shape, dtypes.float32, "total_tensor")
        count = metric_variable(values.shape, dtypes.float32, "count_tensor")
        number = ops.ones_like(values)
        if weights is not None:
            values, weights = _weighted(values, weights)
            number = ops.multiply(number, weights)
        new_total = state.assign_add(total, values)
        return _mean_of(values, number, total, new_total, count)


def _mean_of(values: Tensor, number: Tensor, total: Any, new_total: Any, count: Any) -> Metric:
    with get_default_graph().control_dependencies([values]):
        new_count = state.assign_add(count, number)
    value = ratio(total, count, "value")
    return value, ratio(new_total, new_count, "update_op")


def ratio(numerator: Any, denominator: Any, name: str | None) -> Tensor:
    """The quotient; 0 where the denominator is not positive."""
    return ops.div_no_nan(numerator, ops.maximum(denominator, 0), name=name)


def metric_variable(shape: Any, dtype: dtypes.DType, name: str | None) -> Any:
    """A local variable of zeros that a metric keeps."""
    return Variable(
        lambda: ops.zeros(shape, dtype),
        trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES],
        synchronization=VariableSynchronization.ON_READ,
        aggregation=VariableAggregation.SUM,
        name=name,
    )


def _weighted(values: Tensor, weights: Any) -> tuple[Tensor, Tensor]:
    values, _, weights = of_one_rank(values, None, weights)
    weights = ops.broadcast_weights(ops.cast(weights, dtypes.float32), values)
    return ops.multiply(values, weights), weights


def of_one_rank(predictions: Any, labels: Any, weights: Any) -> tuple[Any, Any, Any]:
    """All three without, or with, a last dimension of size 1 that one has more than the others.

    Args:
      labels, weights: or None.

    Raises:
      ValueError: if predictions and labels are of different shapes.
    """
    predictions = convert_to_tensor(predictions)
    if labels is not None:
        labels, predictions = ops.remove_squeezable_dimensions(labels, predictions)
        predictions.shape.assert_is_compatible_with(labels.shape)
    if weights is None:
        return predictions, labels, None
    weights = convert_to_tensor(weights)
    known, wanted = weights.shape.ndims, predictions.shape.ndims
    if known == 0:
        return predictions, labels, weights
    if known is None or wanted is None:
        return predictions, labels, _adjusted_in_the_run(weights, predictions)
    if known - wanted == 1:
        weights = ops.squeeze(weights, [-1])
    elif wanted - known == 1:
        weights = ops.expand_dims(weights, [-1])
    return predictions, labels, weights


def _adjusted_in_the_run(weights: Tensor, predictions: Tensor) -> Any:
    own: Any = ops.rank(weights)
    more = own - ops.rank(predictions)
    sizes = weights.shape.sizes

    def squeezed() -> Tensor:
        may_be = sizes is None or sizes[-1] in (None, 1)
        return ops.squeeze(weights, [-1]) if may_be else weights

    def expanded_or_same() -> Any:
        return ops.cond(
            ops.equal(more, -1), lambda: ops.expand_dims(weights, [-1]), lambda: weights
        )

    def adjusted() -> Any:
        return ops.cond(ops.equal(more, 1), squeezed, expanded_or_same)

    return ops.cond(ops.equal(own, 0), lambda: weights, adjusted)
