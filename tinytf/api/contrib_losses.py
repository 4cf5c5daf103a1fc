"""`tf.contrib.losses`: the losses of `tf.losses`, with predictions before labels."""

from tinytf.api.names import explained as _explained
from tinytf.losses.collecting import add_loss, get_losses, get_regularization_losses
from tinytf.losses.collecting import get_total_loss
from tinytf.losses.contrib import absolute_difference, compute_weighted_loss, cosine_distance
from tinytf.losses.contrib import hinge_loss, log_loss, mean_pairwise_squared_error
from tinytf.losses.contrib import mean_squared_error, sigmoid_cross_entropy, softmax_cross_entropy
from tinytf.losses.contrib import sparse_softmax_cross_entropy

__all__ = ["absolute_difference", "add_loss", "compute_weighted_loss", "cosine_distance"]
__all__ += ["get_losses", "get_regularization_losses", "get_total_loss", "hinge_loss", "log_loss"]
__all__ += ["mean_pairwise_squared_error", "mean_squared_error", "sigmoid_cross_entropy"]
__all__ += ["softmax_cross_entropy", "sparse_softmax_cross_entropy"]

__getattr__ = _explained(__name__, "contrib.losses")
