"""`tf.metrics`: how good a network is, over all batches that an evaluation has seen.

Each function returns two tensors: what the metric is so far, and what takes another batch in. What
they keep are local variables, in the collection `tf.GraphKeys.METRIC_VARIABLES`.

streaming.py    what all are made of: variables, means, weights
errors.py       means of errors, of hits, of what is below a threshold
counts.py       true and false, positives and negatives; precision and recall
thresholds.py   the same at several thresholds; the area under the curve
classes.py      class by class: intersection over union, accuracy
top_k.py        precision and recall of the k best classes
"""

from tinytf.metrics.classes import mean_iou, mean_per_class_accuracy
from tinytf.metrics.counts import (
    false_negatives,
    false_positives,
    precision,
    recall,
    true_negatives,
    true_positives,
)
from tinytf.metrics.errors import (
    accuracy,
    mean_absolute_error,
    mean_cosine_distance,
    mean_relative_error,
    mean_squared_error,
    percentage_below,
    root_mean_squared_error,
)
from tinytf.metrics.streaming import mean, mean_tensor
from tinytf.metrics.thresholds import (
    auc,
    false_negatives_at_thresholds,
    false_positives_at_thresholds,
    precision_at_thresholds,
    recall_at_thresholds,
    sensitivity_at_specificity,
    specificity_at_sensitivity,
    true_negatives_at_thresholds,
    true_positives_at_thresholds,
)
from tinytf.metrics.top_k import (
    average_precision_at_k,
    precision_at_k,
    precision_at_top_k,
    recall_at_k,
    recall_at_top_k,
    sparse_average_precision_at_k,
    sparse_precision_at_k,
)

__all__ = [
    "accuracy",
    "auc",
    "average_precision_at_k",
    "false_negatives",
    "false_negatives_at_thresholds",
    "false_positives",
    "false_positives_at_thresholds",
    "mean",
    "mean_absolute_error",
    "mean_cosine_distance",
    "mean_iou",
    "mean_per_class_accuracy",
    "mean_relative_error",
    "mean_squared_error",
    "mean_tensor",
    "percentage_below",
    "precision",
    "precision_at_k",
    "precision_at_thresholds",
    "precision_at_top_k",
    "recall",
    "recall_at_k",
    "recall_at_thresholds",
    "recall_at_top_k",
    "root_mean_squared_error",
    "sensitivity_at_specificity",
    "sparse_average_precision_at_k",
    "sparse_precision_at_k",
    "specificity_at_sensitivity",
    "true_negatives",
    "true_negatives_at_thresholds",
    "true_positives",
    "true_positives_at_thresholds",
]
