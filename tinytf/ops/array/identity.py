"""Ops that pass their input on, for its name, its place or its gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework import shape_inference
from tinytf.framework.errors import InvalidArgumentError
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.base.composites import of_all_parts

# Identity -----------------------------------------------------------------------------------------

_identity = define_op(
    "Identity", "input: T -> output: T", "T: type", shape=shape_inference.unchanged
)


@_identity.kernel
def _pass_on(value: Any) -> Any:
    return value


@_identity.gradient
def _identity_gradient(op: Operation, gradient: Tensor) -> Tensor:
    return gradient


@of_all_parts
def identity(input: Any, name: str | None = None) -> Tensor:
    """A tensor with the value of `input` (TensorFlow: `tf.identity`).

    Args:
      input: of any shape and dtype. A variable is read when the node runs.
      name: of the operation.

    Returns:
      a tensor of the same shape and dtype.

    Example:
      >>> last = tf.identity([1, 2], name="output")  # fetch it as "output:0"
    """
    return _identity(input, name=name)


# IdentityN ----------------------------------------------------------------------------------------

_identity_n = define_op(
    "IdentityN", "input: T -> output: T", "T: list(type) >= 1", shape=lambda c: c.shapes()
)


@_identity_n.kernel
def _pass_all_on(*values: Any) -> Any:
    return values


@_identity_n.gradient
def _identity_n_gradient(op: Operation, *gradients: Tensor) -> tuple[Tensor, ...]:
    return gradients


def identity_n(input: Any, name: str | None = None) -> list[Tensor]:
    """Several tensors with the values of `input`, all there before any is used.

    TensorFlow: `tf.identity_n`. A gradient override of this one node sees all gradients together.

    Args:
      input: a list of tensors of any shapes and dtypes, at least one.
      name: of the operation.

    Raises:
      ValueError: for an empty list.

    Example:
      >>> tf.identity_n([1, 2.5])  # [1, 2.5]
    """
    if isinstance(input, list | tuple) and not input:
        raise ValueError("Attr 'T' of 'IdentityN' Op passed list of length 0 less than minimum 1.")
    return _identity_n(input, name=name)


# EnsureShape --------------------------------------------------------------------------------------

_ensure_shape = define_op("EnsureShape", "input: T -> output: T", "shape: shape, T: type")


@_ensure_shape.shape
def _ensured(c: InferenceContext) -> TensorShape:
    wanted, shape = c.attrs["shape"], c.input(0)
    if wanted.ndims is not None and shape.ndims is not None:
        shape = shape_inference.with_rank(shape, wanted.ndims)
    return shape_inference.merge(wanted, shape)


@_ensure_shape.kernel
def _check_shape(value: Any, *, shape: TensorShape, node: Operation) -> Any:
    found = TensorShape.of(np.shape(value))
    if not shape.is_compatible_with(found):
        raise InvalidArgumentError(
            f"Shape of tensor {node.inputs[0].op.name} "
            f"{shape_inference.brackets(found)} is not compatible with expected shape "
            f"{shape_inference.brackets(shape)}."
        )
    return value


@_ensure_shape.gradient
def _ensure_shape_gradient(op: Operation, gradient: Tensor) -> Tensor:
    return gradient


def ensure_shape(x: Any, shape: Any, name: str | None = None) -> Tensor:
    """The tensor, checked to have a shape when it runs (TensorFlow: `tf.ensure_shape`).

    `set_shape` only promises a shape; this also looks.

    Args:
      x: of any shape and dtype.
      shape: a `tf.TensorShape` or a list, with None for sizes that do not matter.
      name: of the operation.

    Returns:
      a tensor with the value of `x`, whose static shape is that of `x` merged with `shape`.

    Raises:
      ValueError: if the static shape of `x` does not agree; InvalidArgumentError, if that only
        turns out when it runs.

    Example:
      >>> x = tf.placeholder_with_default([[1.0, 2.0, 3.0]], None)
      >>> tf.ensure_shape(x, [None, 3])  # [[1., 2., 3.]]
    """
    return _ensure_shape(x, shape=TensorShape(shape), name=name)


# StopGradient -------------------------------------------------------------------------------------

_stop_gradient = define_op(
    "StopGradient",
    "input: T -> output: T",
    "T: type",
    shape=shape_inference.unchanged,
    kernel=_pass_on,
    no_gradient="stopping gradients is what it is for",
)


@of_all_parts
def stop_gradient(input: Any, name: str | None = None) -> Tensor:
    """The value of `input`, taken as a constant by gradients (TensorFlow: `tf.stop_gradient`).

    Args:
      input: of any shape and dtype.
      name: of the operation.

    Example:
      >>> x = tf.constant(3.0)
      >>> tf.gradients(x * tf.stop_gradient(x), x), tf.gradients(x * x, x)  # [3.], [6.]
    """
    return _stop_gradient(input, name=name)


# PreventGradient ----------------------------------------------------------------------------------

_prevent_gradient = define_op(
    "PreventGradient",
    "input: T -> output: T",
    "T: type, message: string = ''",
    shape=shape_inference.unchanged,
    kernel=_pass_on,
)


@_prevent_gradient.gradient
def _prevent_gradient_gradient(op: Operation, gradient: Tensor) -> Tensor:
    reason = op.attrs["message"].decode("utf-8", "replace")
    raise LookupError(f"Gradient explicitly disabled. Reason: {reason}")


def prevent_gradient(input: Any, message: str = "", name: str | None = None) -> Tensor:
    """The value of `input`; asking for a gradient through it is an error that says why.

    TensorFlow: `gen_array_ops.prevent_gradient`, which ops with a wrong or missing gradient use.

    Args:
      input: of any shape and dtype.
      message: the reason, given by the LookupError of `tf.gradients`.
      name: of the operation.
    """
    return _prevent_gradient(input, name=name, message=message)


# GuaranteeConst -----------------------------------------------------------------------------------

_guarantee_const = define_op(
    "GuaranteeConst",
    "input: T -> output: T",
    "T: type",
    stateful=True,
    shape=shape_inference.unchanged,
    kernel=_pass_on,
    no_gradient="TensorFlow defines none: what is promised to be constant",
)


def guarantee_const(input: Any, name: str | None = None) -> Tensor:
    """The value, promised never to change (TensorFlow: `tf.guarantee_const`).

    Args:
      input: of any shape and dtype.
      name: of the operation.

    Example:
      >>> tf.guarantee_const([1, 2])  # [1, 2]
    """
    return _guarantee_const(input, name=name)
