"""Reference variables: TensorFlow 1.x's default kind.

"v" is a `VariableV2`, whose output is the cell itself; "v/Assign" gives it its initial value;
"v/read" is the read that everything in the graph shares. A read copies nothing and happens when
its operation runs: what it sees beside an assignment in the same run is up to the order.

Mirrors tensorflow/python/ops/ref_variable.py.
"""

from __future__ import annotations

from typing import Any

from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.array.identity import identity
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.variables import state
from tinytf.ops.variables.initial_values import guarded
from tinytf.ops.variables.protos import take_over
from tinytf.ops.variables.variable import Variable


class RefVariable(Variable):
    """A variable whose tensor carries the cell itself; see `tf.Variable`."""

    def _build(
        self,
        initial_value: Any,
        dtype: dtypes.DType | None,
        shape: TensorShape | None,
        name: str | None,
        validate_shape: bool,
        caching_device: Any,
    ) -> None:
        made_by_function = callable(initial_value)
        with op_scope(name, "Variable", () if made_by_function else (initial_value,)) as scope:
            graph = get_default_graph()
            if made_by_function:
                # Colocation with a variable that does not exist yet.
                group = (b"loc:@" + scope.rstrip("/").encode(),)
                with graph._attribute_scope({"_class": group}):
                    with graph.name_scope("Initializer"), graph.device(None):
                        value = convert_to_tensor(initial_value(), dtype, "initial_value")
                    self._create_cell(value, shape, validate_shape, scope)
            else:
                value = convert_to_tensor(initial_value, dtype, "initial_value")
                check_not_in_control_flow(value, scope)
                self._create_cell(value, shape, validate_shape, scope)
            if validate_shape and not value.shape.is_fully_defined():
                raise ValueError(
                    f"initial_value must have a shape specified: {value}. Give it one with "
                    f"set_shape, or pass validate_shape=False."
                )
            self._initial_value = value
            self._initializer_op = state.assign(
                self._variable, guarded(scope, value), validate_shape=validate_shape
            ).op
            self._snapshot = self._cached_read(graph, caching_device)

    def _create_cell(
        self, value: Tensor, shape: TensorShape | None, validate_shape: bool, scope: str
    ) -> None:
        if shape is None:
            shape = value.shape if validate_shape else unknown_shape()
        self._variable = state.variable_op_v2(shape, value.dtype.base_dtype, name=scope)

    def _cached_read(self, graph: Any, caching_device: Any) -> Tensor:
        if caching_device is not None:
            with graph.device(caching_device):
                return identity(self._variable, name="read")
        with graph.colocate_with(self._variable.op):
            return identity(self._variable, name="read")

    def _init_from_proto(self, variable_def: Any, import_scope: str | None) -> None:
        element = take_over(self, variable_def, import_scope)
        self._variable = element(variable_def.variable_name)
        self._snapshot = element(variable_def.snapshot_name)

    def set_shape(self, shape: Any) -> None:
        """Add what is known about the static shape."""
        self._variable.set_shape(shape)
        self.value().set_shape(shape)

    def value(self) -> Tensor:
        """The value, as everything in the graph reads it: the node "v/read"."""
        return self._snapshot

    def read_value(self) -> Tensor:
        """A new read of the value, at a moment that control dependencies around it decide."""
        return identity(self._variable, name="read")

    def is_initialized(self, name: str | None = None) -> Tensor:
        """Whether the variable has a value; a bool scalar."""
        return state.is_variable_initialized(self._variable, name=name)

    def _write(
        self, kind: str, value: Any, use_locking: bool, name: str | None, read_value: bool
    ) -> Any:
        result = getattr(state, kind)(self._variable, value, use_locking=use_locking, name=name)
        return result if read_value else result.op


def check_not_in_control_flow(initial_value: Tensor, name: str) -> None:
    """ValueError if an initial value was built inside a loop or conditional."""
    if initial_value.op._control_flow_context is not None:
        raise ValueError(
            f"Initializer for variable {name} is from inside a control-flow construct, such as a "
            f"loop or conditional. When creating a variable inside a loop or conditional, use a "
            f"lambda as the initializer."
        )
