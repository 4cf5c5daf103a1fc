"""Slots: the variables an optimizer keeps beside each variable it trains.

A slot has the name of its variable with the slot's after it ("w/Momentum"), lies on the same
device and is of the same kind. Mirrors tensorflow/python/training/slot_creator.py.
"""

from __future__ import annotations

from typing import Any

from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.array.fill import zeros
from tinytf.ops.array.shape import shape
from tinytf.ops.variables.current_scope import get_variable_scope
from tinytf.ops.variables.initializers import Zeros
from tinytf.ops.variables.protos import SaveSliceInfo
from tinytf.ops.variables.scope import get_variable, variable_scope
from tinytf.ops.variables.variable import Variable


def create_slot(primary: Variable, val: Tensor, name: str, colocate: bool = True) -> Variable:
    """A slot that starts with the value `val`.

    Args:
      primary: the variable it belongs to. name: its name in the primary's scope.
      colocate: whether it must be on the primary's device.
    """
    settings = {"initializer": val, "validate_shape": val.shape.is_fully_defined()}
    return _create(primary, name, colocate, settings)


def create_slot_with_initializer(
    primary: Variable,
    initializer: Any,
    shape: TensorShape,
    dtype: Any,
    name: str,
    colocate: bool = True,
) -> Variable:
    """A slot of this shape and type that starts with what `initializer`, or a tensor, gives."""
    settings = {
        "initializer": initializer,
        "shape": shape if callable(initializer) else None,  # a tensor has one already
        "dtype": dtype,
        "validate_shape": shape.is_fully_defined(),
    }
    return _create(primary, name, colocate, settings)


def create_zeros_slot(
    primary: Any, name: str, dtype: Any = None, colocate: bool = True
) -> Variable:
    """A slot of zeros in the shape of the primary, a variable or tensor."""
    dtype = primary.dtype.base_dtype if dtype is None else dtype
    if primary.shape.is_fully_defined():
        return create_slot_with_initializer(primary, Zeros(), primary.shape, dtype, name, colocate)
    # The shape is known only when it runs; a variable's, when it has been initialised.
    value = primary.initialized_value() if isinstance(primary, Variable) else primary
    start = zeros(shape(value), dtype=dtype)
    return create_slot(primary, start, name, colocate)


def _create(primary: Any, name: str, colocate: bool, settings: dict[str, Any]) -> Variable:
    graph = primary.graph
    prefix = primary._shared_name if isinstance(primary, Variable) else primary.op.name
    # The empty name below makes the scope's name the variable's; a default name is made unique.
    with variable_scope(None, f"{prefix}/{name}"):
        if not colocate:
            return _get_slot(primary, settings)
        with graph.colocate_with(primary.op):
            return _get_slot(primary, settings)


def _get_slot(primary: Any, settings: dict[str, Any]) -> Variable:
    kind = hasattr(primary, "handle") if isinstance(primary, Variable) else None
    scope = get_variable_scope()
    partitioner = scope.partitioner
    scope.set_partitioner(None)  # a slot is as large as its variable, which may be a part itself
    slot = get_variable("", trainable=False, use_resource=kind, **settings)
    scope.set_partitioner(partitioner)
    info: Any = primary._save_slice_info if isinstance(primary, Variable) else None
    if info is not None and slot.shape.ndims != 0:
        rank, name = slot.shape.ndims, slot.op.name[len(primary.op.name) + 1 :]
        slot._set_save_slice_info(
            SaveSliceInfo(
                f"{info.full_name}/{name}",
                info.full_shape[:rank],
                info.var_offset[:rank],
                info.var_shape[:rank],
            )
        )
    return slot
