"""Coordinates, masks and matrices made of ranges: meshgrid, sequence_mask, linspace, eye."""

from __future__ import annotations

import numpy as np

from tinytf.framework.tensor import Tensor
from tinytf.ops import arrays
from tinytf.ops.array.constant import constant
from tinytf.ops.array.range import _range

# Made of other ops --------------------------------------------------------------------------------


def all_axes(x: Tensor) -> Tensor:
    """All axes of a tensor, for a reduction."""
    rank = x.shape.ndims
    if rank is not None:
        return constant(np.arange(rank, dtype=np.int32))
    return _range(0, arrays.rank(x), 1)
