"""What kind of number a float is: is_nan, is_inf, is_finite."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework import shape_inference
from tinytf.framework.op_card import define_op
from tinytf.framework.tensor import Tensor

# IsNan, IsInf, IsFinite ---------------------------------------------------------------------------


_REAL = "T: floattype"
_is_nan = define_op("IsNan", "x: T -> y: bool", _REAL, kernel=np.isnan)
_is_inf = define_op("IsInf", "x: T -> y: bool", _REAL, kernel=np.isinf)
_is_finite = define_op("IsFinite", "x: T -> y: bool", _REAL, kernel=np.isfinite)
for _card in (_is_nan, _is_inf, _is_finite):
    _card.shape(shape_inference.unchanged)
    _card.not_differentiable("the result is no number")


def is_nan(x: Any, name: str | None = None) -> Tensor:
    """Which elements are "not a number" (TensorFlow: `tf.is_nan`).

    Example:
      >>> tf.is_nan([1.0, np.nan, np.inf])  # [False, True, False]
    """
    return _is_nan(x, name=name)


def is_inf(x: Any, name: str | None = None) -> Tensor:
    """Which elements are infinite (TensorFlow: `tf.is_inf`).

    Example:
      >>> tf.is_inf([1.0, np.nan, np.inf])  # [False, False, True]
    """
    return _is_inf(x, name=name)


def is_finite(x: Any, name: str | None = None) -> Tensor:
    """Which elements are neither infinite nor "not a number" (TensorFlow: `tf.is_finite`).

    Example:
      >>> tf.is_finite([1.0, np.nan, np.inf])  # [True, False, False]
    """
    return _is_finite(x, name=name)
