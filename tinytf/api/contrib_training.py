"""`tf.contrib.training`: settings, training steps, strategies for parameter servers."""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from tinytf.api.names import explained as _explained
from tinytf.training.device_setter import GreedyLoadBalancingStrategy, RandomStrategy
from tinytf.training.device_setter import byte_size_load_fn

if _TYPE_CHECKING:  # imported when they are asked for
    from tinytf.layers.contrib.optimizers import add_gradients_summaries as add_gradients_summaries
    from tinytf.layers.contrib.optimizers import clip_gradient_norms as clip_gradient_norms
    from tinytf.layers.contrib.optimizers import clip_gradient_norms_fn as clip_gradient_norms_fn
    from tinytf.layers.contrib.optimizers import create_train_op as create_train_op
    from tinytf.layers.contrib.optimizers import multiply_gradients as multiply_gradients
    from tinytf.training.hparams import HParams as HParams

__all__ = ["GreedyLoadBalancingStrategy", "RandomStrategy", "byte_size_load_fn"]

__getattr__ = _explained(__name__, "contrib.training")
