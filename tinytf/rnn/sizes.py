"""States and outputs of zeros, for a batch of any size."""

from __future__ import annotations

from typing import Any

from tinytf.framework import dtypes, nest
from tinytf.framework.constant_value import constant_value
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.array.concat import concat
from tinytf.ops.array.constant import constant
from tinytf.ops.array.fill import zeros
from tinytf.ops.array.reshape import expand_dims


def zeros_of(size: Any, batch_size: Any, dtype: Any) -> Tensor:
    """Zeros of shape [batch_size, *size]; what is known of the shape is its static shape.

    Args:
      size: an int, a `TensorShape` or a tensor. batch_size: an int, a dimension or a tensor.
      dtype: of the zeros.

    Raises:
      ValueError: if a size is not known while the graph is built, and is no tensor either.
    """
    result = zeros(with_batch(batch_size, size), dtype=dtype)
    result.set_shape(known_with_batch(batch_size, size))
    return result


def zero_states(state_size: Any, batch_size: Any, dtype: Any) -> Any:
    """`zeros_of` each size of a structure."""
    return nest.map_structure(lambda size: zeros_of(size, batch_size, dtype), state_size)


def with_batch(batch_size: Any, size: Any) -> Tensor:
    """The shape [batch_size, *size], as a tensor.

    Raises:
      ValueError: as `zeros_of`.
    """
    parts = [_as_vector(batch_size), _as_vector(size)]
    if parts[0] is None or parts[1] is None:
        raise ValueError(
            f"Prefix or suffix can't be None. Received prefix = {batch_size} and suffix = {size}. "
            "The batch size has to be a number or a tensor: of inputs whose batch size is unknown "
            "while the graph is built it is tf.shape(inputs)[0]."
        )
    return concat(parts, 0)


def known_with_batch(batch_size: Any, size: Any) -> TensorShape:
    """What is known of the shape [batch_size, *size] while the graph is built.

    As TensorFlow, it leaves constants of the sizes in the graph: names of nodes count on them.
    """
    for part in (batch_size, size):
        _as_vector(part)
    return static_size(batch_size).concatenate(static_size(size))


def static_size(size: Any) -> TensorShape:
    """What is known of a size while the graph is built, as a shape."""
    if not isinstance(size, Tensor):
        return TensorShape(size)
    value = constant_value(size)
    if value is not None:
        return TensorShape(value.reshape(-1).tolist())
    return unknown_shape(1 if size.shape.ndims == 0 else size.shape.as_list()[0])


def _as_vector(size: Any) -> Tensor | None:
    if isinstance(size, Tensor):
        if size.shape.ndims == 0:
            return expand_dims(size, 0)
        if size.shape.ndims != 1:
            raise ValueError(
                f"Prefix or suffix tensor must be either a scalar or vector, but received: {size}"
            )
        return size
    shape = TensorShape(size)
    return constant(shape.as_list(), dtype=dtypes.int32) if shape.is_fully_defined() else None
