"""The base of all optimizers: from a loss to one operation that improves the variables.

`minimize` is two steps that can be taken apart: `compute_gradients` builds the derivatives, and
`apply_gradients` builds one update for each variable and ties them together. What is special
about an optimizer is in a few small methods of its class.

Mirrors tensorflow/python/training/optimizer.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tinytf.framework import dtypes, nest
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.indexed_slices import IndexedSlices, convert_to_tensor_or_indexed_slices
from tinytf.framework.operation import Operation
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.shape import shape
from tinytf.ops.array.unique import unique
from tinytf.ops.base.arguments import explains_arguments
from tinytf.ops.control_flow.grouping import group
from tinytf.ops.control_flow.grouping import tuple as gate
from tinytf.ops.gradients.gradients import gradients
from tinytf.ops.segment.unsorted import unsorted_segment_sum
from tinytf.ops.variables import state
from tinytf.ops.variables.variable import Variable, trainable_variables
from tinytf.training import slot_creator

GradsAndVars = Iterable[tuple[Any, Any]]

_VALID_DTYPES = (dtypes.float32, dtypes.float64, dtypes.float16, dtypes.bfloat16)


class Optimizer:
    """Base class of optimizers (TensorFlow: `tf.train.Optimizer`).

    A subclass implements `_apply_dense` and `_resource_apply_dense`, and where it needs them
    `_prepare`, `_create_slots` and `_finish`.

    Args:
      use_locking: kept in the graph; every update of a variable is indivisible here.
      name: of the operations built.

    Raises:
      ValueError: without a name.

    Example:
      >>> optimizer = tf.train.GradientDescentOptimizer(0.1)
      >>> isinstance(optimizer, tf.train.Optimizer), optimizer.get_name()
      (True, 'GradientDescent')
    """

    #: How much may run at once: nothing is waited for; all gradients of an operation; all.
    GATE_NONE = 0
    GATE_OP = 1
    GATE_GRAPH = 2

    def __init_subclass__(cls) -> None:
        """Calls of its constructors that do not fit are explained."""
        if "__init__" in vars(cls):
            cls.__init__ = explains_arguments(cls.__init__)  # type: ignore[method-assign]

    def __init__(self, use_locking: bool, name: str):
        if not name:
            raise ValueError("Must specify the optimizer name")
        self._use_locking = use_locking
        self._name = name
        #: slot name -> (graph and name of the variable) -> slot
        self._slots: dict[str, dict[Any, Variable]] = {}
        self._non_slots: dict[Any, Variable] = {}

    def get_name(self) -> str:
        """The name given to the constructor."""
        return self._name

    def minimize(
        self,
        loss: Tensor,
        global_step: Any = None,
        var_list: Any = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Any = None,
    ) -> Any:
        """An operation that changes variables so that `loss` gets smaller.

        Args:
          loss: the tensor to minimize.
          global_step: an integer variable that counts the steps.
          var_list: what may be changed; by default all trainable variables of the graph.
          name: of the operation; by default the optimizer's.
          gate_gradients, aggregation_method, colocate_gradients_with_ops, grad_loss: see
            `compute_gradients`.

        Raises:
          ValueError: if `loss` depends on none of the variables.

        Example:
          >>> loss = tf.square(tf.Variable(5.0))
          >>> train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
        """
        pairs = self.compute_gradients(
            loss,
            var_list,
            gate_gradients,
            aggregation_method,
            colocate_gradients_with_ops,
            grad_loss,
        )
        if all(gradient is None for gradient, _ in pairs):
            raise ValueError(
                f"No gradients provided for any variable, check your graph for ops that do not "
                f"support gradients, between variables {[str(v) for _, v in pairs]} and loss "
                f"{loss}.{self._of_other_types(variable for _, variable in pairs)}"
            )
        return self.apply_gradients(pairs, global_step=global_step, name=name)

    def compute_gradients(
        self,
        loss: Tensor,
        var_list: Any = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> list[tuple[Any, Any]]:
        """The gradients of `loss`, each beside its variable; the first half of `minimize`.

        Args:
          loss: the tensor to minimize, or a function without arguments that builds it.
          var_list: by default all trainable variables of the graph.
          gate_gradients: GATE_NONE, GATE_OP or GATE_GRAPH.
          aggregation_method: a member of `tf.AggregationMethod`.
          colocate_gradients_with_ops: put gradients on the devices of what they belong to.
          grad_loss: the gradient of something else with respect to `loss`; by default 1.

        Returns:
          a list of (gradient, variable); the gradient is a tensor, `IndexedSlices` or None.

        Raises:
          ValueError: without variables, for types without derivatives, or another gate.
        """
        if gate_gradients not in (self.GATE_NONE, self.GATE_OP, self.GATE_GRAPH):
            raise ValueError(
                f"gate_gradients must be one of: Optimizer.GATE_NONE, Optimizer.GATE_OP, "
                f"Optimizer.GATE_GRAPH.  Not {gate_gradients}"
            )
        if callable(loss):
            loss = loss()
        self._assert_valid_dtypes([loss] if grad_loss is None else [loss, grad_loss])
        variables = trainable_variables() if var_list is None else nest.flatten(var_list)
        if not variables:
            raise ValueError(
                "No variables to optimize. Those of the graph are meant, tf.trainable_variables(), "
                "or those in var_list: build a tf.Variable before, that the loss depends on."
            )
        for variable in variables:
            if isinstance(variable, str | bytes | int | float):
                raise AttributeError(
                    f"{type(variable).__name__!r} object has no attribute 'op': `var_list` has "
                    f"{variable!r}, but takes variables. Of a name: [v for v in "
                    f"tf.trainable_variables() if v.op.name == 'name']."
                )
        found = gradients(
            loss,
            [_target(variable) for variable in variables],
            grad_ys=grad_loss,
            gate_gradients=gate_gradients == self.GATE_OP,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
        )
        if gate_gradients == self.GATE_GRAPH:
            found = gate(found)
        pairs = list(zip(found, variables, strict=True))
        self._assert_valid_dtypes([v for g, v in pairs if g is not None])
        return pairs

    def apply_gradients(
        self, grads_and_vars: GradsAndVars, global_step: Any = None, name: str | None = None
    ) -> Any:
        """An operation that applies gradients to their variables; the second half of `minimize`.

        Args:
          grads_and_vars: pairs as `compute_gradients` gives them.
          global_step: an integer variable, increased by one when all updates are done.
          name: of the operation; by default the optimizer's.

        Raises:
          TypeError: for a gradient of a wrong type. ValueError: if there are no gradients.
        """
        pairs = [(_as_gradient(gradient), variable) for gradient, variable in grads_and_vars]
        if not pairs:
            raise ValueError("No variables provided.")
        used = [variable for gradient, variable in pairs if gradient is not None]
        if not used:
            raise ValueError(
                f"No gradients provided for any variable: {[str(v) for _, v in pairs]}."
            )
        graph = used[0].graph
        with graph.as_default():
            with graph.control_dependencies(None):  # state does not belong to a loop around
                self._create_slots(used)
            with graph.name_scope(name or self._name) as scope:
                self._prepare()
                updates = []
                for gradient, variable in pairs:
                    if gradient is None:
                        continue
                    with graph.name_scope("update_" + variable.op.name):
                        with graph.colocate_with(variable.op):
                            updates.append(self._update(gradient, variable))
                train_op = self._finish_and_count(updates, global_step, scope)
        listed = graph.get_collection_ref(GraphKeys.TRAIN_OP)
        if train_op not in listed:
            listed.append(train_op)
        return train_op

    def _finish_and_count(
        self, updates: list[Operation], global_step: Any, scope: str
    ) -> Operation:
        if global_step is None:
            return self._finish(updates, scope)
        graph = global_step.graph
        with graph.control_dependencies([self._finish(updates, "update")]):
            with graph.colocate_with(global_step.op):
                if hasattr(global_step, "handle"):
                    one = convert_to_tensor(1, dtype=global_step.dtype)
                    return state.assign_add_variable_op(global_step.handle, one, name=scope)
                return state.assign_add(global_step, 1, name=scope).op

    def _update(self, gradient: Any, variable: Any) -> Any:
        """The update of one variable, with its constraint applied after it."""
        _check_is_variable(variable)
        on_handle = hasattr(variable, "handle")
        if isinstance(gradient, IndexedSlices):
            if variable.constraint is not None:
                raise RuntimeError("Cannot use a constraint function on a sparse variable.")
            if on_handle:
                return self._resource_apply_sparse_duplicate_indices(
                    gradient.values, variable, gradient.indices
                )
            return self._apply_sparse_duplicate_indices(gradient, variable)
        if on_handle:
            update = self._resource_apply_dense(gradient, variable)
        else:
            update = self._apply_dense(gradient, variable)
        if variable.constraint is None:
            return update
        with variable.graph.control_dependencies([update]):
            return variable.assign(variable.constraint(variable)).op

    # Slots ------------------------------------------------------------------------------------

    def get_slot(self, var: Variable, name: str) -> Variable | None:
        """The variable that this optimizer keeps beside `var`, or None.

        Args:
          name: "momentum", for example; see `get_slot_names`.
        """
        return self._slots.get(name, {}).get(_key(var))

    def get_slot_names(self) -> list[str]:
        """The names of the slots that were created."""
        return sorted(self._slots)

    def variables(self) -> list[Variable]:
        """All variables of this optimizer in the default graph, by name."""
        graph = get_default_graph()
        everything = [
            *self._non_slots.values(),
            *(slot for named in self._slots.values() for slot in named.values()),
        ]
        return sorted((v for v in everything if v.graph is graph), key=lambda v: v.name)

    def _slot_dict(self, slot_name: str) -> dict[Any, Variable]:
        return self._slots.setdefault(slot_name, {})

    def _get_or_make_slot(
        self, var: Variable, val: Tensor, slot_name: str, op_name: str
    ) -> Variable:
        named = self._slot_dict(slot_name)
        if _key(var) not in named:
            named[_key(var)] = slot_creator.create_slot(var, val, op_name)
        return named[_key(var)]

    def _get_or_make_slot_with_initializer(
        self, var: Variable, initializer: Any, shape: Any, dtype: Any, slot_name: str, op_name: str
    ) -> Variable:
        named = self._slot_dict(slot_name)
        if _key(var) not in named:
            named[_key(var)] = slot_creator.create_slot_with_initializer(
                var, initializer, shape, dtype, op_name
            )
        return named[_key(var)]

    def _zeros_slot(self, var: Variable, slot_name: str, op_name: str) -> Variable:
        named = self._slot_dict(slot_name)
        if _key(var) not in named:
            named[_key(var)] = slot_creator.create_zeros_slot(var, op_name)
        return named[_key(var)]

    def _create_non_slot_variable(
        self, initial_value: Any, name: str, colocate_with: Variable
    ) -> Variable:
        """A variable of the optimizer that belongs to no variable it trains."""
        key = (name, colocate_with.graph)
        if key not in self._non_slots:
            with colocate_with.graph.colocate_with(colocate_with.op):
                self._non_slots[key] = Variable(
                    initial_value,
                    name=name,
                    trainable=False,
                    use_resource=hasattr(colocate_with, "handle"),
                )
        return self._non_slots[key]

    def _get_non_slot_variable(self, name: str, graph: Any = None) -> Variable:
        return self._non_slots[name, graph or get_default_graph()]

    # What subclasses implement ------------------------------------------------------------------

    def _valid_dtypes(self) -> tuple[dtypes.DType, ...]:
        return _VALID_DTYPES

    def _assert_valid_dtypes(self, tensors: Iterable[Any]) -> None:
        for tensor in tensors:
            kind = getattr(getattr(tensor, "dtype", None), "base_dtype", None)
            if kind is None:
                raise AttributeError(
                    f"An optimizer needs tensors and variables; {tensor!r} of type "
                    f"{type(tensor).__name__} has no attribute 'dtype' of TensorFlow's. A value "
                    f"that a session computed, as in `loss = sess.run(loss)`, cannot be "
                    f"differentiated: give the tensor itself."
                )
            if kind not in self._valid_dtypes():
                names = ", ".join(f"tf.{valid.name}" for valid in self._valid_dtypes())
                found = [tensor, *trainable_variables()] if kind.is_integer else [tensor]
                raise ValueError(
                    f"Invalid type tf.{kind.name} for {tensor.name}, expected: [{names}]."
                    f"{self._of_other_types(found)}"
                )

    def _of_other_types(self, found: Iterable[Any]) -> str:
        """What to do about variables of types that have no gradients, and where they were made."""
        wrong = {
            v: v.dtype.base_dtype.name
            for v in found
            if isinstance(v, Variable) and v.dtype.base_dtype not in self._valid_dtypes()
        }
        return "".join(
            f"\nThe variable {v.name} holds {kind}, which has no gradient: an optimizer takes "
            f"steps of any size. Give it an initial value such as 1.0, or dtype=tf.float32 "
            f"(trainable=False, if it is not to be trained).\n{v.op.describe_origin()}"
            for v, kind in wrong.items()
        )

    def _create_slots(self, var_list: list[Variable]) -> None:
        """Make the slots of these variables."""

    def _prepare(self) -> None:
        """Turn the parameters into tensors, in the optimizer's name scope."""

    def _apply_dense(self, grad: Tensor, var: Any) -> Operation:
        raise NotImplementedError(f"{type(self).__name__} cannot update reference variables.")

    def _resource_apply_dense(self, grad: Tensor, var: Any) -> Operation:
        raise NotImplementedError(f"{type(self).__name__} cannot update resource variables.")

    def _apply_sparse(self, grad: IndexedSlices, var: Any) -> Any:
        """Update some rows; no index occurs twice."""
        raise NotImplementedError(_no_sparse(self, var))

    def _resource_apply_sparse(self, grad: Tensor, handle: Any, indices: Tensor) -> Any:
        """Update some rows of a resource variable; no index occurs twice."""
        raise NotImplementedError(_no_sparse(self, handle))

    def _apply_sparse_duplicate_indices(self, grad: IndexedSlices, var: Any) -> Any:
        """Update some rows; an index that occurs twice means the sum of its rows."""
        values, indices = _deduplicate_indexed_slices(grad.values, grad.indices)
        return self._apply_sparse(IndexedSlices(values, indices, grad.dense_shape), var)

    def _resource_apply_sparse_duplicate_indices(
        self, grad: Tensor, handle: Any, indices: Tensor
    ) -> Any:
        """As `_apply_sparse_duplicate_indices`, of a resource variable."""
        values, indices = _deduplicate_indexed_slices(grad, indices)
        return self._resource_apply_sparse(values, handle, indices)

    def _finish(self, update_ops: list[Operation], name_scope: str) -> Operation:
        return group(*update_ops, name=name_scope)

    def _call_if_callable(self, parameter: Any) -> Any:
        return parameter() if callable(parameter) else parameter


def _deduplicate_indexed_slices(values: Tensor, indices: Tensor) -> tuple[Tensor, Tensor]:
    """The sums of the rows with the same index, and these indices."""
    different, positions = unique(indices)
    count = shape(different)[0]  # type: ignore[index]
    return unsorted_segment_sum(values, positions, count), different


def _check_is_variable(variable: Any) -> None:
    if isinstance(variable, Tensor):
        raise NotImplementedError(f"Trying to update a Tensor {variable!r}")
    if not isinstance(variable, Variable):
        raise NotImplementedError(f"Trying to optimize unsupported type {variable!r}")


def _no_sparse(optimizer: Optimizer, var: Variable) -> str:
    return (
        f"{type(optimizer).__name__} has no update for sparse gradients, and the gradient of "
        f"{var.name} is one (IndexedSlices, from tf.gather). Convert it between compute_gradients "
        f"and apply_gradients: tf.convert_to_tensor(gradient)."
    )


def _target(variable: Any) -> Any:
    """What gradients are taken with respect to."""
    if isinstance(variable, Variable) and not hasattr(variable, "handle"):
        return variable._variable
    return variable


def _as_gradient(gradient: Any) -> Any:
    if gradient is None:
        return None
    try:
        return convert_to_tensor_or_indexed_slices(gradient)
    except TypeError:
        raise TypeError(
            f"Gradient must be convertible to a Tensor or IndexedSlices, or None: {gradient}"
        ) from None


def _key(var: Variable) -> Any:
    return var.graph, var.op.name
