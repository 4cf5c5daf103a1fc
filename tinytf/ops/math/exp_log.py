"""Exponentials and logarithms: exp, expm1, log, log1p."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.ops.math.complex_numbers import conj
from tinytf.ops.math.elementwise import after, unary_card

# Exp ----------------------------------------------------------------------------------------------

_exp = unary_card("Exp", np.exp)


@_exp.gradient
def _exp_gradient(op: Operation, gradient: Any) -> Any:
    with after(gradient):
        return gradient * conj(op.outputs[0])


def exp(x: Any, name: str | None = None) -> Tensor:
    """The exponential function, e to the power of x (TensorFlow: `tf.exp`).

    Args:
      x: a float or complex tensor of any shape.
      name: of the operation.

    Example:
      >>> tf.exp([0.0, 1.0])  # [1., 2.7182817]
    """
    return _exp(x, name=name)


# Expm1 --------------------------------------------------------------------------------------------

_expm1 = unary_card("Expm1", np.expm1)


@_expm1.gradient
def _expm1_gradient(op: Operation, gradient: Any) -> Any:
    with after(gradient):
        return gradient * exp(conj(op.inputs[0]))


def expm1(x: Any, name: str | None = None) -> Tensor:
    """`exp(x) - 1`, exact near 0 as well (TensorFlow: `tf.expm1`).

    Args:
      x: a float or complex tensor of any shape.
      name: of the operation.

    Example:
      >>> tf.expm1([0.0, 1e-10])  # [0., 1e-10]
    """
    return _expm1(x, name=name)


# Log ----------------------------------------------------------------------------------------------

_log = unary_card("Log", np.log)


@_log.gradient
def _log_gradient(op: Operation, gradient: Any) -> Any:
    with after(gradient):
        return gradient * ops.reciprocal(conj(op.inputs[0]))


def log(x: Any, name: str | None = None) -> Tensor:
    """The natural logarithm; -inf for 0, NaN for negative numbers (TensorFlow: `tf.log`).

    Args:
      x: a float or complex tensor of any shape.
      name: of the operation.

    Example:
      >>> tf.log([1.0, 0.5])  # [0., -0.6931472]
    """
    return _log(x, name=name)


# Log1p --------------------------------------------------------------------------------------------

_log1p = unary_card("Log1p", np.log1p)


@_log1p.gradient
def _log1p_gradient(op: Operation, gradient: Any) -> Any:
    with after(gradient):
        x: Any = conj(op.inputs[0])
        return gradient * ops.reciprocal(1 + x)


def log1p(x: Any, name: str | None = None) -> Tensor:
    """`log(1 + x)`, exact near 0 as well (TensorFlow: `tf.log1p`).

    Args:
      x: a float or complex tensor of any shape.
      name: of the operation.

    Example:
      >>> tf.log1p([0.0, 1e-10])  # [0., 1e-10]
    """
    return _log1p(x, name=name)
