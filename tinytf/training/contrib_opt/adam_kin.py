"""Kin of Adam. Mirrors contrib/opt's nadam_optimizer.py, lazy_adam_optimizer.py and adamax.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tinytf import ops
from tinytf.framework.scope_functions import control_dependencies
from tinytf.ops.training.ada_max import ADA_MAX
from tinytf.ops.variables import scatter_updates, state
from tinytf.training.adam import AdamOptimizer

_Numbers = dict[str, Any]


class _OfRows(AdamOptimizer):
    """Adam whose sparse gradients have a formula for the rows that they have."""

    def _rows(
        self, m: Any, v: Any, grad: Any, n: _Numbers, updated: Callable[[str, Any], Any]
    ) -> Any:
        """The step of the rows.

        Args:
          m, v: the slots. grad: the rows of the gradient. n: the numbers of the optimizer.
          updated: puts rows of a slot in place, and gives what they are then.
        """
        raise NotImplementedError

    def _apply_sparse_shared(self, grad: Any, var: Any, indices: Any, scatter_add: Any) -> Any:
        kind, made = var.dtype.base_dtype, []
        n: Any = {name: ops.cast(number, kind) for name, number in self._numbers(var).items()}

        def updated(slot_name: str, rows: Any) -> Any:
            slot = self.get_slot(var, slot_name)
            made.append(scatter_updates.scatter_update(slot, indices, rows, self._use_locking))
            return ops.gather(made[-1], indices)

        m, v = (ops.gather(self.get_slot(var, name), indices) for name in ("m", "v"))
        step = self._rows(m, v, grad, n, updated)
        moved = scatter_updates.scatter_sub(var, indices, step, self._use_locking)
        return ops.group(moved, *made)


class LazyAdamOptimizer(_OfRows):
    """Adam that leaves rows without a gradient alone (TensorFlow: `tf.contrib.opt`).

    With `tf.gather` and embeddings only the rows that were used move, and their means; of Adam all
    do, at every step. For other gradients it is Adam.

    Args:
      learning_rate, beta1, beta2, epsilon, use_locking, name: as of `tf.train.AdamOptimizer`.

    Example:
      >>> table = tf.Variable([[1.0], [2.0], [3.0]])
      >>> loss = tf.reduce_sum(tf.gather(table, [0, 2]))
      >>> train_op = tf.contrib.opt.LazyAdamOptimizer(0.1).minimize(loss)
      >>> sess.run(tf.global_variables_initializer())
      >>> sess.run(train_op)
      >>> sess.run(table).round(3).tolist()
      [[0.9], [2.0], [2.9]]
    """

    def _rows(
        self, m: Any, v: Any, grad: Any, n: _Numbers, updated: Callable[[str, Any], Any]
    ) -> Any:
        rate = n["lr"] * ops.sqrt(1 - n["beta2_power"]) / (1 - n["beta1_power"])
        mean: Any = updated("m", n["beta1"] * m + (1 - n["beta1"]) * grad)
        squares = updated("v", n["beta2"] * v + (1 - n["beta2"]) * ops.square(grad))
        root: Any = ops.sqrt(squares)
        return rate * mean / (root + n["epsilon"])


class AdaMaxOptimizer(_OfRows):
    """Steps scaled by the greatest gradient so far, which fades (TensorFlow: `tf.contrib.opt`).

    Kingma and Ba, "Adam", section 7.1: `v = max(beta2 * v, |g|)`, and
    `var -= learning_rate / (1 - beta1^t) * m / (v + epsilon)`. Of sparse gradients only the rows
    that there are count.

    Args:
      learning_rate, beta1, beta2, epsilon, use_locking, name: as of `tf.train.AdamOptimizer`.

    Example:
      >>> w = tf.Variable(5.0)
      >>> train_op = tf.contrib.opt.AdaMaxOptimizer(0.5).minimize(tf.square(w))
      >>> sess.run(tf.global_variables_initializer())
      >>> sess.run(train_op)
      >>> float(sess.run(w))
      4.5
    """

    _family = ADA_MAX

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "AdaMax",
    ):
        super().__init__(learning_rate, beta1, beta2, epsilon, use_locking, name)

    def _rows(
        self, m: Any, v: Any, grad: Any, n: _Numbers, updated: Callable[[str, Any], Any]
    ) -> Any:
        mean = updated("m", m * n["beta1"] + grad * (1 - n["beta1"]))
        greatest = updated("v", ops.maximum(v * n["beta2"], ops.absolute(grad)))
        return n["lr"] / (1 - n["beta1_power"]) * (mean / (greatest + n["epsilon"]))


class NadamOptimizer(AdamOptimizer):
    """Adam with Nesterov's momentum (TensorFlow: `tf.contrib.opt.NadamOptimizer`).

    Dozat, "Incorporating Nesterov Momentum into Adam": the step goes along
    `(1 - beta1) * gradient + beta1 * m` with the new mean m.

    Args:
      learning_rate, beta1, beta2, epsilon, use_locking, name: as of `tf.train.AdamOptimizer`.

    Example:
      >>> w = tf.Variable(5.0)
      >>> train_op = tf.contrib.opt.NadamOptimizer(0.1).minimize(tf.square(w))
    """

    def _flags(self) -> dict[str, Any]:
        return {"use_nesterov": True}

    def _apply_sparse_shared(self, grad: Any, var: Any, indices: Any, scatter_add: Any) -> Any:
        kind = var.dtype.base_dtype
        n: Any = {name: ops.cast(number, kind) for name, number in self._numbers(var).items()}
        rate = n["lr"] * ops.sqrt(1 - n["beta2_power"]) / (1 - n["beta1_power"])
        rows = grad * (1 - n["beta1"])
        mean = self._decayed(var, "m", n["beta1"], indices, rows, scatter_add)
        ahead = rows + n["beta1"] * ops.gather(mean, indices)
        squares = grad * grad * (1 - n["beta2"])
        square_mean = self._decayed(var, "v", n["beta2"], indices, squares, scatter_add)
        root: Any = ops.sqrt(ops.gather(square_mean, indices))
        moved = scatter_add(var, indices, -rate * ahead / (root + n["epsilon"]))
        return ops.group(moved, ahead, square_mean)

    def _decayed(
        self, var: Any, slot_name: str, decay: Any, indices: Any, rows: Any, scatter_add: Any
    ) -> Any:
        """All of a slot decays, then rows are added."""
        slot: Any = self.get_slot(var, slot_name)
        whole = state.assign(slot, slot * decay, use_locking=self._use_locking)
        with control_dependencies([whole]):
            return scatter_add(slot, indices, rows)
