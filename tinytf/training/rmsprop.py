"""RMSProp, plain and centred. Mirrors tensorflow/python/training/rmsprop.py."""

from __future__ import annotations

from typing import Any

from tinytf.ops.array.fill import ones_like
from tinytf.ops.training.rms_prop import CENTERED_RMS_PROP, RMS_PROP
from tinytf.ops.variables.initializers import Ones
from tinytf.ops.variables.variable import Variable
from tinytf.training.declared_optimizer import DeclaredOptimizer, hyper


class RMSPropOptimizer(DeclaredOptimizer):
    """Steps divided by the root of a running mean of squared gradients, with momentum.

    TensorFlow: `tf.train.RMSPropOptimizer`. Slots: "rms", the mean (which starts at ones),
    "momentum", and if it is centred "mg", the mean of gradients.

    Args:
      learning_rate, decay, momentum: numbers or tensors (functions are called when the step is
        built).
      epsilon: added under the root.
      use_locking: kept in the graph.
      centered: whether to divide by an estimate of the variance instead.
      name: of the operations built.

    Example:
      >>> loss = tf.square(tf.Variable(5.0))
      >>> train_op = tf.train.RMSPropOptimizer(0.1, centered=True).minimize(loss)
    """

    _hypers = (
        hyper("lr", "learning_rate"),
        hyper("rho", "decay"),
        hyper("momentum"),
        hyper("epsilon"),
    )

    def __init__(
        self,
        learning_rate: Any,
        decay: Any = 0.9,
        momentum: Any = 0.0,
        epsilon: Any = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        name: str = "RMSProp",
    ):
        super().__init__(use_locking, name)
        self._learning_rate, self._decay = learning_rate, decay
        self._momentum, self._epsilon = momentum, epsilon
        self._centered = centered
        self._family = CENTERED_RMS_PROP if centered else RMS_PROP
        self._slots_of_ops = ("mg", "rms", "momentum") if centered else ("rms", "momentum")

    def _create_slots(self, var_list: list[Variable]) -> None:
        for var in var_list:
            for slot in ("rms", "mg", "momentum") if self._centered else self._slots_of_ops:
                self._create_slot(var, slot)

    def _create_slot(self, var: Variable, slot: str) -> None:
        if slot != "rms":
            return super()._create_slot(var, slot)
        kind = var.dtype.base_dtype
        start: Any = Ones(dtype=kind) if var.shape.is_fully_defined() else ones_like(var)
        self._get_or_make_slot_with_initializer(var, start, var.shape, kind, slot, self._name)
