"""Precision and recall of the k best classes, where an example may have several labels.

All return (value, update_op), and take `weights`, `metrics_collections`, `updates_collections` and
`name` as `tf.metrics.mean` does. Labels are int64, [..., labels], or a `SparseTensor` if examples
have different numbers of them. What is counted are sets: TensorFlow's set operations.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.sparse_tensor import SparseTensor, SparseTensorValue
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.metrics.streaming import Metric, metric, metric_variable
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.sparse.concat import sparse_concat
from tinytf.ops.sparse.conversion import convert_to_tensor_or_sparse_tensor
from tinytf.ops.sparse.reshape import sparse_reshape
from tinytf.ops.sparse.retain import sparse_retain
from tinytf.ops.variables import state


@metric
def recall_at_k(
    labels: Any,
    predictions: Any,
    k: int,
    class_id: int | None = None,
    weights: Any = None,
    name: str | None = None,
) -> Metric:
    """Of the labels, the share among the k best classes (TensorFlow: `tf.metrics.recall_at_k`).

    Args:
      labels: numbers of classes, int64, [..., labels] or sparse.
      predictions: the score of each class, [..., classes].
      k: how many of the best count as predicted.
      class_id: only this class is counted; None for all.
      weights: a number, or of the labels' shape without the last dimension.
      metrics_collections, updates_collections, name: as of `tf.metrics.mean`.

    Raises:
      ValueError: if shapes do not fit. InvalidArgumentError: for more than there are classes.

    Example:
      >>> scores = tf.constant([[0.1, 0.7, 0.2], [0.5, 0.1, 0.4]])
      >>> labels = tf.constant([[1], [2]], tf.int64)
      >>> share, update = tf.metrics.recall_at_k(labels, scores, k=1)
      >>> sess.run(tf.local_variables_initializer())
      >>> float(sess.run(update))
      0.5
    """
    with op_scope(name, _name("recall", k, class_id), (predictions, labels, weights)) as scope:
        _, best = ops.top_k(predictions, k)
        return recall_at_top_k(labels, best, k, class_id, weights, name=scope)


@metric
def recall_at_top_k(
    labels: Any,
    predictions_idx: Any,
    k: int | None = None,
    class_id: int | None = None,
    weights: Any = None,
    name: str | None = None,
) -> Metric:
    """`recall_at_k` of classes that were chosen already (`tf.metrics.recall_at_top_k`).

    Args:
      predictions_idx: numbers of the chosen classes, [..., k]. k: for the name only.
      labels and the rest: as of `recall_at_k`.

    Example:
      >>> labels, best = tf.constant([[1], [2]], tf.int64), tf.constant([[1], [0]], tf.int64)
      >>> share, update = tf.metrics.recall_at_top_k(labels, best)
      >>> sess.run(tf.local_variables_initializer())
      >>> float(sess.run(update))
      0.5
    """
    how = (labels, predictions_idx, k, class_id, weights)
    return _share_of_sets("recall", _FALSE_NEGATIVES, name, *how)


@metric
def precision_at_k(
    labels: Any,
    predictions: Any,
    k: int,
    class_id: int | None = None,
    weights: Any = None,
    name: str | None = None,
) -> Metric:
    """Of the k best classes, the share that are labels (TensorFlow: `tf.metrics.precision_at_k`).

    Args and errors as of `recall_at_k`.

    Example:
      >>> scores = tf.constant([[0.1, 0.7, 0.2], [0.5, 0.1, 0.4]])
      >>> labels = tf.constant([[1], [2]], tf.int64)
      >>> share, update = tf.metrics.precision_at_k(labels, scores, k=2)
      >>> sess.run(tf.local_variables_initializer())
      >>> float(sess.run(update))
      0.5
    """
    with op_scope(name, _name("precision", k, class_id), (predictions, labels, weights)) as scope:
        _, best = ops.top_k(predictions, k)
        return precision_at_top_k(labels, best, k, class_id, weights, name=scope)


@metric
def precision_at_top_k(
    labels: Any,
    predictions_idx: Any,
    k: int | None = None,
    class_id: int | None = None,
    weights: Any = None,
    name: str | None = None,
) -> Metric:
    """`precision_at_k` of classes that were chosen already (`tf.metrics.precision_at_top_k`).

    Args:
      predictions_idx: numbers of the chosen classes, [..., k]. k: for the name only.
      labels and the rest: as of `recall_at_k`.

    Example:
      >>> labels, best = tf.constant([[1], [2]], tf.int64), tf.constant([[1, 0], [0, 2]], tf.int64)
      >>> share, update = tf.metrics.precision_at_top_k(labels, best)
      >>> sess.run(tf.local_variables_initializer())
      >>> float(sess.run(update))
      0.5
    """
    how = (labels, predictions_idx, k, class_id, weights)
    return _share_of_sets("precision", _FALSE_POSITIVES, name, *how)


@metric
def sparse_precision_at_k(
    labels: Any,
    predictions: Any,
    k: int,
    class_id: int | None = None,
    weights: Any = None,
    name: str | None = None,
) -> Metric:
    """The older name of `precision_at_k` (TensorFlow: `tf.metrics.sparse_precision_at_k`).

    Example:
      >>> labels = tf.constant([[1]], tf.int64)
      >>> found = tf.metrics.sparse_precision_at_k(labels, tf.constant([[0.1, 0.9]]), k=1)
    """
    return precision_at_k(labels, predictions, k, class_id, weights, name=name)


@metric
def average_precision_at_k(
    labels: Any, predictions: Any, k: int, weights: Any = None, name: str | None = None
) -> Metric:
    """The mean of an example's precisions at its hits (`tf.metrics.average_precision_at_k`).

    Args:
      labels: numbers of classes, int64, [..., labels] or sparse; those out of range are left out.
      predictions: the score of each class, [..., classes].
      k: how many of the best are looked at.
      weights, metrics_collections, updates_collections, name: as of `recall_at_k`.

    Raises:
      ValueError: for k below 1; if shapes do not fit.

    Example:
      >>> scores = tf.constant([[0.1, 0.6, 0.3]])
      >>> labels = tf.constant([[2, 1]], tf.int64)
      >>> value, update = tf.metrics.average_precision_at_k(labels, scores, k=2)
      >>> sess.run(tf.local_variables_initializer())
      >>> float(sess.run(update))
      1.0
    """
    if k < 1:
        raise ValueError(f"Invalid k={k}. `k` should be >= 1.")
    with op_scope(name, _name("average_precision", k), (predictions, labels, weights)) as scope:
        _, best = ops.top_k(predictions, k)
        classes = ops.cast(ops.shape(predictions)[-1], dtypes.int64)  # type: ignore[index]
        labels = _in_range(labels, classes)
        return _summed_averages(labels, best, weights, scope)


@metric
def sparse_average_precision_at_k(
    labels: Any, predictions: Any, k: int, weights: Any = None, name: str | None = None
) -> Metric:
    """The older name of `average_precision_at_k` (`tf.metrics.sparse_average_precision_at_k`).

    Example:
      >>> labels = tf.constant([[1]], tf.int64)
      >>> found = tf.metrics.sparse_average_precision_at_k(labels, tf.constant([[0.1, 0.9]]), k=1)
    """
    return average_precision_at_k(labels, predictions, k, weights, name=name)


# Sets of classes ----------------------------------------------------------------------------------

#: How a count is called, and which classes it counts, of those predicted and those of the labels.
_Count = tuple[str, Callable[[Any, Any], SparseTensor]]
_TRUE_POSITIVES: _Count = ("true_positive", ops.set_intersection)
_FALSE_NEGATIVES: _Count = ("false_negative", lambda a, b: ops.set_difference(a, b, aminusb=False))
_FALSE_POSITIVES: _Count = ("false_positive", lambda a, b: ops.set_difference(a, b, aminusb=True))


def _name(name: str, k: int | None = None, class_id: int | None = None) -> str:
    name = f"{name}_at_{'k' if k is None else k}"
    return name if class_id is None else f"{name}_class{class_id}"


def _share_of_sets(
    what: str,
    others: _Count,
    name: str | None,
    labels: Any,
    predictions: Any,
    k: int | None,
    class_id: int | None,
    weights: Any,
) -> Metric:
    """True positives by true positives and these others."""
    with op_scope(name, _name(what, k, class_id), (predictions, labels, weights)) as scope:
        labels = _with_last_dimension(labels, predictions)
        best = ops.cast(predictions, dtypes.int64)
        hits, hits_update = _summed(_TRUE_POSITIVES, labels, best, k, class_id, weights)
        rest, rest_update = _summed(others, labels, best, k, class_id, weights)
        value = ops.divide(hits, ops.add(hits, rest), name=scope)
        return value, ops.divide(hits_update, ops.add(hits_update, rest_update), name="update")


def _summed(
    count: _Count, labels: Any, best: Any, k: int | None, class_id: int | None, weights: Any
) -> tuple[Any, Any]:
    """A variable with the count of all batches; and what takes another in."""
    with op_scope(None, _name(count[0], k, class_id), (best, labels, weights)) as scope:
        each = _counted(count, labels, best, class_id, weights)
        batch = ops.cast(ops.reduce_sum(each), dtypes.float64)
        total = metric_variable([], dtypes.float64, scope)
        return total, state.assign_add(total, batch, name="update")


def _counted(
    count: _Count,
    labels: Any,
    best: Any,
    class_id: int | None = None,
    weights: Any = None,
    name: str | None = None,
) -> Tensor:
    """The count of each example, float64."""
    with op_scope(name, f"{count[0]}s", (best, labels, weights)):
        if class_id is not None:
            labels, best = _only_class(labels, class_id), _only_class(best, class_id)
        each = ops.cast(ops.set_size(count[1](best, labels)), dtypes.float64)
        if weights is not None:
            check = ops.assert_broadcastable(weights, each)
            with get_default_graph().control_dependencies([check]):
                each = ops.multiply(each, ops.cast(weights, dtypes.float64))
        return each


def _only_class(ids: Any, class_id: int) -> SparseTensor:
    """What of these is this class."""
    ids = convert_to_tensor_or_sparse_tensor(ids)
    if isinstance(ids, SparseTensor):
        return sparse_retain(ids, ops.equal(ids.values, class_id))
    sizes: Any = ops.shape(ids, out_type=dtypes.int64)
    last: Any = ops.size(sizes) - 1  # type: ignore[operator]
    wanted = ops.fill(
        ops.reduced_shape(sizes, ops.reshape(last, [1])), ops.cast(class_id, dtypes.int64)
    )
    found = ops.set_intersection(wanted, ids)
    return SparseTensor(found.indices, found.values, sizes)


def _with_last_dimension(labels: Any, predictions: Any) -> Any:
    """Labels of the rank of the predictions: [..., 1] if there is one of each example."""
    with op_scope(None, "expand_labels", (labels, predictions)) as scope:
        labels = convert_to_tensor_or_sparse_tensor(labels)
        if isinstance(labels, SparseTensor):
            own: Any = ops.size(labels.dense_shape)
            sizes = labels.dense_shape

            def expanded() -> Any:
                return sparse_reshape(labels, ops.concat((sizes, (1,)), 0), name=scope)

            return ops.cond(ops.equal(ops.rank(predictions), own + 1), expanded, lambda: labels)
        known, wanted = labels.shape.ndims, predictions.shape.ndims
        if known is None or wanted is None:
            one_more: Any = ops.rank(labels) + 1  # type: ignore[operator]
            is_short = ops.equal(ops.rank(predictions), one_more)
            return ops.cond(
                is_short, lambda: ops.expand_dims(labels, -1, name=scope), lambda: labels
            )
        if wanted == known:
            return labels
        if wanted == known + 1:
            return ops.expand_dims(labels, -1, name=scope)
        raise ValueError(
            f"Unexpected labels shape {labels.shape} for predictions shape {predictions.shape}. "
            "Predictions rank should be the same rank as labels rank or labels rank plus one ."
        )


# Average precision --------------------------------------------------------------------------------


def _summed_averages(labels: Any, best: Any, weights: Any, scope: str) -> Metric:
    with op_scope(scope, "average_precision_at_top_k", (best, labels, weights)) as scope:
        each = _average_precision(labels, best)
        if weights is not None:
            weights = ops.broadcast_weights(ops.cast(weights, dtypes.float64), each)
            each = ops.multiply(each, weights)
        with op_scope(None, "max", (each,)) as inner:
            most = metric_variable([], dtypes.float64, inner)
            if weights is None:
                batch = ops.cast(ops.size(each, name="batch_max"), dtypes.float64)
            else:
                batch = ops.reduce_sum(weights, name="batch_max")
            new_most = state.assign_add(most, batch, name="update")
        with op_scope(None, "total", (each,)) as inner:
            total = metric_variable([], dtypes.float64, inner)
            batch = ops.reduce_sum(each, name="batch_total")
            new_total = state.assign_add(total, batch, name="update")
        value = ops.div_no_nan(total, most, name="mean")
        return value, ops.div_no_nan(new_total, new_most, name=scope)


def _average_precision(labels: Any, best: Any) -> Tensor:
    """Of each example: the mean, over its labels, of the precision at the rank where it is."""
    with op_scope(None, "average_precision", (best, labels)) as scope:
        best = ops.cast(best, dtypes.int64, name="predictions_idx")
        if best.shape.ndims == 0:
            raise ValueError("The rank of `predictions_idx` must be at least 1.")
        k = best.shape.as_list()[-1]
        if k is None:
            raise ValueError(
                "The last dimension of predictions_idx must be set. Currently, it is None."
            )
        labels = _with_last_dimension(labels, best)
        alone = ops.expand_dims(best, -1, name="predictions_idx_per_k")
        repeated = _repeated(labels, k, "labels_per_k")
        hit = _counted(_TRUE_POSITIVES, repeated, alone, name="relevant_per_k")
        hits = ops.cumsum(hit, axis=-1, name="tp_per_k")
        looked_at = ops.cumsum(ops.ones_like(hit), axis=-1, name="retrieved_per_k")
        of_doubles = (ops.cast(hits, dtypes.float64), ops.cast(looked_at, dtypes.float64))
        precision = ops.divide(*of_doubles, name="precision_per_k")
        counted = ops.cast(hit, dtypes.float64)
        at_hits = ops.multiply(precision, counted, name="relevant_precision_per_k")
        total = ops.reduce_sum(at_hits, axis=(-1,), name="precision_sum")
        return ops.divide(total, ops.cast(_number_of_labels(labels, k), dtypes.float64), name=scope)


def _number_of_labels(labels: Any, k: int) -> Tensor:
    """How many labels an example has, at most k."""
    with op_scope(None, "num_relevant", (labels,)) as scope:
        labels = convert_to_tensor_or_sparse_tensor(labels)
        if isinstance(labels, SparseTensor):
            return ops.minimum(ops.set_size(labels), k, name=scope)
        there = ops.where_v2(
            ops.greater_equal(labels, 0), ops.ones_like(labels), ops.zeros_like(labels)
        )
        return ops.minimum(ops.reduce_sum(there, axis=-1), k, name=scope)


def _repeated(tensor: Any, times: int, name: str) -> Any:
    """The labels once for each of k: a dimension before the last."""
    with op_scope(name, "expand_and_tile", (tensor, times, -1)) as scope:
        tensor = convert_to_tensor_or_sparse_tensor(tensor)
        if isinstance(tensor, SparseTensor):
            sizes = tensor.dense_shape
            front = ops.reshape(ops.size(sizes) + -1, [1])  # type: ignore[operator]
            parts = (ops.slice(sizes, [0], front), [1], ops.slice(sizes, front, [-1]))
            wanted = ops.concat(parts, 0, name="expanded_shape")
            expanded = sparse_reshape(tensor, wanted, name="expand")
            return expanded if times == 1 else sparse_concat(-2, [expanded] * times, name=scope)
        rows = ops.expand_dims(tensor, -2, name="expand")
        if times == 1:
            return rows
        ones: Any = ops.ones_like(ops.shape(tensor))
        multiples = ops.concat((ones[:-1], (times,), ones[-1:]), 0, name="multiples")
        return ops.tile(rows, multiples, name=scope)


def _in_range(labels: Any, classes: Any) -> Any:
    """The labels, with -1 in place of those that are no class."""
    is_sparse = isinstance(labels, SparseTensor | SparseTensorValue)

    def cleaned(values: Any) -> Tensor:
        none: Any = ops.ones_like(values)
        return ops.where_v2(ops.greater_equal(values, classes), -1 * none, values)

    def all_cleaned() -> Any:
        if not is_sparse:
            return cleaned(labels)
        return type(labels)(labels.indices, cleaned(labels.values), labels.dense_shape)

    most = ops.reduce_max(labels.values if is_sparse else labels)
    return ops.cond(ops.greater_equal(most, classes), all_cleaned, lambda: labels)
