"""Products of matrices in panels, and convolutions by images, which are products inside.

BLAS is held to one thread meanwhile. Whether it adds up in the same order for a panel as for the
whole is its own affair: it depends on the processor, the dtype and the edges. So the first time
that a product of some shapes is asked for, both ways are computed on noise and compared; where the
bits differ, nothing is split.
"""

from __future__ import annotations

import functools
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
    """Conv2D: by images."""

    def kernel(image: Any, filter: Any) -> Any:
        if image.ndim != 4 or filter.ndim != 4 or not filter.size or not image.size:
            return function(image, filter)
        area = image.size // image.shape[1 if op.attrs["data_format"] == b"NCHW" else 3]
        work = area * filter.size // _step(op)
        return by_images(op, function, pool, (image, filter), (0,), work)

    return kernel


def input_gradient(op: Operation, function: Function, pool: ShardPool) -> Function:
    """Conv2DBackpropInput: by images."""

    def of_images(sizes: Any, filter: Any, above: Any) -> Any:
        if len(sizes) == 4:
            sizes = np.concatenate([np.array([len(above)], sizes.dtype), sizes[1:]])
        return function(sizes, filter, above)

    def kernel(sizes: Any, filter: Any, above: Any) -> Any:
        plain = (
            above.ndim == 4
            and filter.ndim == 4
            and filter.size
            and above.size
            and len(sizes) in (2, 4)
            and (len(sizes) == 2 or sizes[0] == len(above))
        )
        if not plain:
            return function(sizes, filter, above)
        work = above.size * filter.size // filter.shape[3]
        return by_images(op, of_images, pool, (sizes, filter, above), (2,), work, function)

    return kernel


def filter_gradient(op: Operation, function: Function, pool: ShardPool) -> Function:
    """Conv2DBackpropFilter: by channels of the images; with few of them it is not split."""
    axis = 1 if op.attrs["data_format"] == b"NCHW" else 3

    def split(places: Sequence[int], image: Any, sizes: Any, above: Any) -> Any:
        def part(start: int, stop: int) -> Any:
            channels = np.array([*sizes[:2], stop - start, sizes[3]], sizes.dtype)
            return function(rows(image, axis, start, stop), channels, above)

        return gather(pool, places, part, 2)

    def kernel(image: Any, sizes: Any, above: Any) -> Any:
        if image.ndim != 4 or above.ndim != 4 or len(sizes) != 4 or not above.size:
            return function(image, sizes, above)
        channels = image.shape[axis]
        work = above.size * int(sizes[0]) * int(sizes[1]) * channels
        count = min(_panels(work, image.dtype, pool, True), channels // 4)
        if count < 2 or sizes[2] != channels:
            return function(image, sizes, above)
        places = edges(channels, count, 4)
        return _split_if_same(
            op, function, pool, (image, sizes, above), places, functools.partial(split, places)
        )

    return kernel


def by_images(
    op: Operation,
    function: Function,
    pool: ShardPool,
    inputs: Sequence[Any],
    sliced: Sequence[int],
    work: int,
    plain: Function | None = None,
) -> Any:
    """A kernel of images, some at a time.

    Args:
      function: takes some of the images. plain: takes all, by default the same.
      sliced: which inputs have images. work: multiplications in all.
    """
    plain = plain or function
    images = len(inputs[sliced[0]])
    count = min(_panels(work, inputs[sliced[0]].dtype, pool, True), images)
    if count < 2:
        return plain(*inputs)
    places = edges(images, count)

    def split(*inputs: Any) -> Any:
        def part(start: int, stop: int) -> Any:
            return function(*(v[start:stop] if i in sliced else v for i, v in enumerate(inputs)))

        return gather(pool, places, part)

    return _split_if_same(op, plain, pool, inputs, places, split)


def _split_if_same(
    op: Operation,
    plain: Function,
    pool: ShardPool,
    inputs: Sequence[Any],
    places: Sequence[int],
    split: Function,
) -> Any:
    with pool.one_blas_thread() as held:
        if held:
            attrs = tuple(str(value) for value in op.attrs.values())
            if _same_bits((op.type, attrs, *places), inputs, plain, split):
                return with_its_own_errors(
                    lambda: split(*inputs), lambda: plain(*inputs), len(places)
                )
        return plain(*inputs)


def _step(op: Operation) -> int:
    """How many pixels a window moves, rows times columns."""
    first, second = (2, 3) if op.attrs["data_format"] == b"NCHW" else (1, 2)
    return max(1, op.attrs["strides"][first] * op.attrs["strides"][second])


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
