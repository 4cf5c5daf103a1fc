"""Activations, softmax and cross-entropies, biases."""

import tinytf as tf
from tests.ops.gradients.cases import (
    IMAGES,
    ROW,
    Case,
    P,
    X,
    first_order,
    ints,
    of_result,
    op,
    program,
    unary,
)

CASES: dict[str, list[Case]] = {
    # Neural
    "Relu": unary("Relu", X),
    "ReluGrad": of_result("ReluGrad", P, X),
    "Relu6": unary("Relu6", X * 5.0),
    "Relu6Grad": of_result("Relu6Grad", P, X * 5.0),
    "Softplus": unary("Softplus", X),
    "SoftplusGrad": of_result("SoftplusGrad", P, X),
    "Softmax": unary("Softmax", X, ROW),
    "LogSoftmax": unary("LogSoftmax", X),
    "SoftmaxCrossEntropyWithLogits": [
        first_order(
            op("SoftmaxCrossEntropyWithLogits", X, P / P.sum(axis=1, keepdims=True)),
            "the gradient of the second output with respect to the labels is left out",
        ),
        program(
            lambda x: (
                tf.get_default_graph()
                .create_op(
                    "SoftmaxCrossEntropyWithLogits",
                    [x, tf.constant(P / P.sum(axis=1, keepdims=True))],
                )
                .outputs[0]
            ),
            X,
        ),
        program(  # the second output is the gradient of the first with respect to the logits
            lambda x: (
                tf.get_default_graph()
                .create_op(
                    "SoftmaxCrossEntropyWithLogits",
                    [x, tf.constant(P / P.sum(axis=1, keepdims=True))],
                )
                .outputs
            ),
            X,
        ),
    ],
    "SparseSoftmaxCrossEntropyWithLogits": [
        op("SparseSoftmaxCrossEntropyWithLogits", X, ints(2, 0))
    ],
    "BiasAdd": [op("BiasAdd", X, ROW), op("BiasAdd", IMAGES, ROW, data_format="NCHW")],
    "BiasAddGrad": [op("BiasAddGrad", X), op("BiasAddGrad", IMAGES, data_format="NCHW")],
    "L2Loss": unary("L2Loss", X),
}
