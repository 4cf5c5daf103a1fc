"""Bands of matrices: the diagonals from a lower to an upper one, and where their elements are."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tinytf.framework.errors import invalid
from tinytf.framework.shape_inference import InferenceContext
from tinytf.ops.base.shape_rules import shown


class Band(NamedTuple):
    """The diagonals `lower` to `upper` of a matrix of `rows` and `columns`."""

    lower: int
    upper: int
    rows: int
    columns: int

    @property
    def longest(self) -> int:
        """The length of the longest of the diagonals."""
        return min(self.rows + min(self.upper, 0), self.columns - max(self.lower, 0))

    @property
    def packed(self) -> tuple[int, ...]:
        """The shape under which the diagonals are packed."""
        count = self.upper - self.lower + 1
        return (self.longest,) if count == 1 else (count, self.longest)

    def places(self, align: bytes) -> tuple[np.ndarray, ...]:
        """Where each element is: its row and column; its diagonal and the position in that."""
        above, below = align.split(b"_")
        parts = []
        for k in range(self.upper, self.lower - 1, -1):
            length = min(self.rows + min(k, 0), self.columns - max(k, 0))
            steps = np.arange(length)
            left = (k >= 0 and above == b"LEFT") or (k <= 0 and below == b"LEFT")
            packed = steps if left else steps + self.longest - length
            which = np.full(length, self.upper - k)
            parts.append((steps + max(-k, 0), steps + max(k, 0), which, packed))
        return tuple(np.concatenate(column) for column in zip(*parts))


def static_bounds(c: InferenceContext, index: int) -> tuple[int, int] | None:
    """The lowest and the uppermost diagonal, if the input that says so is known."""
    if c.input(index).ndims not in (None, 0, 1):
        raise ValueError(f"Shape must be at most rank 1 but is rank {c.input(index).ndims}")
    value = c.constant(index)
    if value is None:
        return None
    bounds = value.reshape(-1).tolist()
    if len(bounds) not in (1, 2):
        raise ValueError(
            f"diag_index must be a vector with one or two elements. It has {len(bounds)} elements."
        )
    if bounds[0] > bounds[-1]:
        raise ValueError("lower_diag_index is greater than upper_diag_index")
    return bounds[0], bounds[-1]


def given_bounds(k: Any) -> tuple[int, int]:
    """For kernels: the lowest and the uppermost diagonal; InvalidArgumentError for others."""
    values = k.reshape(-1).tolist()
    if len(values) not in (1, 2):
        raise invalid(
            f"diag_index must have only one or two elements, received {len(values)} elements."
        )
    if values[0] > values[-1]:
        raise invalid(
            f"lower_diag_index must not be larger than upper_diag_index: {values[0]} > {values[-1]}"
        )
    return values[0], values[-1]


def band_of(matrix: Any, k: Any, punctuation: str) -> Band:
    """The band of a matrix, whose bounds must be inside."""
    if matrix.ndim < 2:
        raise invalid(f"input must be at least 2-dim, received shape: {shown(matrix)}")
    band = Band(*given_bounds(k), *matrix.shape[-2:])
    for what, number in (("lower", band.lower), ("upper", band.upper)):
        if number and not -band.rows < number < band.columns:
            raise invalid(
                f"{what}_diag_index is out of bound: {number}{punctuation} It must be between "
                f"{-band.rows} and {band.columns}"
            )
    return band


def check_static_band(sizes: tuple[int | None, ...], bounds: tuple[int, int]) -> None:
    """ValueError if a diagonal is outside of the matrices, where their sizes are known."""
    rows, columns = sizes[-2:]
    if rows is None or columns is None:
        return
    for what, number in zip(("lower", "upper"), bounds):
        if number and not -rows < number < columns:
            raise ValueError(f"{what}_diag_index is out of bound.")
