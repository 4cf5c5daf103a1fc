import numpy as np

import tinytf as tf


def model_fn(features, labels, mode, params):
    """A classifier with one hidden layer, as an EstimatorSpec.

    features: {"x": [batch, size]}
    labels: [batch], whole numbers; None when it predicts
    mode: tf.estimator.ModeKeys.TRAIN, EVAL or PREDICT
    params: {"hidden": ..., "classes": ..., "rate": ..., "dropout": ...}
    """
    raise NotImplementedError("write this function")
