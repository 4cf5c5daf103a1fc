"""Adadelta. Mirrors tensorflow/python/training/adadelta.py."""

from __future__ import annotations

from typing import Any

from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.indexed_slices import IndexedSlices
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.ops import training as training_ops
from tinytf.ops.variables.variable import Variable
from tinytf.training.optimizer import Optimizer


class AdadeltaOptimizer(Optimizer):
    """Steps as large as the recent ones were, in the gradient's scale.

    TensorFlow: `tf.train.AdadeltaOptimizer`. Zeiler, "ADADELTA: An Adaptive Learning Rate Method".
    Slots: "accum" and "accum_update", running means of the squares of gradients and of steps.

    Args:
      learning_rate: 1.0 is the paper's method.
      rho: how slowly the means forget.
      epsilon: added under the roots.
      use_locking: kept in the graph.
      name: of the operations built.

    Example:
      >>> loss = tf.square(tf.Variable(5.0))
      >>> train_op = tf.train.AdadeltaOptimizer(1.0).minimize(loss)
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: Any = 0.95,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adadelta",
    ):
        super().__init__(use_locking, name)
        self._lr = learning_rate
        self._rho = rho
        self._epsilon = epsilon
        self._lr_t: Any = None
        self._rho_t: Any = None
        self._epsilon_t: Any = None

    def _create_slots(self, var_list: list[Variable]) -> None:
        for var in var_list:
            self._zeros_slot(var, "accum", self._name)
            self._zeros_slot(var, "accum_update", self._name)

    def _prepare(self) -> None:
        values = [self._call_if_callable(v) for v in (self._lr, self._rho, self._epsilon)]
        self._lr_t = convert_to_tensor(values[0], name="lr")
        self._rho_t = convert_to_tensor(values[1], name="rho")
        self._epsilon_t = convert_to_tensor(values[2], name="epsilon")

    def _apply_dense(self, grad: Any, var: Any) -> Operation:
        return training_ops.ADADELTA.build(
            [var, self.get_slot(var, "accum"), self.get_slot(var, "accum_update")],
            grad,
            {"lr": self._lr_t, "rho": self._rho_t, "epsilon": self._epsilon_t},
            use_locking=self._use_locking,
        )

    _resource_apply_dense = _apply_sparse = _apply_dense

    def _resource_apply_sparse(self, grad: Tensor, handle: Any, indices: Tensor) -> Operation:
        return self._apply_dense(IndexedSlices(grad, indices), handle)
