"""Resource variables: a handle, and reads and writes as operations of their own.

"v" is a `VarHandleOp`; "v/Assign" gives the variable its initial value; every use reads it anew.
A read can be ordered against writes by control dependencies, which reference variables leave to
chance, and a value that was read never changes.

Mirrors tensorflow/python/ops/resource_variable_ops.py.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.graph import Graph
from tinytf.framework.operation import Operation
from tinytf.framework.stacks import get_default_graph, graph_to_build_in
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.array.identity import identity
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.control_flow.cond import cond
from tinytf.ops.variables import state
from tinytf.ops.variables.initial_values import guarded
from tinytf.ops.variables.protos import take_over
from tinytf.ops.variables.ref_variable import check_not_in_control_flow
from tinytf.ops.variables.updates import RowReads
from tinytf.ops.variables.variable import Variable


class ResourceVariable(RowReads, Variable):
    """A variable behind a handle; see `tf.Variable`."""

    _dtype: dtypes.DType
    _shape: TensorShape
    _validate_shape: bool
    _caching_device: Any = None
    _is_initialized_op: Operation
    _graph_element: Tensor

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
            handle_name = scope.rstrip("/")
            # Colocation with a variable that does not exist yet.
            with graph._attribute_scope({"_class": (b"loc:@" + handle_name.encode(),)}):
                with graph.name_scope("Initializer"), graph.device(None):
                    if made_by_function:
                        initial_value = initial_value()
                    value = convert_to_tensor(initial_value, dtype, "initial_value")
                self._dtype = value.dtype.base_dtype
                self._shape = _static_shape(value, shape)
                self._variable = state.var_handle_op(
                    self._dtype, self._shape, shared_name=handle_name, debug_name=scope, name=scope
                )
            check_not_in_control_flow(value, scope)
            self._initial_value = value
            self._validate_shape = validate_shape
            self._caching_device = caching_device
            self._build_companions(graph, scope, value)

    def _build_companions(self, graph: Graph, scope: str, value: Tensor) -> None:
        handle = self._variable
        with graph.name_scope("IsInitialized"):
            self._is_initialized_op = state.var_is_initialized_op(handle).op
        with (
            graph.name_scope("Assign") as name,
            graph.colocate_with(None, ignore_existing=True),
            graph.device(handle.device),
        ):
            self._initializer_op = state.assign_variable_op(
                handle, guarded(scope, value), name=name
            )
        with graph.name_scope("Read"):
            with graph.device(handle.device):
                read = state.read_variable_op(handle, self._dtype)
            self._graph_element = self._snapshot = read
            if self._caching_device is not None:
                with graph.colocate_with(None, ignore_existing=True):
                    with graph.device(self._caching_device):
                        self._snapshot = identity(read)

    def _init_from_proto(self, variable_def: Any, import_scope: str | None) -> None:
        element = take_over(self, variable_def, import_scope)
        self._variable = element(variable_def.variable_name)
        self._dtype = self._variable.op.attrs["dtype"]
        self._shape = self._variable.op.attrs["shape"]
        self._snapshot = self._graph_element = element(variable_def.snapshot_name)
        self._validate_shape = True

    @property
    def handle(self) -> Tensor:
        """The handle: what the graph depends on, and what gradients are taken with respect to."""
        return self._variable

    @property
    def dtype(self) -> dtypes.DType:
        """The element type."""
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        return self._shape

    @property
    def create(self) -> Operation | None:
        """The initializer, under TensorFlow's other name."""
        return self._initializer_op

    def set_shape(self, shape: Any) -> None:
        """Add what is known about the static shape."""
        self._shape = self._shape.merge_with(shape)
        self._graph_element.set_shape(shape)

    def is_initialized(self, name: str | None = None) -> Tensor:
        """Whether the variable has a value; a bool scalar."""
        return state.var_is_initialized_op(self._variable, name=name)

    # Reading ----------------------------------------------------------------------------------

    def _read(self) -> Tensor:
        if self._caching_device is None:
            return state.read_variable_op(self._variable, self._dtype)
        graph = get_default_graph()
        with graph.colocate_with(None, ignore_existing=True), graph.device(self._caching_device):
            return state.read_variable_op(self._variable, self._dtype)

    def value(self) -> Tensor:
        """The value, by a read of its own (or the cached one, with a caching device)."""
        if self._caching_device is not None:
            return self._snapshot
        with self.graph.colocate_with(None, ignore_existing=True):
            return self._read()

    def read_value(self) -> Tensor:
        """A new read of the value, on whatever device the scopes around request."""
        with get_default_graph().name_scope("Read"):
            value = self._read()
        return identity(value)

    def _ref(self) -> Tensor:
        return self.read_value().op.inputs[0]

    def _as_graph_element(self) -> Tensor:
        return self._graph_element

    def initialized_value(self) -> Tensor:
        """The value, or the initial value while the variable has none."""
        return cond(self.is_initialized(), self.read_value, lambda: self.initial_value)

    # Writing ----------------------------------------------------------------------------------

    def _write(
        self, kind: str, value: Any, use_locking: bool, name: str | None, read_value: bool
    ) -> Any:
        with graph_to_build_in(self.graph).as_default():
            tensor, more = convert_to_tensor(value, dtype=self._dtype), {}
            if kind == "assign":
                self._check_shape(tensor)
                more["validate_shape"] = self._validate_shape and self._shape.is_fully_defined()
            op = getattr(state, kind + "_variable_op")(self._variable, tensor, name=name, **more)
            return _AssignedVariable(self, op) if read_value else op

    def _check_shape(self, tensor: Tensor) -> None:
        if not self._shape.is_compatible_with(tensor.shape):
            raise ValueError(
                f"Cannot assign value to variable '{self.name}': Shape mismatch. The variable "
                f"shape {self._shape}, and the assigned value shape {tensor.shape} are "
                f"incompatible."
            )

    def _lazy_read(self, op: Operation) -> Any:
        """The variable, read after an operation that writes it."""
        return _AssignedVariable(self, op)

    def to_proto(self, export_scope: str | None = None) -> Any:
        """The variable as a `VariableDef`; None if its name is outside `export_scope`."""
        message = super().to_proto(export_scope)
        if message is not None:
            message.is_resource = True
        return message


class _AssignedVariable(ResourceVariable):
    """What an assignment returns: the variable, whose every read waits for the assignment."""

    def __init__(self, variable: ResourceVariable, assignment: Operation):
        self._variable = variable.handle
        self._dtype = variable.dtype
        self._shape = variable.shape
        self._trainable = variable.trainable
        self._constraint = variable.constraint
        self._synchronization, self._aggregation = variable.synchronization, variable.aggregation
        self._save_slice_info = variable._save_slice_info
        self._validate_shape = variable._validate_shape
        self._initializer_op = variable._initializer_op
        self._initial_value = variable._initial_value
        self._assignment = assignment
        with self._after():
            self._graph_element = self._snapshot = self._read_here()

    def _after(self) -> AbstractContextManager[Any]:
        return self._assignment.graph.control_dependencies([self._assignment])

    def _ordered(self) -> AbstractContextManager[Any]:
        return self._after()

    def _read_here(self) -> Tensor:
        return state.read_variable_op(self._variable, self._dtype)

    def _read(self) -> Tensor:
        with self._after():
            return self._read_here()

    @property
    def name(self) -> str:
        """The name of the assignment."""
        return self._assignment.name

    @property
    def op(self) -> Operation:
        """The assignment."""
        return self._assignment

    @property
    def _as_control_input(self) -> Operation:
        return self._assignment

    def value(self) -> Tensor:
        """A new read of the value, after the assignment."""
        return self._read()

    def read_value(self) -> Tensor:
        """A new read of the value, after the assignment."""
        return self._read()

    def _write(
        self, kind: str, value: Any, use_locking: bool, name: str | None, read_value: bool
    ) -> Any:
        with self._after():  # a second write, after the first
            return super()._write(kind, value, use_locking, name, read_value)


def _static_shape(value: Tensor, wanted: TensorShape | None) -> TensorShape:
    if wanted is None:
        return value.shape
    if not value.shape.is_compatible_with(wanted):
        raise ValueError(
            f"In this `tf.Variable` creation, the initial value's shape ({value.shape}) is not "
            f"compatible with the explicitly supplied `shape` argument ({wanted})."
        )
    return wanted
