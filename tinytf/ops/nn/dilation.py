"""Grey dilation and erosion of images: the largest, or smallest, sum of each window."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework.array_types import Array
from tinytf.framework.cancellation import look
from tinytf.framework.errors import UnimplementedError, invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, merge_dimension, with_rank
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.kernels.in_blocks.convolution import inside
from tinytf.ops.array.reverse import reverse
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.math.sign import negative
from tinytf.ops.nn import windows

_ATTRS = (
    "T: realnumbertype, strides: list(int) >= 4, rates: list(int) >= 4, padding: {'SAME', 'VALID'}"
)
Axes = tuple[windows.Axis, windows.Axis]


# Dilation2D ---------------------------------------------------------------------------------------

_dilation = define_op("Dilation2D", "input: T, filter: T -> output: T", _ATTRS)


@_dilation.shape
def _dilation_shape(c: InferenceContext) -> TensorShape:
    sizes = list(with_rank(c.input(0), 4).sizes or (None,) * 4)
    filter = with_rank(c.input(1), 3).sizes or (None,) * 3
    for attr, what in (("strides", "stride"), ("rates", "rates")):
        if len(c.attrs[attr]) != 4:
            raise ValueError(
                f"Dilation2D requires the {what} attribute to contain 4 values, but got: "
                f"{len(c.attrs[attr])}"
            )
    sizes[3] = merge_dimension(sizes[3], filter[2])
    for axis in (1, 2):
        stride, rate = c.attrs["strides"][axis], c.attrs["rates"][axis]
        if stride <= 0:
            raise ValueError(f"Stride must be > 0, but got {stride}")
        size, window = sizes[axis], filter[axis - 1]
        if size is None or window is None:
            sizes[axis] = None
            continue
        sizes[axis] = windows.windowed(size, window, stride, rate, c.attrs["padding"])[0]
        if sizes[axis] < 0:  # type: ignore[operator]
            raise ValueError(
                f"Computed output size would be negative: {sizes[axis]} [input_size: {size}, "
                f"effective_filter_size: {(window - 1) * rate + 1}, stride: {stride}]"
            )
    return TensorShape.of(tuple(sizes))


def _axes(image: Array, filter: Array, attrs: dict[str, Any]) -> Axes:
    """The windows along rows and columns."""
    for name, value, rank in (("input", image, 4), ("filter", filter, 3)):
        if value.ndim != rank:
            raise invalid(f"{name} must be {rank}-dimensional: {shown(value)}")
    for attr, what in (("strides", "Stride"), ("rates", "Rate")):
        if attrs[attr][0] != 1 or attrs[attr][3] != 1:
            raise UnimplementedError(f"{what} is only supported across spatial dimensions.")
    if image.shape[3] != filter.shape[2]:
        raise invalid(
            f"input and filter must have the same depth: {image.shape[3]} vs {filter.shape[2]}"
        )
    rows, columns = (
        windows.axis_of(
            image.shape[axis],
            filter.shape[axis - 1],
            attrs["strides"][axis],
            attrs["rates"][axis],
            attrs["padding"],
        )
        for axis in (1, 2)
    )
    return rows, columns


def _places(axes: Axes) -> Iterator[tuple[tuple[int, int], Any, Any]]:
    """Each place of a window: the pixels of the image that it is on, and in which windows."""
    rows, columns = axes
    for i in range(rows.window):
        for j in range(columns.window):
            look()
            (down, top), (across, left) = inside(rows, i), inside(columns, j)
            yield (i, j), (slice(None), down, across), (slice(None), top, left)


def _largest(image: Array, filter: Array, axes: Axes) -> tuple[Array, Array]:
    """The largest sum of each window, and at which place it is: the first one."""
    rows, columns = axes
    shape = (len(image), rows.count, columns.count, image.shape[3])
    dtype = image.dtype
    integral = dtype.kind in "iu"
    largest = np.full(shape, np.iinfo(dtype).min if integral else -np.inf, dtype)
    where = np.zeros(shape, np.int32)
    for number, (place, pixels, of_windows) in enumerate(_places(axes)):
        sums = image[pixels] + filter[place]
        is_larger = sums > largest[of_windows]
        np.copyto(largest[of_windows], sums, where=is_larger)
        np.copyto(where[of_windows], number, where=is_larger)
    return largest, where


@_dilation.kernel
def _dilation_kernel(input: Array, filter: Array, *, attrs: dict[str, Any]) -> Array:
    return _largest(input, filter, _axes(input, filter, attrs))[0]


@_dilation.gradient
def _dilation_gradient(op: Operation, gradient: Tensor) -> list[Tensor]:
    attrs = {name: op.attrs[name] for name in ("strides", "rates", "padding")}
    return [card(*op.inputs, gradient, **attrs) for card in (_backprop_input, _backprop_filter)]


# Dilation2DBackpropInput, Dilation2DBackpropFilter ------------------------------------------------

_backprop_input = define_op(
    "Dilation2DBackpropInput",
    "input: T, filter: T, out_backprop: T -> in_backprop: T",
    _ATTRS,
    shape=lambda c: c.input(0),
)
_backprop_filter = define_op(
    "Dilation2DBackpropFilter",
    "input: T, filter: T, out_backprop: T -> filter_backprop: T",
    _ATTRS,
    shape=lambda c: c.input(1),
)


def _shares(image: Array, filter: Array, above: Array, attrs: dict[str, Any]) -> Iterator[Any]:
    """Each place of a window, the pixels it is on, and what they have of the gradient."""
    axes = _axes(image, filter, attrs)
    _, where = _largest(image, filter, axes)
    if above.shape != where.shape:
        raise invalid(
            f"out_backprop has incompatible size. It is {shown(above)}, and the result of the "
            f"dilation {shown(where)}."
        )
    for number, (place, pixels, of_windows) in enumerate(_places(axes)):
        yield place, pixels, np.where(where[of_windows] == number, above[of_windows], 0)


@_backprop_input.kernel
def _backprop_input_kernel(
    input: Array, filter: Array, out_backprop: Array, *, attrs: dict[str, Any]
) -> Array:
    result = np.zeros_like(input)
    for _, pixels, shares in _shares(input, filter, out_backprop, attrs):
        result[pixels] += shares
    return result


@_backprop_filter.kernel
def _backprop_filter_kernel(
    input: Array, filter: Array, out_backprop: Array, *, attrs: dict[str, Any]
) -> Array:
    result = np.zeros_like(filter)
    for place, _, shares in _shares(input, filter, out_backprop, attrs):
        result[place] = shares.sum(axis=(0, 1, 2), dtype=filter.dtype)
    return result


# Public functions ---------------------------------------------------------------------------------


def dilation2d(
    input: Any,
    filter: Any = None,
    strides: Any = None,
    rates: Any = None,
    padding: Any = None,
    name: str | None = None,
    filters: Any = None,
    dilations: Any = None,
) -> Tensor:
    """The largest sum of a window and a filter, of each channel (TensorFlow: `tf.nn.dilation2d`).

    Args:
      input: images [batch, rows, columns, channels].
      filter, filters: [rows, columns, channels]: what is added to the pixels of a window.
      strides: from window to window, four numbers.
      rates, dilations: the distance of pixels in a window, four numbers.
      padding: "SAME" or "VALID". What is outside of the image is in no window.
      name: of the operation.

    Raises:
      ValueError: if depths or sizes do not fit.

    Example:
      >>> x, once = tf.constant([1.0, 4.0, 2.0], shape=[1, 1, 3, 1]), [1, 1, 1, 1]
      >>> tf.nn.dilation2d(x, tf.zeros([1, 2, 1]), once, once, "VALID")[0, 0, :, 0]  # [4., 4.]
    """
    filter = ops.deprecated_lookup("filters", filters, "filter", filter)
    rates = ops.deprecated_lookup("dilations", dilations, "rates", rates)
    return _dilation(input, filter, strides=strides, rates=rates, padding=padding, name=name)


def erosion2d(
    value: Any, kernel: Any, strides: Any, rates: Any, padding: Any, name: str | None = None
) -> Tensor:
    """The smallest difference of a window and a kernel (TensorFlow: `tf.nn.erosion2d`).

    Args:
      value: images [batch, rows, columns, channels].
      kernel: [rows, columns, channels]: what is taken from the pixels of a window.
      strides, rates, padding: as for `tf.nn.dilation2d`.
      name: of the operation.

    Raises:
      ValueError: if depths or sizes do not fit.

    Example:
      >>> x, once = tf.constant([1.0, 4.0, 2.0], shape=[1, 1, 3, 1]), [1, 1, 1, 1]
      >>> tf.nn.erosion2d(x, tf.zeros([1, 2, 1]), once, once, "VALID")[0, 0, :, 0]  # [1., 2.]
    """
    with op_scope(name, "erosion2d", (value, kernel)) as scope:
        turned, flipped = negative(value), reverse(kernel, [0, 1])
        return negative(dilation2d(turned, flipped, strides, rates, padding, name=scope))
