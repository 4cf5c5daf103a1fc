"""Proximal gradient descent and Adagrad: a step, then the regularization exactly.

Mirrors tensorflow/python/training/proximal_gradient_descent.py and proximal_adagrad.py.
"""

from __future__ import annotations

from typing import Any

from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.indexed_slices import IndexedSlices
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.ops import training as training_ops
from tinytf.ops.array.constant import constant
from tinytf.ops.variables.variable import Variable
from tinytf.training.adagrad import check_positive
from tinytf.training.optimizer import Optimizer


class ProximalGradientDescentOptimizer(Optimizer):
    """Gradient descent with L1 and L2 regularization that makes zeros exact.

    TensorFlow: `tf.train.ProximalGradientDescentOptimizer`. Duchi and Singer, "Efficient Learning
    using Forward-Backward Splitting".

    Args:
      learning_rate: a number or a tensor.
      l1_regularization_strength, l2_regularization_strength: zero or above.
      use_locking: kept in the graph.
      name: of the operations built.

    Example:
      >>> loss = tf.square(tf.Variable(5.0))
      >>> train_op = tf.train.ProximalGradientDescentOptimizer(0.1, 0.01).minimize(loss)
    """

    def __init__(
        self,
        learning_rate: Any,
        l1_regularization_strength: Any = 0.0,
        l2_regularization_strength: Any = 0.0,
        use_locking: bool = False,
        name: str = "ProximalGradientDescent",
    ):
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength
        self._learning_rate_tensor: Any = None
        self._l1_regularization_strength_tensor: Any = None
        self._l2_regularization_strength_tensor: Any = None

    def _prepare(self) -> None:
        self._learning_rate_tensor = convert_to_tensor(self._learning_rate, name="learning_rate")
        self._l1_regularization_strength_tensor = convert_to_tensor(
            self._l1_regularization_strength, name="l1_regularization_strength"
        )
        self._l2_regularization_strength_tensor = convert_to_tensor(
            self._l2_regularization_strength, name="l2_regularization_strength"
        )

    def _strengths(self) -> dict[str, Any]:
        return {
            "l1": self._l1_regularization_strength_tensor,
            "l2": self._l2_regularization_strength_tensor,
        }

    def _apply_dense(self, grad: Any, var: Any) -> Operation:
        return training_ops.PROXIMAL_GRADIENT_DESCENT.build(
            [var],
            grad,
            {"alpha": self._learning_rate_tensor, **self._strengths()},
            use_locking=self._use_locking,
        )

    def _resource_apply_dense(self, grad: Any, var: Any) -> Operation:
        return self._apply_dense(grad, var)

    def _apply_sparse(self, grad: IndexedSlices, var: Any) -> Operation:
        return self._apply_dense(grad, var)

    def _resource_apply_sparse(self, grad: Tensor, handle: Any, indices: Tensor) -> Operation:
        return self._apply_dense(IndexedSlices(grad, indices), handle)


class ProximalAdagradOptimizer(ProximalGradientDescentOptimizer):
    """Adagrad with L1 and L2 regularization that makes zeros exact.

    TensorFlow: `tf.train.ProximalAdagradOptimizer`. The slot "accumulator" holds the sums of
    squared gradients.

    Args:
      learning_rate: a number or a tensor.
      initial_accumulator_value: what the sums start with, above zero.
      l1_regularization_strength, l2_regularization_strength: zero or above.
      use_locking: kept in the graph.
      name: of the operations built.

    Raises:
      ValueError: if the sums start at zero or below.

    Example:
      >>> loss = tf.square(tf.Variable(5.0))
      >>> train_op = tf.train.ProximalAdagradOptimizer(0.1).minimize(loss)
    """

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: Any = 0.0,
        l2_regularization_strength: Any = 0.0,
        use_locking: bool = False,
        name: str = "ProximalAdagrad",
    ):
        check_positive("initial_accumulator_value", initial_accumulator_value)
        super().__init__(
            learning_rate, l1_regularization_strength, l2_regularization_strength, use_locking, name
        )
        self._initial_accumulator_value = initial_accumulator_value

    def _create_slots(self, var_list: list[Variable]) -> None:
        for var in var_list:
            with var.graph.colocate_with(var.op):
                start = constant(
                    self._initial_accumulator_value, shape=var.shape, dtype=var.dtype.base_dtype
                )
            self._get_or_make_slot(var, start, "accumulator", self._name)

    def _apply_dense(self, grad: Any, var: Any) -> Operation:
        return training_ops.PROXIMAL_ADAGRAD.build(
            [var, self.get_slot(var, "accumulator")],
            grad,
            {"lr": self._learning_rate_tensor, **self._strengths()},
            use_locking=self._use_locking,
        )
