"""What all reductions share: which axes, what shape is left, and the way back for gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.constant_value import constant_value
from tinytf.framework.errors import invalid
from tinytf.framework.graph import Graph
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.array.constant import constant
from tinytf.ops.array.dynamic_stitch import dynamic_stitch
from tinytf.ops.array.range import range as range_of
from tinytf.ops.math.arithmetic import maximum
from tinytf.ops.math.cast import cast
from tinytf.ops.math.division import floordiv

# While the graph is built -----------------------------------------------------------------------


def reduction_shape(c: InferenceContext) -> TensorShape:
    """The shape function of all reductions."""
    indices = c.input(1).ndims
    if indices is not None and indices > 1:
        raise ValueError(f"Shape must be at most rank 1 but is rank {indices}")
    source, keep = c.input(0).sizes, c.attrs["keep_dims"]
    axes = c.constant(1)
    if source is None:
        return unknown_shape()
    if axes is None:
        return unknown_shape(len(source)) if keep else unknown_shape()
    reduced = set()
    for axis in axes.reshape(-1).tolist():
        if not -len(source) <= axis < len(source):
            raise ValueError(
                f"Invalid reduction dimension {axis} for input with {len(source)} dimensions."
            )
        reduced.add(axis % len(source))
    if keep:
        return TensorShape.of(tuple(1 if i in reduced else n for i, n in enumerate(source)))
    return TensorShape.of(tuple(n for i, n in enumerate(source) if i not in reduced))


def axes_or_all(x: Any, axis: Any) -> Any:
    """The axes to reduce; None stands for all, as many as the rank turns out to be."""
    if axis is not None:
        return axis
    rank = getattr(getattr(x, "shape", None), "ndims", None)
    if rank:
        return constant(np.arange(rank, dtype=np.int32))
    return range_of(0, ops.rank(x))


def one_of(new_name: str, new: Any, old_name: str, old: Any) -> Any:
    """The value of an argument that has an old name as well; ValueError if both are given."""
    return ops.deprecated_lookup(new_name, new, old_name, old)


def as_scalar(result: Tensor, axis: Any, keepdims: bool) -> Tensor:
    """A result reduced over all axes is a scalar, even where the rank was not known."""
    if axis is None and not keepdims and not result.shape.is_fully_defined():
        result.set_shape(())
    return result


# In kernels -------------------------------------------------------------------------------------


def reducer(reduce: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel out of `reduce(input, axes, keep_dims)`, where axes is a number or a tuple."""

    def kernel(input: Any, reduction_indices: Any, *, keep_dims: bool) -> Any:
        axes = reduction_indices.tolist()
        try:
            if type(axes) is list:
                axes = tuple(axes)
            return reduce(input, axes, keep_dims)
        except (ValueError, TypeError):
            # Axes in a matrix count as well; what numpy refuses, `_check_axes` explains.
            flat = tuple(reduction_indices.reshape(-1).tolist())
            _check_axes(flat, input.ndim)
            if flat == axes:
                raise
            return reduce(input, flat, keep_dims)

    return kernel


def _check_axes(axes: tuple[int, ...], rank: int) -> None:
    seen = set()
    for axis in axes:
        if not -rank <= axis < rank:
            raise invalid(
                f"Invalid reduction dimension ({axis} for input with {rank} dimension(s)"
            ) from None
        if axis % rank in seen:
            raise invalid(
                f"Invalid reduction arguments: Axes contains duplicate dimension: {axis % rank}"
            ) from None
        seen.add(axis % rank)


# In gradients -----------------------------------------------------------------------------------


def reduced_shape(input_shape: Any, axes: Any) -> Any:
    """A shape with 1 for each reduced axis, what `keepdims=True` would give.

    Args:
      input_shape: of the input, an integer vector (or a tuple).
      axes: the reduced axes, a scalar or vector, perhaps negative.

    Returns:
      a numpy vector if both are known, else an int32 tensor.
    """
    known_shape, known_axes = _known(input_shape), _known(axes)
    if known_shape is not None and known_axes is not None:
        result = np.array(known_shape, np.int32)
        result[np.array(known_axes, np.int32)] = 1
        return result
    input_shape = cast(input_shape, dtypes.int32)
    axes = cast(axes, dtypes.int32)
    rank: Any = ops.size(input_shape)
    axes = (axes + rank) % rank
    axes_shape = ops.shape(axes)
    return dynamic_stitch(
        [range_of(rank), axes], [input_shape, ops.ones(axes_shape, dtype=dtypes.int32)]
    )


def _known(value: Any) -> Any:
    return constant_value(value) if isinstance(value, Tensor) else value


def spread(op: Operation, gradient: Any) -> Tensor:
    """The gradient of a reduced sum, repeated over the axes that were summed."""
    source = op.inputs[0].shape.sizes
    axes = None if source is None else constant_value(op.inputs[1])
    if source is not None and axes is not None:
        if np.array_equal(axes, np.arange(len(source))):
            gradient = ops.reshape(gradient, [1] * len(source))
            if None in source:
                return ops.tile(gradient, ops.shape(op.inputs[0]))
            return ops.tile(gradient, constant(list(source), dtype=dtypes.int32))
        if None not in source:
            kept, repeats = _kept_and_repeats(source, axes)  # type: ignore[arg-type]
            return ops.tile(ops.reshape(gradient, kept), repeats)
    input_shape = ops.shape(op.inputs[0])
    if not op.attrs["keep_dims"]:
        with get_default_graph().colocate_with(input_shape.op):
            kept_shape = reduced_shape(input_shape, op.inputs[1])
        gradient = ops.reshape(gradient, kept_shape)
    return ops.broadcast_to(gradient, input_shape)


_Key = tuple[tuple[int, ...], tuple[int, ...]]
_seen: WeakKeyDictionary[Graph, set[_Key]] = WeakKeyDictionary()


def _kept_and_repeats(source: tuple[int, ...], axes: np.ndarray) -> tuple[list[int], list[int]]:
    """The shape with ones for the reduced axes, and how often each axis has to be repeated."""
    kept = reduced_shape(source, axes.reshape(-1))
    repeats = np.array(source, np.int32) // np.maximum(kept, 1)
    known = _seen.setdefault(get_default_graph(), set())
    key = (source, tuple(axes.reshape(-1).tolist()))
    if key not in known:
        # TensorFlow works the repeats out with nodes, once per graph, and evaluates them at once.
        # They take names, so they are built here as well, for equal graphs; nothing runs them.

        known.add(key)
        floordiv(list(source), maximum(kept, 1))
    return kept.tolist(), repeats.tolist()
