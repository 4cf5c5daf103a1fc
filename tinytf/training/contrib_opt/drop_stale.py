"""Gradients that come too late. Mirrors contrib/opt's drop_stale_gradient_optimizer.py."""

from __future__ import annotations

from typing import Any

from tinytf import ops
from tinytf.framework.dtypes import float32
from tinytf.framework.indexed_slices import IndexedSlices
from tinytf.framework.scope_functions import control_dependencies
from tinytf.framework.stacks import get_default_graph
from tinytf.ops.summary.summaries import scalar
from tinytf.ops.variables.initializers import Zeros
from tinytf.ops.variables.scope import get_variable
from tinytf.training.contrib_opt.wrapper import Wrapper
from tinytf.training.global_step import get_global_step
from tinytf.training.optimizer import Optimizer


class DropStaleGradientOptimizer(Wrapper):
    """Gradients of steps that began long ago are not applied (TensorFlow: `tf.contrib.opt`).

    For workers that train asynchronously: each gradient knows the global step that it began at.
    The variable "stale_counter" counts those that were dropped.

    Args:
      opt: the optimizer that applies the others.
      staleness: by how many steps a gradient may be late.
      use_locking: kept in the graph. name: of the operations built.

    Example:
      >>> step = tf.train.get_or_create_global_step()
      >>> inner = tf.train.GradientDescentOptimizer(0.1)
      >>> optimizer = tf.contrib.opt.DropStaleGradientOptimizer(inner, staleness=10)
      >>> train_op = optimizer.minimize(tf.square(tf.Variable(5.0)), global_step=step)
    """

    def __init__(
        self,
        opt: Optimizer,
        staleness: int,
        use_locking: bool = False,
        name: str = "DropStaleGradient",
    ):
        super().__init__(opt, use_locking, name)
        self._staleness = staleness

    def compute_gradients(self, loss: Any, *args: Any, **kwargs: Any) -> list[tuple[Any, Any]]:
        """Those of the optimizer inside, after a look at the global step."""
        with get_default_graph().colocate_with(loss.op):
            step: Any = get_global_step()
            self._local_step = step.read_value() + 0
        with control_dependencies([self._local_step]):
            return self._opt.compute_gradients(ops.identity(loss), *args, **kwargs)

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Any:
        """Applies them, or counts them as dropped. The global step must be given."""
        if global_step is None:
            raise ValueError("Global step is required to check staleness")
        pairs, graph = list(grads_and_vars), get_default_graph()
        with graph.colocate_with(global_step.op):
            dropped = get_variable("stale_counter", [], initializer=Zeros(), trainable=False)

        def accept() -> Any:
            with control_dependencies([self._opt.apply_gradients(pairs, global_step, name)]):
                return ops.identity(ops.constant(0.0))

        there = [grad for grad, _ in pairs if grad is not None]
        values = [grad.values if isinstance(grad, IndexedSlices) else grad for grad in there]
        with control_dependencies(values), graph.colocate_with(global_step.op):
            staleness = ops.reshape(global_step.read_value() - self._local_step, shape=[])
        is_fresh = ops.less_equal(staleness, self._staleness)
        counted = dropped.assign_add(
            ops.cond(is_fresh, accept, lambda: ops.identity(ops.constant(1.0)))
        )
        share = dropped / ops.cast(global_step.read_value() + 1, float32)
        scalar("Gradient staleness percentage", share)
        return counted
