"""The largest number of each window, and where it was: some images at a time.

What is computed on the way has the size of a block's result and stays in the cache. `run` shares
the blocks among threads, as in `convolution`; images have nothing to do with each other.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from tinytf.framework.array_types import Array
from tinytf.kernels.in_blocks.convolution import Run, in_order
from tinytf.ops.nn.windows import Axis, empty_padded, places, without_padding

#: Results of one block: fewer, and calling numpy takes longer than what it does.
_BLOCK_ITEMS = 1 << 15


def largest(image: Array, rows: Axis, columns: Axis, run: Run = in_order) -> Array:
    """The largest number of each window and channel.

    Args:
      image: [batch, rows, columns, channels] with its padding.
      rows, columns: the windows along both. run: shares the blocks among threads.

    Returns:
      [batch, rows.count, columns.count, channels].
    """
    shape = (len(image), rows.count, columns.count, image.shape[3])
    if rows.window == columns.window == 1:
        return image[next(places(rows, columns))[2]]
    result = np.empty(shape, image.dtype)
    blocks = _blocks(result)

    def work(index: int) -> None:
        block, target = image[blocks[index]], result[blocks[index]]
        slices = [where for _, _, where in places(rows, columns)]
        np.maximum(block[slices[0]], block[slices[1]], out=target)
        for where in slices[2:]:
            np.maximum(target, block[where], out=target)

    run(len(blocks), work)
    return result


def _blocks(result: Array) -> list[slice]:
    """Which images are computed together; the number depends on their shape alone."""
    images = len(result)
    parts = max(1, min(images, -(-result.size // _BLOCK_ITEMS)))
    edges = [images * part // parts for part in range(parts + 1)]
    return [slice(first, last) for first, last in itertools.pairwise(edges)]


def first_largest(
    image: Array, largest: Array, rows: Axis, columns: Axis
) -> Iterator[tuple[tuple[slice, slice, slice], Array]]:
    """For each place of a window: its slice, and in which windows it is the first largest.

    The second is valid until the next is asked for.
    """
    free, chosen = np.ones(largest.shape, bool), np.empty(largest.shape, bool)
    for _, _, where in places(rows, columns):
        np.equal(image[where], largest, out=chosen)
        np.logical_and(chosen, free, out=chosen)
        np.logical_xor(free, chosen, out=free)
        yield where, chosen


def gradient(
    image: Array, largest: Array, above: Array, rows: Axis, columns: Axis, run: Run = in_order
) -> Array:
    """The gradient of each window and channel at the pixel where it was largest, the first if many.

    Args:
      image: [batch, rows, columns, channels] with its padding. largest: its `largest`.
      above: the gradient of that.
      rows, columns: the windows along both. run: shares the blocks among threads.

    Returns:
      [batch, rows.size, columns.size, channels], zero where no window was largest.
    """
    apart = all(axis.window <= axis.stride for axis in (rows, columns))
    covered = apart and all(_covers(axis) for axis in (rows, columns))
    result = empty_padded(above.shape, rows, columns, above.dtype, zeros=not covered)
    blocks = _blocks(above)

    def work(index: int) -> None:
        images = blocks[index]
        target, own = result[images], _as_bits(above[images])
        for where, chosen in first_largest(image[images], largest[images], rows, columns):
            if apart:
                np.multiply(own, chosen, out=_as_bits(target[where]))
            else:
                zero = above.dtype.type(0)
                np.add(target[where], np.where(chosen, above[images], zero), out=target[where])

    run(len(blocks), work)
    return without_padding(result, rows, columns)


def _covers(axis: Axis) -> bool:
    """Whether each pixel, of the padding as well, is in exactly one window."""
    size = axis.before + axis.size + axis.after
    return axis.window == axis.stride and axis.count * axis.stride >= size


def _as_bits(values: Array) -> Array:
    """Numbers as the integers that have their bits: times 0 or 1, all of them are exact."""
    return values.view(f"u{values.dtype.itemsize}")
