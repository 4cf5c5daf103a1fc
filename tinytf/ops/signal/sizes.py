"""Sizes that are Python's numbers where they are known, and tensors where they are not.

The same arithmetic works for both; what is known early makes static shapes, and smaller graphs.
"""

from __future__ import annotations

from typing import Any

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.constant_value import constant_value
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.tensor import Tensor
from tinytf.ops.math.arithmetic import maximum


def size_along(x: Tensor, axis: int) -> Any:
    """The size of a dimension.

    Raises:
      IndexError: if it is known that there is no such dimension.
    """
    sizes = x.shape.sizes
    if sizes is not None and not -len(sizes) <= axis < len(sizes):
        raise IndexError(f"list index out of range: {x} has no dimension {axis}")
    known = None if sizes is None else sizes[axis]
    running: Any = ops.shape(x) if known is None else None
    return running[axis] if known is None else known


def outer_sizes(x: Tensor, inner: int) -> Any:
    """The sizes of all dimensions but the last ones: a list, or a vector."""
    outer = x.shape[:-inner]
    if outer.is_fully_defined():
        return outer.as_list()
    running: Any = ops.shape(x)
    return running[:-inner]


def as_number(value: Any, name: str) -> Any:
    """A scalar argument, as a Python number if it is one already.

    Raises:
      ValueError: "Shape (1,) must have rank 0".
    """
    tensor = convert_to_tensor(value, name=name)
    tensor.shape.assert_has_rank(0)
    known = constant_value(tensor)
    return tensor if known is None else known.item()


def largest(*values: Any) -> Any:
    """The largest of numbers, or tensors."""
    if any(isinstance(value, Tensor) for value in values):
        result = values[0]
        for value in values[1:]:
            result = maximum(result, value)
        return result
    return max(values)


def joined(*sizes: Any) -> Any:
    """One shape out of several parts: a list, or a vector."""
    if any(isinstance(part, Tensor) for part in sizes):
        return ops.concat([convert_to_tensor(p, dtypes.int32) for p in sizes], 0)
    return [size for part in sizes for size in part]


def static_size(size: Any) -> int | None:
    """What a static shape can say of a size."""
    return None if isinstance(size, Tensor) else int(size)


def padded_behind(x: Tensor, axis: int, count: Any, value: Any = 0) -> Tensor:
    """So many more elements behind a dimension, which may be counted from the end."""
    rank = x.shape.ndims
    if rank is not None:
        ends: Any = [0] * rank
        ends[axis] = count
        paddings = convert_to_tensor([[0, end] for end in ends], dtypes.int32)
        return ops.pad(x, paddings, constant_values=value)
    running: Any = ops.rank(x)
    place = running + axis if axis < 0 else axis
    ends = ops.one_hot(place, running, count)
    ends = ops.stack([ops.zeros_like(ends), ends], axis=1)
    return ops.pad(x, ends, constant_values=value)
