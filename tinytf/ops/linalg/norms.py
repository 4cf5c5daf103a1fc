"""Norms of vectors and matrices, and what is divided by them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.dynamic_stitch import setdiff1d
from tinytf.ops.array.range import range as range_of
from tinytf.ops.array.where import where_v2
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.control_flow.cond import cond
from tinytf.ops.control_flow.element_loops import map_fn
from tinytf.ops.linalg.decompositions import svd_op
from tinytf.ops.math.arithmetic import maximum, multiply
from tinytf.ops.math.cast import cast
from tinytf.ops.math.comparison import equal
from tinytf.ops.math.complex_numbers import conj, imag, make_complex, real
from tinytf.ops.math.power import pow, rsqrt, sqrt, square
from tinytf.ops.math.sign import absolute
from tinytf.ops.reduce.reduction import reduce_max, reduce_sum


def norm(
    tensor: Any,
    ord: Any = "euclidean",
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    keep_dims: bool | None = None,
) -> Any:
    """The norm of vectors or matrices (TensorFlow: `tf.norm`).

    Args:
      tensor: floating-point or complex.
      ord: "euclidean" (of a matrix also called "fro"), 1, 2, np.inf, or another positive number
        for vectors. Of a matrix, 1 and np.inf are the largest sums of a column and of a row, 2 is
        the largest singular value.
      axis: an axis: the norms of vectors along it. Two axes: of matrices. None: of all elements.
      keepdims: whether reduced axes stay, with size 1. keep_dims: its older name.
      name: of the operation.

    Raises:
      ValueError: for another `ord` or `axis`.

    Example:
      >>> tf.norm([[3.0, 4.0], [6.0, 8.0]], axis=1)  # [5., 10.]
    """
    keepdims = ops.deprecated_lookup("keepdims", keepdims, "keep_dims", keep_dims)
    is_matrix, axis = _checked(ord, axis)
    with op_scope(name, "norm", (tensor,)):
        tensor = convert_to_tensor(tensor)
        if ord in ["fro", "euclidean", 2, 2.0]:
            if is_matrix and ord in [2, 2.0]:
                result = _largest_singular_value(tensor, axis)
            else:
                result = sqrt(reduce_sum(tensor * conj(tensor), axis, keepdims=True))
        else:
            result = _other_norm(absolute(tensor), ord, axis, is_matrix)
        return result if keepdims else ops.squeeze(result, axis)


def _checked(ord: Any, axis: Any) -> tuple[bool, Any]:
    """Whether it is a norm of matrices, and the axes as a tuple."""
    if isinstance(axis, tuple | list) and len(axis) == 2:
        axis = tuple(axis)
        if not all(isinstance(a, int) for a in axis) or axis[0] == axis[1]:
            raise ValueError(
                f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {axis}"
            )
        norms = ["euclidean", "fro", 1, 2, np.inf]
        if ord not in norms:
            raise ValueError(f"'ord' must be a supported matrix norm in {norms}, got {ord}")
        return True, axis
    if not (isinstance(axis, int) or axis is None):
        raise ValueError(
            f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {axis}"
        )
    is_number = not isinstance(ord, str) and np.isreal(ord)
    if (not is_number or ord <= 0) and ord not in ["euclidean", 1, 2, np.inf]:
        raise ValueError(f"'ord' must be a supported vector norm, got {ord}")
    return False, None if axis is None else (axis,)


def _other_norm(sizes: Any, ord: Any, axis: Any, is_matrix: bool) -> Any:
    if ord == 1:
        result = reduce_sum(sizes, None if axis is None else axis[0], keepdims=True)
        return reduce_max(result, axis[-1], keepdims=True) if is_matrix else result
    if ord == np.inf:
        if is_matrix:
            sizes = reduce_sum(sizes, axis[1], keepdims=True)
        return reduce_max(sizes, None if axis is None else axis[0], keepdims=True)
    return pow(reduce_sum(pow(sizes, ord), axis, keepdims=True), 1.0 / ord)


def _largest_singular_value(tensor: Tensor, axis: tuple[int, int]) -> Tensor:
    """The 2-norm of matrices: their two axes are moved to the end, and back."""
    rank = ops.rank(tensor)
    positive = map_fn(lambda i: cond(i >= 0, lambda: i, lambda: i + rank), convert_to_tensor(axis))
    axes = range_of(rank)
    others, _ = setdiff1d(axes, positive, dtypes.int32)
    order = ops.concat([others, positive], axis=0)

    def place(i: Any) -> Tensor:
        return cast(ops.squeeze(where_v2(equal(order, i))), dtypes.int32)

    back = map_fn(place, axes)
    values = absolute(svd_op(ops.transpose(tensor, order), compute_uv=False)[0])
    largest = ops.expand_dims(reduce_max(values, axis=-1, keepdims=True), axis=-1)
    return ops.transpose(largest, back)


def normalize(
    tensor: Any, ord: Any = "euclidean", axis: Any = None, name: str | None = None
) -> tuple[Any, Tensor]:
    """A tensor divided by its norm, and the norm (TensorFlow: `tf.linalg.normalize`).

    Args:
      tensor, ord, axis, name: as for `tf.norm`.

    Returns:
      the quotient, and the norm with reduced axes of size 1.

    Example:
      >>> tf.linalg.normalize([3.0, 4.0])  # ([0.6, 0.8], [5.])
    """
    with op_scope(name, "normalize", (tensor,)):
        tensor = convert_to_tensor(tensor)
        size = cast(norm(tensor, ord, axis, keepdims=True), tensor.dtype)
        return tensor / size, size


def l2_normalize(
    x: Any, axis: Any = None, epsilon: float = 1e-12, name: str | None = None, dim: Any = None
) -> Tensor:
    """`x / sqrt(max(sum(x ** 2), epsilon))` (TensorFlow: `tf.nn.l2_normalize`).

    Args:
      x: floating-point or complex numbers.
      axis: along which to sum, one or several; None for all. dim: its older name.
      epsilon: the least sum of squares to divide by.
      name: of the operation.

    Example:
      >>> tf.nn.l2_normalize([3.0, 4.0])  # [0.6, 0.8]
    """
    axis = ops.deprecated_lookup("axis", axis, "dim", dim)
    with op_scope(name, "l2_normalize", (x,)) as scope:
        x = convert_to_tensor(x, name="x")
        if not x.dtype.is_complex:
            total = reduce_sum(square(x), axis, keepdims=True)
            return multiply(x, rsqrt(maximum(total, epsilon)), name=scope)
        squares: Any = square(real(x))
        total = real(reduce_sum(squares + square(imag(x)), axis, keepdims=True))
        scale = rsqrt(maximum(total, epsilon))
        parts = multiply(real(x), scale), multiply(imag(x), scale)
        return make_complex(*parts, name=scope)
