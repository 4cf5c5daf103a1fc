"""Follow the regularized leader. Mirrors tensorflow/python/training/ftrl.py."""

from __future__ import annotations

from typing import Any

from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.fill import ones
from tinytf.ops.math.arithmetic import maximum
from tinytf.ops.training.ftrl import FTRL, FTRL_V2
from tinytf.ops.variables.variable import Variable
from tinytf.training.declared_optimizer import DeclaredOptimizer


class FtrlOptimizer(DeclaredOptimizer):
    """Follow the regularized leader, for large sparse linear models.

    TensorFlow: `tf.train.FtrlOptimizer`. McMahan et al., "Ad Click Prediction: a View from the
    Trenches"; with L1 regularization many variables become exactly zero. Slots: "accum", the sums
    of squared gradients, and "linear".

    Args:
      learning_rate: a number or a tensor.
      learning_rate_power: how the rate falls with the sums, zero or below; -0.5 is the paper's.
      initial_accumulator_value: what the sums start with, zero or above.
      l1_regularization_strength, l2_regularization_strength: zero or above.
      use_locking: kept in the graph.
      name: of the operations built.
      accum_name, linear_name: names of the slots' variables; by default `name`.
      l2_shrinkage_regularization_strength: zero or above; a penalty of size, beside the L2 one,
        which only keeps the variable near where it was.
      beta: the paper's beta.

    Raises:
      ValueError: for a strength below zero, or a power above.

    Example:
      >>> loss = tf.square(tf.Variable(5.0))
      >>> train_op = tf.train.FtrlOptimizer(0.1, l1_regularization_strength=0.01).minimize(loss)
    """

    _slots_of_ops = ("accum", "linear")

    def __init__(
        self,
        learning_rate: Any,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "Ftrl",
        accum_name: str | None = None,
        linear_name: str | None = None,
        l2_shrinkage_regularization_strength: float = 0.0,
        beta: float | None = None,
    ):
        super().__init__(use_locking, name)
        for what, value in (
            ("initial_accumulator_value", initial_accumulator_value),
            ("learning_rate_power", learning_rate_power),
            ("l1_regularization_strength", l1_regularization_strength),
            ("l2_regularization_strength", l2_regularization_strength),
            ("l2_shrinkage_regularization_strength", l2_shrinkage_regularization_strength),
        ):
            sign = "negative" if what == "learning_rate_power" else "positive"
            if (value > 0.0) if sign == "negative" else (value < 0.0):
                raise ValueError(f"{what} {value:f} needs to be {sign} or zero")
        self._learning_rate = learning_rate
        self._learning_rate_power = learning_rate_power
        self._initial_accumulator_value = initial_accumulator_value
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength
        self._l2_shrinkage_regularization_strength = l2_shrinkage_regularization_strength
        self._beta = 0.0 if beta is None else beta
        self._family = FTRL if l2_shrinkage_regularization_strength <= 0.0 else FTRL_V2
        self._accum_name, self._linear_name = accum_name, linear_name
        self._values: dict[str, Tensor] = {}

    def _create_slot(self, var: Variable, slot: str) -> None:
        if slot == "linear":
            self._zeros_slot(var, slot, self._linear_name or self._name)
            return

        def start(shape: Any, dtype: Any = dtypes.float32, partition_info: Any = None) -> Any:
            return ones(shape=shape, dtype=dtype) * self._initial_accumulator_value  # type: ignore[operator]

        name = self._accum_name or self._name
        self._get_or_make_slot_with_initializer(var, start, var.shape, var.dtype, slot, name)

    def _prepare(self) -> None:
        rate = convert_to_tensor(self._learning_rate, name="learning_rate")
        l1 = convert_to_tensor(self._l1_regularization_strength, name="l1_regularization_strength")
        least: Any = maximum(self._learning_rate, 1e-36)
        l2 = convert_to_tensor(
            self._l2_regularization_strength + self._beta / (2.0 * least),
            name="adjusted_l2_regularization_strength",
        )
        convert_to_tensor(self._beta, name="beta")  # unused, in TensorFlow's graph as well
        shrinkage = convert_to_tensor(
            self._l2_shrinkage_regularization_strength, name="l2_shrinkage_regularization_strength"
        )
        power = convert_to_tensor(self._learning_rate_power, name="learning_rate_power")
        self._values = {"lr": rate, "l1": l1, "l2": l2, "l2_shrinkage": shrinkage}
        self._values["lr_power"] = power

    def _numbers(self, var: Any) -> dict[str, Any]:
        return self._values
