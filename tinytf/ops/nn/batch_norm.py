"""Batch normalisation in one op: mean, variance, scaling and offset, and its gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, merge_dimension, with_rank
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.array.constant import constant
from tinytf.ops.array.transpose import transpose
from tinytf.ops.base.shape_rules import shown

# Shapes -------------------------------------------------------------------------------------------


def _channel_axis(data_format: bytes) -> int:
    return 1 if data_format.startswith(b"NC") else len(data_format) - 1


def _channels(c: InferenceContext, x: int, first: int, count: int) -> tuple[TensorShape, Any]:
    """The shape of the values, and their number of channels, which the vectors must have."""
    data_format = c.attrs["data_format"]
    shape = with_rank(c.input(x), len(data_format))
    axis = _channel_axis(data_format)
    channels = None if shape.sizes is None else shape.sizes[axis]
    for index in range(first, first + count):
        vector = with_rank(c.input(index), 1).sizes
        channels = merge_dimension(channels, vector[0] if vector else None)
    if shape.sizes is None:
        shape = unknown_shape(len(data_format))
    sizes = list(shape.sizes or ())
    sizes[axis] = channels
    return TensorShape.of(tuple(sizes)), channels


def _forward_shape(c: InferenceContext) -> list[TensorShape]:
    uses_mean = not c.attrs["is_training"] or c.attrs["exponential_avg_factor"] != 1.0
    shape, channels = _channels(c, 0, 1, 4 if uses_mean else 2)
    vector = TensorShape.of((channels,))
    last = [unknown_shape()] if c.output_count == 6 else []
    return [shape, *[vector] * 4, *last]


def _backward_shape(c: InferenceContext) -> list[TensorShape]:
    merged, channels = _channels(c, 0, 2, 3)
    second, channels_of_x = _channels(c, 1, 2, 0)
    channels = merge_dimension(channels, channels_of_x)
    sizes = [b if a is None else a for a, b in zip(merged.sizes or (), second.sizes or ())]
    sizes[_channel_axis(c.attrs["data_format"])] = channels
    vector, nothing = TensorShape.of((channels,)), TensorShape.of((0,))
    return [TensorShape.of(tuple(sizes)), vector, vector, nothing, nothing]


# Kernels ------------------------------------------------------------------------------------------


def _check(
    x: Any, vectors: dict[str, Any], needed: dict[str, Any], data_format: bytes, when: str
) -> None:
    if x.ndim != len(data_format):
        raise invalid(f"input must be 4 or 5-dimensional{shown(x)}")
    channels = x.shape[_channel_axis(data_format)]
    for name, value in vectors.items():
        if value.ndim != 1:
            raise invalid(f"{name} must be 1-dimensional{shown(value)}")
    for name, value in vectors.items():
        if name in needed and len(value) != channels:
            reason = when if name in ("mean", "variance") else ""
            raise invalid(
                f"{reason}{name} must have the same number of elements as the channels of x, got "
                f"{len(value)} and {channels}"
            )


def _along_channels(vector: Any, rank: int, axis: int) -> Any:
    return vector.reshape((-1, *[1] * (rank - 1 - axis)))


def _forward_kernel(
    x: Any, scale: Any, offset: Any, mean: Any, variance: Any, *, attrs: dict[str, Any]
) -> list[Any]:
    data_format, is_training = attrs["data_format"], attrs["is_training"]
    epsilon, exponential_avg_factor = attrs["epsilon"], attrs["exponential_avg_factor"]
    averaged = exponential_avg_factor != 1.0
    vectors = {"scale": scale, "offset": offset, "mean": mean, "variance": variance}
    when = "When exponential_avg_factor != 1, " if is_training else "When is_training=false, "
    needed = vectors if averaged or not is_training else {"scale": scale, "offset": offset}
    _check(x, vectors, needed, data_format, when)
    axis, kind = _channel_axis(data_format), scale.dtype.type
    others = tuple(i for i in range(x.ndim) if i != axis)
    wide = x.astype(np.float32, copy=False)
    if not x.size:
        nan, zero = np.full(x.shape[axis], np.nan, kind), np.zeros(x.shape[axis], kind)
        return [x, nan, nan, zero, zero] if is_training else [x, mean, variance, mean, variance]
    if not is_training:
        new_mean, new_variance, used_mean, used_variance = mean, variance, mean, variance
    else:
        count = x.size // x.shape[axis]
        used_mean = wide.mean(others, dtype=np.float32)
        centred = wide - _along_channels(used_mean, x.ndim, axis)
        used_variance = np.square(centred).mean(others, dtype=np.float32)
        # The estimate for the whole population: one of the samples went into the mean.
        new_mean, new_variance = used_mean, used_variance * kind(count / max(count - 1, 1))
        if averaged:
            new, old = kind(exponential_avg_factor), kind(1 - exponential_avg_factor)
            new_mean = old * mean + new * new_mean
            new_variance = old * variance + new * new_variance
    factor = scale / np.sqrt(used_variance + kind(epsilon))
    factors = [_along_channels(v, x.ndim, axis) for v in (used_mean, factor, offset)]
    y = (wide - factors[0]) * factors[1] + factors[2]
    return [y.astype(x.dtype, copy=False), new_mean, new_variance, used_mean, used_variance]


def _forward_kernel_v3(*inputs: Any, attrs: dict[str, Any]) -> list[Any]:
    # A GPU keeps notes in the last output, which is empty here.
    return [*_forward_kernel(*inputs, attrs=attrs), np.empty(0, inputs[1].dtype)]


def _backward_kernel(
    y_backprop: Any,
    x: Any,
    scale: Any,
    mean: Any,
    variance: Any,
    *unused: Any,
    attrs: dict[str, Any],
) -> list[Any]:
    data_format, is_training = attrs["data_format"], attrs["is_training"]
    if x.shape != y_backprop.shape:
        raise invalid(
            f"x and y_backprop must have same shape, but x has shape {shown(x)} and y_backprop "
            f"has shape {shown(y_backprop)}"
        )
    axis, kind = _channel_axis(data_format), scale.dtype.type
    others = tuple(i for i in range(x.ndim) if i != axis)
    dy = y_backprop.astype(np.float32, copy=False)
    wide = x.astype(np.float32, copy=False)

    def spread(vector: Any) -> Any:
        return _along_channels(vector, x.ndim, axis)

    slope = kind(1) / np.sqrt(variance + kind(attrs["epsilon"]))
    centred = (wide - spread(mean)) * spread(slope)
    of_offset = dy.sum(others, dtype=np.float32)
    of_scale = (dy * centred).sum(others, dtype=np.float32)
    if is_training:  # mean and variance depend on x as well
        count = kind(max(x.size // max(x.shape[axis], 1), 1))
        dy = dy - spread(of_offset / count) - centred * spread(of_scale / count)
    of_x = (dy * spread(scale * slope)).astype(x.dtype, copy=False)
    nothing = np.empty(0, scale.dtype)
    return [of_x, of_scale, of_offset, nothing, nothing]


# Gradients ----------------------------------------------------------------------------------------


def _gradient(card: OpCard, op: Operation, of_y: Any) -> list[Any]:
    x, scale = op.inputs[:2]
    attrs = op.attrs
    data_format = attrs["data_format"]
    reserved = list(op.outputs[3:5]) if attrs["is_training"] else list(op.inputs[3:5])
    turned_back = None
    if not attrs["is_training"] and data_format.startswith(b"NC"):
        rank = len(data_format)
        last = [0, *range(2, rank), 1]
        x, of_y = transpose(x, last), transpose(of_y, last)
        turned_back = [0, rank - 1, *range(1, rank - 1)]
        data_format = b"NHWC" if rank == 4 else b"NDHWC"
    of_x, of_scale, of_offset, _, _ = card(
        of_y,
        x,
        scale,
        *reserved,
        *op.outputs[5:],
        epsilon=attrs["epsilon"],
        data_format=data_format,
        is_training=attrs["is_training"],
    )
    if turned_back is not None:
        of_x = transpose(of_x, turned_back)
    return [of_x, of_scale, of_offset, None, None]


# FusedBatchNorm, V2, V3; FusedBatchNormGrad, V2, V3 -----------------------------------------------

# Version 1 is in float32 alone; 2 takes 16-bit floats; 3 has one more output, and five dimensions.


def _version(
    version: str, kind: str, types: tuple[str, str], data_format: str, kernel: Any
) -> OpCard:
    """The card of a version, and that of its gradient; `types` are the attributes of each."""
    count = 3 if version == "V3" else 2
    reserved = [f"reserve_space_{number}: {kind}" for number in range(1, count + 3)]
    scale = "float" if kind == "U" else kind
    average, training = "exponential_avg_factor: float = 1.0", "is_training: bool = true"
    epsilon, data_format = "epsilon: float = 0.0001", f"data_format: {data_format} = 'NHWC'"
    card = define_op(
        f"FusedBatchNorm{version}",
        f"x: T, scale: {kind}, offset: {kind}, mean: {kind}, variance: {kind} -> y: T, "
        f"batch_mean: {kind}, batch_variance: {kind}, {', '.join(reserved[:count])}",
        *(types[0], epsilon, average, data_format, training),
        shape=_forward_shape,
        kernel=kernel,
    )
    grad = define_op(
        f"FusedBatchNormGrad{version}",
        f"y_backprop: T, x: T, scale: {scale}, {', '.join(reserved[:count])} -> x_backprop: T, "
        f"scale_backprop: {kind}, offset_backprop: {kind}, {', '.join(reserved[count:])}",
        *(types[1], epsilon, data_format, training),
        shape=_backward_shape,
        kernel=_backward_kernel,
    )
    card.gradient(lambda op, of_y, *_: _gradient(grad, op, of_y))
    return card


_FLAT, _DEEP = "{'NHWC', 'NCHW'}", "{'NHWC', 'NCHW', 'NDHWC', 'NCDHW'}"
_U_FLOAT = "T: {half, bfloat16, float}, U: {float}"
_U_ANY = "T: {half, bfloat16, float}, U: {bfloat16, float}"
_version("", "T", ("T: {float}", "T: {float}"), _FLAT, _forward_kernel)
_version("V2", "U", (_U_FLOAT, _U_FLOAT), _FLAT, _forward_kernel)
_v3 = _version("V3", "U", (_U_ANY, _U_FLOAT), _DEEP, _forward_kernel_v3)


def fused_batch_norm(
    x: Any,
    scale: Any,
    offset: Any,
    mean: Any = None,
    variance: Any = None,
    epsilon: float = 0.001,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
    exponential_avg_factor: float = 1.0,
) -> tuple[Tensor, Tensor, Tensor]:
    """Batch normalisation in one op (TensorFlow: `tf.nn.fused_batch_norm`).

    Args:
      x: of rank 4 (5 for "NDHWC" and "NCDHW"), float32 or 16-bit floats.
      scale, offset: vectors of float32, a number for each channel.
      mean, variance: vectors: of the population, used when not training; or the running ones,
        with an `exponential_avg_factor` below 1.
      epsilon: added to the variance.
      data_format: "NHWC" if the channels come last, "NCHW" if they come second.
      is_training: whether to normalise by mean and variance of this batch.
      name: of the operation.
      exponential_avg_factor: the weight of this batch in the running mean and variance.

    Returns:
      the normalised x, the mean and the variance: of the batch, or the new running ones.

    Raises:
      ValueError: without mean and variance where they are needed, or if shapes do not fit.

    Example:
      >>> x = tf.constant([[[[1.0]]], [[[3.0]]]])
      >>> y, mean, variance = tf.nn.fused_batch_norm(x, [1.0], [0.0])
      >>> mean, variance  # [2.], [2.]
    """
    if (not is_training or exponential_avg_factor != 1.0) and (mean is None or variance is None):
        raise ValueError(
            f"Both `mean` and `variance` must be a 1D tensor when `is_training` is False or "
            f"`exponential_avg_factor` != 1.0. Received: `mean` {mean!r} and `variance` "
            f"{variance!r}"
        )
    x = convert_to_tensor(x, name="input")
    scale = convert_to_tensor(scale, name="scale")
    offset = convert_to_tensor(offset, name="offset")
    mean = constant([]) if mean is None else mean
    variance = constant([]) if variance is None else variance
    outputs = _v3(
        x,
        scale,
        offset,
        mean,
        variance,
        name=name,
        epsilon=epsilon,
        exponential_avg_factor=exponential_avg_factor,
        data_format=data_format,
        is_training=is_training,
    )
    return outputs[0], outputs[1], outputs[2]
