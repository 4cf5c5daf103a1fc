"""Coordinates of the points of a grid: meshgrid."""

from __future__ import annotations

from typing import Any

from tinytf import ops
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.tensor import Tensor
from tinytf.ops.base.op_scope import op_scope


def meshgrid(*args: Any, **kwargs: Any) -> list[Tensor]:
    """Vectors of coordinates, repeated over a grid (TensorFlow: `tf.meshgrid`).

    Args:
      *args: n vectors of one dtype.
      indexing: "xy" (the default: the first vector runs along the columns) or "ij" (the rows).
      name: of the operations' scope.

    Returns:
      n tensors of rank n: the coordinates of every point of the grid.

    Raises:
      ValueError: for another `indexing`. TypeError: for another keyword.

    Example:
      >>> x, y = tf.meshgrid([1, 2], [3, 4])
      >>> x  # [[1, 2], [1, 2]]
      >>> y  # [[3, 3], [4, 4]]
    """
    indexing, name = kwargs.pop("indexing", "xy"), kwargs.pop("name", "meshgrid")
    if kwargs:
        raise TypeError(f"'{next(iter(kwargs))}' is an invalid keyword argument for this function")
    if indexing not in ("xy", "ij"):
        raise ValueError(
            f"Argument `indexing` parameter must be either 'xy' or 'ij', got '{indexing}'"
        )
    with op_scope(name, "meshgrid", args):
        count = len(args)
        if not count:
            return []
        order = list(range(count))
        if indexing == "xy" and count > 1:
            order[:2] = [1, 0]
        spread: list[Any] = [
            ops.reshape(ops.stack(x), (1,) * i + (-1,) + (1,) * (count - i - 1))
            for i, x in enumerate(args)
        ]
        sizes = [ops.size(x) for x in args]
        kind = convert_to_tensor(args[0]).dtype.base_dtype
        for i in range(count):
            if order[i] != i:
                along = (1,) * order[i] + (-1,) + (1,) * (count - order[i] - 1)
                spread[i] = ops.reshape(spread[i], along)
        ones = ops.ones([sizes[i] for i in order], dtype=kind)
        return [x * ones for x in spread]
