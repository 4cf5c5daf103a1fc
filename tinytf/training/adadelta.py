"""Adadelta. Mirrors tensorflow/python/training/adadelta.py."""

from __future__ import annotations

from typing import Any

from tinytf.ops.training.adadelta import ADADELTA
from tinytf.training.declared_optimizer import DeclaredOptimizer, short_hyper


class AdadeltaOptimizer(DeclaredOptimizer):
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

    _family = ADADELTA
    _hypers = (short_hyper("lr"), short_hyper("rho"), short_hyper("epsilon"))
    _slots_of_ops = ("accum", "accum_update")

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: Any = 0.95,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adadelta",
    ):
        super().__init__(use_locking, name)
        self._lr, self._rho, self._epsilon = learning_rate, rho, epsilon
