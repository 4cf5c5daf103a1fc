"""Pooling that says where the largest number of each window was."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.array_types import Array
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, with_rank
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.nn import pooling, windows

_PADDING = "padding: {'SAME', 'VALID'}, include_batch_in_index: bool = false"

# MaxPoolWithArgmax --------------------------------------------------------------------------------

_max_pool_with_argmax = define_op(
    "MaxPoolWithArgmax",
    "input: T -> output: T, argmax: Targmax",
    f"{pooling.SIZES}, Targmax: {{int32, int64}} = DT_INT64, {_PADDING}",
    "T: realnumbertype",
)


@_max_pool_with_argmax.shape
def _max_pool_with_argmax_shape(c: InferenceContext) -> list[TensorShape]:
    return [pooling.pooled_shape(c, b"NHWC")] * 2


@_max_pool_with_argmax.kernel
def _max_pool_with_argmax_kernel(input: Array, *, attrs: dict[str, Any]) -> list[Array]:
    rows, columns = pooling.axes(input.shape, {**attrs, "data_format": b"NHWC"})
    image = windows.padded(input, rows, columns, pooling.lowest(input.dtype))
    places = _padded_places(input.shape, rows, columns, attrs["include_batch_in_index"])
    largest: Any = None
    for _, _, where in windows.places(rows, columns):
        if largest is None:
            largest, place = image[where].copy(), places[where].copy()
            continue
        # The first place that counts: places in the padding do not.
        better = (places[where] >= 0) & ((image[where] > largest) | (place < 0))
        largest[better] = image[where][better]
        place[better] = places[where][better]
    return [largest, place.astype(dtypes.as_dtype(attrs["Targmax"]).as_numpy_dtype)]


def _padded_places(shape: Any, rows: windows.Axis, columns: windows.Axis, whole: bool) -> Array:
    """The number of each pixel and channel, of its image or of all; -1 in the padding."""
    size = int(np.prod(shape[1:]))
    count = np.arange(size).reshape(1, *shape[1:])
    numbers = np.broadcast_to(count, shape)
    if whole:
        numbers = numbers + np.arange(shape[0]).reshape(-1, 1, 1, 1) * size
    return windows.padded(numbers, rows, columns, -1)


@_max_pool_with_argmax.gradient
def _max_pool_with_argmax_gradient(op: Operation, gradient: Tensor, _: Any) -> Tensor:
    names = ("ksize", "strides", "padding", "include_batch_in_index")
    attrs = {name: op.attrs[name] for name in names}
    return _max_pool_grad_with_argmax(op.inputs[0], gradient, op.outputs[1], **attrs)


# MaxPoolGradWithArgmax ----------------------------------------------------------------------------

_max_pool_grad_with_argmax = define_op(
    "MaxPoolGradWithArgmax",
    "input: T, grad: T, argmax: Targmax -> output: T",
    f"{pooling.SIZES}, {_PADDING}, Targmax: {{int32, int64}}",
    "T: realnumbertype",
    shape=lambda c: with_rank(c.input(0), 4),
)
# TensorFlow has no gradient for it: differentiating twice is an error there and here.


@_max_pool_grad_with_argmax.kernel
def _max_pool_grad_with_argmax_kernel(
    input: Array, grad: Array, argmax: Array, *, attrs: dict[str, Any]
) -> Array:
    rows, columns = pooling.axes(input.shape, {**attrs, "data_format": b"NHWC"})
    sizes = (input.shape[0], rows.count, columns.count, input.shape[3])
    for name, value in (("grad", grad), ("argmax", argmax)):
        if value.shape != sizes:
            raise invalid(
                f"Expected {name} shape to be [{','.join(map(str, sizes))}], but got {shown(value)}"
            )
    places = argmax.astype(np.int64)
    if not attrs["include_batch_in_index"]:
        places += np.arange(len(places)).reshape(-1, 1, 1, 1) * int(np.prod(input.shape[1:]))
    if places.size and not 0 <= places.min() <= places.max() < input.size:
        raise invalid(
            f"Invalid output gradient index: places are from {places.min()} to {places.max()}, but "
            f"the input has {input.size} numbers"
        )
    result = np.zeros(input.size, grad.dtype)
    np.add.at(result, places.reshape(-1), grad.reshape(-1))
    return result.reshape(input.shape)


def max_pool_with_argmax(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
    Targmax: Any = None,
    name: str | None = None,
    output_dtype: Any = None,
    include_batch_in_index: bool = False,
) -> tuple[Tensor, Tensor]:
    """The largest number of each window, and its place (TensorFlow: `tf.nn.max_pool_with_argmax`).

    Args:
      input: images [batch, rows, columns, channels].
      ksize, strides: the size of a window, and from window to window: four numbers each.
      padding: "SAME" or "VALID".
      data_format: "NHWC".
      Targmax, output_dtype: int64 or int32, of the places.
      name: of the operation.
      include_batch_in_index: whether places count on from image to image.

    Returns:
      the numbers, and where they are: (row · columns + column) · channels + channel.

    Raises:
      ValueError: for another data format; if a window does not fit.

    Example:
      >>> x = tf.constant([[[[1.0], [2.0]], [[4.0], [3.0]]]])
      >>> tf.nn.max_pool_with_argmax(x, [1, 2, 2, 1], [1, 1, 1, 1], "VALID")
      ... # ([[[[4.]]]], [[[[2]]]])
    """
    if data_format != "NHWC":
        raise ValueError(
            "`data_format` values other  than 'NHWC' are not supported. Received: "
            f"data_format={data_format}. Use tf.transpose before."
        )
    dtype = ops.deprecated_lookup("output_dtype", output_dtype, "Targmax", Targmax)
    attrs = {"ksize": ksize, "strides": strides, "padding": padding}
    attrs |= {"include_batch_in_index": include_batch_in_index, "Targmax": dtype or dtypes.int64}
    result: tuple[Tensor, Tensor] = _max_pool_with_argmax(input, name=name, **attrs)
    return result
