"""`tf.keras.regularizers`: losses of large weights."""

from __future__ import annotations

from typing import Any

from tinytf import ops
from tinytf.layers import by_name


class Regularizer:
    """A function of a variable that is a loss (TensorFlow: `tf.keras.regularizers.Regularizer`).

    Example:
      >>> class Largest(tf.keras.regularizers.Regularizer):
      ...     def __call__(self, x):
      ...         return tf.reduce_max(tf.abs(x))
      >>> layer = tf.keras.layers.Dense(1, kernel_initializer="ones", kernel_regularizer=Largest())
      >>> y = layer(tf.ones([1, 2]))
      >>> layer.losses  # [1.0]
    """

    def __call__(self, x: Any) -> Any:
        """The loss."""
        return 0.0


class L1L2(Regularizer):
    """The sums of sizes and of squares (`tf.keras.regularizers.L1L2`); l1, l2: times these.

    Example:
      >>> tf.keras.regularizers.L1L2(l1=1.0, l2=0.5)(tf.constant([1.0, -2.0]))  # 5.5
    """

    def __init__(self, l1: float = 0.0, l2: float = 0.0) -> None:
        self.l1, self.l2 = l1, l2

    def __call__(self, x: Any) -> Any:
        if not self.l1 and not self.l2:
            return None
        loss = self.l1 * ops.reduce_sum(ops.absolute(x)) if self.l1 else 0.0
        return loss + self.l2 * ops.reduce_sum(ops.square(x)) if self.l2 else loss


def l1(l: float = 0.01) -> L1L2:  # noqa: E741
    """The sum of sizes, times l (TensorFlow: `tf.keras.regularizers.l1`).

    Example:
      >>> tf.keras.regularizers.l1(0.5)(tf.constant([1.0, -2.0]))  # 1.5
    """
    return L1L2(l1=l)


def l2(l: float = 0.01) -> L1L2:  # noqa: E741
    """The sum of squares, times l (TensorFlow: `tf.keras.regularizers.l2`).

    Example:
      >>> tf.keras.regularizers.l2(0.5)(tf.constant([1.0, -2.0]))  # 2.5
    """
    return L1L2(l2=l)


def l1_l2(l1: float = 0.01, l2: float = 0.01) -> L1L2:
    """Both (TensorFlow: `tf.keras.regularizers.l1_l2`).

    Example:
      >>> tf.keras.regularizers.l1_l2(0.5, 0.5)(tf.constant([1.0, -2.0]))  # 4.0
    """
    return L1L2(l1, l2)


def get(identifier: Any) -> Any:
    """By name, or as it is (TensorFlow: `tf.keras.regularizers.get`).

    Args:
      identifier: "l1", "l2", "l1_l2", a function, or None.

    Raises:
      ValueError: for an unknown name.

    Example:
      >>> tf.keras.regularizers.get("l2")(tf.constant([1.0, -2.0]))  # 0.05
    """
    if not isinstance(identifier, str):
        return identifier
    return by_name.found({"l1": l1, "l2": l2, "l1_l2": l1_l2}, identifier, "regularizer")()
