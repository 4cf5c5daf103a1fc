"""`tf.losses`: what a network is to make small, as one number that it is trained by.

weighting.py        weights, and how the losses of a batch become one (`Reduction`)
distances.py        how far predictions are from labels
cross_entropies.py  how unlikely labels are under predicted scores
collecting.py       the losses of a graph, and their sum
contrib.py          losses as they were in 2016: predictions first
"""

from tinytf.losses.collecting import (
    add_loss,
    get_losses,
    get_regularization_loss,
    get_regularization_losses,
    get_total_loss,
)
from tinytf.losses.cross_entropies import (
    sigmoid_cross_entropy,
    softmax_cross_entropy,
    sparse_softmax_cross_entropy,
)
from tinytf.losses.distances import (
    absolute_difference,
    cosine_distance,
    hinge_loss,
    huber_loss,
    log_loss,
    mean_pairwise_squared_error,
    mean_squared_error,
)
from tinytf.losses.weighting import Reduction, compute_weighted_loss

__all__ = [
    "Reduction",
    "absolute_difference",
    "add_loss",
    "compute_weighted_loss",
    "cosine_distance",
    "get_losses",
    "get_regularization_loss",
    "get_regularization_losses",
    "get_total_loss",
    "hinge_loss",
    "huber_loss",
    "log_loss",
    "mean_pairwise_squared_error",
    "mean_squared_error",
    "sigmoid_cross_entropy",
    "softmax_cross_entropy",
    "sparse_softmax_cross_entropy",
]
