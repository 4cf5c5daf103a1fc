"""Gradient descent. Mirrors tensorflow/python/training/gradient_descent.py."""

from __future__ import annotations

from typing import Any

from tinytf.framework.indexed_slices import IndexedSlices
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.ops.math.cast import cast
from tinytf.ops.training.gradient_descent import GRADIENT_DESCENT
from tinytf.ops.variables.scatter_updates import CARDS
from tinytf.training.declared_optimizer import DeclaredOptimizer, hyper


class GradientDescentOptimizer(DeclaredOptimizer):
    """`var -= learning_rate * gradient` (TensorFlow: `tf.train.GradientDescentOptimizer`).

    Args:
      learning_rate: a number or a tensor (a function that gives one is called when the step is
        built).
      use_locking: kept in the graph.
      name: of the operations built.

    Example:
      >>> loss = tf.square(tf.Variable(5.0))
      >>> train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    """

    _family = GRADIENT_DESCENT
    _hypers = (hyper("alpha", "learning_rate"),)
    _learning_rate_tensor: Any

    def __init__(
        self, learning_rate: Any, use_locking: bool = False, name: str = "GradientDescent"
    ):
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate

    def _apply_sparse_duplicate_indices(self, grad: IndexedSlices, var: Any) -> Operation:
        values: Any = grad.values
        delta = values * cast(self._learning_rate_tensor, var.dtype.base_dtype)
        slices = IndexedSlices(delta, grad.indices, grad.dense_shape)
        return var.scatter_sub(slices, use_locking=self._use_locking).op

    def _resource_apply_sparse_duplicate_indices(
        self, grad: Any, handle: Any, indices: Tensor
    ) -> Operation:
        delta = -grad * cast(self._learning_rate_tensor, grad.dtype.base_dtype)
        _, scatter_add = CARDS["Add"]
        return scatter_add(handle.handle, indices, delta)
