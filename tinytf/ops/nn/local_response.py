"""Local response normalisation: divided by what neighbouring channels have."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework.array_types import Array
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, merge, with_rank
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.nn.relu import widened

_ATTRS = (
    "depth_radius: int = 5, bias: float = 1.0, alpha: float = 1.0, beta: float = 0.5, "
    "T: {half, bfloat16, float} = DT_FLOAT"
)

# LRN ----------------------------------------------------------------------------------------------

_lrn = define_op("LRN", "input: T -> output: T", _ATTRS, shape=lambda c: with_rank(c.input(0), 4))


def _window_sums(x: Any, radius: int) -> Any:
    """For each channel the sum of those at most `radius` away."""
    ends = np.concatenate([np.zeros((*x.shape[:-1], 1)), np.cumsum(x, -1, dtype=np.float64)], -1)
    depth = x.shape[-1]
    positions = np.arange(depth)
    sums = ends[..., np.minimum(positions + radius + 1, depth)]
    return (sums - ends[..., np.maximum(positions - radius, 0)]).astype(np.float32)


@_lrn.kernel
def _lrn_kernel(
    value: Array, *, depth_radius: int, bias: float, alpha: float, beta: float
) -> Array:
    if value.ndim != 4:
        raise invalid("in must be 4-dimensional")
    x = widened(value)
    norms = np.float32(bias) + np.float32(alpha) * _window_sums(np.square(x), depth_radius)
    return (x * norms ** np.float32(-beta)).astype(value.dtype, copy=False)


@_lrn.gradient
def _lrn_gradient(op: Operation, gradient: Tensor) -> Tensor:
    attrs = {name: op.attrs[name] for name in ("depth_radius", "bias", "alpha", "beta")}
    return _lrn_grad(gradient, op.inputs[0], op.outputs[0], **attrs)


# LRNGrad ------------------------------------------------------------------------------------------

_lrn_grad = define_op(
    "LRNGrad", "input_grads: T, input_image: T, output_image: T -> output: T", _ATTRS
)


@_lrn_grad.shape
def _lrn_grad_shape(c: InferenceContext) -> TensorShape:
    shape = with_rank(c.input(0), 4)
    return merge(merge(shape, with_rank(c.input(1), 4)), with_rank(c.input(2), 4))


@_lrn_grad.kernel
def _lrn_grad_kernel(
    input_grads: Array,
    input_image: Array,
    output_image: Array,
    *,
    depth_radius: int,
    bias: float,
    alpha: float,
    beta: float,
) -> Array:
    if input_grads.ndim != 4 or input_image.ndim != 4:
        raise invalid("inputs must be 4-dimensional")
    if not input_grads.shape == input_image.shape == output_image.shape:
        raise invalid("input_grads, input_image, and out_image should have the same shape")
    dy, x, y = (widened(value) for value in (input_grads, input_image, output_image))
    norms = np.float32(bias) + np.float32(alpha) * _window_sums(np.square(x), depth_radius)
    around = _window_sums(dy * y / norms, depth_radius)
    result = dy * norms ** np.float32(-beta) - np.float32(2 * alpha * beta) * x * around
    return result.astype(input_grads.dtype, copy=False)


# TensorFlow has no gradient for LRNGrad: differentiating twice is an error there and here.


def lrn(
    input: Any,
    depth_radius: int = 5,
    bias: float = 1.0,
    alpha: float = 1.0,
    beta: float = 0.5,
    name: str | None = None,
) -> Tensor:
    """X / (bias + alpha * sum of squares of near channels) ** beta (TensorFlow: `tf.nn.lrn`).

    Args:
      input: of rank 4, float32 or 16-bit floats, the channels last.
      depth_radius: how many channels on each side count.
      bias, alpha, beta: numbers.
      name: of the operation.

    Example:
      >>> tf.nn.lrn([[[[0.0, 1.0, 0.0]]]], depth_radius=1, bias=3.0)  # [[[[0., 0.5, 0.]]]]
    """
    return _lrn(input, name=name, depth_radius=depth_radius, bias=bias, alpha=alpha, beta=beta)
