"""`tf.keras.constraints`: what weights become after each step."""

from __future__ import annotations

from typing import Any

from tinytf.keras.backend import epsilon
from tinytf.ops.array.where import where_v2
from tinytf.ops.math.clip import clip_by_value
from tinytf.ops.math.power import sqrt, square
from tinytf.ops.reduce.reduction import reduce_sum


class Constraint:
    """A function of a variable's new value (TensorFlow: `tf.keras.constraints.Constraint`)."""

    def __call__(self, w: Any) -> Any:
        """What it becomes."""
        return w


def _norms(w: Any, axis: Any) -> Any:
    return sqrt(reduce_sum(square(w), axis, keepdims=True))


class MaxNorm(Constraint):
    """Vectors made shorter (`tf.keras.constraints.MaxNorm`); axis: along which they lie."""

    def __init__(self, max_value: float = 2, axis: Any = 0) -> None:
        self.max_value, self.axis = max_value, axis

    def __call__(self, w: Any) -> Any:
        norms = _norms(w, self.axis)
        return w * (clip_by_value(norms, 0.0, self.max_value) / (epsilon() + norms))


class NonNeg(Constraint):
    """Nothing negative (TensorFlow: `tf.keras.constraints.NonNeg`)."""

    def __call__(self, w: Any) -> Any:
        return w * where_v2(w >= 0.0, 1.0, 0.0)


class UnitNorm(Constraint):
    """Vectors made one long (`tf.keras.constraints.UnitNorm`); axis: along which they lie."""

    def __init__(self, axis: Any = 0) -> None:
        self.axis = axis

    def __call__(self, w: Any) -> Any:
        return w / (epsilon() + _norms(w, self.axis))


class MinMaxNorm(Constraint):
    """Vectors made so long (TensorFlow: `tf.keras.constraints.MinMaxNorm`).

    Args:
      min_value, max_value: the limits. rate: how much of what is missing at once.
      axis: along which vectors lie.
    """

    def __init__(
        self, min_value: float = 0.0, max_value: float = 1.0, rate: float = 1.0, axis: Any = 0
    ) -> None:
        self.limits, self.rate, self.axis = (min_value, max_value), rate, axis

    def __call__(self, w: Any) -> Any:
        norms = _norms(w, self.axis)
        wanted = self.rate * clip_by_value(norms, *self.limits) + (1.0 - self.rate) * norms
        return w * (wanted / (epsilon() + norms))


max_norm, non_neg, unit_norm, min_max_norm = MaxNorm, NonNeg, UnitNorm, MinMaxNorm


def get(identifier: Any) -> Any:
    """By name, or as it is (TensorFlow: `tf.keras.constraints.get`)."""
    return globals()[identifier]() if isinstance(identifier, str) else identifier
