"""`bucket_by_sequence_length`: batches of elements of similar length."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tinytf.data import structure
from tinytf.data.base import Self
from tinytf.data.group_by_window import group_by_window
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.array.gather import gather
from tinytf.ops.array.stack import stack
from tinytf.ops.math.cast import cast
from tinytf.ops.math.comparison import greater_equal
from tinytf.ops.reduce.reduction import reduce_sum


def bucket_by_sequence_length(
    self: Self,
    element_length_func: Callable[..., Any],
    bucket_boundaries: Sequence[int],
    bucket_batch_sizes: Sequence[int],
    padded_shapes: Any = None,
    padding_values: Any = None,
    pad_to_bucket_boundary: bool = False,
    no_padding: bool = False,
    drop_remainder: bool = False,
    name: str | None = None,
) -> Any:
    """Batches of elements of similar length (TensorFlow: `Dataset.bucket_by_sequence_length`).

    Args:
      element_length_func: gets an element, returns its length, int32.
      bucket_boundaries: lengths where a new bucket begins.
      bucket_batch_sizes: how many elements a batch of each bucket has: one more than those.
      padded_shapes, padding_values: see `padded_batch`. drop_remainder: see `batch`.
      pad_to_bucket_boundary: pad to the boundary less 1. no_padding: elements have one shape.

    Raises:
      ValueError: for numbers that do not fit.
    """
    if len(bucket_batch_sizes) != len(bucket_boundaries) + 1:
        raise ValueError(
            f"`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but "
            f"`len(bucket_batch_sizes)={len(bucket_batch_sizes)}` and "
            f"`len(bucket_boundaries)={len(bucket_boundaries)}`."
        )
    limits = list(bucket_boundaries)
    sizes = np.array(bucket_batch_sizes, np.int64)

    def key_func(*element: Any) -> Tensor:

        length = convert_to_tensor(element_length_func(*element), dtypes.int32)
        return reduce_sum(cast(greater_equal(length, limits), dtypes.int64))

    def size_of(key: Tensor) -> Tensor:

        return gather(sizes, key)

    def batching_fn(key: Tensor, group: Any) -> Any:
        size = size_of(key)
        if no_padding:
            return group.batch(size, drop_remainder=drop_remainder)
        shapes = padded_shapes
        if shapes is None:
            shapes = structure.map_structure(lambda leaf: leaf.shape, self.element_spec)
        if pad_to_bucket_boundary:
            shapes = _to_boundary(shapes, key, limits)
        return group.padded_batch(size, shapes, padding_values, drop_remainder=drop_remainder)

    return group_by_window(self, key_func, batching_fn, window_size_func=size_of, name=name)


def _to_boundary(shapes: Any, key: Tensor, limits: Sequence[int]) -> Any:
    """Padded shapes whose unknown sizes are the boundary of the bucket less 1."""
    most = gather(np.array([*limits, 2**62], np.int64) - 1, key)

    def one(shape: Any) -> Any:
        sizes = TensorShape(shape).as_list()
        return stack(
            [most if size is None else convert_to_tensor(size, dtypes.int64) for size in sizes]
        )

    return structure.map_structure(one, shapes)
