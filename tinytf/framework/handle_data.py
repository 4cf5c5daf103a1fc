"""What a resource handle stands for: the dtype and static shape of the variable behind it.

A handle's own tensor is a scalar of dtype `resource`. Shape functions of the ops that read and
write through it, and gradients with respect to it, ask here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tinytf.framework.dtypes import DType
from tinytf.framework.tensor_shape import TensorShape

if TYPE_CHECKING:
    from tinytf.framework.operation import Operation
    from tinytf.framework.tensor import Tensor

#: Ops that hand a handle on as it is: in and out of conditionals and loops.
_PASS_ON = frozenset(
    ["Identity", "Switch", "Merge", "Enter", "Exit", "NextIteration", "StopGradient"]
)


class HandleData(NamedTuple):
    """dtype and static shape of the value behind a handle."""

    dtype: DType
    shape: TensorShape


def handle_source(handle: Tensor) -> Operation | None:
    """The operation that made a handle, behind all that hands it on; None if that is not known."""
    op = handle.op
    while op.type in _PASS_ON:
        if not op.inputs:
            return None
        op = op.inputs[0].op
    return op


def handle_data(handle: Tensor) -> HandleData | None:
    """What is known of the variable behind `handle`; None for other resources."""
    op = handle_source(handle)
    if op is None:
        return None
    if op.type == "VarHandleOp":
        return HandleData(op.attrs["dtype"], op.attrs["shape"])
    if op.type == "Placeholder" and "_handle_dtypes" in op.attrs:
        return HandleData(op.attrs["_handle_dtypes"][0], op.attrs["_handle_shapes"][0])
    return None
