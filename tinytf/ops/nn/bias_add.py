"""A bias for each channel: bias_add, and the layers that have one: xw_plus_b, relu_layer."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tinytf.framework import shape_inference
from tinytf.framework.array_types import Array
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.array.concat import concat
from tinytf.ops.array.fill import ones_like
from tinytf.ops.array.reshape import reshape
from tinytf.ops.array.shape import shape
from tinytf.ops.array.slice import getitem
from tinytf.ops.array.tile import tile
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.linalg.matmul import matmul
from tinytf.ops.nn.relu import relu, widened

_FORMAT = "data_format: {'NHWC', 'NCHW'} = 'NHWC'"

# BiasAdd ------------------------------------------------------------------------------------------

_bias_add = define_op("BiasAdd", "value: T, bias: T -> output: T", "T: numbertype", _FORMAT)


#: Rows of fewer numbers are taken several at a time: see `_row_width`.
_WIDE = 256


def _channel_axis(rank: int, data_format: bytes) -> int:
    return 1 if data_format == b"NCHW" else rank - 1


@_bias_add.shape
def _bias_add_shape(c: shape_inference.InferenceContext) -> TensorShape:
    data_format = c.attrs["data_format"]
    value = shape_inference.with_rank_at_least(c.input(0), 3 if data_format == b"NCHW" else 2).sizes
    bias = shape_inference.with_rank(c.input(1), 1).sizes or (None,)
    if value is None:
        return unknown_shape()
    axis = _channel_axis(len(value), data_format)
    size = shape_inference.merge_dimension(value[axis], bias[0])
    return TensorShape.of((*value[:axis], size, *value[axis + 1 :]))


@_bias_add.kernel
def _bias_add_kernel(value: Array, bias: Array, out: Array = None, *, data_format: bytes) -> Array:
    if value.ndim < 2:
        raise invalid(f"Input tensor must be at least 2D: {shown(value)}")
    if bias.ndim != 1:
        raise invalid(f"Biases must be 1D: {shown(bias)}")
    axis = _channel_axis(value.ndim, data_format)
    if value.shape[axis] != len(bias):
        raise invalid(
            f"Must provide as many biases as the last dimension of the input tensor: "
            f"{shown(bias)} vs. {shown(value)}"
        )
    if axis != value.ndim - 1:
        bias = bias.reshape(-1, *[1] * (value.ndim - 1 - axis))
    elif (width := _row_width(value)) and (out is None or out.flags.c_contiguous):
        target = np.empty(value.shape, value.dtype) if out is None else out
        rows = value.reshape(-1, width)
        np.add(rows, np.tile(bias, width // len(bias)), out=target.reshape(-1, width))
        return target
    return np.add(value, bias, out=out)


def _row_width(value: Array) -> int:
    """Of few channels that come last: how many numbers one row has if several are taken as one.

    numpy takes rows one by one, and one of 16 numbers takes it as long as one of 100. 0 if nothing
    is gained; a card (whose arrays are no np.ndarray) takes all numbers at once.
    """
    if type(value) is not np.ndarray or not value.flags.c_contiguous or not value.size:
        return 0
    channels = value.shape[-1]
    together = math.gcd(value.size // channels, max(1, _WIDE // channels))
    return together * channels if together > 1 else 0


@_bias_add.gradient
def _bias_add_gradient(op: Operation, gradient: Tensor) -> list[Tensor]:
    return [gradient, _bias_add_grad(gradient, data_format=op.attrs["data_format"])]


def bias_add(
    value: Any, bias: Any, data_format: str | None = None, name: str | None = None
) -> Tensor:
    """A vector added to every position of the channels (TensorFlow: `tf.nn.bias_add`).

    Unlike `add`, it takes nothing but a vector with one number for each channel.

    Args:
      value: numbers, of rank 2 or more.
      bias: a vector of the same dtype.
      data_format: "N...C" (the channels come last, the default) or "NC..." (they come second).
      name: of the operation.

    Raises:
      ValueError, InvalidArgumentError: if the sizes do not fit.

    Example:
      >>> tf.nn.bias_add([[1.0, 2.0], [3.0, 4.0]], [10.0, 20.0])  # [[11., 22.], [13., 24.]]
    """
    channels = None
    if data_format is not None:
        if data_format.startswith("NC"):
            channels = "NCHW"
        elif data_format.startswith("N") and data_format.endswith("C"):
            channels = "NHWC"
        else:
            raise ValueError(
                f"`data_format` must be of the form `N...C` or `NC...`. Received: "
                f"data_format={data_format}"
            )
    if isinstance(value, Tensor) and isinstance(bias, Tensor):
        return _bias_add(value, bias, name=name, data_format=channels)
    with op_scope(name, "BiasAdd", (value, bias)) as scope:
        value = convert_to_tensor(value, name="input")
        bias = convert_to_tensor(bias, dtype=value.dtype, name="bias")
        return _bias_add(value, bias, name=scope, data_format=channels)


# BiasAddGrad --------------------------------------------------------------------------------------

_bias_add_grad = define_op("BiasAddGrad", "out_backprop: T -> output: T", "T: numbertype", _FORMAT)


@_bias_add_grad.shape
def _bias_add_grad_shape(c: shape_inference.InferenceContext) -> TensorShape:
    data_format = c.attrs["data_format"]
    source = shape_inference.with_rank_at_least(
        c.input(0), 3 if data_format == b"NCHW" else 2
    ).sizes
    if source is None:
        return unknown_shape(1)
    return TensorShape.of((source[_channel_axis(len(source), data_format)],))


@_bias_add_grad.kernel
def _bias_add_grad_kernel(gradient: Array, *, data_format: bytes) -> Array:
    if gradient.ndim < 2:
        raise invalid(f"Input tensor must be at least 2D: {shown(gradient)}")
    axis = _channel_axis(gradient.ndim, data_format)
    others = tuple(i for i in range(gradient.ndim) if i != axis)
    wide = widened(gradient)
    if axis == gradient.ndim - 1 and (width := _row_width(wide)):
        wide = wide.reshape(-1, width).sum(0, dtype=wide.dtype).reshape(-1, gradient.shape[axis])
        others = (0,)
    return wide.sum(others, dtype=wide.dtype).astype(gradient.dtype, copy=False)


@_bias_add_grad.gradient
def _bias_add_grad_gradient(op: Operation, gradient: Tensor) -> Tensor:
    sizes, channels = shape(op.inputs[0]), shape(gradient)
    if op.attrs["data_format"] == b"NCHW":
        before, after = slice(None, 1), slice(2, None)
        ones = ones_like(getitem(sizes, before)), ones_like(getitem(sizes, after))
        expanded = concat([ones[0], channels, ones[1]], 0)
        multiples = concat([getitem(sizes, before), [1], getitem(sizes, after)], 0)
    else:
        before = slice(None, -1)
        expanded = concat([ones_like(getitem(sizes, before)), channels], 0)
        multiples = concat([getitem(sizes, before), [1]], 0)
    return tile(reshape(gradient, expanded), multiples)


# L2Loss -------------------------------------------------------------------------------------------


def xw_plus_b(x: Any, weights: Any, biases: Any, name: str | None = None) -> Tensor:
    """matmul(x, weights) + biases: a linear layer (TensorFlow: `tf.nn.xw_plus_b`).

    Args:
      x: of shape (batch, inputs). weights: (inputs, units). biases: (units,).
      name: of the operation.

    Example:
      >>> tf.nn.xw_plus_b([[1.0, 2.0]], [[3.0], [4.0]], [0.5])  # [[11.5]]
    """
    with op_scope(name, "xw_plus_b", (x, weights, biases)) as scope:
        return _linear(x, weights, biases, scope)


def relu_layer(x: Any, weights: Any, biases: Any, name: str | None = None) -> Tensor:
    """relu(matmul(x, weights) + biases) (TensorFlow: `tf.nn.relu_layer`).

    Args:
      x: of shape (batch, inputs). weights: (inputs, units). biases: (units,).
      name: of the operation.

    Example:
      >>> tf.nn.relu_layer([[1.0, 2.0]], [[3.0], [-4.0]], [0.5])  # [[0.]]
    """
    with op_scope(name, "relu_layer", (x, weights, biases)) as scope:
        return relu(_linear(x, weights, biases, None), name=scope)


def _linear(x: Any, weights: Any, biases: Any, name: str | None) -> Tensor:
    x = convert_to_tensor(x, name="x")
    weights = convert_to_tensor(weights, name="weights")
    biases = convert_to_tensor(biases, name="biases")
    return bias_add(matmul(x, weights), biases, name=name)
