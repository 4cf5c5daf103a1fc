"""Gradient descent with momentum. Mirrors tensorflow/python/training/momentum.py."""

from __future__ import annotations

from typing import Any

from tinytf.ops.training.momentum import MOMENTUM
from tinytf.training.declared_optimizer import DeclaredOptimizer, hyper


class MomentumOptimizer(DeclaredOptimizer):
    """`speed = momentum * speed + gradient; var -= learning_rate * speed`.

    TensorFlow: `tf.train.MomentumOptimizer`. The slot "momentum" holds the speed.

    Args:
      learning_rate, momentum: numbers or tensors (functions are called when the step is built).
      use_locking: kept in the graph.
      name: of the operations built.
      use_nesterov: Nesterov's variant: `var -= learning_rate * (gradient + momentum * speed)`.

    Example:
      >>> loss = tf.square(tf.Variable(5.0))
      >>> train_op = tf.train.MomentumOptimizer(0.1, momentum=0.9).minimize(loss)
    """

    _family = MOMENTUM
    _hypers = (hyper("lr", "learning_rate"), hyper("momentum"))
    _slots_of_ops = ("momentum",)

    def __init__(
        self,
        learning_rate: Any,
        momentum: Any,
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ):
        super().__init__(use_locking, name)
        self._learning_rate, self._momentum = learning_rate, momentum
        self._use_nesterov = use_nesterov

    def _prepare(self) -> None:
        for one in self._hypers:  # a function's nodes stand right before its own tensor, here
            self._make_tensors([one])

    def _flags(self) -> dict[str, Any]:
        return {"use_nesterov": self._use_nesterov}
