"""Adagrad, and Adagrad with dual averaging.

Mirrors tensorflow/python/training/adagrad.py and adagrad_da.py.
"""

from __future__ import annotations

from typing import Any

from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.indexed_slices import IndexedSlices
from tinytf.framework.operation import Operation
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.ops import training as training_ops
from tinytf.ops.array.constant import constant
from tinytf.ops.array.identity import identity
from tinytf.ops.math.cast import cast
from tinytf.ops.variables.initializers import Constant
from tinytf.ops.variables.variable import Variable
from tinytf.training.optimizer import Optimizer


class AdagradOptimizer(Optimizer):
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
        self._learning_rate_tensor: Any = None

    def _create_slots(self, var_list: list[Variable]) -> None:
        for var in var_list:
            kind = var.dtype.base_dtype
            start: Any = Constant(self._initial_accumulator_value, dtype=kind)
            if not var.shape.is_fully_defined():
                start = self._init_constant_op(var, kind)
            self._get_or_make_slot_with_initializer(
                var, start, var.shape, kind, "accumulator", self._name
            )

    def _init_constant_op(self, var: Variable, dtype: Any) -> Any:
        def start() -> Tensor:
            from tinytf.ops.array.fill import fill
            from tinytf.ops.array.shape import shape

            return cast(fill(shape(var), self._initial_accumulator_value), dtype)

        return start

    def _prepare(self) -> None:
        rate = self._call_if_callable(self._learning_rate)
        self._learning_rate_tensor = convert_to_tensor(rate, name="learning_rate")

    def _apply_dense(self, grad: Any, var: Any) -> Operation:
        return training_ops.ADAGRAD.build(
            [var, self.get_slot(var, "accumulator")],
            grad,
            {"lr": self._learning_rate_tensor},
            use_locking=self._use_locking,
        )

    _resource_apply_dense = _apply_sparse = _apply_dense

    def _resource_apply_sparse(self, grad: Tensor, handle: Any, indices: Tensor) -> Operation:
        return self._apply_dense(IndexedSlices(grad, indices), handle)


class AdagradDAOptimizer(Optimizer):
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
        self._learning_rate_tensor: Any = None
        self._global_step_on_worker: Any = None

    def _create_slots(self, var_list: list[Variable]) -> None:
        for var in var_list:
            kind = var.dtype.base_dtype
            with var.graph.colocate_with(var.op):
                zero = constant(0.0, shape=var.shape, dtype=kind)
                squares = constant(self._initial_squares, shape=var.shape, dtype=kind)
            self._get_or_make_slot(var, zero, "gradient_accumulator", self._name)
            self._get_or_make_slot(var, squares, "gradient_squared_accumulator", self._name)

    def _prepare(self) -> None:
        self._learning_rate_tensor = convert_to_tensor(self._learning_rate, name="learning_rate")
        # A copy in this task, and of the step that is being taken.
        with get_default_graph().colocate_with(self._learning_rate_tensor.op):
            self._global_step_on_worker = identity(self._global_step) + 1  # type: ignore[operator]

    def _apply_dense(self, grad: Any, var: Any) -> Operation:
        slots = ["gradient_accumulator", "gradient_squared_accumulator"]
        with get_default_graph().device(var.device):
            step = identity(self._global_step_on_worker)
        return training_ops.ADAGRAD_DA.build(
            [var, *(self.get_slot(var, slot) for slot in slots)],
            grad,
            {
                "lr": self._learning_rate_tensor,
                "l1": self._l1_regularization_strength,
                "l2": self._l2_regularization_strength,
                "global_step": step,
            },
            use_locking=self._use_locking,
        )

    _resource_apply_dense = _apply_sparse = _apply_dense

    def _resource_apply_sparse(self, grad: Tensor, handle: Any, indices: Tensor) -> Operation:
        return self._apply_dense(IndexedSlices(grad, indices), handle)


def check_positive(name: str, value: float) -> None:
    """ValueError unless a setting is above zero."""
    if value <= 0.0:
        raise ValueError(f"{name} must be positive: {value}")
