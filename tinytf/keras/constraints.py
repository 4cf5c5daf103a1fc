"""`tf.keras.constraints`: what weights become after each step."""

from __future__ import annotations

from typing import Any

from tinytf import ops
from tinytf.keras.backend import epsilon as _epsilon
from tinytf.layers import by_name


class Constraint:
    """A function of a variable's new value (TensorFlow: `tf.keras.constraints.Constraint`).

    Example:
      >>> class UpToOne(tf.keras.constraints.Constraint):
      ...     def __call__(self, w):
      ...         return tf.minimum(w, 1.0)
      >>> layer = tf.keras.layers.Dense(3, kernel_constraint=UpToOne())
    """

    def __call__(self, w: Any) -> Any:
        """What it becomes."""
        return w


def _norms(w: Any, axis: Any) -> Any:
    return ops.sqrt(ops.reduce_sum(ops.square(w), axis, keepdims=True))


class MaxNorm(Constraint):
    """Vectors made shorter (`tf.keras.constraints.MaxNorm`); axis: along which they lie.

    Example:
      >>> w = tf.constant([[3.0], [4.0]])
      >>> tf.round(tf.keras.constraints.MaxNorm(1.0)(w) * 100.0)  # [[60.], [80.]]
    """

    def __init__(self, max_value: float = 2, axis: Any = 0) -> None:
        self.max_value, self.axis = max_value, axis

    def __call__(self, w: Any) -> Any:
        norms = _norms(w, self.axis)
        return w * (ops.clip_by_value(norms, 0.0, self.max_value) / (_epsilon() + norms))


class NonNeg(Constraint):
    """Nothing negative (TensorFlow: `tf.keras.constraints.NonNeg`).

    Example:
      >>> tf.keras.constraints.NonNeg()(tf.constant([-1.0, 2.0]))  # [0., 2.]
    """

    def __call__(self, w: Any) -> Any:
        return w * ops.where_v2(w >= 0.0, 1.0, 0.0)


max_norm, non_neg = MaxNorm, NonNeg


def get(identifier: Any) -> Any:
    """By name, or as it is (TensorFlow: `tf.keras.constraints.get`).

    Args:
      identifier: "NonNeg", for example, a function, or None.

    Raises:
      ValueError: for an unknown name.

    Example:
      >>> tf.keras.constraints.get("NonNeg")(tf.constant([-1.0, 2.0]))  # [0., 2.]
    """
    if not isinstance(identifier, str):
        return identifier
    kinds = {"MaxNorm": MaxNorm, "NonNeg": NonNeg}
    names = {"max_norm": "MaxNorm", "non_neg": "NonNeg"}
    return by_name.found(kinds, names.get(identifier, identifier), "constraint")()
