"""Windows that slide over images: sizes, padding, and what convolution and pooling share.

Kernels compute with the channels last. The elements at one place of all windows together are a
strided slice of the padded image: a loop over the few places of a window does the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tinytf.framework.cancellation import look
from tinytf.framework.errors import OpError, UnimplementedError, invalid

Explicit = tuple[int, int] | None


@dataclass(frozen=True)
class Axis:
    """Windows along one dimension.

    Attributes:
      size: of the image. window: places in a window. stride: from window to window.
      dilation: from place to place in a window. before, after: padding. count: of windows.
    """

    size: int
    window: int
    stride: int
    dilation: int
    before: int
    after: int
    count: int

    def places(self, place: int) -> slice:
        """Where this place of all windows is in the padded image."""
        start = place * self.dilation
        return slice(start, start + (self.count - 1) * self.stride + 1, self.stride)


def windowed(
    size: int, window: int, stride: int, dilation: int, padding: bytes, explicit: Explicit = None
) -> tuple[int, int, int]:
    """How many windows there are, and the padding before and after; the count may be negative."""
    reach = (window - 1) * dilation + 1
    if padding == b"SAME":
        count = -(-size // stride)
        needed = max((count - 1) * stride + reach - size, 0)
        return count, needed // 2, needed - needed // 2
    before, after = explicit if padding == b"EXPLICIT" and explicit else (0, 0)
    return (size + before + after - reach + stride) // stride, before, after


def static_count(
    size: int | None,
    window: int | None,
    stride: int,
    dilation: int,
    padding: bytes,
    explicit: Explicit = None,
) -> int | None:
    """The number of windows while the graph is built, None if it is not known.

    Raises:
      ValueError: "Negative dimension size caused by subtracting 3 from 2".
    """
    if size is None or (window is None and padding != b"SAME"):
        return None
    window = 1 if window is None else window
    reach = (window - 1) * dilation + 1
    total = size + (sum(explicit) if padding == b"EXPLICIT" and explicit else 0)
    if padding != b"SAME" and total < reach:
        raise ValueError(f"Negative dimension size caused by subtracting {reach} from {total}")
    return windowed(size, window, stride, dilation, padding, explicit)[0]


def axis_of(
    size: int, window: int, stride: int, dilation: int, padding: bytes, explicit: Explicit = None
) -> Axis:
    """The windows along a dimension; InvalidArgumentError if not even one fits."""
    count, before, after = windowed(size, window, stride, dilation, padding, explicit)
    if count < 0:
        reach = (window - 1) * dilation + 1
        raise invalid(
            f"Computed output size would be negative: {count} [input_size: {size}, "
            f"effective_filter_size: {reach}, stride: {stride}]"
        )
    return Axis(size, window, stride, dilation, before, after, count)


def spatial_axes(data_format: bytes) -> Any:
    """Where rows and columns are, a tuple: also in strides, window sizes and dilations."""
    rank = len(data_format)
    return tuple(range(2, rank)) if data_format[:2] == b"NC" else tuple(range(1, rank - 1))


def channel_axis(data_format: bytes) -> int:
    """Where the channels are."""
    return data_format.index(b"C")


def explicit_of(explicit_paddings: Any, axis: int) -> Explicit:
    """The padding of one dimension in the flat list that nodes have."""
    if not explicit_paddings:
        return None
    return explicit_paddings[2 * axis], explicit_paddings[2 * axis + 1]


def channels_last(value: Any, data_format: bytes) -> Any:
    """The image as NHWC (a view), the volume as NDHWC."""
    return np.moveaxis(value, 1, -1) if data_format[:2] == b"NC" else value


def as_format(value: Any, data_format: bytes) -> Any:
    """An NHWC image, or NDHWC volume, in the node's format (a view)."""
    return np.moveaxis(value, -1, 1) if data_format[:2] == b"NC" else value


def padded(image: Any, rows: Axis, columns: Axis, value: Any = 0) -> Any:
    """The image with its padding around it (itself, if there is none)."""
    if not (rows.before or rows.after or columns.before or columns.after):
        return image
    widths = [(0, 0), (rows.before, rows.after), (columns.before, columns.after), (0, 0)]
    return np.pad(image, widths, constant_values=value)


def places(rows: Axis, columns: Axis) -> Iterator[tuple[int, int, Any]]:
    """Each place of a window: its row, its column, its slice of the padded image."""
    for i in range(rows.window):
        for j in range(columns.window):
            look()
            yield i, j, (slice(None), rows.places(i), columns.places(j))


def without_padding(image: Any, rows: Axis, columns: Axis) -> Any:
    """The image inside its padding."""
    return image[
        :, rows.before : rows.before + rows.size, columns.before : columns.before + columns.size
    ]


def empty_padded(shape: Any, rows: Axis, columns: Axis, dtype: Any, zeros: bool = True) -> Any:
    """Zeros for an image [batch, ..., channels] and its padding, large enough for all windows.

    Args:
      zeros: False if all of them will be written over.
    """
    height = max(rows.size + rows.before + rows.after, _end(rows))
    width = max(columns.size + columns.before + columns.after, _end(columns))
    return (np.zeros if zeros else np.empty)((shape[0], height, width, shape[3]), dtype)


def _end(axis: Axis) -> int:
    return (axis.count - 1) * axis.stride + (axis.window - 1) * axis.dilation + 1


def check_only_spatial(
    values: Any, data_format: bytes, message: str, error: type[OpError] = UnimplementedError
) -> None:
    """An error unless batch and channels have a 1."""
    if values[0] != 1 or values[channel_axis(data_format)] != 1:
        raise error(message)


def sequence(value: Any, channel: int, name: str, spatial: int = 2) -> list[int]:
    """Strides and sizes as people write them: a number, one for each dimension, or all.

    Args:
      channel: where the channels are: 1, or behind the spatial dimensions.
      spatial: how many dimensions there are beside batch and channels.

    Raises:
      ValueError: for another length.
    """
    if value is None:
        return [1] * (spatial + 2)
    items = list(value) if hasattr(value, "__len__") else [value]
    if len(items) == spatial + 2:
        return items
    if len(items) == 1:
        items = items * spatial
    elif len(items) != spatial:
        raise ValueError(
            f"{name} should be of length 1, {spatial} or {spatial + 2}. Received: {name}={items} "
            f"of length {len(items)}"
        )
    return [1, 1, *items] if channel == 1 else [1, *items, 1]


def paddings(padding: Any, count: int = 4) -> tuple[Any, list[int]]:
    """The attributes `padding` and `explicit_paddings` of what people write.

    Args:
      count: of pairs.

    Raises:
      ValueError: for a list that is not one of so many pairs.
    """
    if isinstance(padding, str) and padding == "EXPLICIT":
        raise ValueError(
            "'EXPLICIT' is not a valid value for `padding`. To use explicit padding, `padding` "
            "must be a list."
        )
    if not isinstance(padding, list | tuple):
        return padding, []
    start = (
        f"When `padding` is a list, each element of `padding` must be a list/tuple of size 2. "
        f"Received: padding={padding} with element at index "
    )
    for index, pair in enumerate(padding):
        if not isinstance(pair, list | tuple):
            raise ValueError(f"{start}{index} of type {type(pair)}")
        if len(pair) != 2:
            raise ValueError(f"{start}{index} of size {len(pair)}")
    if len(padding) != count:
        raise ValueError(
            f"When padding is a list, it must be of size {count}. Received: padding={padding} of "
            f"size {len(padding)}"
        )
    return "EXPLICIT", [number for pair in padding for number in pair]
