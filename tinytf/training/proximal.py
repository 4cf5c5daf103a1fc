"""Proximal gradient descent and Adagrad: a step, then the regularization exactly.

Mirrors tensorflow/python/training/proximal_gradient_descent.py and proximal_adagrad.py.
"""

from __future__ import annotations

from typing import Any

from tinytf.ops.array.constant import constant
from tinytf.ops.training.proximal import PROXIMAL_ADAGRAD, PROXIMAL_GRADIENT_DESCENT
from tinytf.ops.variables.variable import Variable
from tinytf.training.adagrad import check_positive
from tinytf.training.declared_optimizer import DeclaredOptimizer, hyper

_STRENGTHS = (hyper("l1", "l1_regularization_strength"), hyper("l2", "l2_regularization_strength"))


class ProximalGradientDescentOptimizer(DeclaredOptimizer):
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

    _family = PROXIMAL_GRADIENT_DESCENT
    _hypers = (hyper("alpha", "learning_rate"), *_STRENGTHS)
    _takes_functions = False

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

    _family = PROXIMAL_ADAGRAD
    _hypers = (hyper("lr", "learning_rate"), *_STRENGTHS)
    _slots_of_ops = ("accumulator",)

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

    def _create_slot(self, var: Variable, slot: str) -> None:
        start, kind = self._initial_accumulator_value, var.dtype.base_dtype
        with var.graph.colocate_with(var.op):
            value = constant(start, shape=var.shape, dtype=kind)
        self._get_or_make_slot(var, value, slot, self._name)
