"""Pooling by a ratio that is no whole number: windows of two sizes, mixed at random."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.array_types import Array
from tinytf.framework.cancellation import look
from tinytf.framework.errors import UnimplementedError, invalid
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, with_rank
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.random.philox import PhiloxSequence, to_float64
from tinytf.ops.random.sources import fresh_numbers
from tinytf.resources.manager import ResourceManager

_TYPES, _OVERLAPPING = "T: {float, double, int32, int64}", "overlapping: bool = false"
_SEQUENCES = "row_pooling_sequence: int64, col_pooling_sequence: int64"
#: A function from a number of blocks to as many times four random 32-bit numbers.
_Source = Callable[[int], Array]


# Where windows begin ------------------------------------------------------------------------------


def _source(attrs: dict[str, Any], resources: ResourceManager) -> _Source:
    """The random numbers of one run; with seeds the same in each."""
    seed, seed2 = attrs["seed"], attrs["seed2"]
    if seed or seed2:
        if not attrs["deterministic"]:
            raise invalid("Both seed and seed2 should be 0 if deterministic is false.")
        sequence = PhiloxSequence(seed, seed2)
        return lambda blocks: sequence.reserve_blocks(blocks)(
            np.arange(blocks, dtype=np.uint64)
        ).reshape(-1)

    def fresh(blocks: int) -> Array:
        with fresh_numbers(resources) as generator:
            return generator.integers(0, 2**32, 4 * blocks, np.uint32)

    return fresh


def _edges(size: int, count: int, source: _Source, pseudo_random: bool) -> Array:
    """Where `count` windows begin, and the last one's end."""
    small, larger = divmod(size, count)
    if pseudo_random:
        ratio = size / count
        most = min((small + 2) / ratio - 1, (size + 1 - small) / ratio - (count - 1))
        bits = source(1)
        u = float(to_float64(bits[:1], bits[1:2])[0]) * most
        inner = [math.ceil(ratio * (place + u)) - 1 for place in range(1, count)]
        return np.array([0, *inner, size])
    sizes = [small + 1] * larger + [small] * (count - larger)
    numbers = iter(source(-(-count // 4)).tolist())
    for place in range(count - 1):
        other = place + next(numbers) % (count - place)
        sizes[place], sizes[other] = sizes[other], sizes[place]
    return np.cumsum([0, *sizes])


def _windows(edges: Array, size: int, overlapping: bool) -> tuple[Array, Array]:
    """Where windows begin, and end: with the next one's first, where they overlap."""
    return edges[:-1], np.minimum(edges[1:] + overlapping, size)


def _reduced(ufunc: np.ufunc, x: Array, edges: Array, overlapping: bool, axis: int) -> Array:
    """Sums, or the largest, of the windows along an axis."""
    starts, ends = _windows(edges, x.shape[axis], overlapping)
    pairs = np.stack([starts, ends], axis=1).reshape(-1)
    longer = np.concatenate([x, x.take([0], axis)], axis)  # for what ends at the end
    return ufunc.reduceat(longer, pairs, axis, x.dtype).take(range(0, len(pairs), 2), axis)


def _places(
    sizes: Any, rows: Array, columns: Array, overlapping: bool
) -> Iterator[tuple[Any, Any]]:
    """Each place of windows: in which of them it is, and in which pixels."""
    ways = []
    for edges, size in ((rows, sizes[1]), (columns, sizes[2])):
        starts, ends = _windows(edges, size, overlapping)
        offsets = range(int((ends - starts).max()))
        ways.append([(np.flatnonzero(starts + n < ends), starts + n) for n in offsets])
    for own_rows, at_rows in ways[0]:
        for own_columns, at_columns in ways[1]:
            look()
            windows = np.ix_(own_rows, own_columns)
            pixels = np.ix_(at_rows[own_rows], at_columns[own_columns])
            yield (slice(None), *windows), (slice(None), *pixels)


# FractionalMaxPool, FractionalAvgPool -------------------------------------------------------------


def _define(name: str) -> OpCard:
    return define_op(
        name,
        f"value: T -> output: T, {_SEQUENCES}",
        "pooling_ratio: list(float) >= 4, pseudo_random: bool = false",
        f"{_OVERLAPPING}, deterministic: bool = false, seed: int = 0, seed2: int = 0",
        _TYPES,
        shape=_pooled_shape,
    )


def _pooled_shape(c: InferenceContext) -> list[TensorShape]:
    sizes = with_rank(c.input(0), 4).sizes or (None,) * 4
    ratios = c.attrs["pooling_ratio"]
    if min(ratios) < 1:
        raise ValueError(f"pooling_ratio cannot be smaller than 1, got: {min(ratios)}")
    counts = [None if n is None else int(n // ratio) for n, ratio in zip(sizes, ratios)]
    # TensorFlow forgets that the end of the last window is in the sequences, too.
    sequences = [TensorShape.of((None if n is None else n + 1,)) for n in counts[1:3]]
    return [TensorShape.of(tuple(counts)), *sequences]


def _both_edges(value: Array, attrs: dict[str, Any], resources: ResourceManager) -> list[Array]:
    ratios = attrs["pooling_ratio"]
    if len(ratios) != 4:
        raise invalid("pooling_ratio field must specify 4 dimensions")
    if ratios[0] != 1 or ratios[3] != 1:
        raise UnimplementedError(
            "Fractional pooling is not yet supported on the batch nor channel dimension."
        )
    if value.ndim != 4:
        raise invalid("tensor_in must be 4-dimensional")
    for axis, (size, ratio) in enumerate(zip(value.shape, ratios)):
        if size < ratio:
            raise invalid(
                f"Pooling ratio is higher than input dimension size for dimension {axis}. Input "
                f"dim size: {size} pooling ratio: {ratio}"
            )
    source = _source(attrs, resources)
    return [
        _edges(value.shape[n], int(value.shape[n] // ratios[n]), source, attrs["pseudo_random"])
        for n in (1, 2)
    ]


_max_pool = _define("FractionalMaxPool")
_avg_pool = _define("FractionalAvgPool")


@_max_pool.kernel
def _max_pool_kernel(
    value: Array, *, attrs: dict[str, Any], resources: ResourceManager
) -> list[Array]:
    rows, columns = _both_edges(value, attrs, resources)
    largest = _reduced(np.maximum, value, rows, attrs["overlapping"], 1)
    return [_reduced(np.maximum, largest, columns, attrs["overlapping"], 2), rows, columns]


def _counts(sizes: Any, rows: Array, columns: Array, overlapping: bool) -> Array:
    """How many pixels the windows have."""
    (top, bottom), (left, right) = (
        _windows(edges, sizes[n], overlapping) for n, edges in ((1, rows), (2, columns))
    )
    return ((bottom - top)[:, None] * (right - left))[..., None]


@_avg_pool.kernel
def _avg_pool_kernel(
    value: Array, *, attrs: dict[str, Any], resources: ResourceManager
) -> list[Array]:
    rows, columns = _both_edges(value, attrs, resources)
    total = _reduced(np.add, value, rows, attrs["overlapping"], 1)
    total = _reduced(np.add, total, columns, attrs["overlapping"], 2)
    counts = _counts(value.shape, rows, columns, attrs["overlapping"]).astype(value.dtype)
    if value.dtype.kind == "i":  # as C++ divides, towards zero
        return [np.sign(total) * (np.abs(total) // counts), rows, columns]
    return [total / counts, rows, columns]


# FractionalMaxPoolGrad, FractionalAvgPoolGrad -----------------------------------------------------

_max_pool_grad = define_op(
    "FractionalMaxPoolGrad",
    f"orig_input: T, orig_output: T, out_backprop: T, {_SEQUENCES} -> output: T",
    _OVERLAPPING,
    _TYPES,
    shape=lambda c: with_rank(c.input(0), 4),
)
_avg_pool_grad = define_op(
    "FractionalAvgPoolGrad",
    f"orig_input_tensor_shape: int64, out_backprop: T, {_SEQUENCES} -> output: T",
    _OVERLAPPING,
    _TYPES,
    shape=lambda c: c.shape_value(0),
)
# TensorFlow has no gradients for these: differentiating twice is an error there and here.


def _check(sizes: Any, above: Array, rows: Array, columns: Array) -> None:
    if len(sizes) != 4:
        raise invalid("orig_input must be 4-dimensional")
    for name, edges in (("row", rows), ("col", columns)):
        size = sizes[1] if name == "row" else sizes[2]
        if edges.ndim != 1 or len(edges) < 2 or edges[0] < 0 or edges[-2] >= size:
            raise invalid(
                f"{name}_pooling_sequence must go from 0 to {size}, but is {edges.tolist()}"
            )
        if (np.diff(edges) < 1).any():
            raise invalid(f"{name}_pooling_sequence must grow, but is {edges.tolist()}")
    wanted = (sizes[0], len(rows) - 1, len(columns) - 1, sizes[3])
    if above.shape != wanted:
        raise invalid(f"out_backprop must have the shape {list(wanted)}, not {shown(above)}")


@_max_pool_grad.kernel
def _max_pool_grad_kernel(
    orig_input: Array,
    orig_output: Array,
    out_backprop: Array,
    rows: Array,
    columns: Array,
    *,
    overlapping: bool,
) -> Array:
    _check(orig_input.shape, out_backprop, rows, columns)
    result, free = np.zeros(orig_input.shape, orig_input.dtype), np.ones(orig_output.shape, bool)
    for windows, pixels in _places(orig_input.shape, rows, columns, overlapping):
        chosen = (orig_input[pixels] == orig_output[windows]) & free[windows]
        free[windows] &= ~chosen
        result[pixels] += np.where(chosen, out_backprop[windows], result.dtype.type(0))
    return result


@_avg_pool_grad.kernel
def _avg_pool_grad_kernel(
    orig_input_tensor_shape: Array,
    out_backprop: Array,
    rows: Array,
    columns: Array,
    *,
    overlapping: bool,
) -> Array:
    sizes = orig_input_tensor_shape.tolist()
    _check(sizes, out_backprop, rows, columns)
    result = np.zeros(sizes, np.float64)
    share = out_backprop / _counts(sizes, rows, columns, overlapping)
    for windows, pixels in _places(sizes, rows, columns, overlapping):
        result[pixels] += share[windows]
    return result.astype(out_backprop.dtype)


@_max_pool.gradient
def _max_pool_gradient(op: Operation, gradient: Tensor, *_: Any) -> Tensor:
    attrs = {"overlapping": op.attrs["overlapping"]}
    return _max_pool_grad(op.inputs[0], op.outputs[0], gradient, *op.outputs[1:], **attrs)


@_avg_pool.gradient
def _avg_pool_gradient(op: Operation, gradient: Tensor, *_: Any) -> Tensor:
    attrs = {"overlapping": op.attrs["overlapping"]}
    sizes = ops.constant(op.inputs[0].shape.as_list(), dtypes.int64)
    return _avg_pool_grad(sizes, gradient, *op.outputs[1:], **attrs)


# Public functions ---------------------------------------------------------------------------------


def fractional_max_pool(
    value: Any,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    deterministic: bool = False,
    seed: int = 0,
    seed2: int = 0,
    name: str | None = None,
) -> Any:
    """The largest of each window, of one and the other size (`tf.nn.fractional_max_pool`).

    Args:
      value: images [batch, rows, columns, channels].
      pooling_ratio: how many times smaller the result is, [1.0, rows, columns, 1.0], each 1 or
        more.
      pseudo_random: whether sizes of windows are mixed evenly, from a random start.
      overlapping: whether windows share the pixels at their edges.
      deterministic: whether the windows of all runs are the same; with seeds.
      seed, seed2: of the random numbers.
      name: of the operation.

    Returns:
      a tuple: output, row_pooling_sequence and col_pooling_sequence, where windows begin.

    Raises:
      InvalidArgumentError: in a run, for other ratios, or seeds without `deterministic`.

    Example:
      >>> x = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
      >>> y, rows, columns = tf.nn.fractional_max_pool(x, [1.0, 1.5, 1.5, 1.0])
      >>> y.shape
      TensorShape([Dimension(1), Dimension(2), Dimension(2), Dimension(1)])
    """
    attrs = locals()
    return _max_pool(attrs.pop("value"), **attrs)


def fractional_avg_pool(
    value: Any,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    deterministic: bool = False,
    seed: int = 0,
    seed2: int = 0,
    name: str | None = None,
) -> Any:
    """The mean of each window, of one and the other size (TensorFlow: `tf.nn.fractional_avg_pool`).

    Args:
      value, pooling_ratio, pseudo_random, overlapping, deterministic, seed, seed2, name: as for
        `tf.nn.fractional_max_pool`, and so are the results.

    Example:
      >>> x = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
      >>> y, rows, columns = tf.nn.fractional_avg_pool(x, [1.0, 1.5, 1.5, 1.0])
      >>> y.shape
      TensorShape([Dimension(1), Dimension(2), Dimension(2), Dimension(1)])
    """
    attrs = locals()
    return _avg_pool(attrs.pop("value"), **attrs)
