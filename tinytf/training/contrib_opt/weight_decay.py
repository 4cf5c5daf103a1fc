"""Weights that decay beside the steps. Mirrors contrib/opt's weight_decay_optimizers.py.

Loshchilov and Hutter, "Decoupled Weight Decay Regularization".
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.indexed_slices import IndexedSlices
from tinytf.framework.operation import Operation
from tinytf.framework.scope_functions import control_dependencies
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.gather import gather
from tinytf.ops.math.cast import cast
from tinytf.ops.variables.scatter_updates import scatter_sub
from tinytf.training.adam import AdamOptimizer
from tinytf.training.momentum import MomentumOptimizer
from tinytf.training.optimizer import Optimizer


class DecoupledWeightDecayExtension:
    """Makes an optimizer's variables decay before each step (TensorFlow: `tf.contrib.opt`).

    It is the first base of a class, the optimizer the second one:
    `class DecayedOptimizer(DecoupledWeightDecayExtension, tf.train.RMSPropOptimizer)`. Not for
    optimizers whose step depends on the value of the variable.

    Args:
      weight_decay: the part of a variable that it loses in a step, a number, tensor or function.
      kwargs: of the optimizer.

    Example:
      >>> class DecayedSGD(
      ...     tf.contrib.opt.DecoupledWeightDecayExtension, tf.train.GradientDescentOptimizer
      ... ):
      ...     pass
      >>> w = tf.get_variable("w", initializer=4.0)
      >>> step = DecayedSGD(weight_decay=0.25, learning_rate=0.5).minimize(w)
      >>> sess.run(tf.global_variables_initializer())
      >>> sess.run(step)
      >>> w  # 2.5
    """

    _decay_var_list: Any = None
    _weight_decay_tensor: Any = None
    _use_locking: bool

    def __init__(self, weight_decay: Any, **kwargs: Any):
        self._weight_decay: Any = weight_decay
        super().__init__(**kwargs)

    def minimize(
        self, *args: Any, decay_var_list: Iterable[Any] | None = None, **kwargs: Any
    ) -> Any:
        """See `tf.train.Optimizer`.

        Args:
          args, kwargs: as there. decay_var_list: the variables that decay; by default all.
        """
        self._decay_var_list = decay_var_list
        try:
            return super().minimize(*args, **kwargs)  # type: ignore[misc]
        finally:
            self._decay_var_list = None

    def apply_gradients(
        self,
        grads_and_vars: Any,
        global_step: Any = None,
        name: str | None = None,
        decay_var_list: Iterable[Any] | None = None,
    ) -> Any:
        """See `tf.train.Optimizer`.

        Args:
          grads_and_vars, global_step, name: as there.
          decay_var_list: the variables that decay; by default all.
        """
        chosen = decay_var_list or self._decay_var_list
        self._decayed = set(chosen) if chosen else None
        return super().apply_gradients(grads_and_vars, global_step, name)  # type: ignore[misc]

    def _prepare(self) -> None:
        given = self._weight_decay
        found = given() if callable(given) else given
        self._weight_decay_tensor = convert_to_tensor(found, name="weight_decay")
        super()._prepare()  # type: ignore[misc]

    def _after_decay(self, var: Any, indices: Any = None) -> Any:
        """A context: what is built in it comes after the decay of a variable, or of its rows."""
        if self._decayed is not None and var not in self._decayed:
            return control_dependencies([])
        part: Any = cast(self._weight_decay_tensor, var.dtype.base_dtype)
        if indices is None:
            decay = var.assign_sub(part * var, use_locking=self._use_locking)
        else:
            decay = scatter_sub(var, indices, part * gather(var, indices), self._use_locking)
        return control_dependencies([decay])

    def _apply_dense(self, grad: Tensor, var: Any) -> Operation:
        with self._after_decay(var):
            return super()._apply_dense(grad, var)  # type: ignore[misc]

    def _resource_apply_dense(self, grad: Tensor, var: Any) -> Operation:
        with self._after_decay(var):
            return super()._resource_apply_dense(grad, var)  # type: ignore[misc]

    def _apply_sparse(self, grad: IndexedSlices, var: Any) -> Operation:
        with self._after_decay(var, grad.indices):
            return super()._apply_sparse(grad, var)  # type: ignore[misc]

    def _resource_apply_sparse(self, grad: Tensor, handle: Any, indices: Tensor) -> Operation:
        with self._after_decay(handle, indices):
            return super()._resource_apply_sparse(grad, handle, indices)  # type: ignore[misc]


def extend_with_decoupled_weight_decay(base_optimizer: type[Optimizer]) -> Any:
    """A class of optimizers whose variables decay, too (TensorFlow: `tf.contrib.opt`).

    Args:
      base_optimizer: a class of optimizers.

    Returns:
      a class; its constructor has the argument weight_decay before those of the base.

    Example:
      >>> Decayed = tf.contrib.opt.extend_with_decoupled_weight_decay(tf.train.AdagradOptimizer)
      >>> optimizer = Decayed(weight_decay=0.01, learning_rate=0.1)
    """

    class OptimizerWithDecoupledWeightDecay(DecoupledWeightDecayExtension, base_optimizer):  # type: ignore[valid-type,misc]
        """The optimizer, with decay."""

    return OptimizerWithDecoupledWeightDecay


class MomentumWOptimizer(DecoupledWeightDecayExtension, MomentumOptimizer):
    """Momentum with weights that decay (TensorFlow: `tf.contrib.opt.MomentumWOptimizer`).

    Args:
      weight_decay: the part of a variable that it loses in a step.
      learning_rate, momentum, use_locking, name, use_nesterov: as of `tf.train.MomentumOptimizer`.

    Example:
      >>> w = tf.Variable(2.0)
      >>> optimizer = tf.contrib.opt.MomentumWOptimizer(0.5, 0.125, momentum=0.9)
      >>> train_op = optimizer.minimize(tf.square(w))
      >>> sess.run(tf.global_variables_initializer())
      >>> sess.run(train_op)
      >>> float(sess.run(w))
      0.5
    """

    def __init__(
        self,
        weight_decay: Any,
        learning_rate: Any,
        momentum: Any,
        use_locking: bool = False,
        name: str = "MomentumW",
        use_nesterov: bool = False,
    ):
        super().__init__(
            weight_decay,
            learning_rate=learning_rate,
            momentum=momentum,
            use_locking=use_locking,
            name=name,
            use_nesterov=use_nesterov,
        )


class AdamWOptimizer(DecoupledWeightDecayExtension, AdamOptimizer):
    """Adam with weights that decay (TensorFlow: `tf.contrib.opt.AdamWOptimizer`).

    Args:
      weight_decay: the part of a variable that it loses in a step.
      learning_rate, beta1, beta2, epsilon, use_locking, name: as of `tf.train.AdamOptimizer`.

    Example:
      >>> w = tf.Variable(2.0)
      >>> optimizer = tf.contrib.opt.AdamWOptimizer(weight_decay=1e-4, learning_rate=0.01)
      >>> train_op = optimizer.minimize(tf.square(w), decay_var_list=[w])
    """

    def __init__(
        self,
        weight_decay: Any,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "AdamW",
    ):
        super().__init__(
            weight_decay,
            learning_rate=learning_rate,
            beta1=beta1,
            beta2=beta2,
            epsilon=epsilon,
            use_locking=use_locking,
            name=name,
        )
