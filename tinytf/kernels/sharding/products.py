"""Products of matrices in panels, and convolutions, whose blocks have a product each.

BLAS is held to one thread meanwhile. Whether it adds up in the same order for a panel as for the
whole is its own affair: it depends on the processor, the dtype and the edges. So the first time
that a product of some shapes is asked for, both ways are computed on noise and compared; where the
bits differ, nothing is split. Convolutions cut their work in one way on any number of threads.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tinytf.kernels.sharding.gathering import gather, rows
from tinytf.kernels.sharding.pool import ShardPool
from tinytf.kernels.sharding.sizes import (
    CONVOLUTIONS_WORTH_NS,
    PRODUCTS_PER_NS,
    PRODUCTS_WORTH_NS,
    edges,
)
from tinytf.kernels.sharding.slices import with_its_own_errors

if TYPE_CHECKING:
    from tinytf.framework.operation import Operation

#: Edges of panels are multiples of these: so many rows or columns OpenBLAS computes at once.
ROWS, COLUMNS = 48, 192
#: A panel with fewer multiplications takes OpenBLAS's way for small matrices, with other sums.
SMALL = 2_000_000
#: Each panel makes BLAS arrange the other matrix in memory once more: one for each thread is best,
#: or two that take at least so long.
PER_THREAD, LONG_NS = 2, 2_000_000
#: Products with a vector, or few of them, are left whole: memory limits them.
_NARROW = 16

#: What was found for a product of some shapes: whether panels give the same bits.
_found: dict[Hashable, bool] = {}
_MANY = 4096
#: Values without a pattern, a prime number of them: no two rows of a sample are the same.
_NOISE = np.sin(np.arange(1.0, 4100.0) ** 2)

Function = Callable[..., Any]


def mat_mul(op: Operation, function: Function, pool: ShardPool) -> Function:
    """MatMul: rows or columns of the product."""
    turned_a, turned_b = op.attrs["transpose_a"], op.attrs["transpose_b"]

    def split(a: Any, b: Any, by_rows: bool, places: Sequence[int]) -> Any:
        def part(start: int, stop: int) -> Any:
            if by_rows:
                return function(rows(a, 1 if turned_a else 0, start, stop), b)
            return function(a, rows(b, 0 if turned_b else 1, start, stop))

        return gather(pool, places, part, 0 if by_rows else 1)

    def kernel(a: Any, b: Any) -> Any:
        if not _are_matrices(a, b):
            return function(a, b)
        (m, k), n = a.shape[::-1] if turned_a else a.shape, b.shape[0 if turned_b else 1]
        count = _panels(m * k * n, a.dtype, pool)
        by_rows = m >= n or m >= 4 * ROWS
        places = edges(m, count, ROWS) if by_rows else edges(n, count, COLUMNS)
        if len(places) < 3 or min(m, n) < _NARROW:
            return function(a, b)
        with pool.one_blas_thread() as held:
            if held and _same_bits(
                ("MatMul", turned_a, turned_b, by_rows, *places),
                (a, b),
                function,
                lambda a, b: split(a, b, by_rows, places),
            ):
                return with_its_own_errors(
                    lambda: split(a, b, by_rows, places), lambda: function(a, b), len(places)
                )
            return function(a, b)

    return kernel


def _are_matrices(a: Any, b: Any) -> bool:
    """Two different matrices, as BLAS takes them; a product with itself it computes by half."""
    return (
        a.ndim == 2
        and b.ndim == 2
        and a.dtype == b.dtype
        and not np.may_share_memory(a, b)
        and (a.flags.c_contiguous or a.flags.f_contiguous)
        and (b.flags.c_contiguous or b.flags.f_contiguous)
    )


def _panels(products: int, dtype: Any, pool: ShardPool, of_images: bool = False) -> int:
    """How many panels; 1: leave it whole."""
    nanoseconds = products / PRODUCTS_PER_NS.get(dtype.name, 1.0)
    if nanoseconds < (CONVOLUTIONS_WORTH_NS if of_images else PRODUCTS_WORTH_NS):
        return 1
    each = PER_THREAD if nanoseconds >= PER_THREAD * pool.threads * LONG_NS else 1
    return min(each * pool.threads, max(1, products // SMALL))


def batch_mat_mul(op: Operation, function: Function, pool: ShardPool) -> Function:
    """BatchMatMul: each matrix is a product of its own, so nothing can differ."""

    def kernel(x: Any, y: Any) -> Any:
        if x.ndim < 3 or y.ndim < 2 or x.ndim < y.ndim or x.dtype != y.dtype:
            return function(x, y)
        columns = y.shape[-2 if op.attrs["adj_y"] else -1]
        count = _panels(x.size * columns, x.dtype, pool)
        if count == 1 or len(x) < 2 or (x.ndim == y.ndim and len(y) not in (1, len(x))):
            return function(x, y)
        together = x.ndim == y.ndim and len(y) > 1
        places = edges(len(x), count)
        with pool.one_blas_thread() as held:
            if not held:
                return function(x, y)
            return with_its_own_errors(
                lambda: gather(
                    pool, places, lambda a, b: function(x[a:b], y[a:b] if together else y)
                ),
                lambda: function(x, y),
                len(places),
            )

    return kernel


def convolution(op: Operation, function: Function, pool: ShardPool) -> Function:
    """Conv2D and its kin: blocks of windows."""
    rank, channel = _format(op)

    def kernel(image: Any, filter: Any) -> Any:
        if image.ndim != rank or filter.ndim != rank or not filter.size or not image.size:
            return function(image, filter)
        work = image.size // image.shape[channel] * filter.size // _step(op)
        return _in_blocks(function, pool, (image, filter), image.dtype, work)

    return kernel


def input_gradient(op: Operation, function: Function, pool: ShardPool) -> Function:
    """Conv2DBackpropInput and its kin: blocks of windows over the gradient."""
    rank, channel = _format(op)

    def kernel(sizes: Any, filter: Any, above: Any) -> Any:
        if above.ndim != rank or filter.ndim != rank or not filter.size or not above.size:
            return function(sizes, filter, above)
        work = above.size // above.shape[channel] * filter.size
        return _in_blocks(function, pool, (sizes, filter, above), above.dtype, work)

    return kernel


def filter_gradient(op: Operation, function: Function, pool: ShardPool) -> Function:
    """Conv2DBackpropFilter and its kin: blocks, whose sums are added in their order."""
    rank, channel = _format(op)

    def kernel(image: Any, sizes: Any, above: Any) -> Any:
        if image.ndim != rank or above.ndim != rank or len(sizes) != rank or not above.size:
            return function(image, sizes, above)
        work = above.size // above.shape[channel] * math.prod(sizes.tolist())
        return _in_blocks(function, pool, (image, sizes, above), image.dtype, work)

    return kernel


def _format(op: Operation) -> tuple[int, int]:
    """The rank of a node's images, and which axis is the channels'."""
    data_format = op.attrs["data_format"]
    return len(data_format), data_format.index(b"C")


def _in_blocks(
    function: Function, pool: ShardPool, inputs: Sequence[Any], dtype: Any, work: int
) -> Any:
    """A kernel that cuts its work into the same blocks however many threads there are.

    Args:
      work: multiplications in all.
    """
    if _panels(work, dtype, pool, of_images=True) < 2:
        return function(*inputs)
    with pool.one_blas_thread() as held:
        return function(*inputs, pool.run) if held else function(*inputs)


def _step(op: Operation) -> int:
    """How many pixels a window moves, rows times columns."""
    return max(1, math.prod(op.attrs["strides"]))


def _same_bits(
    key: tuple[Hashable, ...], inputs: Sequence[Any], plain: Function, split: Function
) -> bool:
    """Whether both functions give the same, for inputs of these shapes, dtypes and orders."""
    key = (*key, *((v.shape, v.dtype.name, v.strides) for v in inputs))
    found = _found.get(key)
    if found is None:
        sample = [_noise(value) for value in inputs]
        try:
            whole, parts = plain(*sample), split(*sample)
            found = bool(_steps(whole) == _steps(parts) and whole.tobytes() == parts.tobytes())
        except Exception:
            found = False  # the plain kernel will say why
        if len(_found) >= _MANY:
            _found.clear()
        _found[key] = found
    return found


def _steps(array: Any) -> list[int]:
    """The order in memory: an axis of size 1 has any step."""
    return [step for step, size in zip(array.strides, array.shape) if size > 1]


def _noise(value: Any) -> Any:
    """Noise of the shape, dtype and order in memory of an array; integers stay what they are.

    In place of 16-bit numbers 32-bit ones, as which they are multiplied: rounding hides too much.
    """
    if value.dtype.kind in "iub":
        return value
    result = np.empty_like(value, dtype=np.float32 if value.dtype.itemsize == 2 else value.dtype)
    if value.dtype.kind == "c":
        result[...] = np.resize(_NOISE, value.shape) + 1j * np.resize(_NOISE[::-1], value.shape)
    else:
        result[...] = np.resize(_NOISE, value.shape)
    return result
