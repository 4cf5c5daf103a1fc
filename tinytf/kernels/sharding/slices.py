"""Kernels that are split along one axis of their inputs: rows, images, matrices, what is kept.

Each shard calls the whole kernel on its slices. What is wrong with the inputs the kernel says
itself: if a shard fails, it is called once more with all of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tinytf.kernels.sharding.elementwise import Elementwise
from tinytf.kernels.sharding.gathering import gather, rows
from tinytf.kernels.sharding.pool import ShardPool
from tinytf.kernels.sharding.sizes import calls_of, cost_of, edges, shards_for

if TYPE_CHECKING:
    from tinytf.framework.operation import Operation

#: Numbers of a row that are added to those of the next: fewer are not given to a shard. numpy, and
#: the memory, read halves of narrow rows four times more slowly than whole ones.
_FEW_COLUMNS = 8192


def by_rows(
    op: Operation, function: Callable[..., Any], pool: ShardPool, sliced: Sequence[int] = (0,)
) -> Callable[..., Any]:
    """A kernel of which row i of the result needs row i of some inputs, and all of the others.

    Args:
      sliced: which inputs have rows, all equally many.
    """
    cost, calls = cost_of(op.type, op.inputs[sliced[0]].dtype.size), calls_of(op.type)

    def kernel(*inputs: Any) -> Any:
        first = inputs[sliced[0]]
        count = shards_for(first.size * cost, pool.threads, calls)
        if count == 1 or not _have_rows(inputs, sliced):
            return function(*inputs)
        return in_rows(function, pool, inputs, sliced, edges(len(first), count))

    return kernel


def in_blocks(op: Operation, function: Callable[..., Any], pool: ShardPool) -> Callable[..., Any]:
    """A kernel that cuts its work itself, and takes what runs the parts as its last argument."""
    cost, calls = cost_of(op.type, op.inputs[0].dtype.size), calls_of(op.type)

    def kernel(*inputs: Any) -> Any:
        if shards_for(inputs[0].size * cost, pool.threads, calls) == 1:
            return function(*inputs)
        return function(*inputs, pool.run)

    return kernel


def _have_rows(inputs: Sequence[Any], sliced: Sequence[int]) -> bool:
    sizes = {inputs[i].shape[:1] if type(inputs[i]) is np.ndarray else () for i in sliced}
    # A shard of a single row would be added up in another order than as one of many.
    return len(sizes) == 1 and sizes.pop() >= (4,)


def in_rows(
    function: Callable[..., Any],
    pool: ShardPool,
    inputs: Sequence[Any],
    sliced: Sequence[int],
    places: Sequence[int],
) -> Any:
    """Call `function` with rows of some inputs, in shards that begin at `places`."""
    places = no_single_rows(places)

    def part(start: int, stop: int) -> Any:
        return function(*(v[start:stop] if i in sliced else v for i, v in enumerate(inputs)))

    return with_its_own_errors(
        lambda: gather(pool, places, part), lambda: function(*inputs), len(places)
    )


def no_single_rows(places: Sequence[int]) -> list[int]:
    """The edges between shards without those that would leave one row alone."""
    last = places[-1]
    kept = [0]
    for place in places[1:-1]:
        if place - kept[-1] > 1 and last - place > 1:
            kept.append(place)
    return [*kept, last]


def with_its_own_errors(split: Callable[[], Any], plain: Callable[[], Any], edge_count: int) -> Any:
    """What `split` gives; if that fails, or there is but one shard, what `plain` does or says."""
    if edge_count > 2:
        try:
            return split()
        except Exception:
            return plain()  # a message about a shard would speak of sizes that nobody gave
    return plain()


def select(op: Operation, function: Callable[..., Any], pool: ShardPool) -> Callable[..., Any]:
    """Select: element-wise, or a vector that chooses rows."""
    elements = Elementwise(op, function, pool, broadcasts=False)
    chosen_rows = by_rows(op, function, pool, (1, 2, 0))

    def kernel(condition: Any, t: Any, e: Any) -> Any:
        in_order = t.shape == e.shape and t.flags.c_contiguous and e.flags.c_contiguous
        if in_order and condition.ndim == 1 < t.ndim:
            return chosen_rows(condition, t, e)
        return elements(condition, t, e)

    return kernel


def bias_add(op: Operation, function: Callable[..., Any], pool: ShardPool) -> Callable[..., Any]:
    """BiasAdd: rows of the first input, perhaps into rows of an array that is given."""
    cost = cost_of(op.type, op.inputs[0].dtype.size)
    of_channel = op.attrs["data_format"] == b"NCHW"

    def fits(value: Any, bias: Any, out: Any) -> bool:
        return (
            _have_rows((value,), (0,))
            and value.ndim > 1
            and value.flags.c_contiguous
            and bias.shape == (value.shape[1 if of_channel else -1],)
            and bias.dtype == value.dtype
            and (out is None or (out.shape == value.shape and out.flags.c_contiguous))
        )

    def kernel(value: Any, bias: Any, out: Any = None) -> Any:
        count = shards_for(value.size * cost, pool.threads)
        if count == 1 or not fits(value, bias, out):
            return function(value, bias, out=out)
        places = no_single_rows(edges(len(value), count))
        if len(places) < 3:
            return function(value, bias, out=out)
        result = np.empty(value.shape, value.dtype) if out is None else out

        def work(index: int) -> None:
            part = slice(places[index], places[index + 1])
            function(value[part], bias, out=result[part])

        pool.run(len(places) - 1, work)
        return result

    return kernel


def reduction(op: Operation, function: Callable[..., Any], pool: ShardPool) -> Callable[..., Any]:
    """Sum, Mean, Max ... over some axes: split along one that stays.

    A reduction over all axes is never split: sums of parts would round in another way.
    """
    cost = cost_of(op.type, op.inputs[0].dtype.size)
    keep = bool(op.attrs.get("keep_dims", False))

    def kernel(x: Any, axes: Any) -> Any:
        count = shards_for(x.size * cost, pool.threads)
        if count == 1 or type(x) is not np.ndarray or not x.flags.c_contiguous:
            return function(x, axes)
        reduced = {axis % x.ndim for axis in np.reshape(axes, -1).tolist()}
        place = _kept_axis(x.shape, reduced, count)
        if place is None:
            return function(x, axes)
        axis, places = place
        where = axis if keep else axis - sum(other < axis for other in reduced)
        return with_its_own_errors(
            lambda: gather(pool, places, lambda a, b: function(rows(x, axis, a, b), axes), where),
            lambda: function(x, axes),
            len(places),
        )

    return kernel


def bias_gradient(
    op: Operation, function: Callable[..., Any], pool: ShardPool
) -> Callable[..., Any]:
    """BiasAddGrad: a sum over all axes but that of the channels, split along that one."""
    cost = cost_of(op.type, op.inputs[0].dtype.size)

    def kernel(gradient: Any) -> Any:
        count = shards_for(gradient.size * cost, pool.threads)
        if count == 1 or not gradient.flags.c_contiguous or gradient.ndim < 2:
            return function(gradient)
        axis = 1 if op.attrs["data_format"] == b"NCHW" else gradient.ndim - 1
        place = _kept_axis(gradient.shape, {*range(gradient.ndim)} - {axis}, count)
        if place is None:
            return function(gradient)
        return with_its_own_errors(
            lambda: gather(pool, place[1], lambda a, b: function(rows(gradient, axis, a, b))),
            lambda: function(gradient),
            len(place[1]),
        )

    return kernel


def _kept_axis(
    shape: tuple[int, ...], reduced: set[int], count: int
) -> tuple[int, list[int]] | None:
    """The axis to split along, and where; None if none is large enough."""
    for axis, size in enumerate(shape):
        if axis in reduced or size < 4:
            continue
        # Rows that come before what is reduced may be few. Columns are slower in parts than as a
        # whole, unless the parts are wide.
        inner = math.prod(shape[axis + 1 :])
        unit = -(-_FEW_COLUMNS // max(inner, 1)) if min(reduced, default=axis) < axis else 1
        places = no_single_rows(edges(size, count, unit))
        if len(places) > 2:
            return axis, places
    return None
