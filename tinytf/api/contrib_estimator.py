"""`tf.contrib.estimator`: heads, and estimators that take one."""

from tinytf.api.names import explained as _explained
from tinytf.estimator.canned.baseline import BaselineEstimator
from tinytf.estimator.canned.combined import DNNLinearCombinedEstimator
from tinytf.estimator.canned.dnn import DNNEstimator
from tinytf.estimator.canned.heads import (
    binary_classification_head,
    multi_class_head,
    regression_head,
)
from tinytf.estimator.canned.linear import LinearEstimator
from tinytf.estimator.extenders import add_metrics

__all__ = [
    "BaselineEstimator",
    "DNNEstimator",
    "DNNLinearCombinedEstimator",
    "LinearEstimator",
    "add_metrics",
    "binary_classification_head",
    "multi_class_head",
    "regression_head",
]

__getattr__ = _explained(__name__, "contrib.estimator")
