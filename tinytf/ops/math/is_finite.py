"""What kind of number a float is: is_nan, is_inf, is_finite."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework import shape_inference
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.tensor import Tensor


def _question(op_type: str, kernel: np.ufunc) -> OpCard:
    return define_op(
        op_type,
        "x: T -> y: bool",
        "T: floattype",
        shape=shape_inference.unchanged,
        kernel=kernel,
        no_gradient="the result is no number",
    )


_is_nan = _question("IsNan", np.isnan)
_is_inf = _question("IsInf", np.isinf)
_is_finite = _question("IsFinite", np.isfinite)


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
