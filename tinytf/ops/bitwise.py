"""Integers as rows of bits: and, or, exclusive or, not."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework import shape_inference
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.tensor import Tensor

_INTEGER = "T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}"

# BitwiseAnd, BitwiseOr, BitwiseXor --------------------------------------------------------------


def _of_two(op_type: str, kernel: Any) -> OpCard:
    card = define_op(op_type, ["x: T", "y: T"], ["z: T"], [_INTEGER], commutative=True)
    card.shape(shape_inference.broadcast)
    card.kernel(kernel)
    card.not_differentiable("integers have no derivative")
    return card


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

_invert = define_op("Invert", ["x: T"], ["y: T"], [_INTEGER])
_invert.shape(shape_inference.unchanged)
_invert.kernel(np.invert)
_invert.not_differentiable("integers have no derivative")


def invert(x: Any, name: str | None = None) -> Tensor:
    """Every bit the other way round (TensorFlow: `tf.bitwise.invert`).

    Example:
      >>> tf.bitwise.invert(5)  # -6
    """
    return _invert(x, name=name)
