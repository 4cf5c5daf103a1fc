"""Adam. Mirrors tensorflow/python/training/adam.py."""

from __future__ import annotations

from typing import Any

from tinytf.framework.indexed_slices import IndexedSlices
from tinytf.framework.operation import Operation
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.ops.control_flow.grouping import group
from tinytf.ops.math.cast import cast
from tinytf.ops.math.power import sqrt
from tinytf.ops.training.adam import ADAM
from tinytf.ops.variables import scatter_updates, state
from tinytf.ops.variables.variable import Variable
from tinytf.training.declared_optimizer import DeclaredOptimizer, short_hyper


class AdamOptimizer(DeclaredOptimizer):
    """Steps scaled by running means of the gradient and of its square.

    TensorFlow: `tf.train.AdamOptimizer`. Kingma and Ba, "Adam: A Method for Stochastic
    Optimization", in the form before its section 2.1 (so that epsilon is the paper's "epsilon
    hat"). Slots: "m" and "v", the means; beside them the variables beta1_power and beta2_power,
    which correct for the means' start at zero.

    Args:
      learning_rate, beta1, beta2, epsilon: numbers or tensors (functions are called when the
        step is built).
      use_locking: kept in the graph.
      name: of the operations built.

    Example:
      >>> loss = tf.square(tf.Variable(5.0))
      >>> train_op = tf.train.AdamOptimizer().minimize(loss)
    """

    _family = ADAM
    _hypers = (
        short_hyper("lr", "learning_rate"),
        short_hyper("beta1"),
        short_hyper("beta2"),
        short_hyper("epsilon"),
    )
    _slots_of_ops = ("m", "v")
    _beta1_t: Any
    _beta2_t: Any

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
    ):
        super().__init__(use_locking, name)
        self._lr, self._epsilon = learning_rate, epsilon
        self._beta1, self._beta2 = beta1, beta2

    def _create_slots(self, var_list: list[Variable]) -> None:
        # All tasks of a cluster must choose the same variable for the powers to be near.
        first = min(var_list, key=lambda var: var.name)
        self._create_non_slot_variable(self._beta1, "beta1_power", first)
        self._create_non_slot_variable(self._beta2, "beta2_power", first)
        super()._create_slots(var_list)

    def _get_beta_accumulators(self) -> tuple[Any, Any]:
        graph = get_default_graph()
        return (
            self._get_non_slot_variable("beta1_power", graph),
            self._get_non_slot_variable("beta2_power", graph),
        )

    def _numbers(self, var: Any) -> dict[str, Any]:
        power1, power2 = self._get_beta_accumulators()
        return {"beta1_power": power1, "beta2_power": power2, **super()._numbers(var)}

    def _apply_sparse(self, grad: IndexedSlices, var: Any) -> Operation:
        def scatter_add(slot: Any, indices: Any, rows: Any) -> Any:
            return scatter_updates.scatter_add(slot, indices, rows, self._use_locking)

        return self._apply_sparse_shared(grad.values, var, grad.indices, scatter_add)

    def _resource_apply_sparse(self, grad: Tensor, handle: Any, indices: Tensor) -> Operation:
        return self._apply_sparse_shared(grad, handle, indices, self._resource_scatter_add)

    def _resource_scatter_add(self, slot: Any, indices: Any, rows: Any) -> Any:
        _, scatter_add = scatter_updates.CARDS["Add"]
        with get_default_graph().control_dependencies([scatter_add(slot.handle, indices, rows)]):
            return slot.value()

    def _apply_sparse_shared(self, grad: Any, var: Any, indices: Any, scatter_add: Any) -> Any:
        """All rows of the means decay, and all of the variable moves; only some get a gradient."""
        kind = var.dtype.base_dtype
        n: Any = {name: cast(number, kind) for name, number in self._numbers(var).items()}
        beta1, beta2 = n["beta1"], n["beta2"]
        rate = n["lr"] * sqrt(1 - n["beta2_power"]) / (1 - n["beta1_power"])
        means = []
        for slot_name, beta in (("m", beta1), ("v", beta2)):
            slot: Any = self.get_slot(var, slot_name)
            rows = grad if slot_name == "m" else grad * grad
            scaled = rows * (1 - beta)
            decayed = state.assign(slot, slot * beta, use_locking=self._use_locking)
            with get_default_graph().control_dependencies([decayed]):
                means.append(scatter_add(slot, indices, scaled))
        mean, square = means
        root = sqrt(square)
        change = rate * mean / (root + n["epsilon"])
        update = state.assign_sub(var, change, use_locking=self._use_locking)
        return group(update, mean, square)

    def _finish(self, update_ops: list[Operation], name_scope: str) -> Operation:
        graph = get_default_graph()
        with graph.control_dependencies(update_ops):
            power1, power2 = self._get_beta_accumulators()
            with graph.colocate_with(power1.op):
                next1 = power1.assign(power1 * self._beta1_t, use_locking=self._use_locking)
                next2 = power2.assign(power2 * self._beta2_t, use_locking=self._use_locking)
        return group(*update_ops, next1, next2, name=name_scope)
