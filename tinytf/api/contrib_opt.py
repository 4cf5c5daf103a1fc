"""`tf.contrib.opt`: more optimizers, and optimizers around another one."""

from tinytf.api.names import explained as _explained
from tinytf.training.contrib_opt.adam_kin import AdaMaxOptimizer, LazyAdamOptimizer, NadamOptimizer
from tinytf.training.contrib_opt.clipping import (
    VariableClippingOptimizer,
    clip_gradients_by_global_norm,
)
from tinytf.training.contrib_opt.drop_stale import DropStaleGradientOptimizer
from tinytf.training.contrib_opt.moving_average import MovingAverageOptimizer
from tinytf.training.contrib_opt.sign import AddSignOptimizer, PowerSignOptimizer
from tinytf.training.contrib_opt.weight_decay import (
    AdamWOptimizer,
    DecoupledWeightDecayExtension,
    MomentumWOptimizer,
    extend_with_decoupled_weight_decay,
)

__all__ = [name for name in dir() if not name.startswith("_")]

__getattr__ = _explained(__name__, "contrib.opt")
