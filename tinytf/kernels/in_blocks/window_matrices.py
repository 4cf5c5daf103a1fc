"""The windows of images as matrices for products, a block of them at a time.

The matrix of all windows of a batch repeats every pixel once for each place of a window: tens of
megabytes, written to memory and read back. A block of it stays in a core's cache. There are two
kinds of blocks, and `matrices_of` says which is less work:

  Windows  a row of the matrix is a window
  Lines    where windows move down by one row of pixels, the same matrix serves each row of them: a
           row of it is one row of a window, and the products with the filter's rows are added up.
           It is smaller by as many times as windows have rows.

How the work is cut depends on the shapes alone.
"""

from __future__ import annotations

import itertools
import math
import threading

import numpy as np

from tinytf.framework.array_types import Array
from tinytf.ops.nn.windows import Axis

#: Images from, to; rows of windows from, to. Only a block of one image has not all of its rows.
Block = tuple[int, int, int, int]

#: A block's matrix takes so much memory at most: about what a core has of its own.
_BLOCK_BYTES = 5 << 18
#: A batch is cut into so many blocks, where it has the images: threads that start late, or are
#: interrupted, take fewer of them. A block of less memory is not worth calling numpy for.
BLOCKS, _SMALL_BLOCK_BYTES = 8, 1 << 17
#: numpy copies run by run, about 9 ns each: shorter runs of pixels than this are not worth it where
#: there are longer ones across the windows.
_SHORT_RUN = 16
#: `Lines` pay where copying is much of the work, in a batch of so much memory: with rows of windows
#: of so many numbers for each output, and so many windows of an image for each output: BLAS
#: arranges the filter anew for every image.
_LINES_BYTES, _NUMBERS_PER_OUTPUT, _WINDOWS_PER_OUTPUT = 1 << 19, 2, 5
#: What is kept of a thread's memory between blocks, of each kind. New memory costs a page fault for
#: every 4 KiB, and threads other than the first give it back as soon as they can.
_KEPT_BYTES = 4 << 20


class Windows:
    """Matrices with a row for each window.

    Args:
      image: [batch, rows, columns, channels]. rows, columns: the windows along both; `before` may
        be negative: then they begin inside. dtype: of the matrices.
    """

    def __init__(self, image: Array, rows: Axis, columns: Axis, dtype: np.dtype):
        source = padded(image, rows, columns, dtype)
        batch, row, column, channel = source.strides
        channels = image.shape[3]
        moves = (batch, row * rows.stride, column * columns.stride)
        steps = (*moves, row * rows.dilation, column * columns.dilation, channel)
        shape = (len(image), rows.count, columns.count, rows.window, columns.window, channels)
        self._all = np.lib.stride_tricks.as_strided(source, shape, steps, writeable=False)
        self._size = rows.window * columns.window * channels
        self._are_pixels = self._size == channels and rows.stride == columns.stride == 1
        self._across = _run_of(columns, channels) < min(_SHORT_RUN, columns.count)

    def blocks(self) -> list[Block]:
        """All windows, cut so that the matrix of each block is small."""
        images, rows, columns = self._all.shape[:3]
        return cut(images, rows, columns * self._size * self._all.itemsize)

    def multiply(self, block: Block, weights: Array, sums: Array) -> None:
        """The weighted sums of a block's windows, into `sums`, which is in order.

        Args:
          weights: [window rows, window columns, channels, outputs].
          sums: [images, rows, columns, outputs].
        """
        outputs = weights.shape[3]
        matrix = weights.reshape(self._size, outputs)
        np.dot(self._matrix(block), matrix, out=sums.reshape(-1, outputs))

    def gather(self, block: Block, above: Array, sums: Array) -> None:
        """The sums over a block's windows, weighted by what is above each, into `sums`.

        Args:
          above: [images, rows, columns, outputs].
          sums: [window rows, window columns, channels, outputs], in order.
        """
        outputs = above.shape[3]
        target = sums.reshape(self._size, outputs)
        np.dot(self._matrix(block).T, above.reshape(-1, outputs), out=target)

    def _matrix(self, block: Block) -> Array:
        """Until the calling thread asks for that of another block."""
        windows = self._all[block[0] : block[1], block[2] : block[3]]
        shape, count = windows.shape, math.prod(windows.shape[:3])
        if self._are_pixels:
            return windows.reshape(count, self._size)
        if not self._across:
            matrix = scratch("matrix", (count, self._size), windows.dtype)
            np.copyto(matrix.reshape(shape), windows)
            return matrix
        matrix = scratch("matrix", (self._size, count), windows.dtype)
        np.copyto(matrix.reshape(shape[3:] + shape[:3]), windows.transpose(3, 4, 5, 0, 1, 2))
        return matrix.T


class Lines:
    """Matrices with a row for one row of each window; the interface of `Windows`.

    Windows have to move down by one row of pixels.
    """

    def __init__(self, image: Array, rows: Axis, columns: Axis, dtype: np.dtype):
        source = padded(image, rows, columns, dtype)
        batch, row, column, channel = source.strides
        channels = image.shape[3]
        shape = (*source.shape[:2], columns.count, columns.window, channels)
        steps = (batch, row, column * columns.stride, column * columns.dilation, channel)
        self._all = np.lib.stride_tricks.as_strided(source, shape, steps, writeable=False)
        self._places = [place * rows.dilation for place in range(rows.window)]
        self._count, self._size = rows.count, columns.window * channels

    def blocks(self) -> list[Block]:
        """See `Windows`."""
        images, _, columns = self._all.shape[:3]
        return cut(images, self._count, columns * self._size * self._all.itemsize)

    def multiply(self, block: Block, weights: Array, sums: Array) -> None:
        """See `Windows`."""
        outputs = weights.shape[3]
        rows = weights.reshape(-1, self._size, outputs)
        target = sums.reshape(len(sums), -1, outputs)
        more = scratch("more", target.shape, target.dtype)
        for number, matrix in enumerate(self._matrices(block)):
            np.matmul(matrix, rows[number], out=more if number else target)
            if number:
                np.add(target, more, out=target)

    def gather(self, block: Block, above: Array, sums: Array) -> None:
        """See `Windows`."""
        outputs = above.shape[3]
        gradient = above.reshape(len(above), -1, outputs)
        rows = sums.reshape(-1, self._size, outputs)
        each = scratch("more", (len(above), self._size, outputs), rows.dtype)
        for number, matrix in enumerate(self._matrices(block)):
            np.matmul(matrix.transpose(0, 2, 1), gradient, out=each)
            np.add.reduce(each, axis=0, out=rows[number])

    def _matrices(self, block: Block) -> list[Array]:
        """Of each row of the windows: [images, windows of an image, numbers]."""
        first, last, top, bottom = block
        lines = self._all[first:last, top : bottom + self._places[-1]]
        images, height, columns = lines.shape[:3]
        copied = scratch("matrix", (images, height, columns, self._size), lines.dtype)
        np.copyto(copied.reshape(lines.shape), lines)
        rows = bottom - top
        return [
            copied[:, place : place + rows].reshape(images, rows * columns, self._size)
            for place in self._places
        ]


def matrices_of(
    image: Array, rows: Axis, columns: Axis, outputs: int, dtype: np.dtype
) -> Windows | Lines:
    """The windows of images, in the kind of blocks that is less work with so many outputs.

    Args:
      image: [batch, rows, columns, channels], in any order in memory.
      rows, columns: the windows along both. dtype: to compute in.
    """
    size, windows = columns.window * image.shape[3], rows.count * columns.count
    is_less = (
        rows.stride == 1
        and rows.window > 1
        and _run_of(columns, image.shape[3]) >= _SHORT_RUN
        and size >= _NUMBERS_PER_OUTPUT * outputs
        and windows >= _WINDOWS_PER_OUTPUT * outputs
        and len(image) * windows * rows.window * size * dtype.itemsize >= _LINES_BYTES
    )
    return (Lines if is_less else Windows)(image, rows, columns, dtype)


def _run_of(columns: Axis, channels: int) -> int:
    """How many numbers of a window are side by side in the image."""
    return channels * (columns.window if columns.dilation == 1 else 1)


def cut(images: int, rows: int, row_bytes: int, blocks: int = BLOCKS) -> list[Block]:
    """Blocks of so many images with so many rows of windows, which take so much memory."""
    image_bytes = rows * row_bytes
    if image_bytes > _BLOCK_BYTES:
        parts = min(rows, -(-image_bytes // _BLOCK_BYTES))
        edges = [rows * part // parts for part in range(parts + 1)]
        return [
            (image, image + 1, top, bottom)
            for image in range(images)
            for top, bottom in itertools.pairwise(edges)
        ]
    wanted = max(-(-images // blocks), _SMALL_BLOCK_BYTES // image_bytes)
    count = max(1, min(_BLOCK_BYTES // image_bytes, wanted))
    return [(first, min(first + count, images), 0, rows) for first in range(0, images, count)]


def padded(image: Array, rows: Axis, columns: Axis, dtype: np.dtype) -> Array:
    """What windows see: the image with its padding, or the part of it that they reach.

    It is the image itself if that is in order, or the calling thread's memory for one convolution.
    """
    (top, bottom), (left, right) = _reach(rows), _reach(columns)
    height, width = image.shape[1:3]
    inside = min(top, left) >= 0 and bottom <= height and right <= width
    if inside and image.dtype == dtype and image.flags.c_contiguous:
        return image[:, top:bottom, left:right]
    seen = scratch("seen", (len(image), bottom - top, right - left, image.shape[3]), dtype)
    if not inside:
        seen[...] = 0
    pixels = image[:, max(top, 0) : max(bottom, 0), max(left, 0) : max(right, 0)]
    down, across = max(-top, 0), max(-left, 0)
    seen[:, down : down + pixels.shape[1], across : across + pixels.shape[2]] = pixels
    return seen


def _reach(axis: Axis) -> tuple[int, int]:
    """The pixels from the first place of the first window to after the last place of the last."""
    length = (axis.count - 1) * axis.stride + (axis.window - 1) * axis.dilation + 1
    return -axis.before, length - axis.before


class _Memory(threading.local):
    """What a thread computes blocks in, by kind."""

    def __init__(self) -> None:
        self.kept: dict[str, np.ndarray] = {}


_memory = _Memory()


def scratch(kind: str, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """An array of this thread's, until it asks for another of the kind; with anything in it."""
    size = math.prod(shape) * dtype.itemsize
    buffer = _memory.kept.get(kind)
    if buffer is None or buffer.size < size:
        buffer = np.empty(size, np.uint8)
        if size <= _KEPT_BYTES:
            _memory.kept[kind] = buffer
    return np.ndarray(shape, dtype, buffer)
