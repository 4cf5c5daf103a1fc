"""Gradient descent with momentum. Mirrors tensorflow/python/training/momentum.py."""

from __future__ import annotations

from typing import Any

from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.indexed_slices import IndexedSlices
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.ops import training as training_ops
from tinytf.ops.math.cast import cast
from tinytf.ops.variables.variable import Variable
from tinytf.training.optimizer import Optimizer


class MomentumOptimizer(Optimizer):
    """`speed = momentum * speed + gradient; var -= learning_rate * speed`.

    TensorFlow: `tf.train.MomentumOptimizer`. The slot "momentum" holds the speed.

    Args:
      learning_rate, momentum: numbers or tensors (functions are called when the step is built).
      use_locking: kept in the graph.
      name: of the operations built.
      use_nesterov: Nesterov's variant: `var -= learning_rate * (gradient + momentum * speed)`.

    Example:
      >>> loss = tf.square(tf.Variable(5.0))
      >>> train_op = tf.train.MomentumOptimizer(0.1, momentum=0.9).minimize(loss)
    """

    def __init__(
        self,
        learning_rate: Any,
        momentum: Any,
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ):
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._momentum = momentum
        self._use_nesterov = use_nesterov
        self._learning_rate_tensor: Any = None
        self._momentum_tensor: Any = None

    def _create_slots(self, var_list: list[Variable]) -> None:
        for var in var_list:
            self._zeros_slot(var, "momentum", self._name)

    def _prepare(self) -> None:
        rate = self._call_if_callable(self._learning_rate)
        self._learning_rate_tensor = convert_to_tensor(rate, name="learning_rate")
        momentum = self._call_if_callable(self._momentum)
        self._momentum_tensor = convert_to_tensor(momentum, name="momentum")

    def _apply_dense(self, grad: Tensor, var: Any) -> Operation:
        kind = var.dtype.base_dtype
        return training_ops.apply_momentum(
            var,
            self.get_slot(var, "momentum"),
            cast(self._learning_rate_tensor, kind),
            grad,
            cast(self._momentum_tensor, kind),
            use_locking=self._use_locking,
            use_nesterov=self._use_nesterov,
        ).op

    def _resource_apply_dense(self, grad: Tensor, var: Any) -> Operation:
        kind = grad.dtype.base_dtype
        slot: Any = self.get_slot(var, "momentum")
        return training_ops.resource_apply_momentum(
            var.handle,
            slot.handle,
            cast(self._learning_rate_tensor, kind),
            grad,
            cast(self._momentum_tensor, kind),
            use_locking=self._use_locking,
            use_nesterov=self._use_nesterov,
        )

    def _apply_sparse(self, grad: IndexedSlices, var: Any) -> Operation:
        return training_ops.MOMENTUM_OF_ROWS.build(
            [var, self.get_slot(var, "momentum")],
            grad,
            {"lr": self._learning_rate_tensor, "momentum": self._momentum_tensor},
            use_locking=self._use_locking,
            use_nesterov=self._use_nesterov,
        )

    def _resource_apply_sparse(self, grad: Tensor, handle: Any, indices: Tensor) -> Operation:
        return self._apply_sparse(IndexedSlices(grad, indices), handle)
