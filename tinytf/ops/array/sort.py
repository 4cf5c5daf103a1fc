"""Elements by size: sort, argsort."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework.constant_value import constant_value
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.constant import constant
from tinytf.ops.array.range import range as range_of
from tinytf.ops.array.scatter_nd import tensor_scatter_update
from tinytf.ops.array.top_k import top_k
from tinytf.ops.base.op_scope import op_scope


def sort(
    values: Any, axis: Any = -1, direction: str = "ASCENDING", name: str | None = None
) -> Tensor:
    """The elements in order, along an axis (TensorFlow: `tf.sort`).

    Args:
      values: a real tensor of rank 1 or more.
      axis: along which, a constant.
      direction: "ASCENDING" or "DESCENDING".
      name: of the operations' scope.

    Raises:
      ValueError: for another direction, or an axis out of range.

    Example:
      >>> tf.sort([3, 1, 2])  # [1, 2, 3]
    """
    with op_scope(name, "sort"):
        return _ordered(values, axis, direction, places=False)


def argsort(
    values: Any,
    axis: Any = -1,
    direction: str = "ASCENDING",
    stable: bool = False,
    name: str | None = None,
) -> Tensor:
    """The indices that would put the elements in order (TensorFlow: `tf.argsort`).

    Arguments and errors as of `tf.sort`. Equal elements always stay in their order.

    Example:
      >>> tf.argsort([3, 1, 2])  # [1, 2, 0]
    """
    with op_scope(name, "argsort"):
        return _ordered(values, axis, direction, places=True)


def _ordered(values: Any, axis: Any, direction: str, places: bool) -> Tensor:
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(
            f"Argument `direction` should be one of ASCENDING, DESCENDING. Received: "
            f"direction={direction}"
        )
    axis = convert_to_tensor(axis, name="axis")
    known = constant_value(axis)
    if axis.shape.ndims not in (None, 0) or known is None:
        raise ValueError(f"Argument `axis` must be a constant scalar. Received: axis={axis}.")
    values = convert_to_tensor(values, name="values")
    if direction == "DESCENDING":
        return _descending(values, int(known), places)
    # Ascending is descending of the opposite numbers: of which unsigned ones have others.
    if values.dtype.is_unsigned:
        limit = values.dtype.max
        found = _descending(limit - values, int(known), places)
        return found if places else limit - found
    if values.dtype.is_integer:
        found = _descending(-values - 1, int(known), places)
        return found if places else -found - 1
    found = _descending(-values, int(known), places)
    return found if places else -found


def _descending(values: Any, axis: int, places: bool) -> Any:
    count = ops.shape(values)[axis]  # type: ignore[index]
    rank: Any = ops.rank(values)
    static = values.shape.ndims
    if axis == -1 or axis + 1 == static:
        values, indices = top_k(values, count)
        return indices if places else values
    # `axis` and the last one change places, and change back afterwards.
    where: Any = axis if axis >= 0 else axis + (static or rank)
    if static is not None:
        last = static - 1
        order: Any = constant(
            np.r_[np.arange(where), [last], np.arange(where + 1, last), [where]],
            name="transposition",
        )
    else:
        order = tensor_scatter_update(range_of(rank), [[where], [rank - 1]], [rank - 1, where])
    values, indices = top_k(ops.transpose(values, order), count)
    return ops.transpose(indices if places else values, order)
