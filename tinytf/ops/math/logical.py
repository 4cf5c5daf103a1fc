"""The logic of truth values: logical_and, logical_or, logical_not, logical_xor."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework import shape_inference
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.tensor import Tensor
from tinytf.ops.math.comparison import NO_NUMBER


def _of_two(op_type: str, kernel: np.ufunc) -> OpCard:
    return define_op(
        op_type,
        "x: bool, y: bool -> z: bool",
        commutative=True,
        shape=shape_inference.broadcast,
        kernel=kernel,
        no_gradient=NO_NUMBER,
    )


_logical_and = _of_two("LogicalAnd", np.logical_and)
_logical_or = _of_two("LogicalOr", np.logical_or)
_logical_not = define_op(
    "LogicalNot",
    "x: bool -> y: bool",
    shape=shape_inference.unchanged,
    kernel=np.logical_not,
    no_gradient=NO_NUMBER,
)


def logical_and(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Where both are True, broadcast (TensorFlow: `tf.logical_and`).

    Args:
      x, y: bool tensors. Both are computed: to leave one out, use `tf.cond`.
      name: of the operation.

    Example:
      >>> tf.logical_and([True, True], [True, False])  # [True, False]
    """
    return _logical_and(x, y, name=name)


def logical_or(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Where one of two is True, broadcast (TensorFlow: `tf.logical_or`); see `logical_and`.

    Example:
      >>> tf.logical_or([True, False], [False, False])  # [True, False]
    """
    return _logical_or(x, y, name=name)


def logical_not(x: Any, name: str | None = None) -> Tensor:
    """True for False and False for True (TensorFlow: `tf.logical_not`).

    Example:
      >>> tf.logical_not([True, False])  # [False, True]
    """
    return _logical_not(x, name=name)


def logical_xor(x: Any, y: Any, name: str = "LogicalXor") -> Tensor:
    """Where exactly one of two is True, made of and, or and not (TensorFlow: `tf.logical_xor`).

    Args:
      x, y: bool tensors.
      name: of the last operation.

    Example:
      >>> tf.logical_xor([True, True], [True, False])  # [False, True]
    """
    either = logical_or(x, y)
    return logical_and(either, logical_not(logical_and(x, y)), name=name)
