"""Pooling of volumes, of fractional ratios, with places; patches; temporal classification."""

import numpy as np

import tinytf as tf
from tests.ops.gradients.cases import Case, in_float32, numbers, op, program, signed

IMAGES = numbers(1, 5, 5, 2)
VOLUMES, ABOVE = numbers(1, 2, 3, 3, 1), numbers(1, 1, 2, 2, 1, seed=4)
SIZES = [1, 2, 2, 2, 1]
DEEP = {"ksize": SIZES, "strides": SIZES, "padding": "SAME"}
FLAT = {"ksize": [1, 3, 2, 1], "strides": [1, 2, 2, 1], "padding": "SAME"}
FRACTIONAL = {"pooling_ratio": [1.0, 1.5, 2.1, 1.0], "deterministic": True, "seed": 1}


def of_largest(op_type: str, *points: np.ndarray) -> Case:
    """With the output that goes with the input: another would name no place of it."""

    def build(x, dy):
        y = tf.stop_gradient(tf.nn.max_pool3d(x, 2, 2, "SAME"))
        return tf.get_default_graph().create_op(op_type, [x, y, dy], attrs=DEEP).outputs

    return in_float32(build, *points)


def ctc_loss(x):
    labels = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([0, 1, 1]), [2, 2])
    return tf.nn.ctc_loss(labels, x, [4, 3])


CASES: dict[str, list[Case]] = {
    "MaxPool3D": [in_float32(lambda x: tf.nn.max_pool3d(x, 2, 2, "SAME"), VOLUMES)],
    "MaxPool3DGrad": [of_largest("MaxPool3DGrad", VOLUMES, ABOVE)],
    "MaxPool3DGradGrad": [of_largest("MaxPool3DGradGrad", VOLUMES, numbers(1, 2, 3, 3, 1, seed=6))],
    "AvgPool3D": [op("AvgPool3D", VOLUMES, **DEEP)],
    "AvgPool3DGrad": [op("AvgPool3DGrad", np.array([1, 2, 3, 3, 1], np.int32), ABOVE, **DEEP)],
    "MaxPoolWithArgmax": [op("MaxPoolWithArgmax", IMAGES, **FLAT)],
    "FractionalMaxPool": [op("FractionalMaxPool", IMAGES, overlapping=True, **FRACTIONAL)],
    "FractionalAvgPool": [op("FractionalAvgPool", IMAGES, **FRACTIONAL)],
    "CTCLoss": [program(ctc_loss, 2 * signed(4, 2, 3))],
}

#: TensorFlow's own gradients of these have no gradient.
NO_SECOND_ORDER = {
    "MaxPoolWithArgmax": "MaxPoolGradWithArgmax",
    "FractionalMaxPool": "FractionalMaxPoolGrad",
    "FractionalAvgPool": "FractionalAvgPoolGrad",
    "CTCLoss": "Currently there is no way to take the second",
}
