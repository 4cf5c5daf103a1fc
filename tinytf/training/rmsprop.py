"""RMSProp, plain and centred. Mirrors tensorflow/python/training/rmsprop.py."""

from __future__ import annotations

from typing import Any

from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.indexed_slices import IndexedSlices
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.ops import training as training_ops
from tinytf.ops.array.fill import ones_like
from tinytf.ops.variables.initializers import Ones
from tinytf.ops.variables.variable import Variable
from tinytf.training.optimizer import Optimizer


class RMSPropOptimizer(Optimizer):
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
        self._learning_rate = learning_rate
        self._decay = decay
        self._momentum = momentum
        self._epsilon = epsilon
        self._centered = centered
        self._learning_rate_tensor: Any = None
        self._decay_tensor: Any = None
        self._momentum_tensor: Any = None
        self._epsilon_tensor: Any = None

    def _create_slots(self, var_list: list[Variable]) -> None:
        for var in var_list:
            kind = var.dtype.base_dtype
            start: Any = Ones(dtype=kind) if var.shape.is_fully_defined() else ones_like(var)
            self._get_or_make_slot_with_initializer(var, start, var.shape, kind, "rms", self._name)
            if self._centered:
                self._zeros_slot(var, "mg", self._name)
            self._zeros_slot(var, "momentum", self._name)

    def _prepare(self) -> None:
        given = (self._learning_rate, self._decay, self._momentum, self._epsilon)
        rate, decay, momentum, epsilon = map(self._call_if_callable, given)
        self._learning_rate_tensor = convert_to_tensor(rate, name="learning_rate")
        self._decay_tensor = convert_to_tensor(decay, name="decay")
        self._momentum_tensor = convert_to_tensor(momentum, name="momentum")
        self._epsilon_tensor = convert_to_tensor(epsilon, name="epsilon")

    def _apply_dense(self, grad: Any, var: Any) -> Operation:
        slots = ["mg", "rms", "momentum"] if self._centered else ["rms", "momentum"]
        family = training_ops.CENTERED_RMS_PROP if self._centered else training_ops.RMS_PROP
        return family.build(
            [var, *(self.get_slot(var, slot) for slot in slots)],
            grad,
            {
                "lr": self._learning_rate_tensor,
                "rho": self._decay_tensor,
                "momentum": self._momentum_tensor,
                "epsilon": self._epsilon_tensor,
            },
            use_locking=self._use_locking,
        )

    _resource_apply_dense = _apply_sparse = _apply_dense

    def _resource_apply_sparse(self, grad: Tensor, handle: Any, indices: Tensor) -> Operation:
        return self._apply_dense(IndexedSlices(grad, indices), handle)
