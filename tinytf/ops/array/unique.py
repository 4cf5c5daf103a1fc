"""Elements without repetitions: unique, unique_with_counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework import dtypes
from tinytf.framework.array_types import Array
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, with_rank
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.segment.rows import all_differ

_ATTRS = "T: type, out_idx: {int32, int64} = DT_INT32"
_unique = define_op(
    "Unique",
    "x: T -> y: T, idx: out_idx",
    _ATTRS,
    no_gradient="how many elements there are depends on their values",
)
_unique_with_counts = define_op(
    "UniqueWithCounts",
    "x: T -> y: T, idx: out_idx, count: out_idx",
    _ATTRS,
    no_gradient="how many elements there are depends on their values",
)


@_unique.shape
@_unique_with_counts.shape
def _unique_shape(c: InferenceContext) -> list[TensorShape]:
    with_rank(c.input(0), 1)
    vector = unknown_shape(1)
    return [vector, c.input(0), vector][: c.output_count]


@_unique.kernel
@_unique_with_counts.kernel
def _unique_kernel(x: Array, *, out_idx: dtypes.DType, node: Operation) -> list[np.ndarray]:
    if x.ndim != 1:
        raise invalid("unique expects a 1D vector.")
    if x.dtype == object:
        numbers: dict[bytes, int] = {}
        index = np.array([numbers.setdefault(item, len(numbers)) for item in x.tolist()], int)
        found = np.array(list(numbers), object)
    elif all_differ(x):
        found, index = x, np.arange(len(x))
    else:
        first, which = _first_places(x)
        order = np.argsort(first)  # by value so far, TensorFlow has them as they came
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        found, index = x[first[order]], rank[which]
    kind = out_idx.as_numpy_dtype
    results = [found, index.astype(kind)]
    if len(node.outputs) > 2:
        results.append(np.bincount(index, minlength=len(found)).astype(kind))
    return results


def _first_places(x: Any) -> tuple[np.ndarray, np.ndarray]:
    """Where each different element comes first, by value; and for each element which it is."""
    if x.size and x.dtype.kind in "iu":
        low, high = int(x.min()), int(x.max())
        if high - low < 4 * x.size:  # a table of all values between is faster than sorting
            values = x.astype(np.int64) - low
            table = np.full(high - low + 1, -1)
            table[values[::-1]] = np.arange(x.size)[::-1]
            there = table >= 0
            return table[there], (np.cumsum(there) - 1)[values]
    _, first, which = np.unique(x, return_index=True, return_inverse=True, equal_nan=False)
    return first, which


def unique(x: Any, out_idx: Any = dtypes.int32, name: str | None = None) -> Any:
    """The different elements of a vector (TensorFlow: `tf.unique`).

    Args:
      x: a vector of any dtype.
      out_idx: the dtype of the indices, int32 or int64.
      name: of the operation.

    Returns:
      y and idx: the elements in the order in which they first come, and for each element of `x`
      its place in y.

    Raises:
      ValueError, InvalidArgumentError: if `x` is no vector.

    Example:
      >>> y, idx = tf.unique([7, 5, 7])
      >>> y    # [7, 5]
      >>> idx  # [0, 1, 0]
    """
    return _unique(x, name=name, out_idx=out_idx)


def unique_with_counts(x: Any, out_idx: Any = dtypes.int32, name: str | None = None) -> Any:
    """The different elements of a vector and how often each comes.

    TensorFlow: `tf.unique_with_counts`. Arguments and errors as of `tf.unique`.

    Returns:
      y, idx and count.

    Example:
      >>> y, idx, count = tf.unique_with_counts([7, 5, 7])
      >>> count  # [2, 1]
    """
    return _unique_with_counts(x, name=name, out_idx=out_idx)
