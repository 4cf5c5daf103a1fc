"""Rounding: floor, ceil, rint, round."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework import shape_inference
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.op_card import define_op
from tinytf.framework.tensor import Tensor

_SIGNED = "T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}"
_REAL = "T: floattype"

# Floor, Ceil, Rint --------------------------------------------------------------------------------


_floor = define_op("Floor", "x: T -> y: T", _REAL, kernel=np.floor)
_ceil = define_op("Ceil", "x: T -> y: T", _REAL, kernel=np.ceil)
_rint = define_op("Rint", "x: T -> y: T", _REAL, kernel=np.rint)
for _card in (_floor, _ceil, _rint):
    _card.shape(shape_inference.unchanged)
    _card.not_differentiable("rounding is a step function: its derivative is 0 wherever it has one")


def floor(x: Any, name: str | None = None) -> Tensor:
    """The largest whole number not above x, as a float (TensorFlow: `tf.floor`).

    Example:
      >>> tf.floor([1.7, -1.2])  # [1., -2.]
    """
    return _floor(x, name=name)


def ceil(x: Any, name: str | None = None) -> Tensor:
    """The smallest whole number not below x, as a float (TensorFlow: `tf.ceil`).

    Example:
      >>> tf.ceil([1.2, -1.7])  # [2., -1.]
    """
    return _ceil(x, name=name)


def rint(x: Any, name: str | None = None) -> Tensor:
    """The nearest whole number, the even one of two (TensorFlow: `tf.rint`).

    Example:
      >>> tf.rint([0.5, 1.5, -2.3])  # [0., 2., -2.]
    """
    return _rint(x, name=name)


# Round --------------------------------------------------------------------------------------------


_round = define_op(
    "Round",
    "x: T -> y: T",
    _SIGNED,
    shape=shape_inference.unchanged,
    no_gradient="rounding is a step function: its derivative is 0 wherever it has one",
)
_round.kernel(np.rint, types={"T": ["bfloat16", "half", "float", "double"]})


@_round.kernel(types={"T": ["int32", "int64"]})
def _round_integer(x: Any) -> Any:
    return x


def round(x: Any, name: str | None = None) -> Tensor:
    """The nearest whole number, the even one of two (TensorFlow: `tf.round`).

    Args:
      x: a real tensor of any shape; one of integers is returned as it is.
      name: of the operation.

    Example:
      >>> tf.round([0.5, 1.5, -2.3])  # [0, 2, -2]
    """
    x = convert_to_tensor(x, name="x")
    return x if x.dtype.is_integer else _round(x, name=name)
