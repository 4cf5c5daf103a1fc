"""Depthwise convolutions and their gradients, block by block and place by place of a window.

Each channel is by itself, so there is no product of matrices to make of it: for each place of a
window, a block of the image times the filter's row of weights, in a core's cache. The columns that
a place sees are side by side in memory, so columns and channels are one run of numbers: where
windows move on by more than a pixel, every `stride`th column is laid beside the next first.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tinytf.framework.array_types import Array
from tinytf.framework.cancellation import look
from tinytf.kernels.in_blocks.convolution import Run, in_order
from tinytf.kernels.in_blocks.window_matrices import Block, cut, scratch
from tinytf.ops.nn.windows import Axis

Place = tuple[int, int]


def convolution(
    image: Array, weights: Array, rows: Axis, columns: Axis, run: Run = in_order
) -> Array:
    """The weighted sums of all windows, of each channel by itself.

    Args:
      image: [batch, rows, columns, channels], in any order in memory.
      weights: [window rows, window columns, channels, outputs of each], of the type to compute in.
      rows, columns: the windows along both.
      run: shares the blocks among threads.

    Returns:
      [batch, rows.count, columns.count, channels * outputs], of the weights' type.
    """
    channels, outputs = weights.shape[2:]
    shape = (len(image), rows.count, columns.count, channels, outputs)
    if 0 in shape or not weights.size:
        return np.zeros((*shape[:3], channels * outputs), weights.dtype)
    seen = _Seen(image, rows, columns, weights.dtype)
    result = np.empty(shape, weights.dtype)
    tiled = np.repeat(weights.transpose(0, 1, 3, 2)[:, :, :, None], columns.count, axis=3)
    blocks = _blocks(shape, weights.dtype)

    def work(index: int) -> None:
        look()
        first, last, top, bottom = blocks[index]
        target = result[first:last, top:bottom]
        for output in range(outputs):
            sums = target[..., 0]
            if outputs > 1:
                sums = scratch("sums", sums.shape, sums.dtype)
            more = scratch("more", sums.shape, sums.dtype)
            for number, place in enumerate(seen.places):
                into = more if number else sums
                np.multiply(seen.block(blocks[index], place), tiled[*place, output], out=into)
                if number:
                    np.add(sums, more, out=sums)
            if outputs > 1:
                target[..., output] = sums

    run(len(blocks), work)
    return result.reshape(*shape[:3], channels * outputs)


def filter_gradient(
    image: Array, above: Array, rows: Axis, columns: Axis, run: Run = in_order
) -> Array:
    """What each weight's sum over all windows is, weighted by the gradient of their results.

    Args:
      image: [batch, rows, columns, channels], in any order in memory.
      above: [batch, rows.count, columns.count, channels * outputs], of the type to compute in.
      rows, columns, run: as for `convolution`.

    Returns:
      [window rows, window columns, channels, outputs of each], of the type of `above`.
    """
    channels = image.shape[3]
    outputs = above.shape[3] // max(channels, 1)
    shape = (rows.window, columns.window, outputs, channels)
    if not above.size or 0 in shape:
        return np.zeros((*shape[:2], channels, outputs), above.dtype)
    seen = _Seen(image, rows, columns, above.dtype)
    blocks = _blocks((*above.shape[:3], channels), above.dtype)
    each = np.empty((len(blocks), *shape), above.dtype)

    def work(index: int) -> None:
        look()
        first, last, top, bottom = blocks[index]
        for output in range(outputs):
            gradient = np.ascontiguousarray(above[first:last, top:bottom, :, output::outputs])
            shares = scratch("more", gradient.shape, gradient.dtype)
            ones = np.ones(gradient.size // channels, gradient.dtype)
            for place in seen.places:
                np.multiply(seen.block(blocks[index], place), gradient, out=shares)
                np.dot(ones, shares.reshape(-1, channels), out=each[index, *place, output])

    run(len(blocks), work)
    return np.add.reduce(each, axis=0).transpose(0, 1, 3, 2)


def input_gradient(
    above: Array, weights: Array, rows: Axis, columns: Axis, run: Run = in_order
) -> Array:
    """What each pixel has of the gradients of all windows that it is in.

    Args:
      above: [batch, rows.count, columns.count, channels * outputs], in any order in memory.
      weights, rows, columns, run: as for `convolution`.

    Returns:
      [batch, rows.size, columns.size, channels], of the weights' type.
    """
    channels, outputs = weights.shape[2:]
    shape = (len(above), rows.size, columns.size, channels)
    if 0 in shape or not weights.size or not above.size:
        return np.zeros(shape, weights.dtype)
    result = np.empty(shape, weights.dtype)
    tiled = np.repeat(weights.transpose(0, 1, 3, 2)[:, :, :, None], columns.count, axis=3)
    blocks = cut(len(above), 1, rows.size * columns.size * channels * weights.itemsize)

    def work(index: int) -> None:
        look()
        first, last, *_ = blocks[index]
        shares = _Seen(None, rows, columns, weights.dtype, (last - first, channels))
        for output in range(outputs):
            gradient = above[first:last, :, :, output::outputs]
            gradient = np.ascontiguousarray(gradient, weights.dtype)
            more = scratch("more", gradient.shape, gradient.dtype)
            for place in shares.places:
                target = shares.block((0, last - first, 0, rows.count), place)
                np.multiply(gradient, tiled[*place, output], out=more)
                np.add(target, more, out=target)
        shares.write(result[first:last])

    run(len(blocks), work)
    return result


def _blocks(shape: tuple[int, ...], dtype: np.dtype) -> list[Block]:
    """Results of a shape [batch, rows, columns, channels, ...], cut: with what they are made of."""
    images, rows, columns, channels = shape[:4]
    return cut(images, rows, 3 * columns * channels * dtype.itemsize)


class _Seen:
    """Images with their padding, the columns of each phase of the windows side by side.

    Args:
      image: [batch, rows, columns, channels]; None for zeros.
      sizes: batch and channels, where there is no image.
    """

    def __init__(
        self,
        image: Array | None,
        rows: Axis,
        columns: Axis,
        dtype: np.dtype,
        sizes: tuple[int, int] = (0, 0),
    ):
        self._rows, self._columns = rows, columns
        self.places = [(i, j) for i in range(rows.window) for j in range(columns.window)]
        around = rows.before + rows.after + columns.before + columns.after
        if image is not None and not around and columns.stride == 1:
            self._phases = [np.ascontiguousarray(image, dtype)]
            return
        batch, channels = sizes if image is None else (len(image), image.shape[3])
        height = max(_end(rows), rows.before + rows.size)
        width = -(-max(_end(columns), columns.before + columns.size) // columns.stride)
        shape = (batch, height, width, channels)
        self._phases = [np.zeros(shape, dtype) for _ in range(columns.stride)]
        if image is not None:
            for inside, pixels in self._insides():
                inside[...] = image[:, :, pixels]

    def _insides(self) -> Iterator[tuple[Array, slice]]:
        """Each phase without its padding, and which columns of the image it is."""
        rows, columns = self._rows, self._columns
        for phase, padded in enumerate(self._phases):
            first = (phase - columns.before) % columns.stride  # of the image's columns
            start = (first + columns.before) // columns.stride
            count = len(range(first, columns.size, columns.stride))
            inside = padded[:, rows.before : rows.before + rows.size, start : start + count]
            yield inside, slice(first, None, columns.stride)

    def block(self, block: Block, place: Place) -> Array:
        """What a place of a block's windows sees: [images, rows, columns, channels], a view."""
        first, last, top, bottom = block
        rows, columns = self._rows, self._columns
        row = place[0] * rows.dilation + top * rows.stride
        start, phase = divmod(place[1] * columns.dilation, columns.stride)
        down = slice(row, row + (bottom - top - 1) * rows.stride + 1, rows.stride)
        return self._phases[phase][first:last, down, start : start + columns.count]

    def write(self, image: Array) -> None:
        """What is inside the padding, into an image."""
        for inside, pixels in self._insides():
            image[:, :, pixels] = inside


def _end(axis: Axis) -> int:
    """Where the last place of the last window is, in the padded image."""
    return (axis.count - 1) * axis.stride + (axis.window - 1) * axis.dilation + 1
