"""Depthwise convolutions and their gradients, block by block.

Each channel is by itself, so there is no product of matrices to make of it: for each place of a
window, the image times the filter's row of weights. The columns that a place sees are side by side
in memory, so columns and channels are one run of numbers, and `numpy.einsum` multiplies and adds
runs in one pass for all places. Where windows move on by more than a pixel, places fall into kinds:
those of one kind see columns that are so many apart, which are laid side by side first.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from tinytf.framework.array_types import Array
from tinytf.framework.cancellation import look
from tinytf.kernels.in_blocks.convolution import Run, in_order, phases_of
from tinytf.kernels.in_blocks.window_matrices import BLOCKS, Block, cut, padded, scratch
from tinytf.ops.nn.windows import Axis

#: Sums for a filter are taken in so many blocks at most, and place by place where a block has so
#: many rows, of so many bytes at most: a call of numpy for each place is worth it then.
_SUMS, _MANY_ROWS, _LONG_ROW = 4, 96, 1 << 13


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
    result = np.empty(shape, weights.dtype)
    for output in range(outputs):
        _write(image, weights[..., output], (rows, columns), result[..., output], run)
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
    shape = (rows.window, columns.window, channels, outputs)
    if not above.size or 0 in shape:
        return np.zeros(shape, above.dtype)
    result = np.empty(shape, above.dtype)
    for pixels, places, axis in _kinds(columns):
        seen = _runs(image[:, :, pixels], rows, axis, above.dtype)
        for output in range(outputs):
            gradient = above[..., output::outputs]
            result[:, places, :, output] = _sums_of(seen, gradient, run)
    return result


def _sums_of(seen: Array, gradient: Array, run: Run) -> Array:
    """Over all windows, what each of their places sees times their gradient."""
    *_, columns, channels = gradient.shape
    blocks = _blocks(gradient, _SUMS)
    each = np.empty((len(blocks), *seen.shape[:2], channels), gradient.dtype)

    def work(index: int) -> None:
        look()
        first, last, top, bottom = blocks[index]
        part = gradient[first:last, top:bottom].reshape(last - first, bottom - top, -1)
        sums = _row_sums(seen[:, :, first:last, top:bottom], part)
        by_column = np.reshape(sums, (*seen.shape[:2], columns, channels))
        np.add.reduce(by_column, axis=2, out=each[index])

    run(len(blocks), work)
    return np.add.reduce(each, axis=0)


def _row_sums(seen: Array, rows: Array) -> Any:
    """Over images and rows; place by place where that gains, as numpy's loop then is its best."""
    images, height, length = rows.shape
    if images * height < _MANY_ROWS or length * rows.itemsize > _LONG_ROW:
        return np.einsum("ijbhk,bhk->ijk", seen, rows)
    return [[np.einsum("bhk,bhk->k", place, rows) for place in places] for places in seen]


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
    result = np.zeros(shape, weights.dtype)
    if 0 in shape or not weights.size or not above.size:
        return result
    for row in phases_of(rows):
        for column in phases_of(columns):
            target, axes = result[:, row.pixels, column.pixels], (row.axis, column.axis)
            chosen = weights[row.places, column.places]
            for output in range(outputs):
                gradient = above[..., output::outputs]
                _write(gradient, chosen[..., output], axes, target, run, is_more=output > 0)
    return result


def _write(
    image: Array,
    weights: Array,
    axes: tuple[Axis, Axis],
    target: Array,
    run: Run,
    is_more: bool = False,
) -> None:
    """The weighted sums of all windows into an array, or, if they are more, added to it.

    Args:
      weights: [window rows, window columns, channels]. axes: the windows along rows and columns.
      target: [batch, rows, columns, channels].
    """
    for pixels, places, axis in _kinds(axes[1]):
        seen = _runs(image[:, :, pixels], axes[0], axis, target.dtype)
        tiled = np.repeat(weights[:, places, None], axis.count, axis=2)
        _write_kind(seen, tiled.reshape(*tiled.shape[:2], -1), target, run, is_more)
        is_more = True


def _write_kind(seen: Array, weights: Array, target: Array, run: Run, is_more: bool) -> None:
    """`_write` of what places of one kind see."""
    blocks = _blocks(target)

    def work(index: int) -> None:
        look()
        first, last, top, bottom = blocks[index]
        part = target[first:last, top:bottom]
        is_there = part.flags.c_contiguous and not is_more
        sums = part if is_there else scratch("sums", part.shape, part.dtype)
        runs = sums.reshape(*sums.shape[:2], -1)
        np.einsum("ijbhk,ijk->bhk", seen[:, :, first:last, top:bottom], weights, out=runs)
        if is_more:
            np.add(part, sums, out=part)
        elif not is_there:
            part[...] = sums

    run(len(blocks), work)


def _blocks(results: Array, wanted: int = BLOCKS) -> list[Block]:
    """Results [batch, rows, columns, channels], cut: with what they are made of."""
    images, rows, columns, channels = results.shape
    return cut(images, rows, 3 * columns * channels * results.itemsize, wanted)


def _kinds(axis: Axis) -> Iterator[tuple[slice, slice, Axis]]:
    """The places of windows in kinds: those that see some of every `stride`th pixel.

    Returns:
      for each kind these pixels, its places, and the windows over these pixels, which move on by
      one of them.
    """
    common = math.gcd(axis.stride, axis.dilation)
    step, dilation = axis.stride // common, axis.dilation // common
    for first in range(min(step, axis.window)):
        start, pixel = divmod(first * axis.dilation - axis.before, axis.stride)
        size = len(range(pixel, axis.size, axis.stride))
        count = len(range(first, axis.window, step))
        over = Axis(size, count, 1, dilation, -start, 0, axis.count)
        yield slice(pixel, None, axis.stride), slice(first, None, step), over


def _runs(image: Array, rows: Axis, columns: Axis, dtype: np.dtype) -> Array:
    """What places see: [window rows, window columns, batch, rows, columns * channels], a view.

    Windows have to move on by one column. It lasts as long as that of `padded`.
    """
    source = padded(image, rows, columns, dtype)
    batch, row, *_ = source.strides
    channels, item = image.shape[3], dtype.itemsize
    shape = (rows.window, columns.window, len(image), rows.count, columns.count * channels)
    down, across = row * rows.dilation, channels * item * columns.dilation
    steps = (down, across, batch, row * rows.stride, item)
    return np.lib.stride_tricks.as_strided(source, shape, steps, writeable=False)
