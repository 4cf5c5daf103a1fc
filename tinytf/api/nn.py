"""`tf.nn`: what neural networks are made of."""

from tinytf.api.not_yet import explained
from tinytf.ops.activations import relu, relu6, sigmoid, softplus, tanh
from tinytf.ops.cross_entropy import (
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits_v2,
    sparse_softmax_cross_entropy_with_logits,
)
from tinytf.ops.linalg.norms import l2_normalize
from tinytf.ops.neural import bias_add, dropout, l2_loss, relu_layer, xw_plus_b
from tinytf.ops.softmax import log_softmax, softmax
from tinytf.ops.sorting import top_k
from tinytf.ops.space_and_batch import depth_to_space, space_to_batch, space_to_depth

__all__ = [
    "bias_add",
    "depth_to_space",
    "dropout",
    "l2_loss",
    "l2_normalize",
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
    "space_to_batch",
    "space_to_depth",
    "sparse_softmax_cross_entropy_with_logits",
    "tanh",
    "top_k",
    "xw_plus_b",
]

__getattr__ = explained(__name__, "nn")
