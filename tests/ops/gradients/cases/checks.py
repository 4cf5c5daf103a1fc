"""Checks pass gradients on, and check these."""

import tinytf as tf
from tests.ops.gradients.cases import Case, X, op

CASES: dict[str, list[Case]] = {
    "CheckNumerics": [op("CheckNumerics", X, message="x")],
    "EnsureShape": [op("EnsureShape", X, shape=tf.TensorShape(None))],
}
