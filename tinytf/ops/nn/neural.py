"""Layers of a neural network that are ops: bias_add, l2_loss, xw_plus_b, dropout."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.random_seed import get_seed
from tinytf.framework.shape_inference import (
    InferenceContext,
    is_scalar,
    merge_dimension,
    with_rank,
    with_rank_at_least,
)
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, as_shape, unknown_shape
from tinytf.ops.array.concat import concat
from tinytf.ops.array.constant import constant
from tinytf.ops.array.fill import ones_like
from tinytf.ops.array.shape import deprecated_lookup, reshape, shape
from tinytf.ops.array.slice import getitem
from tinytf.ops.array.transpose import tile
from tinytf.ops.array.where import where_v2
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.linalg.matmul import matmul
from tinytf.ops.math.arithmetic import multiply, subtract
from tinytf.ops.math.comparison import greater_equal
from tinytf.ops.math.division import realdiv
from tinytf.ops.nn.relu import relu, widened
from tinytf.ops.random.basic import random_uniform

_FORMAT = "data_format: {'NHWC', 'NCHW'} = 'NHWC'"

# BiasAdd ------------------------------------------------------------------------------------------

_bias_add = define_op("BiasAdd", "value: T, bias: T -> output: T", "T: numbertype", _FORMAT)


def _channel_axis(rank: int, data_format: bytes) -> int:
    return 1 if data_format == b"NCHW" else rank - 1


@_bias_add.shape
def _bias_add_shape(c: InferenceContext) -> TensorShape:
    data_format = c.attrs["data_format"]
    value = with_rank_at_least(c.input(0), 3 if data_format == b"NCHW" else 2).sizes
    bias = with_rank(c.input(1), 1).sizes or (None,)
    if value is None:
        return unknown_shape()
    axis = _channel_axis(len(value), data_format)
    size = merge_dimension(value[axis], bias[0])
    return TensorShape.of((*value[:axis], size, *value[axis + 1 :]))


@_bias_add.kernel
def _bias_add_kernel(value: Any, bias: Any, out: Any = None, *, data_format: bytes) -> Any:
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
    return np.add(value, bias, out=out)


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
def _bias_add_grad_shape(c: InferenceContext) -> TensorShape:
    data_format = c.attrs["data_format"]
    source = with_rank_at_least(c.input(0), 3 if data_format == b"NCHW" else 2).sizes
    if source is None:
        return unknown_shape(1)
    return TensorShape.of((source[_channel_axis(len(source), data_format)],))


@_bias_add_grad.kernel
def _bias_add_grad_kernel(gradient: Any, *, data_format: bytes) -> Any:
    if gradient.ndim < 2:
        raise invalid(f"Input tensor must be at least 2D: {shown(gradient)}")
    axis = _channel_axis(gradient.ndim, data_format)
    others = tuple(i for i in range(gradient.ndim) if i != axis)
    wide = widened(gradient)
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

_l2_loss = define_op(
    "L2Loss", "t: T -> output: T", "T: {half, bfloat16, float, double}", shape=is_scalar
)


@_l2_loss.kernel
def _l2_loss_kernel(t: Any) -> Any:
    flat = widened(t).reshape(-1)
    return t.dtype.type(np.dot(flat, flat) / flat.dtype.type(2))


@_l2_loss.gradient
def _l2_loss_gradient(op: Operation, gradient: Tensor) -> Tensor:
    return multiply(op.inputs[0], gradient, name="mul")


def l2_loss(t: Any, name: str | None = None) -> Tensor:
    """sum(t ** 2) / 2 (TensorFlow: `tf.nn.l2_loss`).

    Args:
      t: floating-point numbers of any shape.
      name: of the operation.

    Example:
      >>> tf.nn.l2_loss([3.0, 4.0])  # 12.5
    """
    return _l2_loss(t, name=name)


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


def dropout(
    x: Any, keep_prob: Any = None, noise_shape: Any = None, seed: int | None = None,
    name: str | None = None, rate: Any = None,
) -> Tensor:  # fmt: skip
    """Some elements of `x` set to 0, the others scaled up to make up for it.

    TensorFlow: `tf.nn.dropout` of version 1. What is 0 changes with every run.

    Args:
      x: floating-point numbers of any shape.
      keep_prob: the old way to say 1 - rate.
      noise_shape: where it has a 1, all elements along that dimension live or die together.
      seed: of the random numbers; see `tf.set_random_seed`.
      name: of the operation.
      rate: the probability of a 0, a number or scalar tensor from 0 up to but not including 1.

    Raises:
      ValueError: for a wrong rate, both or none of `rate` and `keep_prob`, integers.

    Example:
      >>> y = tf.nn.dropout(tf.ones([100]), rate=0.5)
      >>> np.unique(y.eval())  # [0., 2.]
    """
    rate = deprecated_lookup("rate", rate, "keep_prob", _rate_of(keep_prob))
    if rate is None:
        raise ValueError(f"`rate` must be provided. Received: rate={rate}")
    is_number = isinstance(rate, numbers.Real)
    if not is_number and not isinstance(rate, Tensor):
        raise ValueError(f"`rate` must be a scalar or scalar tensor. Received: rate={rate}")
    if is_number and not 0 <= rate < 1:
        raise ValueError(
            f"`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate={rate}"
        )
    with op_scope(name, "dropout", (x,)):
        x = convert_to_tensor(x, name="x")
        if not x.dtype.is_floating:
            raise ValueError(
                f"`x.dtype` must be a floating point tensor as `x` will be scaled. Received: "
                f"x_dtype={x.dtype}"
            )
        if is_number and rate == 0:
            get_seed(seed)  # later ops get the seeds they would have got
            return x
        return _drop(x, rate, noise_shape, seed)


def _rate_of(keep_prob: Any) -> Any:
    if keep_prob is None:
        return None
    try:
        return 1.0 - (float(keep_prob) if isinstance(keep_prob, numbers.Real) else keep_prob)
    except TypeError:
        raise ValueError(
            f"`keep_prob` must be a floating point number or Tensor. Received: "
            f"keep_prob={keep_prob}"
        ) from None


def _drop(x: Tensor, rate: Any, noise_shape: Any, seed: int | None) -> Tensor:
    if isinstance(rate, Tensor):
        rate.shape.assert_has_rank(0)
        if rate.dtype != x.dtype:
            raise ValueError(
                f"`x.dtype` must be compatible with `rate.dtype`. Received: x.dtype={x.dtype} and "
                f"rate.dtype={rate.dtype}. Convert it: tf.cast(..., tf.{x.dtype.name})."
            )
        scaled = realdiv(x, subtract(constant(1, x.dtype), rate))
    else:
        scaled = multiply(x, convert_to_tensor(1 / (1 - rate), dtype=x.dtype))
    noise = random_uniform(_noise_shape(x, noise_shape), seed=seed, dtype=x.dtype)
    kept = greater_equal(noise, rate)
    result = where_v2(kept, scaled, constant(0, x.dtype))
    result.set_shape(x.shape)
    return result


def _noise_shape(x: Tensor, noise_shape: Any) -> Any:
    if noise_shape is None:
        return shape(x)
    try:
        given = as_shape(noise_shape).sizes
    except (TypeError, ValueError):
        return noise_shape  # a tensor
    sizes = x.shape.sizes
    if given is None or sizes is None or len(given) != len(sizes):
        return noise_shape
    return TensorShape(tuple(b if a is None else a for a, b in zip(given, sizes)))
