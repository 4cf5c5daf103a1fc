"""The steps of optimizers as operations: one for each variable, which reads, computes and writes.

Each comes in two forms, for reference and for resource variables; the kernels are the same. They
compute the new value beside the old one and put it in place at once, so that a reader sees a
whole value and an interrupt cannot leave half a step behind.

Mirrors tensorflow/core/kernels/training_ops.cc.
"""

from tinytf.ops.training.adam import apply_adam, resource_apply_adam
from tinytf.ops.training.formulas import (
    ADADELTA,
    ADAGRAD,
    ADAGRAD_DA,
    CENTERED_RMS_PROP,
    FTRL,
    FTRL_V2,
    MOMENTUM_OF_ROWS,
    PROXIMAL_ADAGRAD,
    PROXIMAL_GRADIENT_DESCENT,
    RMS_PROP,
)
from tinytf.ops.training.gradient_descent import (
    apply_gradient_descent,
    resource_apply_gradient_descent,
)
from tinytf.ops.training.momentum import apply_momentum, resource_apply_momentum

__all__ = [
    "ADADELTA", "ADAGRAD", "ADAGRAD_DA", "CENTERED_RMS_PROP", "FTRL", "FTRL_V2",
    "MOMENTUM_OF_ROWS", "PROXIMAL_ADAGRAD", "PROXIMAL_GRADIENT_DESCENT", "RMS_PROP",
    "apply_adam", "apply_gradient_descent", "apply_momentum", "resource_apply_adam",
    "resource_apply_gradient_descent", "resource_apply_momentum",
]  # fmt: skip
