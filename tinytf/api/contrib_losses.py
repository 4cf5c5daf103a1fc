"""`tf.contrib.losses`: the losses of `tf.losses`, with predictions before labels."""

import functools as _functools
from collections.abc import Callable as _Callable
from typing import Any as _Any

from tinytf import losses as _losses
from tinytf.api.names import explained as _explained
from tinytf.losses import add_loss, get_losses, get_regularization_losses, get_total_loss
from tinytf.losses import compute_weighted_loss

__all__ = ["add_loss", "compute_weighted_loss", "get_losses", "get_regularization_losses"]
__all__ += ["get_total_loss"]


def _swapped(loss: _Callable[..., _Any]) -> _Callable[..., _Any]:
    """The function with its first two arguments the other way round."""

    @_functools.wraps(loss)
    def swapped(predictions: _Any, labels: _Any = None, *args: _Any, **kwargs: _Any) -> _Any:
        return loss(labels, predictions, *args, **kwargs)

    return swapped


_OF_LABELS = """
absolute_difference cosine_distance hinge_loss log_loss mean_pairwise_squared_error
mean_squared_error sigmoid_cross_entropy softmax_cross_entropy sparse_softmax_cross_entropy
""".split()

globals().update({name: _swapped(getattr(_losses, name)) for name in _OF_LABELS})

__all__ += _OF_LABELS

__getattr__ = _explained(__name__, "contrib.losses")
