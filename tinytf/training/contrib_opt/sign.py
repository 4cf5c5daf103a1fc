"""Steps by agreeing signs. Mirrors contrib/opt's addsign.py and powersign.py."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tinytf import ops
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.indexed_slices import IndexedSlices
from tinytf.framework.operation import Operation
from tinytf.framework.scope_functions import control_dependencies
from tinytf.ops.training.sign import ADD_SIGN, POWER_SIGN
from tinytf.ops.variables import state
from tinytf.ops.variables.scatter_updates import scatter_add, scatter_sub
from tinytf.training.declared_optimizer import DeclaredOptimizer, short_hyper


class _SignOptimizer(DeclaredOptimizer):
    """What both share: a mean, "m", and how much the agreement of signs counts at a step."""

    _slots_of_ops = ("m",)
    _takes_functions = False
    _sign_decay_t: Any = None

    def __init__(
        self, lr: Any, beta: Any, sign_decay_fn: Callable[..., Any] | None, *rest: Any
    ) -> None:
        super().__init__(*rest)
        self._lr, self._beta = lr, beta
        self._sign_decay_fn = sign_decay_fn

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Any:
        """See `tf.train.Optimizer`."""
        if self._sign_decay_fn is not None:
            decay = self._sign_decay_fn(global_step)
            self._sign_decay_t = convert_to_tensor(decay, name="sign_decay")
        return super().apply_gradients(grads_and_vars, global_step, name)

    def _prepare(self) -> None:
        super()._prepare()
        if self._sign_decay_fn is None:
            self._sign_decay_t = convert_to_tensor(1.0, name="sign_decay")

    def _numbers(self, var: Any) -> dict[str, Any]:
        return {**super()._numbers(var), "sign_decay": self._sign_decay_t}

    def _factor(self, agreed: Any, n: dict[str, Any]) -> Any:
        """What the step is multiplied with, where the signs agree so much."""
        raise NotImplementedError

    def _step(self, gradient: Any, var: Any) -> Operation:
        if not isinstance(gradient, IndexedSlices):
            return super()._step(gradient, var)
        grad: Any = gradient.values
        n: Any = {k: ops.cast(x, var.dtype.base_dtype) for k, x in self._numbers(var).items()}
        slot: Any = self.get_slot(var, "m")
        whole = state.assign(slot, slot * n["beta"], use_locking=self._use_locking)
        with control_dependencies([whole]):
            mean = scatter_add(slot, gradient.indices, grad * (1 - n["beta"]))
        mean_sign: Any = ops.sign(ops.gather(mean, gradient.indices))
        agreed = mean_sign * ops.sign(grad)
        step = n["lr"] * self._factor(n["sign_decay"] * agreed, n) * grad
        return ops.group(scatter_sub(var, gradient.indices, step, self._use_locking), mean)


class AddSignOptimizer(_SignOptimizer):
    """`var -= lr * (alpha + sign_decay * sign(g) * sign(m)) * g`, m being the mean of gradients.

    TensorFlow: `tf.contrib.opt.AddSignOptimizer`. Bello et al., "Neural Optimizer Search with
    Reinforcement Learning".

    Args:
      learning_rate, alpha: numbers or tensors. beta: how much of the mean stays in a step.
      sign_decay_fn: a function of the global step that says how much the signs count; by default 1.
      use_locking: kept in the graph. name: of the operations built.

    Example:
      >>> w = tf.Variable(5.0)
      >>> train_op = tf.contrib.opt.AddSignOptimizer(0.1).minimize(tf.square(w))
      >>> sess.run(tf.global_variables_initializer())
      >>> sess.run(train_op)
      >>> float(sess.run(w))
      3.0
    """

    _family = ADD_SIGN
    _hypers = (short_hyper("lr", "learning_rate"), short_hyper("beta"), short_hyper("alpha"))

    def __init__(
        self,
        learning_rate: Any = 0.1,
        alpha: Any = 1.0,
        beta: Any = 0.9,
        sign_decay_fn: Callable[..., Any] | None = None,
        use_locking: bool = False,
        name: str = "AddSignOptimizer",
    ):
        super().__init__(learning_rate, beta, sign_decay_fn, use_locking, name)
        self._alpha = alpha

    def _factor(self, agreed: Any, n: dict[str, Any]) -> Any:
        return n["alpha"] + agreed


class PowerSignOptimizer(_SignOptimizer):
    """`var -= lr * base ** (sign_decay * sign(g) * sign(m)) * g`, m being the mean of gradients.

    TensorFlow: `tf.contrib.opt.PowerSignOptimizer`. Bello et al., "Neural Optimizer Search with
    Reinforcement Learning".

    Args:
      learning_rate: a number or tensor. base: a number. beta: how much of the mean stays in a step.
      sign_decay_fn: a function of the global step that says how much the signs count; by default 1.
      use_locking: kept in the graph. name: of the operations built.

    Example:
      >>> w = tf.Variable(5.0)
      >>> train_op = tf.contrib.opt.PowerSignOptimizer(0.1, base=2.0).minimize(tf.square(w))
      >>> sess.run(tf.global_variables_initializer())
      >>> sess.run(train_op)
      >>> float(sess.run(w))
      3.0
    """

    _family = POWER_SIGN
    _hypers = (short_hyper("lr", "learning_rate"), short_hyper("beta"), short_hyper("logbase"))

    def __init__(
        self,
        learning_rate: Any = 0.1,
        base: float = math.e,
        beta: Any = 0.9,
        sign_decay_fn: Callable[..., Any] | None = None,
        use_locking: bool = False,
        name: str = "PowerSignOptimizer",
    ):
        super().__init__(learning_rate, beta, sign_decay_fn, use_locking, name)
        self._logbase = math.log(base)

    def _factor(self, agreed: Any, n: dict[str, Any]) -> Any:
        return ops.exp(n["logbase"] * agreed)
