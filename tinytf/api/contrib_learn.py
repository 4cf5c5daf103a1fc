"""`tf.contrib.learn`: estimators of before `tf.estimator`, and the tutorials' data sets."""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from tinytf.api import contrib_learn_datasets as datasets
from tinytf.api.names import explained as _explained

if _TYPE_CHECKING:  # imported when they are asked for
    from tinytf.estimator.contrib_learn.base import BaseEstimator as BaseEstimator
    from tinytf.estimator.contrib_learn.base import SKCompat as SKCompat
    from tinytf.estimator.contrib_learn.canned import DNNClassifier as DNNClassifier
    from tinytf.estimator.contrib_learn.canned import (
        DNNLinearCombinedClassifier as DNNLinearCombinedClassifier,
    )
    from tinytf.estimator.contrib_learn.canned import (
        DNNLinearCombinedRegressor as DNNLinearCombinedRegressor,
    )
    from tinytf.estimator.contrib_learn.canned import DNNRegressor as DNNRegressor
    from tinytf.estimator.contrib_learn.canned import LinearClassifier as LinearClassifier
    from tinytf.estimator.contrib_learn.canned import LinearRegressor as LinearRegressor

__all__ = ["datasets"]

__getattr__ = _explained(__name__, "contrib.learn")
