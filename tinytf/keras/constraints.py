"""`tf.keras.constraints`: what weights become after each step."""

from __future__ import annotations

from typing import Any

from tinytf.keras.backend import epsilon
from tinytf.layers import formulas as m


class Constraint:
    """A function of a variable's new value (TensorFlow: `tf.keras.constraints.Constraint`)."""

    def __call__(self, w: Any) -> Any:
        """What it becomes."""
        return w


def _norms(w: Any, axis: Any) -> Any:
    return m.sqrt(m.reduce_sum(m.square(w), axis, keepdims=True))


class MaxNorm(Constraint):
    """Vectors made shorter (`tf.keras.constraints.MaxNorm`); axis: along which they lie."""

    def __init__(self, max_value: float = 2, axis: Any = 0) -> None:
        self.max_value, self.axis = max_value, axis

    def __call__(self, w: Any) -> Any:
        norms = _norms(w, self.axis)
        return w * (m.clip_by_value(norms, 0.0, self.max_value) / (epsilon() + norms))


class NonNeg(Constraint):
    """Nothing negative (TensorFlow: `tf.keras.constraints.NonNeg`)."""

    def __call__(self, w: Any) -> Any:
        return w * m.where_v2(w >= 0.0, 1.0, 0.0)


max_norm, non_neg = MaxNorm, NonNeg


def get(identifier: Any) -> Any:
    """By name, or as it is (TensorFlow: `tf.keras.constraints.get`)."""
    return globals()[identifier]() if isinstance(identifier, str) else identifier
