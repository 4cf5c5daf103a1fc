"""MirrorPad: a border that repeats what is inside, as in a mirror."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework.array_types import Array
from tinytf.framework.errors import UnimplementedError, invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.pad import pad_shape, with_borders
from tinytf.ops.base.shape_rules import shown

_ATTRS = "T: type, Tpaddings: {int32, int64} = DT_INT32, mode: {'REFLECT', 'SYMMETRIC'}"
_LARGEST_RANK = 5

# MirrorPad --------------------------------------------------------------------------------------

_mirror_pad = define_op(
    "MirrorPad", "input: T, paddings: Tpaddings -> output: T", _ATTRS, shape=pad_shape
)


def _checked(value: Any, paddings: Any) -> list[list[int]]:
    if value.ndim > _LARGEST_RANK:
        raise UnimplementedError(f"inputs rank not in [0,5]: {value.ndim}")
    if paddings.ndim != 2 or paddings.shape[1] != 2:
        raise invalid(f"paddings must be a matrix with 2 columns: {shown(paddings)}")
    if len(paddings) != value.ndim:
        raise invalid(
            f"The first dimension of paddings must be the rank of inputs{shown(paddings)}, "
            f"{shown(value)}"
        )
    for before, after in paddings.tolist():
        if before < 0 or after < 0:
            raise invalid(f"paddings must be non-negative: {before} {after}")
    return paddings.tolist()


@_mirror_pad.kernel
def _mirror_pad_kernel(input: Array, paddings: Array, *, mode: bytes) -> np.ndarray:
    # REFLECT has the element at the edge once, SYMMETRIC twice.
    reflects = mode == b"REFLECT"
    pairs = _checked(input, paddings)
    for size, (before, after) in zip(input.shape, pairs):
        if max(before, after) > size - reflects:
            rule, other = (
                ("less than", "not less than") if reflects else ("no greater than", "greater than")
            )
            raise invalid(
                f"paddings must be {rule} the dimension size: {before}, {after} {other} {size}"
            )
    if not pairs:
        return input
    if not input.size:
        return np.zeros([n + sum(pair) for n, pair in zip(input.shape, pairs)], input.dtype)
    return np.pad(input, pairs, "reflect" if reflects else "symmetric")


@_mirror_pad.gradient
def _mirror_pad_gradient(op: Operation, gradient: Any) -> list[Any]:
    mode = op.attrs["mode"]
    return [_mirror_pad_grad(gradient, op.inputs[1], mode=mode), None]


def mirror_pad(tensor: Any, paddings: Any, mode: str, name: str | None = None) -> Tensor:
    """`tf.pad` with the mode "REFLECT" or "SYMMETRIC"."""
    return _mirror_pad(tensor, paddings, name=name, mode=mode)


# MirrorPadGrad ----------------------------------------------------------------------------------

_mirror_pad_grad = define_op(
    "MirrorPadGrad",
    "input: T, paddings: Tpaddings -> output: T",
    _ATTRS,
    shape=lambda c: with_borders(c, -1),
)


@_mirror_pad_grad.kernel
def _mirror_pad_grad_kernel(input: Array, paddings: Array, *, mode: bytes) -> np.ndarray:
    # Every axis in turn: cut off the two borders, and add them, turned round, to what they mirror.
    skipped = int(mode == b"REFLECT")
    pairs = _checked(input, paddings)
    for size, (before, after) in zip(input.shape, pairs):
        if before + after >= size:
            raise invalid(
                f"Total paddings must be less than the input dimension size: {before + after} was "
                f"not less than {size}"
            )
        if max(before, after) > size - before - after - skipped:
            raise invalid(
                f"Total paddings must be no greater than the output dimension size: "
                f"{before}, {after} greater than {size - before - after}"
            )
    result = input
    for axis, (before, after) in enumerate(pairs):
        if before or after:
            whole = np.moveaxis(result, axis, 0)
            end = len(whole) - after
            inner = np.array(whole[before:end])
            inner[skipped : skipped + before] += whole[:before][::-1]
            last = len(inner) - skipped
            inner[last - after : last] += whole[end:][::-1]
            result = np.moveaxis(inner, 0, axis)
    return result


@_mirror_pad_grad.gradient
def _mirror_pad_grad_gradient(op: Operation, gradient: Any) -> list[Any]:
    return [_mirror_pad(gradient, op.inputs[1], mode=op.attrs["mode"]), None]
