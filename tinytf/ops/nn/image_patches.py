"""Patches of images: what windows see, as channels."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.array_types import Array
from tinytf.framework.errors import OutOfRangeError, UnimplementedError, invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, with_rank
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.array.range import range as range_of
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.math.cast import cast
from tinytf.ops.nn import windows
from tinytf.ops.segment.unsorted import unsorted_segment_sum

_extract_image_patches = define_op(
    "ExtractImagePatches",
    "images: T -> patches: T",
    "ksizes: list(int) >= 4, strides: list(int) >= 4, rates: list(int) >= 4",
    "T: {bfloat16, half, float, double, int8, int16, int32, int64, uint8, uint16, uint32, uint64, "
    "complex64, complex128, bool}",
    "padding: {'SAME', 'VALID'}",
)


@_extract_image_patches.shape
def _patches_shape(c: InferenceContext) -> TensorShape:
    attrs = c.attrs
    batch, rows, columns, depth = with_rank(c.input(0), 4).sizes or (None,) * 4
    for name in ("ksizes", "strides", "rates"):
        if len(attrs[name]) != 4:
            raise ValueError(
                f"ExtractImagePatches requires the {name} attribute to contain 4 values, but got: "
                f"{len(attrs[name])}"
            )
    if (stride := min(attrs["strides"][1:3])) <= 0:
        raise ValueError(f"Stride must be > 0, but got {stride}")
    counts: list[int | None] = [None, None]
    if rows is not None and columns is not None:
        ksizes, strides, rates = attrs["ksizes"], attrs["strides"], attrs["rates"]
        counts = [
            windows.static_count(size, ksizes[n], strides[n], rates[n], attrs["padding"])
            for n, size in ((1, rows), (2, columns))
        ]
    if depth is not None:
        depth *= attrs["ksizes"][1] * attrs["ksizes"][2]
    return TensorShape.of((batch, *counts, depth))


@_extract_image_patches.kernel
def _patches_kernel(images: Array, *, attrs: dict[str, Any]) -> Array:
    ksizes, strides, rates = attrs["ksizes"], attrs["strides"], attrs["rates"]
    for name in ("ksizes", "strides", "rates"):
        values = attrs[name]
        if values[0] != 1 or values[3] != 1:
            raise UnimplementedError(f"Only support {name} across space.")
        if min(values) < 1:
            raise OutOfRangeError(f"{name} is out of range: {list(values)}. Each is 1 or more.")
    if images.ndim != 4:
        raise invalid(f"input must be 4-dimensional{shown(images)}")
    rows, columns = (
        windows.axis_of(images.shape[n], ksizes[n], strides[n], rates[n], attrs["padding"])
        for n in (1, 2)
    )
    image = windows.padded(images, rows, columns)
    size = (images.shape[0], rows.count, columns.count, ksizes[1] * ksizes[2], images.shape[3])
    result = np.empty(size, images.dtype)
    for number, (_, _, where) in enumerate(windows.places(rows, columns)):
        result[:, :, :, number] = image[where]
    return result.reshape(*size[:3], -1)


@_extract_image_patches.gradient
def _patches_gradient(op: Operation, gradient: Any) -> Tensor:
    """Every number gets the gradients of all its copies: they are found by numbering pixels."""
    int64 = dtypes.int64
    sizes: Any = ops.unstack(ops.shape(op.inputs[0], out_type=int64))
    batch, rows, columns, depth = sizes
    counts: Any = ops.shape(op.outputs[0], out_type=int64)
    patches = ops.unstack(counts[1:3])
    attrs = {name: op.attrs[name] for name in ("ksizes", "strides", "rates", "padding")}
    pixels = rows * columns
    numbers = ops.reshape(range_of(1, pixels + 1, dtype=dtypes.float32), (1, rows, columns, 1))
    numbered = cast(_extract_image_patches(numbers, **attrs), int64)
    window = attrs["ksizes"][1:3]
    apart = ops.reshape(gradient, (batch, *patches, *window, depth))
    flat = ops.reshape(ops.transpose(apart, (1, 2, 3, 4, 0, 5)), (-1, batch * depth))
    segments: Any = ops.reshape(numbered, [-1])
    total = unsorted_segment_sum(flat, segments - 1, num_segments=pixels)
    return ops.transpose(ops.reshape(total, (rows, columns, batch, depth)), (2, 0, 1, 3))


def extract_image_patches(
    images: Any,
    ksizes: Any = None,
    strides: Any = None,
    rates: Any = None,
    padding: str | None = None,
    name: str | None = None,
    sizes: Any = None,
) -> Tensor:
    """What windows of images see, side by side (TensorFlow: `tf.image.extract_image_patches`).

    Args:
      images: [batch, rows, columns, channels].
      ksizes, sizes: the size of a window, [1, rows, columns, 1].
      strides: from window to window, [1, rows, columns, 1].
      rates: from pixel to pixel in a window, [1, rows, columns, 1].
      padding: "SAME" or "VALID".
      name: of the operation.

    Returns:
      [batch, rows, columns, channels · pixels of a window], one for each window.

    Raises:
      ValueError: if a window does not fit, or for other than four numbers.

    Example:
      >>> x = tf.reshape(tf.range(4), [1, 2, 2, 1])
      >>> tf.image.extract_image_patches(x, [1, 1, 2, 1], [1] * 4, [1] * 4, "VALID")
      ... # [[[[0, 1]], [[2, 3]]]]
    """
    ksizes = ops.deprecated_lookup("sizes", sizes, "ksizes", ksizes)
    return extract_patches(images, ksizes, strides, rates, padding, name)


def extract_patches(
    images: Any, sizes: Any, strides: Any, rates: Any, padding: Any, name: str | None = None
) -> Tensor:
    """`extract_image_patches`, as it is called since 1.14 (TensorFlow: `tf.image.extract_patches`).

    Args:
      images, sizes, strides, rates, padding, name: as for `tf.image.extract_image_patches`.

    Example:
      >>> x = tf.reshape(tf.range(4), [1, 2, 2, 1])
      >>> tf.image.extract_patches(x, [1, 1, 2, 1], [1] * 4, [1] * 4, "VALID")
      ... # [[[[0, 1]], [[2, 3]]]]
    """
    attrs = {"ksizes": sizes, "strides": strides, "rates": rates, "padding": padding}
    return _extract_image_patches(images, name=name, **attrs)
