"""The confusion matrix of labels and predictions."""

from __future__ import annotations

from typing import Any

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.scatter_nd import scatter_nd
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.check.assert_values import assert_less, assert_non_negative
from tinytf.ops.control_flow.cond import cond
from tinytf.ops.control_flow.grouping import with_dependencies
from tinytf.ops.math.arithmetic import maximum
from tinytf.ops.math.cast import cast
from tinytf.ops.math.comparison import equal
from tinytf.ops.reduce.reduction import reduce_max


def confusion_matrix(
    labels: Any,
    predictions: Any,
    num_classes: Any = None,
    dtype: Any = dtypes.int32,
    name: str | None = None,
    weights: Any = None,
) -> Tensor:
    """How often each class was taken for each (TensorFlow: `tf.confusion_matrix`).

    Args:
      labels: the right classes, natural numbers, a vector.
      predictions: the predicted ones, likewise.
      num_classes: how many classes there are; by default up to the largest that comes.
      dtype: of the result.
      name: of the operations' scope.
      weights: what each counts; 1 by default.

    Returns:
      [num_classes, num_classes]: a row for each label, a column for each prediction.

    Raises:
      ValueError: if shapes do not fit. InvalidArgumentError: for classes out of range.

    Example:
      >>> tf.confusion_matrix([0, 1, 1], [0, 0, 1])  # [[1, 0], [1, 1]]
    """
    with op_scope(name, "confusion_matrix", (predictions, labels, num_classes, weights)):
        labels = convert_to_tensor(labels, name="labels")
        predictions = convert_to_tensor(predictions, name="predictions")
        labels, predictions = remove_squeezable_dimensions(labels, predictions)
        predictions = cast(predictions, dtypes.int64)
        labels = cast(labels, dtypes.int64)

        def checked(check: Any, what: str, problem: str, tensor: Any, *more: Any) -> Any:
            return with_dependencies([check(tensor, *more, message=f"`{what}` {problem}")], tensor)

        negative = "contains negative values"
        labels = checked(assert_non_negative, "labels", negative, labels)
        predictions = checked(assert_non_negative, "predictions", negative, predictions)
        if num_classes is None:
            largest: Any = maximum(reduce_max(predictions), reduce_max(labels))
            num_classes = largest + 1
        else:
            limit = cast(num_classes, dtypes.int64)
            labels = checked(assert_less, "labels", "out of bound", labels, limit)
            predictions = checked(assert_less, "predictions", "out of bound", predictions, limit)
        if weights is not None:
            weights = convert_to_tensor(weights, name="weights")
            predictions.shape.assert_is_compatible_with(weights.shape)
            weights = cast(weights, dtype)
        size = ops.stack([num_classes, num_classes])
        indices = ops.stack([labels, predictions], axis=1)
        values = ops.ones_like(predictions, dtype) if weights is None else weights
        return scatter_nd(indices, values, cast(size, dtypes.int64))


def remove_squeezable_dimensions(
    labels: Tensor, predictions: Tensor, expected_rank_diff: int = 0
) -> tuple[Tensor, Tensor]:
    """Both, without a last dimension of size 1 that one of them has too many.

    TensorFlow: `confusion_matrix.remove_squeezable_dimensions`.

    Args:
      labels, predictions: tensors.
      expected_rank_diff: how many dimensions predictions should have more than labels.
    """
    with op_scope(None, "remove_squeezable_dimensions", (labels, predictions)):
        labels, predictions = convert_to_tensor(labels), convert_to_tensor(predictions)
        ranks = labels.shape.ndims, predictions.shape.ndims
        if None not in ranks:
            more = ranks[1] - ranks[0] - expected_rank_diff  # type: ignore[operator]
            if more == 1 and predictions.shape.sizes[-1] in (None, 1):  # type: ignore[index]
                predictions = ops.squeeze(predictions, [-1])
            elif more == -1 and labels.shape.sizes[-1] in (None, 1):  # type: ignore[index]
                labels = ops.squeeze(labels, [-1])
            return labels, predictions
        return _squeezed_in_the_run(labels, predictions, expected_rank_diff)


def _squeezed_in_the_run(
    labels: Tensor, predictions: Tensor, expected: int
) -> tuple[Tensor, Tensor]:
    rank: Any = ops.rank(predictions)
    more = rank - ops.rank(labels)

    def squeezed(tensor: Tensor, wanted: int) -> Tensor:
        sizes = tensor.shape.sizes
        if sizes is not None and (not sizes or sizes[-1] not in (None, 1)):
            return tensor
        too_many = equal(wanted, more)
        return cond(too_many, lambda: ops.squeeze(tensor, [-1]), lambda: tensor)

    predictions = squeezed(predictions, expected + 1)
    return squeezed(labels, expected - 1), predictions
