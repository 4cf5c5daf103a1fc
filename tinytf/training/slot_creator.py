"""Slots: the variables an optimizer keeps beside each variable it trains.

A slot has the name of its variable with the slot's after it ("w/Momentum"), lies on the same
device and is of the same kind. Mirrors tensorflow/python/training/slot_creator.py.
"""

from __future__ import annotations

from typing import Any

from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.initializers import Zeros
from tinytf.ops.variable_scope import get_variable, variable_scope
from tinytf.ops.variables import Variable


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
    """A slot of this shape and type that starts with what `initializer` gives."""
    settings = {
        "initializer": initializer, "shape": shape, "dtype": dtype,
        "validate_shape": shape.is_fully_defined(),
    }  # fmt: skip
    return _create(primary, name, colocate, settings)


def create_zeros_slot(
    primary: Variable, name: str, dtype: Any = None, colocate: bool = True
) -> Variable:
    """A slot of zeros in the primary's shape."""
    from tinytf.ops.filling import zeros
    from tinytf.ops.shapes import shape

    dtype = primary.dtype.base_dtype if dtype is None else dtype
    if primary.shape.is_fully_defined():
        return create_slot_with_initializer(primary, Zeros(), primary.shape, dtype, name, colocate)
    # The shape is known only when the primary has been initialised.
    start = zeros(shape(primary.initialized_value()), dtype=dtype)
    return create_slot(primary, start, name, colocate)


def _create(primary: Variable, name: str, colocate: bool, settings: dict[str, Any]) -> Variable:
    graph = primary.graph
    # The empty name below makes the scope's name the variable's; a default name is made unique.
    with variable_scope(None, f"{primary._shared_name}/{name}"):
        if not colocate:
            return _get_slot(primary, settings)
        with graph.colocate_with(primary.op):
            return _get_slot(primary, settings)


def _get_slot(primary: Variable, settings: dict[str, Any]) -> Variable:
    return get_variable("", trainable=False, use_resource=hasattr(primary, "handle"), **settings)
