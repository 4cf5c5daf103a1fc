"""Convolutions and their gradients, block by block: each block's windows are a matrix in the cache.

A block has some images, or some rows of one. Its product goes where the result is wanted, and sums
over blocks are added in their order: so the result has the same bits on any number of threads, as
long as BLAS keeps to one for a product. `run(count, work)` calls `work(0)` to `work(count - 1)`,
in any order, on any threads.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from tinytf.framework.array_types import Array
from tinytf.framework.cancellation import look
from tinytf.kernels.in_blocks.window_matrices import Block, cut, matrices_of, scratch
from tinytf.ops.nn.windows import Axis

Run = Callable[[int, Callable[[int], object]], None]

#: So many sums over blocks are kept until all are added: see `filter_gradient`.
_SUMS = 8
#: With fewer channels a gradient is added up place by place: see `input_gradient`.
_FEW_CHANNELS = 8
#: With more kinds of pixels as well.
_MANY_KINDS = 16


def in_order(count: int, work: Callable[[int], object]) -> None:
    """`Run` on the calling thread."""
    for index in range(count):
        work(index)


def convolution(
    image: Array, weights: Array, rows: Axis, columns: Axis, run: Run = in_order
) -> Array:
    """The weighted sums of all windows.

    Args:
      image: [batch, rows, columns, channels], in any order in memory.
      weights: [window rows, window columns, channels, outputs], of the type to compute in.
      rows, columns: the windows along both.
      run: shares the blocks among threads.

    Returns:
      [batch, rows.count, columns.count, outputs], of the weights' type.
    """
    shape = (len(image), rows.count, columns.count, weights.shape[3])
    if 0 in shape or not weights.size:
        return np.zeros(shape, weights.dtype)
    result = np.empty(shape, weights.dtype)
    _write(image, weights, (rows, columns), result, run)
    return result


def _write(image: Array, weights: Array, axes: tuple[Axis, Axis], target: Array, run: Run) -> None:
    """The sums of all windows into an array, of which the outputs are the last axis."""
    weights = np.ascontiguousarray(weights)
    matrices = matrices_of(image, *axes, weights.shape[3], weights.dtype)
    blocks = matrices.blocks()

    def work(index: int) -> None:
        look()
        first, last, top, bottom = blocks[index]
        part = target[first:last, top:bottom]
        sums = part if part.flags.c_contiguous else scratch("sums", part.shape, part.dtype)
        matrices.multiply(blocks[index], weights, sums)
        if sums is not part:
            part[...] = sums

    run(len(blocks), work)


def filter_gradient(
    image: Array, above: Array, rows: Axis, columns: Axis, run: Run = in_order
) -> Array:
    """What each weight's sum over all windows is, weighted by the gradient of their results.

    Neighbouring blocks are added up as they come, in up to `_SUMS` sums, and these at the end.

    Args:
      image: [batch, rows, columns, channels], in any order in memory.
      above: [batch, rows.count, columns.count, outputs], of the type to compute in.
      rows, columns, run: as for `convolution`.

    Returns:
      [window rows, window columns, channels, outputs], of the type of `above`.
    """
    shape = (rows.window, columns.window, image.shape[3], above.shape[3])
    if not above.size or 0 in shape:
        return np.zeros(shape, above.dtype)
    matrices = matrices_of(image, rows, columns, shape[3], above.dtype)
    blocks = matrices.blocks()
    count = min(_SUMS, len(blocks))
    sums = np.empty((count, *shape), above.dtype)

    def add(block: Block, target: Array) -> None:
        look()
        first, last, top, bottom = block
        matrices.gather(block, above[first:last, top:bottom], target)

    def work(index: int) -> None:
        own = blocks[len(blocks) * index // count : len(blocks) * (index + 1) // count]
        add(own[0], sums[index])
        for block in own[1:]:
            more = scratch("sums", shape, sums.dtype)
            add(block, more)
            np.add(sums[index], more, out=sums[index])

    run(count, work)
    return sums[0] if count == 1 else np.add.reduce(sums, axis=0)


def input_gradient(
    above: Array, weights: Array, rows: Axis, columns: Axis, run: Run = in_order
) -> Array:
    """What each pixel has of the gradients of all windows that it is in.

    Which are the same distances apart for every pixel, and their gradients are weighted by the
    filter turned round: a convolution of `above`. Where windows move on by `stride` pixels there
    are `stride` kinds of pixels along that axis, each with some of the filter's places: as many
    convolutions, which have no more to multiply together than the one. If the pixels have few
    channels, and `above` many, or there are too many kinds, it is less work to write what all
    windows give to one place of theirs, and add that up.

    Args:
      above: [batch, rows.count, columns.count, outputs], in any order in memory.
      weights: [window rows, window columns, channels, outputs], of the type to compute in.
      rows, columns: the windows along both. run: as for `convolution`.

    Returns:
      [batch, rows.size, columns.size, channels], of the weights' type.
    """
    channels, outputs = weights.shape[2:]
    shape = (len(above), rows.size, columns.size, channels)
    if 0 in shape or not weights.size or not above.size:
        return np.zeros(shape, weights.dtype)
    if channels < min(outputs, _FEW_CHANNELS) or rows.stride * columns.stride > _MANY_KINDS:
        return _added_up(above, weights, rows, columns, run)
    phases = [(row, column) for row in phases_of(rows) for column in phases_of(columns)]
    pixels = sum(row.axis.count * column.axis.count for row, column in phases)
    is_all = pixels == rows.size * columns.size
    result = (np.empty if is_all else np.zeros)(shape, weights.dtype)
    for row, column in phases:
        chosen = weights[row.places, column.places].transpose(0, 1, 3, 2)
        target = result[:, row.pixels, column.pixels]
        _write(above, chosen, (row.axis, column.axis), target, run)
    return result


@dataclass(frozen=True, slots=True)
class _Phase:
    """Pixels along an axis that have the same places of windows: every `stride`th.

    Attributes:
      pixels: which. places: of a window, last one first. axis: the windows, over the gradient.
    """

    pixels: slice
    places: slice
    axis: Axis


def phases_of(axis: Axis) -> Iterator[_Phase]:
    """The kinds of pixels along an axis; those that are in no window are left out."""
    common = math.gcd(axis.stride, axis.dilation)
    step, dilation = axis.stride // common, axis.dilation // common
    for pixel in range(min(axis.stride, axis.size)):
        place = pixel + axis.before  # in the padded image
        candidates = range(min(step, axis.window))
        on_pixel = [i for i in candidates if not (place - i * axis.dilation) % axis.stride]
        if not on_pixel:
            continue
        first = on_pixel[0]
        count = len(range(first, axis.window, step))
        # Window number `nearest` has its place `first` on this pixel; others are before it.
        nearest = (place - first * axis.dilation) // axis.stride
        before = (count - 1) * dilation - nearest
        pixels = slice(pixel, None, axis.stride)
        places = slice(first + (count - 1) * step, first - 1 if first else None, -step)
        windows = len(range(pixel, axis.size, axis.stride))
        over = Axis(axis.count, count, 1, dilation, before, 0, windows)
        yield _Phase(pixels, places, over)


def _added_up(above: Array, weights: Array, rows: Axis, columns: Axis, run: Run) -> Array:
    """`input_gradient` place by place, with the channels before the images."""
    channels, outputs = weights.shape[2:]
    matrix = weights.reshape(-1, outputs)
    batch, height, width = len(above), rows.size, columns.size
    result = np.empty((batch, height, width, channels), matrix.dtype)
    size = rows.count * columns.count * len(matrix) * matrix.itemsize
    blocks = cut(batch, 1, size)

    def work(index: int) -> None:
        look()
        first, last, *_ = blocks[index]
        gradient = above[first:last].astype(matrix.dtype, copy=False).reshape(-1, outputs)
        count = last - first
        shares = scratch("matrix", (len(matrix), len(gradient)), matrix.dtype)
        np.dot(matrix, gradient.T, out=shares)
        shares = shares.reshape(
            rows.window, columns.window, channels, count, rows.count, columns.count
        )
        sums = scratch("sums", (channels, count, height, width), matrix.dtype)
        sums[...] = 0
        for i in range(rows.window):
            for j in range(columns.window):
                down, windows = inside(rows, i)
                across, of_row = inside(columns, j)
                target = sums[:, :, down, across]
                np.add(target, shares[i, j][:, :, windows, of_row], out=target)
        result[first:last] = sums.transpose(1, 2, 3, 0)

    run(len(blocks), work)
    return result


def inside(axis: Axis, place: int) -> tuple[slice, slice]:
    """For a place of windows: the pixels of the image that it is on, and in which windows."""
    start = place * axis.dilation - axis.before
    first = max(0, -(start // axis.stride))
    last = max(first, min(axis.count, (axis.size - 1 - start) // axis.stride + 1))
    begin = start + first * axis.stride
    return slice(begin, begin + (last - first) * axis.stride, axis.stride), slice(first, last)
