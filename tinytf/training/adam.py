"""Adam. Mirrors tensorflow/python/training/adam.py."""

from __future__ import annotations

from typing import Any

from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.indexed_slices import IndexedSlices
from tinytf.framework.operation import Operation
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.ops import training as training_ops
from tinytf.ops.control_flow.grouping import group
from tinytf.ops.math.cast import cast
from tinytf.ops.math.power import sqrt
from tinytf.ops.variables import scatter_updates, state
from tinytf.ops.variables.variable import Variable
from tinytf.training.optimizer import Optimizer


class AdamOptimizer(Optimizer):
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
        self._lr = learning_rate
        self._beta1 = beta1
        self._beta2 = beta2
        self._epsilon = epsilon
        self._lr_t: Any = None
        self._beta1_t: Any = None
        self._beta2_t: Any = None
        self._epsilon_t: Any = None

    def _create_slots(self, var_list: list[Variable]) -> None:
        # All tasks of a cluster must choose the same variable for the powers to be near.
        first = min(var_list, key=lambda var: var.name)
        self._create_non_slot_variable(self._beta1, "beta1_power", first)
        self._create_non_slot_variable(self._beta2, "beta2_power", first)
        for var in var_list:
            self._zeros_slot(var, "m", self._name)
            self._zeros_slot(var, "v", self._name)

    def _prepare(self) -> None:
        def tensor(value: Any, name: str) -> Tensor:
            return convert_to_tensor(self._call_if_callable(value), name=name)

        self._lr_t = tensor(self._lr, "learning_rate")
        self._beta1_t = tensor(self._beta1, "beta1")
        self._beta2_t = tensor(self._beta2, "beta2")
        self._epsilon_t = tensor(self._epsilon, "epsilon")

    def _get_beta_accumulators(self) -> tuple[Any, Any]:
        graph = get_default_graph()
        return (
            self._get_non_slot_variable("beta1_power", graph),
            self._get_non_slot_variable("beta2_power", graph),
        )

    def _apply_dense(self, grad: Tensor, var: Any) -> Operation:
        return training_ops.apply_adam(
            var,
            self.get_slot(var, "m"),
            self.get_slot(var, "v"),
            grad=grad,
            use_locking=self._use_locking,
            **self._numbers(var.dtype.base_dtype),
        ).op

    def _resource_apply_dense(self, grad: Tensor, var: Any) -> Operation:
        m: Any = self.get_slot(var, "m")
        v: Any = self.get_slot(var, "v")
        return training_ops.resource_apply_adam(
            var.handle,
            m.handle,
            v.handle,
            grad=grad,
            use_locking=self._use_locking,
            **self._numbers(grad.dtype.base_dtype),
        )

    def _numbers(self, kind: Any) -> dict[str, Any]:
        """The scalar arguments of an update, in the variable's type."""
        powers = self._get_beta_accumulators()
        names = ("beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon")
        values = (*powers, self._lr_t, self._beta1_t, self._beta2_t, self._epsilon_t)
        return {name: cast(value, kind) for name, value in zip(names, values, strict=True)}

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
        n = self._numbers(var.dtype.base_dtype)
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
