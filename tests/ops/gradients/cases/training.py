"""Clipping, and sums of gradients."""

import numpy as np

import tinytf as tf
from tests.ops.gradients.cases import Case, P, X, op

CASES: dict[str, list[Case]] = {
    "AccumulateNV2": [op("AccumulateNV2", X, P, X, N=3, shape=tf.TensorShape([2, 3]))],
    "ClipByValue": [
        op("ClipByValue", X * 3, np.float64(-1.0), np.float64(2.0)),
        op("ClipByValue", X * 3, -P, P),
    ],
}
