"""Axes in another order: transpose; and invert_permutation."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework.array_types import Array
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, with_rank
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.array.range import range as range_op
from tinytf.ops.array.shape import rank_node
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.base.shape_rules import shown

# Transpose ----------------------------------------------------------------------------------------

_transpose = define_op(
    "Transpose", "x: T, perm: Tperm -> y: T", "T: type, Tperm: {int32, int64} = DT_INT32"
)


@_transpose.shape
def _transpose_shape(c: InferenceContext) -> TensorShape:
    source, perm = c.input(0).sizes, c.constant(1)
    vector = c.input(1).sizes
    length = perm.size if perm is not None else vector[0] if vector and len(vector) == 1 else None
    if source is not None and length not in (None, len(source)):
        raise ValueError(f"Dimension must be {len(source)} but is {length}")
    rank = length if source is None else len(source)
    if source is None or perm is None:
        return unknown_shape(rank)
    axes = perm.reshape(-1).tolist()
    for axis in axes:
        if not -len(axes) <= axis < len(axes):
            raise ValueError(f"perm dim {axis} is out of range of input rank {len(axes)}")
    return TensorShape.of(tuple(source[axis] for axis in axes))


@_transpose.kernel
def _transpose_kernel(x: Array, perm: Array) -> Array:
    axes = perm.tolist() if perm.ndim == 1 else _perm_of_another_rank(perm)
    if len(axes) != x.ndim:
        raise invalid(
            f"transpose expects a vector of size {x.ndim}. But input(1) is a vector of size "
            f"{len(axes)}"
        )
    if x.ndim == 0:
        return x
    try:
        return x.transpose(axes)
    except ValueError:
        raise _wrong_permutation(axes) from None


def _perm_of_another_rank(perm: Any) -> list[int]:
    raise invalid(f"perm must be rank 1, got shape {shown(perm)}")


def _wrong_permutation(axes: list[int]) -> Exception:
    for axis in axes:
        if not 0 <= axis < len(axes):
            return invalid(f"{axis} is out of range [0 .. {len(axes)})")
    missing = min(set(range(len(axes))) - set(axes))
    return invalid(f"{missing} is missing from {{{','.join(map(str, axes))}}}.")


@_transpose.gradient
def _transpose_gradient(op: Operation, gradient: Tensor) -> list[Tensor | None]:
    return [transpose(gradient, invert_permutation(op.inputs[1])), None]


# The same, of conjugate numbers.
_conjugate_transpose = define_op(
    "ConjugateTranspose",
    "x: T, perm: Tperm -> y: T",
    "T: type, Tperm: {int32, int64} = DT_INT32",
    shape=_transpose_shape,
)


@_conjugate_transpose.kernel
def _conjugate_transpose_kernel(x: Array, perm: Array) -> Array:
    turned = _transpose_kernel(x, perm)
    return np.conjugate(turned) if turned.dtype.kind == "c" else turned


@_conjugate_transpose.gradient
def _conjugate_transpose_gradient(op: Operation, gradient: Tensor) -> list[Tensor | None]:
    return [transpose(gradient, invert_permutation(op.inputs[1]), conjugate=True), None]


def transpose(
    a: Any, perm: Any = None, name: str | None = "transpose", conjugate: bool = False
) -> Tensor:
    """The tensor with its dimensions in another order (TensorFlow: `tf.transpose`).

    Args:
      a: of any shape and dtype.
      perm: dimension i of the result is dimension perm[i] of `a`. By default in reverse order.
      name: of the operation.
      conjugate: also conjugates complex numbers.

    Raises:
      ValueError, InvalidArgumentError: if `perm` is no permutation of the dimensions.

    Example:
      >>> tf.transpose([[1, 2, 3], [4, 5, 6]])  # [[1, 4], [2, 5], [3, 6]]
    """
    with op_scope(name, "transpose", (a,)) as scope:
        a = convert_to_tensor(a, name="a")
        if perm is None:
            perm = _reverse_order(a)
        turn = _conjugate_transpose if conjugate and a.dtype.is_complex else _transpose
        return turn(a, perm, name=scope)


def _reverse_order(a: Tensor) -> Any:
    if a.shape.ndims is not None:
        return np.arange(a.shape.ndims - 1, -1, -1, dtype=np.int32)

    return range_op(ops.subtract(rank_node(a), 1, name="sub"), -1, -1, name="Range")


# InvertPermutation --------------------------------------------------------------------------------

_invert_permutation = define_op(
    "InvertPermutation",
    "x: T -> y: T",
    "T: {int32, int64} = DT_INT32",
    no_gradient="indices are whole numbers",
    shape=lambda c: with_rank(c.input(0), 1),
)


@_invert_permutation.kernel
def _invert_permutation_kernel(x: Array) -> np.ndarray:
    if x.ndim != 1:
        raise invalid("invert_permutation expects a 1D vector.")
    result = np.full(x.shape, -1, x.dtype)
    for position, target in enumerate(x.tolist()):
        if not 0 <= target < len(x):
            raise invalid(f"{target} is not between 0 and {len(x)}")
        if result[target] != -1:
            raise invalid(f"{target} is duplicated in the input.")
        result[target] = position
    return result


def invert_permutation(x: Any, name: str | None = None) -> Tensor:
    """The permutation that undoes `x` (TensorFlow: `tf.invert_permutation`).

    Args:
      x: an int32 or int64 vector that holds each number from 0 to n - 1 once.
      name: of the operation.

    Raises:
      InvalidArgumentError: if it does not.

    Example:
      >>> tf.invert_permutation([2, 0, 1])  # [1, 2, 0]
    """
    return _invert_permutation(x, name=name)
