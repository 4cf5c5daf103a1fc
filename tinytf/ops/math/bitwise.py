"""Integers as rows of bits: and, or, exclusive or, not."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework import shape_inference
from tinytf.framework.array_types import Array
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.tensor import Tensor
from tinytf.ops.math.elementwise import binary_card

# BitwiseAnd, BitwiseOr, BitwiseXor --------------------------------------------------------------


def _of_two(op_type: str, kernel: Any) -> OpCard:
    return binary_card(
        op_type,
        "T: integertype",
        kernel,
        commutative=True,
        no_gradient="integers have no derivative",
    )


_and = _of_two("BitwiseAnd", np.bitwise_and)
_or = _of_two("BitwiseOr", np.bitwise_or)
_xor = _of_two("BitwiseXor", np.bitwise_xor)


def bitwise_and(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The bits set in both integers, broadcast (TensorFlow: `tf.bitwise.bitwise_and`).

    Example:
      >>> tf.bitwise.bitwise_and(0b1100, 0b1010)  # 0b1000
    """
    return _and(x, y, name=name)


def bitwise_or(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The bits set in one of two integers, broadcast (TensorFlow: `tf.bitwise.bitwise_or`).

    Example:
      >>> tf.bitwise.bitwise_or(0b1100, 0b1010)  # 0b1110
    """
    return _or(x, y, name=name)


def bitwise_xor(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The bits in which two integers differ, broadcast (TensorFlow: `tf.bitwise.bitwise_xor`).

    Example:
      >>> tf.bitwise.bitwise_xor(0b1100, 0b1010)  # 0b0110
    """
    return _xor(x, y, name=name)


# Invert -----------------------------------------------------------------------------------------

_invert = define_op(
    "Invert",
    "x: T -> y: T",
    "T: integertype",
    shape=shape_inference.unchanged,
    kernel=np.invert,
    no_gradient="integers have no derivative",
)


def invert(x: Any, name: str | None = None) -> Tensor:
    """Every bit the other way round (TensorFlow: `tf.bitwise.invert`).

    Example:
      >>> tf.bitwise.invert(5)  # -6
    """
    return _invert(x, name=name)


# LeftShift, RightShift --------------------------------------------------------------------------


def _shift(op_type: str, shift: Any) -> OpCard:
    card = binary_card(op_type, "T: integertype", no_gradient="integers have no derivative")

    @card.kernel
    def kernel(x: Array, y: Array) -> Array:
        # What lies outside is undefined in C; TensorFlow shifts as far as it goes.
        most = y.dtype.type(8 * y.dtype.itemsize - 1)
        return shift(x, np.clip(y, y.dtype.type(0), most))

    return card


_left_shift = _shift("LeftShift", np.left_shift)
_right_shift = _shift("RightShift", np.right_shift)


def left_shift(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The bits of x moved up by y places, broadcast (TensorFlow: `tf.bitwise.left_shift`).

    Args:
      x, y: integer tensors of one type. Below 0 counts as 0; above the highest place, as that.
      name: of the operation.

    Example:
      >>> tf.bitwise.left_shift([1, 5], 2)  # [4, 20]
    """
    return _left_shift(x, y, name=name)


def right_shift(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The bits of x moved down by y places; signs stay (TensorFlow: `tf.bitwise.right_shift`).

    Args:
      x, y: integer tensors of one type. Below 0 counts as 0; above the highest place, as that.
      name: of the operation.

    Example:
      >>> tf.bitwise.right_shift([20, -5], 2)  # [5, -2]
    """
    return _right_shift(x, y, name=name)


# PopulationCount --------------------------------------------------------------------------------

_population_count = define_op(
    "PopulationCount",
    "x: T -> y: uint8",
    "T: integertype",
    shape=shape_inference.unchanged,
    no_gradient="integers have no derivative",
)


@_population_count.kernel
def _population_count_kernel(x: Array) -> Array:
    # Of negative numbers, numpy counts the bits of the absolute value.
    return np.bitwise_count(x.view(f"u{x.dtype.itemsize}"))
