"""What the operations on sparse tensors share: checks of the three parts, groups, merging."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tinytf.framework.errors import invalid
from tinytf.framework.shape_inference import InferenceContext, with_rank
from tinytf.framework.sparse_tensor import SparseTensor
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.base.shape_rules import shown


def arguments(prefix: str, values: str = "T") -> str:
    """The three arguments of a schema: for "a_" they are a_indices, a_values and a_shape."""
    return f"{prefix}indices: int64, {prefix}values: {values}, {prefix}shape: int64"


def parts_of(sparse: SparseTensor) -> tuple[Tensor, Tensor, Tensor]:
    """What the nodes take for a sparse tensor."""
    return sparse.indices, sparse.values, sparse.dense_shape


def static_shapes(rank: int | None = None) -> list[TensorShape]:
    """For shape functions: the shapes of three outputs, if only the rank is known."""
    return [TensorShape.of((None, rank)), TensorShape.of((None,)), TensorShape.of((rank,))]


def check_static_ranks(c: InferenceContext, first: int = 0) -> None:
    """For shape functions: three inputs from `first` on are a matrix and two vectors."""
    for index, rank in enumerate((2, 1, 1), first):
        with_rank(c.input(index), rank)


def static_rank(c: InferenceContext, first: int) -> int | None:
    """For shape functions: the rank of the sparse tensor whose parts are inputs from `first` on."""
    check_static_ranks(c, first)
    rows, columns = c.input(first).sizes or (None, None)
    (count,) = c.input(first + 1).sizes or (None,)
    (rank,) = c.input(first + 2).sizes or (None,)
    if rows is not None and count is not None and rows != count:
        raise ValueError(f"Number of elements in index ({rows}) and values ({count}) do not match.")
    if columns is not None and rank is not None and columns != rank:
        raise ValueError(f"Index rank ({columns}) and shape rank ({rank}) do not match.")
    return rank


def check_whole(indices: Any, values: Any, shape: Any) -> None:
    """InvalidArgumentError if the parts do not make a sparse tensor; indices are not looked at."""
    for what, part, rank in (("indices", indices, 2), ("values", values, 1), ("shape", shape, 1)):
        if np.ndim(part) != rank:
            raise invalid(f"Sparse {what} must be rank {rank} but is rank {np.ndim(part)}")
    if len(indices) != len(values):
        raise invalid(
            f"Number of elements in indices ({len(indices)}) and values ({len(values)}) do not "
            "match"
        )
    if indices.shape[1] != len(shape):
        raise invalid(f"Index rank ({indices.shape[1]}) and shape rank ({len(shape)}) do not match")


def check_created(indices: Any, values: Any, shape: Any) -> None:
    """The same, in the words of TensorFlow's older kernels."""
    if np.ndim(indices) != 2:
        raise invalid(f"indices must be a matrix, but got: {shown(indices)}")
    if np.ndim(values) != 1:
        raise invalid(f"vals must be a vec, but got: {shown(values)}")
    if len(indices) != len(values):
        raise invalid(
            "indices and values rows (indexing dimension) must match. "
            f"(indices = {len(indices)}, values = {len(values)})"
        )
    if indices.shape[1] != len(shape):
        raise invalid("Order length must be SparseTensor rank.")


def check_within(indices: np.ndarray, shape: Any) -> None:
    """InvalidArgumentError for the first index that is outside."""
    for row in np.flatnonzero(outside(indices, shape).any(axis=1))[:1]:
        found = ", ".join(map(str, indices[row].tolist()))
        raise invalid(f"Sparse index tuple indices[{row}, :] = [{found}] is out of bounds")


def outside(indices: np.ndarray, sizes: Any) -> np.ndarray:
    """[n, rank]: which coordinates are not within the sizes."""
    return (indices < 0) | (indices >= np.asarray(sizes))


def in_order(indices: np.ndarray) -> np.ndarray:
    """The places of the entries, row after row; entries with one index stay as they came."""
    if not indices.size:
        return np.arange(len(indices))
    least = indices.min(axis=0)
    spans = [int(span) + 1 for span in indices.max(axis=0) - least]
    if math.prod(spans) >= 1 << 62:
        return np.lexsort(indices.T[::-1])
    # As one number each they are sorted faster, above all where they are in order already.
    strides = [math.prod(spans[axis + 1 :]) for axis in range(len(spans))]
    return np.argsort((indices - least) @ np.array(strides, np.int64), kind="stable")


def group_starts(rows: np.ndarray) -> np.ndarray:
    """Where rows begin that differ from the one before."""
    differs = np.ones(len(rows), bool)
    differs[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    return np.flatnonzero(differs)


def numbered(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different rows, in order, and the number that each row has among them."""
    order = in_order(rows)
    starts = group_starts(rows[order])
    counts = np.diff(np.append(starts, len(rows)))
    numbers = np.empty(len(rows), np.int64)
    numbers[order] = np.repeat(np.arange(len(starts)), counts)
    return rows[order][starts], numbers


def run_lengths(numbers: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Of numbers in order: how often each of `count` comes, and the place of each in its run."""
    counts = np.bincount(numbers, minlength=count)
    starts = np.cumsum(counts) - counts
    return counts, np.arange(len(numbers)) - starts[numbers]


def merged(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The entries of two sparse tensors in one order, those with equal indices side by side.

    Args:
      a, b: their indices, [n, rank], row after row.

    Returns:
      for each entry of the result the place in `a` and the place in `b`, or -1.
    """
    if _ascending(a) and _ascending(b):
        both = np.concatenate([a, b])
        order = in_order(both)
        starts = group_starts(both[order])
        places = np.full((2, len(starts)), -1, np.int64)
        group = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(both))))
        from_b = order >= len(a)
        places[0, group[~from_b]] = order[~from_b]
        places[1, group[from_b]] = order[from_b] - len(a)
        return places[0], places[1]
    return _merged_as_met(a.tolist(), b.tolist())


def _ascending(indices: np.ndarray) -> bool:
    steps = np.diff(indices, axis=0)
    if not steps.size:
        return len(steps) == 0
    return bool((steps[np.arange(len(steps)), (steps != 0).argmax(axis=1)] > 0).all())


def _merged_as_met(a: list[Any], b: list[Any]) -> tuple[np.ndarray, np.ndarray]:
    """For indices out of order, or repeated: TensorFlow joins those that are first at one time."""
    i = j = 0
    places = []
    while i < len(a) and j < len(b):
        takes_a, takes_b = a[i] <= b[j], b[j] <= a[i]
        places.append((i if takes_a else -1, j if takes_b else -1))
        i, j = i + takes_a, j + takes_b
    places += [(place, -1) for place in range(i, len(a))]
    places += [(-1, place) for place in range(j, len(b))]
    found = np.array(places, np.int64).reshape(-1, 2)
    return found[:, 0], found[:, 1]


def values_at(values: np.ndarray, places: np.ndarray) -> np.ndarray:
    """The values at the places that `merged` gives, and 0 for -1."""
    return np.append(values, np.zeros(1, values.dtype))[places]


def merged_rows(a: np.ndarray, b: np.ndarray, in_a: np.ndarray, in_b: np.ndarray) -> np.ndarray:
    """The indices of the entries that `merged` gives."""
    return np.concatenate([a, b])[np.where(in_a < 0, len(a) + in_b, in_a)]


def check_same_shape(a_shape: Any, b_shape: Any) -> None:
    """InvalidArgumentError unless two sparse tensors have one shape."""
    if len(a_shape) != len(b_shape):
        listed = " and ".join(" ".join(map(str, s.tolist())) for s in (a_shape, b_shape))
        raise invalid(f"Operands do not have the same ranks; got shapes: {listed}")
    for axis in np.flatnonzero(a_shape != b_shape)[:1]:
        raise invalid(
            f"Operands' shapes do not match: got {a_shape[axis]} and {b_shape[axis]} for "
            f"dimension {axis}"
        )
