"""Rounding: floor, ceil, rint, round."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework import shape_inference
from tinytf.framework.array_types import Array
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.op_card import define_op
from tinytf.framework.tensor import Tensor
from tinytf.ops.math.elementwise import SIGNED, unary_card

_STEPS = "rounding is a step function: its derivative is 0 wherever it has one"

# Floor, Ceil, Rint --------------------------------------------------------------------------------

_floor = unary_card("Floor", np.floor, "T: floattype", no_gradient=_STEPS)
_ceil = unary_card("Ceil", np.ceil, "T: floattype", no_gradient=_STEPS)
_rint = unary_card("Rint", np.rint, "T: floattype", no_gradient=_STEPS)


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
    "Round", "x: T -> y: T", SIGNED, shape=shape_inference.unchanged, no_gradient=_STEPS
)
_round.kernel(np.rint, types={"T": ["floattype"]})


@_round.kernel(types={"T": ["int32", "int64"]})
def _round_integer(x: Array) -> Array:
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
