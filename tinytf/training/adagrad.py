"""Adagrad, and Adagrad with dual averaging.

Mirrors tensorflow/python/training/adagrad.py and adagrad_da.py.
"""

from __future__ import annotations

from typing import Any

from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.constant import constant
from tinytf.ops.array.fill import fill
from tinytf.ops.array.identity import identity
from tinytf.ops.array.shape import shape
from tinytf.ops.math.cast import cast
from tinytf.ops.training.adagrad import ADAGRAD, ADAGRAD_DA
from tinytf.ops.variables.initializers import Constant
from tinytf.ops.variables.variable import Variable
from tinytf.training.declared_optimizer import DeclaredOptimizer, hyper


class AdagradOptimizer(DeclaredOptimizer):
    """Steps divided by the root of the sum of all squared gradients so far.

    TensorFlow: `tf.train.AdagradOptimizer`. Duchi, Hazan and Singer, "Adaptive Subgradient Methods
    for Online Learning and Stochastic Optimization". The slot "accumulator" holds the sum.

    Args:
      learning_rate: a number or a tensor (a function is called when the step is built).
      initial_accumulator_value: what the sums start with, above zero.
      use_locking: kept in the graph.
      name: of the operations built.

    Raises:
      ValueError: if the sums start at zero or below.

    Example:
      >>> loss = tf.square(tf.Variable(5.0))
      >>> train_op = tf.train.AdagradOptimizer(0.1).minimize(loss)
    """

    _family = ADAGRAD
    _hypers = (hyper("lr", "learning_rate"),)
    _slots_of_ops = ("accumulator",)

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "Adagrad",
    ):
        check_positive("initial_accumulator_value", initial_accumulator_value)
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._initial_accumulator_value = initial_accumulator_value

    def _create_slot(self, var: Variable, slot: str) -> None:
        kind = var.dtype.base_dtype
        start: Any = Constant(self._initial_accumulator_value, dtype=kind)
        if not var.shape.is_fully_defined():
            start = self._init_constant_op(var, kind)
        self._get_or_make_slot_with_initializer(var, start, var.shape, kind, slot, self._name)

    def _init_constant_op(self, var: Variable, dtype: Any) -> Any:
        def start() -> Tensor:
            return cast(fill(shape(var), self._initial_accumulator_value), dtype)

        return start


class AdagradDAOptimizer(DeclaredOptimizer):
    """Adagrad with dual averaging: the variable follows from sums over all steps.

    TensorFlow: `tf.train.AdagradDAOptimizer`. With L1 regularization, variables of linear models
    become exactly zero: rows that got no gradient yet are regularized when they get one. Slots:
    "gradient_accumulator" and "gradient_squared_accumulator".

    Args:
      learning_rate: a number or a tensor.
      global_step: the variable that counts steps; the strengths grow with it.
      initial_gradient_squared_accumulator_value: what the sums of squares start with, above zero.
      l1_regularization_strength, l2_regularization_strength: zero or above.
      use_locking: kept in the graph.
      name: of the operations built.

    Raises:
      ValueError: if the sums of squares start at zero or below.

    Example:
      >>> step = tf.train.get_or_create_global_step()
      >>> optimizer = tf.train.AdagradDAOptimizer(0.1, step)
      >>> train_op = optimizer.minimize(tf.square(tf.Variable(5.0)), global_step=step)
    """

    _family = ADAGRAD_DA
    _hypers = (hyper("lr", "learning_rate"),)
    _slots_of_ops = ("gradient_accumulator", "gradient_squared_accumulator")
    _takes_functions = False
    _learning_rate_tensor: Any

    def __init__(
        self,
        learning_rate: Any,
        global_step: Any,
        initial_gradient_squared_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "AdagradDA",
    ):
        check_positive(
            "initial_gradient_squared_accumulator_value",
            initial_gradient_squared_accumulator_value,
        )
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._global_step = global_step
        self._initial_squares = initial_gradient_squared_accumulator_value
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength
        self._global_step_on_worker: Any = None

    def _create_slots(self, var_list: list[Variable]) -> None:
        for var in var_list:
            kind = var.dtype.base_dtype
            with var.graph.colocate_with(var.op):
                starts = [constant(x, kind, var.shape) for x in (0.0, self._initial_squares)]
            for slot, start in zip(self._slots_of_ops, starts, strict=True):
                self._get_or_make_slot(var, start, slot, self._name)

    def _prepare(self) -> None:
        super()._prepare()
        # A copy in this task, and of the step that is being taken.
        with get_default_graph().colocate_with(self._learning_rate_tensor.op):
            self._global_step_on_worker = identity(self._global_step) + 1  # type: ignore[operator]

    def _numbers(self, var: Any) -> dict[str, Any]:
        with get_default_graph().device(var.device):
            step = identity(self._global_step_on_worker)
        strengths = {
            "l1": self._l1_regularization_strength,
            "l2": self._l2_regularization_strength,
        }
        return {**super()._numbers(var), **strengths, "global_step": step}


def check_positive(name: str, value: float) -> None:
    """ValueError unless a setting is above zero."""
    if value <= 0.0:
        raise ValueError(f"{name} must be positive: {value}")
