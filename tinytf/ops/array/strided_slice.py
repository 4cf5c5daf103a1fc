"""How `x[1:, ..., -1]` picks elements: the rules of `StridedSlice`.

A slice has one entry for each index of the brackets, and masks that say which entries stand for
something else: begin or end left out, "...", a new axis, or a single index, whose dimension goes
away. `resolve` writes all of it out, for shape functions (some sizes not known) and kernels (all
known, the result is an index for numpy).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from tinytf.framework.tensor_shape import Dims


class Masks(NamedTuple):
    """The five masks; bit i is about entry i."""

    begin: int
    end: int
    ellipsis: int
    new_axis: int
    shrink_axis: int


@dataclass(slots=True)
class Resolved:
    """A slice, written out.

    Attributes:
      sizes: the shape of the result.
      index: what numpy takes, of ints, slices and None; only if all sizes were known.
    """

    sizes: Dims
    index: tuple[Any, ...]


class _Entry(NamedTuple):
    """What is to be done with one dimension of the input."""

    begin: int | None  # None: left out
    end: int | None
    stride: int
    shrinks: bool


def resolve(
    source: Sequence[int | None],
    begin: Sequence[int] | None,
    end: Sequence[int] | None,
    strides: Sequence[int],
    masks: Masks,
) -> Resolved:
    """The shape of a slice, and numpy's index for it.

    Args:
      source: the shape that is sliced.
      begin, end: one number an entry; None if they are not known while the graph is built.
      strides: likewise, always known.
      masks: see `Masks`.

    Raises:
      ValueError: in TensorFlow's words, for too many indices, a stride of 0, an index out of range.
    """
    known = begin is not None and end is not None
    zeros = (0,) * len(strides)
    layout = _lay_out(len(source), begin or zeros, end or zeros, strides, masks)
    sizes: list[int | None] = []
    index: list[Any] = []
    dim = 0
    for entry in layout:
        if entry is None:
            sizes.append(1)
            index.append(None)
            continue
        size = source[dim]
        if entry.stride == 0:
            raise ValueError(f"strides[{dim}] must be non-zero")
        if entry.shrinks:
            if known and size is not None:
                index.append(_single_index(entry, dim, size))
        elif size is None or not (known or entry.begin is entry.end is None):
            sizes.append(None)
        else:
            part, length = _range(entry, size)
            sizes.append(length)
            index.append(part)
        dim += 1
    return Resolved(tuple(sizes), tuple(index))


def _lay_out(
    rank: int, begin: Sequence[int], end: Sequence[int], strides: Sequence[int], masks: Masks
) -> list[_Entry | None]:
    """An entry for each dimension of the input, in order; None for each new axis between them."""
    count = len(strides)
    ellipsis_at = [i for i in range(count) if masks.ellipsis >> i & 1]
    if len(ellipsis_at) > 1:
        raise ValueError("Multiple ellipses in slice spec not allowed")
    fill_at = ellipsis_at[0] if ellipsis_at else count
    used = sum(1 for i in range(count) if i != fill_at and not masks.new_axis >> i & 1)
    whole = [_Entry(None, None, 1, False)] * max(0, rank - used)
    layout: list[_Entry | None] = []
    dim = 0
    for i in range(count):
        bit = 1 << i
        if i == fill_at:
            layout.extend(whole)
            dim += len(whole)
        elif masks.new_axis & bit:
            layout.append(None)
        else:
            if dim == rank:
                if rank == 0:
                    raise ValueError("Attempting to slice scalar input.")
                raise ValueError(
                    f"Index out of range using input dim {dim}; input has only {rank} dims"
                )
            shrinks = bool(masks.shrink_axis & bit)
            first = None if masks.begin & bit and not shrinks else begin[i]
            layout.append(_Entry(first, None if masks.end & bit else end[i], strides[i], shrinks))
            dim += 1
    if fill_at == count:
        layout.extend(whole)
    return layout


def _single_index(entry: _Entry, dim: int, size: int) -> int:
    if entry.stride < 0:
        raise ValueError("only stride 1 allowed on non-range indexing.")
    begin = entry.begin or 0
    position = begin + size if begin < 0 else begin
    if not 0 <= position < size:
        raise ValueError(f"slice index {position} of dimension {dim} out of bounds.")
    return position


def _range(entry: _Entry, size: int) -> tuple[slice, int]:
    """The elements of one dimension as a slice, and how many there are."""
    # Python's own slices have the same rules, once "left out" is None.
    part = slice(entry.begin, entry.end, entry.stride)
    return part, len(range(*part.indices(size)))
