"""In which of the intervals between some boundaries numbers are: bucketize."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tinytf.framework.array_types import Array
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.shape_inference import unchanged
from tinytf.framework.tensor import Tensor

_bucketize = define_op(
    "Bucketize",
    "input: T -> output: int32",
    "T: {int32, int64, float, double}",
    "boundaries: list(float)",
    shape=unchanged,
    no_gradient="its result is an index",
)


@_bucketize.kernel
def _bucketize_kernel(input: Array, *, boundaries: Sequence[float]) -> np.ndarray:
    limits = np.asarray(boundaries, np.float32)
    if (np.diff(limits) < 0).any():
        raise invalid(f"Expected sorted boundaries, got {limits.tolist()}")
    return np.asarray(np.searchsorted(limits, input, side="right"), np.int32)


def bucketize(input: Any, boundaries: Sequence[float], name: str | None = None) -> Tensor:
    """In which bucket each number is (TensorFlow: `tf.raw_ops.Bucketize`).

    Args:
      input: numbers of any shape.
      boundaries: sorted; a number that equals one belongs to the bucket above it.
      name: of the operation.

    Returns:
      int32, of the same shape: 0 below all boundaries, `len(boundaries)` above them.

    Raises:
      InvalidArgumentError: in a run, if the boundaries are not sorted.

    Example:
      >>> from tinytf.ops.math.bucketize import bucketize
      >>> bucketize([[-5, 10000], [150, 10], [5, 100]], [0, 10, 100])  # [[0, 3], [3, 2], [1, 3]]
    """
    return _bucketize(input, boundaries=list(boundaries), name=name)
