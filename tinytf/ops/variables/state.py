"""Ops on variables: the cells of state behind `tf.Variable`.

Two generations, as in TensorFlow. A *reference* variable (`VariableV2`) hands the cell itself to
its consumers, over an edge of a reference type; whoever does not ask for the reference gets the
value of that moment. A *resource* variable (`VarHandleOp`) hands out a handle, and reading and
writing are operations of their own, so that control dependencies can order them.

The cells are `tinytf.resources.variable`; which one a node means is settled by container and name.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework import dtypes, shape_inference
from tinytf.framework.errors import NotFoundError
from tinytf.framework.handle_data import HandleData, handle_data
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.shape_inference import InferenceContext
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.array.constant import constant
from tinytf.ops.base.resource_cards import WHERE
from tinytf.resources.variable import ResourceVariable, Variable

_VARIABLE = f"shape: shape, dtype: type, {WHERE}"
_INDEPENDENT = "a variable does not depend on anything"
NO_FUNCTION = "an assignment is not a function of its inputs"

# VariableV2 -------------------------------------------------------------------------------------

_variable_v2 = define_op(
    "VariableV2",
    "-> ref: Ref(dtype)",
    _VARIABLE,
    stateful=True,
    no_gradient=_INDEPENDENT,
)


@_variable_v2.shape
def _declared_shape(c: InferenceContext) -> TensorShape:
    return c.attrs["shape"]


def _cell_of(kind: type[Any], node: Any, resources: Any) -> Any:
    """The variable that a node means, by container and name."""
    attrs = node.attrs
    name, dtype, shape = attrs["shared_name"].decode() or node.name, attrs["dtype"], attrs["shape"]
    container = attrs["container"].decode()
    found = resources.lookup_or_create(container, name, kind, lambda: kind(name, dtype, shape))
    return found.for_node(dtype, shape)


@_variable_v2.kernel
def _cell(*, node: Any, resources: Any) -> Variable:
    return _cell_of(Variable, node, resources)


def variable_op_v2(
    shape: Any, dtype: Any, name: str = "Variable", container: str = "", shared_name: str = ""
) -> Tensor:
    """The reference to a variable of this shape and type; state_ops.variable_op_v2."""
    return _variable_v2(
        name=name, shape=shape, dtype=dtype, container=container, shared_name=shared_name
    )


# Variable ---------------------------------------------------------------------------------------

# What graphs of TensorFlow before 1.0 contain. An empty shape meant "unknown" then.
_variable = define_op(
    "Variable",
    "-> ref: Ref(dtype)",
    _VARIABLE,
    stateful=True,
    kernel=_cell,
    no_gradient=_INDEPENDENT,
)


@_variable.shape
def _legacy_shape(c: InferenceContext) -> TensorShape:
    shape = c.attrs["shape"]
    return shape if shape.ndims else unknown_shape()


# Assign -----------------------------------------------------------------------------------------

_assign = define_op(
    "Assign",
    "ref: Ref(T), value: T -> output_ref: Ref(T)",
    "T: type, validate_shape: bool = true, use_locking: bool = true",
    allows_uninitialized_input=True,
    no_gradient=NO_FUNCTION,
)


@_assign.shape
def _assign_shape(c: InferenceContext) -> TensorShape:
    if c.attrs["validate_shape"]:
        return shape_inference.merge(c.input(0), c.input(1))
    return c.input(1)


@_assign.kernel
def _assign_kernel(ref: Variable, value: Any, *, validate_shape: bool) -> Variable:
    ref.assign(value, validate_shape)
    return ref


def assign(
    ref: Any,
    value: Any,
    validate_shape: bool | None = None,
    use_locking: bool | None = None,
    name: str | None = None,
) -> Any:
    """Give a variable a new value (TensorFlow: `tf.assign`).

    Args:
      ref: a variable, or the reference to one.
      value: a tensor of the variable's type, and shape unless `validate_shape` is False.
      validate_shape: whether the shapes must agree. Reference variables only.
      use_locking: kept in the graph; every assignment is indivisible here.

    Returns:
      the reference, after the assignment; for a resource variable what its `assign` returns.

    Example:
      >>> v = tf.Variable(1.0)
      >>> increase = tf.assign(v, v * 2.0)
    """
    if _is_reference(ref):
        return _assign(
            ref, value, name=name, use_locking=use_locking, validate_shape=validate_shape
        )
    return ref.assign(value, use_locking=use_locking, name=name)


def _is_reference(ref: Any) -> bool:
    return isinstance(ref, Tensor) or ref.dtype.is_ref


# AssignAdd, AssignSub ---------------------------------------------------------------------------


def _define_update(name: str, change: np.ufunc) -> OpCard:
    def update(ref: Variable, value: Any) -> Variable:
        ref.update(change, value)
        return ref

    return define_op(
        name,
        "ref: Ref(T), value: T -> output_ref: Ref(T)",
        "T: numbertype, use_locking: bool = false",
        shape=shape_inference.same_as_all_inputs,
        kernel=update,
        no_gradient=NO_FUNCTION,
    )


_assign_add = _define_update("AssignAdd", np.add)
_assign_sub = _define_update("AssignSub", np.subtract)


def assign_add(
    ref: Any, value: Any, use_locking: bool | None = None, name: str | None = None
) -> Any:
    """Add to a variable (TensorFlow: `tf.assign_add`).

    Args:
      ref: a variable, or the reference to one.
      value: a tensor of the variable's type and shape.
      use_locking: kept in the graph; every update is indivisible here.

    Returns:
      as `tf.assign`.

    Example:
      >>> tf.assign_add(tf.Variable(1.0), 2.0)  # 3.
    """
    if _is_reference(ref):
        return _assign_add(ref, value, name=name, use_locking=use_locking)
    return ref.assign_add(value)


def assign_sub(
    ref: Any, value: Any, use_locking: bool | None = None, name: str | None = None
) -> Any:
    """Subtract from a variable (TensorFlow: `tf.assign_sub`); see `tf.assign_add`.

    Example:
      >>> tf.assign_sub(tf.Variable(5.0), 2.0)  # 3.
    """
    if _is_reference(ref):
        return _assign_sub(ref, value, name=name, use_locking=use_locking)
    return ref.assign_sub(value)


# IsVariableInitialized --------------------------------------------------------------------------

_is_variable_initialized = define_op(
    "IsVariableInitialized",
    "ref: Ref(dtype) -> is_initialized: bool",
    "dtype: type",
    allows_uninitialized_input=True,
    shape=shape_inference.is_scalar,
    no_gradient="a truth value has no derivative",
)


@_is_variable_initialized.kernel
def _is_initialized(variable: Variable) -> np.bool_:
    return np.bool_(variable.is_initialized)


def is_variable_initialized(ref: Any, name: str | None = None) -> Tensor:
    """Whether a variable has a value (TensorFlow: `tf.is_variable_initialized`).

    Args:
      ref: a variable, or the reference to one.

    Returns:
      a bool scalar.

    Example:
      >>> v = tf.Variable(1.0)
      >>> tf.is_variable_initialized(v).eval(), v.initializer.run(), v.eval()  # (False, None, 1.)
    """
    if _is_reference(ref):
        return _is_variable_initialized(ref, name=name)
    return ref.is_initialized(name=name)


# VarHandleOp ------------------------------------------------------------------------------------

_var_handle_op = define_op(
    "VarHandleOp",
    "-> resource: resource",
    f"{WHERE}, debug_name: string = '', dtype: type, shape: shape",
    "allowed_devices: list(string) = []",
    stateful=True,
    shape=shape_inference.is_scalar,
    no_gradient=_INDEPENDENT,
)


@_var_handle_op.kernel
def _handle(*, node: Any, resources: Any) -> ResourceVariable:
    return _cell_of(ResourceVariable, node, resources)


def var_handle_op(
    dtype: Any,
    shape: Any,
    container: str = "",
    shared_name: str = "",
    debug_name: str = "",
    name: str | None = None,
) -> Tensor:
    """The handle of a resource variable; gen_resource_variable_ops.var_handle_op."""
    return _var_handle_op(
        name=name,
        dtype=dtype,
        shape=shape,
        container=container,
        shared_name=shared_name,
        debug_name=debug_name,
    )


# VarIsInitializedOp -----------------------------------------------------------------------------

_var_is_initialized_op = define_op(
    "VarIsInitializedOp",
    "resource: resource -> is_initialized: bool",
    stateful=True,
    shape=shape_inference.is_scalar,
    kernel=_is_initialized,
    no_gradient="a truth value has no derivative",
)


def var_is_initialized_op(handle: Tensor, name: str | None = None) -> Tensor:
    """Whether the variable behind a handle has a value; a bool scalar."""
    return _var_is_initialized_op(handle, name=name)


# ReadVariableOp ---------------------------------------------------------------------------------

_read_variable_op = define_op(
    "ReadVariableOp", "resource: resource -> value: dtype", "dtype: type", stateful=True
)


@_read_variable_op.shape
def _read_shape(c: InferenceContext) -> TensorShape:
    data = _checked_handle(c)
    return unknown_shape() if data is None else data.shape


def _checked_handle(c: InferenceContext, attr: str = "dtype") -> HandleData | None:
    data = handle_data(c.inputs[0])
    if data is not None and data.dtype is not c.attrs[attr].base_dtype:
        raise ValueError(
            f"Trying to read variable with wrong dtype. Expected {data.dtype.name} got "
            f"{c.attrs[attr].name}"
        )
    return data


@_read_variable_op.kernel
def _read(variable: Variable) -> Any:
    return variable.read()


@_read_variable_op.gradient
def _read_variable_gradient(op: Any, gradient: Any) -> Any:
    return gradient


def read_variable_op(handle: Tensor, dtype: Any, name: str | None = None) -> Tensor:
    """The value behind a handle at the moment the operation runs."""
    return _read_variable_op(handle, dtype=dtype, name=name)


# AssignVariableOp -------------------------------------------------------------------------------

_assign_variable_op = define_op(
    "AssignVariableOp",
    "resource: resource, value: dtype",
    "dtype: type, validate_shape: bool = false",
    stateful=True,
    no_gradient=NO_FUNCTION,
)


@_assign_variable_op.shape
def _assign_variable_shape(c: InferenceContext) -> list[TensorShape]:
    data = _checked_handle(c)
    if data is not None:
        shape_inference.merge(data.shape, c.input(1))
    return []


@_assign_variable_op.kernel
def _assign_variable(variable: ResourceVariable, value: Any, *, validate_shape: bool) -> Any:
    # Without validation a resource variable takes any shape that its static one allows.
    variable.assign(value, validate_shape)
    return ()


def assign_variable_op(
    handle: Tensor, value: Any, validate_shape: bool = False, name: str | None = None
) -> Any:
    """Give the variable behind a handle a new value; returns the operation."""
    return _assign_variable_op(handle, value, validate_shape=validate_shape, name=name)


# AssignAddVariableOp, AssignSubVariableOp -------------------------------------------------------


def _define_handle_update(name: str, change: np.ufunc) -> OpCard:
    def update(variable: Variable, value: Any) -> tuple[()]:
        must_exist(variable)
        variable.update(change, value)
        return ()

    return define_op(
        name,
        "resource: resource, value: dtype",
        "dtype: type",
        stateful=True,
        shape=_assign_variable_shape,
        kernel=update,
        no_gradient=NO_FUNCTION,
    )


_assign_add_variable_op = _define_handle_update("AssignAddVariableOp", np.add)
_assign_sub_variable_op = _define_handle_update("AssignSubVariableOp", np.subtract)


def must_exist(variable: Variable) -> None:
    """NotFoundError for a variable without a value."""
    if not variable.is_initialized:
        raise NotFoundError(
            f"Could not find resource: {variable.name}. The variable is uninitialized: run "
            f"sess.run(tf.global_variables_initializer()) first, in this session (on a cluster: in "
            f"any of its sessions)."
        )


def assign_add_variable_op(handle: Tensor, value: Any, name: str | None = None) -> Any:
    """Add to the variable behind a handle; returns the operation."""
    return _assign_add_variable_op(handle, value, name=name)


def assign_sub_variable_op(handle: Tensor, value: Any, name: str | None = None) -> Any:
    """Subtract from the variable behind a handle; returns the operation."""
    return _assign_sub_variable_op(handle, value, name=name)


# DestroyResourceOp ------------------------------------------------------------------------------

_destroy_resource_op = define_op(
    "DestroyResourceOp",
    "resource: resource",
    "ignore_lookup_error: bool = true",
    stateful=True,
    shape=shape_inference.no_outputs,
    no_gradient="it has no result",
)


@_destroy_resource_op.kernel
def _destroy(resource: Any, *, ignore_lookup_error: bool) -> Any:
    if not ignore_lookup_error:
        must_exist(resource)
    resource.clear()
    return ()


def destroy_resource_op(
    handle: Tensor, ignore_lookup_error: bool = True, name: str | None = None
) -> Any:
    """Forget the value behind a handle; gen_resource_variable_ops.destroy_resource_op.

    Raises (when it runs):
      NotFoundError: if there is none, unless `ignore_lookup_error`.
    """
    return _destroy_resource_op(handle, ignore_lookup_error=ignore_lookup_error, name=name)


# DisableCopyOnRead ------------------------------------------------------------------------------

#: Savers of TensorFlow 2.15 have it in their graphs. Here no read copies.
define_op(
    "DisableCopyOnRead",
    "resource: resource",
    stateful=True,
    shape=shape_inference.no_outputs,
    kernel=lambda resource: (),
    no_gradient="it has no result",
)

# VariableShape ----------------------------------------------------------------------------------

variable_shape_op = define_op(
    "VariableShape",
    "input: resource -> output: out_type",
    "out_type: {int32, int64} = DT_INT32",
    stateful=True,
    no_gradient="a shape does not change by small amounts",
)


@variable_shape_op.shape
def _variable_shape_shape(c: InferenceContext) -> TensorShape:
    data = handle_data(c.inputs[0])
    return TensorShape.of((None if data is None else data.shape.ndims,))


@variable_shape_op.kernel
def _variable_shape_kernel(variable: Variable, *, out_type: dtypes.DType) -> Any:
    return np.array(variable.read().shape, out_type.as_numpy_dtype)


def variable_shape(handle: Tensor, out_type: Any = dtypes.int32, name: str | None = None) -> Tensor:
    """The shape of the value behind a handle, as an integer vector.

    A constant if the static shape is fully known, as in TensorFlow.
    """
    data = handle_data(handle)
    if data is None or not data.shape.is_fully_defined():
        return variable_shape_op(handle, out_type=out_type, name=name)
    return constant(data.shape.as_list(), out_type, name="Const" if name is None else name)
