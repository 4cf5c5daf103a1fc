"""`tf.nn`: what neural networks are made of."""

from tinytf.api.not_yet import explained
from tinytf.ops.activations import relu, relu6, sigmoid, softplus, tanh
from tinytf.ops.cross_entropy import (
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits_v2,
    sparse_softmax_cross_entropy_with_logits,
)
from tinytf.ops.neural import bias_add, dropout, l2_loss, relu_layer, xw_plus_b
from tinytf.ops.softmax import log_softmax, softmax

__all__ = [
    "bias_add",
    "dropout",
    "l2_loss",
    "log_softmax",
    "relu",
    "relu6",
    "relu_layer",
    "sigmoid",
    "sigmoid_cross_entropy_with_logits",
    "softmax",
    "softmax_cross_entropy_with_logits",
    "softmax_cross_entropy_with_logits_v2",
    "softplus",
    "sparse_softmax_cross_entropy_with_logits",
    "tanh",
    "xw_plus_b",
]

__getattr__ = explained(__name__, "nn")
