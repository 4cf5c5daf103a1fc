"""Norms that have a limit: of gradients, of variables.

Mirrors contrib/opt's variable_clipping_optimizer.py, and one of multitask_optimizer_wrapper.py.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any

from tinytf.framework.indexed_slices import IndexedSlices
from tinytf.framework.scope_functions import control_dependencies, name_scope
from tinytf.framework.stacks import get_default_graph
from tinytf.ops.array.gather import gather
from tinytf.ops.control_flow.grouping import group
from tinytf.ops.math.clip import clip_by_global_norm, clip_by_norm
from tinytf.ops.variables.scatter_updates import scatter_sub
from tinytf.training.contrib_opt.wrapper import Wrapper
from tinytf.training.optimizer import Optimizer

_logger = logging.getLogger("tinytf")


def clip_gradients_by_global_norm(
    gradients_variables: Sequence[Any], clip_norm: Any = 20.0
) -> list[tuple[Any, Any]]:
    """Gradients, scaled if their common norm is greater (TensorFlow: `tf.contrib.opt`).

    Args:
      gradients_variables: pairs, as `compute_gradients` gives. clip_norm: the greatest norm.

    Example:
      >>> w = tf.Variable(5.0)
      >>> optimizer = tf.train.GradientDescentOptimizer(0.1)
      >>> pairs = optimizer.compute_gradients(tf.square(w))
      >>> train_op = optimizer.apply_gradients(tf.contrib.opt.clip_gradients_by_global_norm(pairs))
    """
    clipped, _ = clip_by_global_norm([grad for grad, _ in gradients_variables], clip_norm)
    return list(zip(clipped, [var for _, var in gradients_variables], strict=True))


class Clipping(Wrapper):
    """An optimizer whose gradients are clipped by their common norm.

    Args:
      opt: the optimizer. norm: the greatest norm.
    """

    def __init__(self, opt: Optimizer, norm: float):
        super().__init__(opt, False, opt.get_name())
        self._norm = norm

    def compute_gradients(self, *args: Any, **kwargs: Any) -> list[tuple[Any, Any]]:
        """Clipped ones."""
        return clip_gradients_by_global_norm(super().compute_gradients(*args, **kwargs), self._norm)


class VariableClippingOptimizer(Wrapper):
    """After each step, variables are scaled to a norm at most (TensorFlow: `tf.contrib.opt`).

    Args:
      opt: the optimizer that takes the steps.
      vars_to_clip_dims: variable -> the dimensions that its norms are over, as of
        `tf.clip_by_norm`.
      max_norm: the greatest norm.
      use_locking: kept in the graph. name: of the operations built.
      colocate_clip_ops_with_vars: whether all is on the variables' devices.

    Example:
      >>> w = tf.Variable([3.0, 4.0])
      >>> inner = tf.train.GradientDescentOptimizer(0.0)
      >>> optimizer = tf.contrib.opt.VariableClippingOptimizer(inner, {w: [0]}, 1.0)
      >>> train_op = optimizer.minimize(tf.reduce_sum(w))
      >>> sess.run(tf.global_variables_initializer())
      >>> sess.run(train_op)
      >>> sess.run(w).round(3).tolist()
      [0.6, 0.8]
    """

    def __init__(
        self,
        opt: Optimizer,
        vars_to_clip_dims: Mapping[Any, Sequence[int]],
        max_norm: Any,
        use_locking: bool = False,
        colocate_clip_ops_with_vars: bool = False,
        name: str = "VariableClipping",
    ):
        super().__init__(opt, use_locking, name)
        self._dims = {var: list(dims) for var, dims in vars_to_clip_dims.items()}
        self._max_norm, self._colocate = max_norm, colocate_clip_ops_with_vars

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Any:
        """Those of the optimizer inside; then the variables are clipped."""
        pairs = list(grads_and_vars)
        with name_scope(name, self._name) as scope:
            update = self._opt.apply_gradients(pairs, global_step=global_step)
            clipped = []
            with control_dependencies([update]):
                for grad, var in pairs:
                    if grad is not None and var in self._dims:
                        with name_scope(f"clip_{var.op.name}"):
                            clipped.append(self._clip(grad, var))
            return group(update, *clipped, name=scope)

    def _clip(self, grad: Any, var: Any) -> Any:
        dims, graph = self._dims[var], get_default_graph()
        is_sparse = isinstance(grad, IndexedSlices)
        if is_sparse and 0 in dims:
            _logger.warning(
                "Clipping norm across dims %s for %s is inefficient when including sparse "
                "dimension 0.",
                dims,
                var.op.name,
            )
            is_sparse = False
        with graph.colocate_with(var.op):
            value = gather(var, grad.indices) if is_sparse else var.read_value()
        with graph.colocate_with(var.op) if self._colocate else nullcontext():
            excess = value - clip_by_norm(value, self._max_norm, dims)
        with graph.colocate_with(var.op):
            if is_sparse:
                return scatter_sub(var, grad.indices, excess, self._use_locking)
            return var.assign_sub(excess, use_locking=self._use_locking)
