"""Comparing: equal, less, greater and their kin."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from tinytf.framework import shape_inference
from tinytf.framework.array_types import Array
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.shape_inference import InferenceContext, broadcast_shapes
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape

NO_NUMBER = "the result is no number"


def _fits(x: Any, y: Any) -> bool:
    """Whether two values broadcast."""
    try:
        np.broadcast_shapes(x.shape, y.shape)
    except ValueError:
        return False
    return True


# Equal, NotEqual ----------------------------------------------------------------------------------


def _equality_shape(c: InferenceContext) -> TensorShape:
    if c.attrs["incompatible_shape_error"]:
        return broadcast_shapes(c.input(0), c.input(1))
    try:
        result = broadcast_shapes(c.input(0), c.input(1))
    except ValueError:
        return TensorShape.of(())  # one False for all: they differ in shape already
    known = c.input(0).is_fully_defined() and c.input(1).is_fully_defined()
    return result if known else unknown_shape()


def _equality(op_type: str) -> OpCard:
    return define_op(
        op_type,
        "x: T, y: T -> z: bool",
        "T: type, incompatible_shape_error: bool = true",
        commutative=True,
        shape=_equality_shape,
        no_gradient=NO_NUMBER,
    )


_equal = _equality("Equal")
_not_equal = _equality("NotEqual")


@_equal.kernel
def _equal_kernel(x: Array, y: Array, *, incompatible_shape_error: bool) -> Array:
    if x.ndim == 0 == y.ndim and x.dtype != object:
        return operator.eq(x, y)  # several times as fast on single numbers
    if incompatible_shape_error or _fits(x, y):
        return np.equal(x, y)
    return np.False_


@_not_equal.kernel
def _not_equal_kernel(x: Array, y: Array, *, incompatible_shape_error: bool) -> Array:
    if incompatible_shape_error or _fits(x, y):
        return np.not_equal(x, y)
    return np.True_


def equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Where two tensors are equal, broadcast (TensorFlow: `tf.equal`).

    Python's `==` asks whether two tensors are the same node, as in TensorFlow 1.x.

    Args:
      x, y: tensors of one dtype, whatever it is.
      name: of the operation.

    Returns:
      a bool tensor.

    Example:
      >>> tf.equal(["a", "b"], "a")  # [True, False]
    """
    return _equal(x, y, name=name)


def not_equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Where two tensors differ, broadcast (TensorFlow: `tf.not_equal`); see `equal`.

    Example:
      >>> tf.not_equal([1, 2], [1, 3])  # [False, True]
    """
    return _not_equal(x, y, name=name)


# Less, LessEqual, Greater, GreaterEqual -----------------------------------------------------------


def _order(op_type: str, kernel: Any) -> OpCard:
    return define_op(
        op_type,
        "x: T, y: T -> z: bool",
        "T: realnumbertype",
        shape=shape_inference.broadcast,
        kernel=kernel,
        no_gradient=NO_NUMBER,
    )


_less = _order("Less", operator.lt)
_less_equal = _order("LessEqual", operator.le)
_greater = _order("Greater", operator.gt)
_greater_equal = _order("GreaterEqual", operator.ge)


def less(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Where `x < y`, broadcast (TensorFlow: `tf.less`).

    Args:
      x, y: real tensors of one dtype. Comparing with NaN is False.
      name: of the operation.

    Returns:
      a bool tensor.

    Example:
      >>> tf.less([1, 2, 3], 2)  # [True, False, False]
    """
    return _less(x, y, name=name)


def less_equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Where `x <= y`, broadcast (TensorFlow: `tf.less_equal`); see `less`.

    Example:
      >>> tf.less_equal([1, 2, 3], 2)  # [True, True, False]
    """
    return _less_equal(x, y, name=name)


def greater(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Where `x > y`, broadcast (TensorFlow: `tf.greater`); see `less`.

    Example:
      >>> tf.greater([1, 2, 3], 2)  # [False, False, True]
    """
    return _greater(x, y, name=name)


def greater_equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Where `x >= y`, broadcast (TensorFlow: `tf.greater_equal`); see `less`.

    Example:
      >>> tf.greater_equal([1, 2, 3], 2)  # [False, True, True]
    """
    return _greater_equal(x, y, name=name)


# ApproximateEqual ---------------------------------------------------------------------------------

_approximate_equal = define_op(
    "ApproximateEqual",
    "x: T, y: T -> z: bool",
    "T: numbertype, tolerance: float = 1e-05",
    commutative=True,
    shape=shape_inference.same_as_all_inputs,
    no_gradient=NO_NUMBER,
)


@_approximate_equal.kernel
def _approximate_equal_kernel(x: Array, y: Array, *, tolerance: float) -> Array:
    return np.less(np.absolute(np.subtract(x, y)), tolerance)
