"""`tf.contrib.metrics`: the metrics of `tf.metrics` as "streaming", predictions before labels."""

import functools as _functools
from collections.abc import Callable as _Callable
from typing import Any as _Any

from tinytf import metrics as _metrics
from tinytf.api.names import explained as _explained
from tinytf.ops.math.cast import cast as _cast
from tinytf.ops.math.comparison import equal as _equal
from tinytf.ops.math.confusion_matrix import confusion_matrix
from tinytf.ops.math.arithmetic import multiply as _multiply
from tinytf.ops.math.division import divide as _divide
from tinytf.ops.reduce.reduction import reduce_mean as _reduce_mean
from tinytf.ops.reduce.reduction import reduce_sum as _reduce_sum
from tinytf.ops.array.sets import set_difference, set_intersection, set_size, set_union

#: Their names, after "streaming_"; those of `tf.metrics` but for these.
_OTHERS = {"percentage_less": "percentage_below"}
_OF_LABELS = """
accuracy auc false_negatives false_negatives_at_thresholds false_positives
false_positives_at_thresholds mean_absolute_error mean_cosine_distance mean_iou mean_squared_error
precision precision_at_thresholds recall recall_at_thresholds root_mean_squared_error
sensitivity_at_specificity specificity_at_sensitivity true_negatives true_negatives_at_thresholds
true_positives true_positives_at_thresholds
""".split()
_OF_VALUES = "mean mean_tensor percentage_less".split()


def _swapped(metric: _Callable[..., _Any]) -> _Callable[..., _Any]:
    """The function with its first two arguments the other way round."""

    @_functools.wraps(metric)
    def swapped(predictions: _Any, labels: _Any, *args: _Any, **kwargs: _Any) -> _Any:
        return metric(labels, predictions, *args, **kwargs)

    return swapped


globals().update(
    {f"streaming_{name}": _swapped(getattr(_metrics, name)) for name in _OF_LABELS}
    | {f"streaming_{n}": getattr(_metrics, _OTHERS.get(n, n)) for n in _OF_VALUES}
)

__all__ = ["accuracy", "confusion_matrix", "set_difference", "set_intersection", "set_size"]
__all__ += ["set_union"]
__all__ += [f"streaming_{name}" for name in [*_OF_LABELS, *_OF_VALUES]]


def accuracy(
    predictions: _Any, labels: _Any, weights: _Any = None, name: str | None = None
) -> _Any:
    """The share of predictions that are right, of one batch (`tf.contrib.metrics.accuracy`).

    Args:
      predictions, labels: of the same type and shape. weights: what each counts.
      name: of the operation.

    Raises:
      ValueError: for different types.

    Example:
      >>> tf.contrib.metrics.accuracy(tf.constant([1, 2]), tf.constant([1, 3])).eval()  # 0.5
    """
    if labels.dtype != predictions.dtype:
        raise ValueError(
            f"dtypes of predictions and labels should match: {predictions.dtype}, {labels.dtype}."
        )
    right = _cast(_equal(predictions, labels), "float32")
    if weights is None:
        return _reduce_mean(right, name=name)
    return _divide(_reduce_sum(_multiply(right, weights)), _reduce_sum(right * 0 + weights))


__getattr__ = _explained(__name__, "contrib.metrics")
