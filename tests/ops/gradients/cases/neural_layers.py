"""Further activations, batch normalisation, local response normalisation."""

import numpy as np

import tinytf as tf
from tests.ops.gradients.cases import Case, P, X, in_float32, numbers, of_result, op, signed, unary

IMAGE = signed(2, 2, 3, 2)
VECTORS = [numbers(2, seed=seed) for seed in range(4)]
TURNED = np.moveaxis(IMAGE, 3, 1)


def batch_norm(op_type: str, x: np.ndarray, training: bool = True, **attrs) -> Case:
    def build(x, scale, offset):
        moments = [[], []] if training else VECTORS[2:]
        inputs = [x, scale, offset, *(tf.constant(value, tf.float32) for value in moments)]
        attrs["is_training"] = training
        y = tf.get_default_graph().create_op(op_type, inputs, attrs=attrs).outputs[0]
        weights = np.linspace(1, 2, y.shape.num_elements()).reshape(y.shape.as_list())
        return y * tf.constant(weights, tf.float32)

    return in_float32(build, x, *VECTORS[:2])


def lrn(x):
    return tf.nn.lrn(x, 1, 2.0, 0.5, 0.75)


CASES: dict[str, list[Case]] = {
    "Elu": unary("Elu", X),
    "EluGrad": of_result("EluGrad", P, X),
    "Selu": unary("Selu", X),
    "SeluGrad": of_result("SeluGrad", P, X),
    "Softsign": unary("Softsign", X),
    "LeakyRelu": unary("LeakyRelu", X, alpha=0.3),
    "LeakyReluGrad": [op("LeakyReluGrad", P, X, alpha=0.3)],
    "FusedBatchNorm": [batch_norm("FusedBatchNorm", IMAGE)],
    "FusedBatchNormV2": [batch_norm("FusedBatchNormV2", TURNED, data_format="NCHW")],
    "FusedBatchNormV3": [
        batch_norm("FusedBatchNormV3", IMAGE),
        batch_norm("FusedBatchNormV3", IMAGE, training=False),
        batch_norm("FusedBatchNormV3", TURNED, training=False, data_format="NCHW"),
    ],
    "LRN": [in_float32(lrn, IMAGE)],
}

#: TensorFlow's own gradients of these have no gradient.
NO_SECOND_ORDER = {
    "Softsign": "SoftsignGrad",
    "LRN": "LRNGrad",
    "FusedBatchNorm": "FusedBatchNormGrad",
    "FusedBatchNormV2": "FusedBatchNormGradV2",
    "FusedBatchNormV3": "FusedBatchNormGradV3",
}
