"""Elements dealt out by number: dynamic_partition."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework.array_types import Array
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, merge_dimension
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.array.dynamic_stitch import parallel_dynamic_stitch
from tinytf.ops.array.range import range as range_of
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.reduce.reduction import reduce_prod

_dynamic_partition = define_op(
    "DynamicPartition",
    "data: T, partitions: int32 -> outputs: num_partitions * T",
    "num_partitions: int >= 1, T: type",
)


@_dynamic_partition.shape
def _dynamic_partition_shape(c: InferenceContext) -> list[TensorShape]:
    data, partitions = c.input(0).sizes, c.input(1).sizes
    part = unknown_shape()
    if data is not None and partitions is not None:
        if len(data) < len(partitions):
            raise ValueError(
                f"Shape must be at least rank {len(partitions)} but is rank {len(data)}"
            )
        for size, count in zip(data, partitions):
            merge_dimension(size, count)
        part = TensorShape.of((None, *data[len(partitions) :]))
    return [part] * c.output_count


@_dynamic_partition.kernel
def _dynamic_partition_kernel(
    data: Array, partitions: Array, *, num_partitions: int
) -> list[Array]:
    if data.shape[: partitions.ndim] != partitions.shape:
        raise invalid(
            f"data.shape must start with partitions.shape, got data.shape = {shown(data)}, "
            f"partitions.shape = {shown(partitions)}"
        )
    numbers = np.asarray(partitions).reshape(-1)
    wrong = np.flatnonzero((numbers < 0) | (numbers >= num_partitions))
    if wrong.size:
        where = ",".join(map(str, np.unravel_index(wrong[0], partitions.shape)))
        raise invalid(
            f"partitions{f'[{where}]' if where else ''} = {numbers[wrong[0]]} is not in "
            f"[0, {num_partitions})"
        )
    rows = np.asarray(data).reshape(numbers.size, *data.shape[partitions.ndim :])
    return [rows[numbers == number] for number in range(num_partitions)]


@_dynamic_partition.gradient
def _dynamic_partition_gradient(op: Operation, *gradients: Any) -> list[Any]:
    data, partitions = op.inputs
    sizes = ops.shape(partitions)
    numbers = ops.reshape(range_of(reduce_prod(sizes)), sizes)
    parts = dynamic_partition(numbers, partitions, op.attrs["num_partitions"])
    whole = parallel_dynamic_stitch(parts, list(gradients))
    return [ops.reshape(whole, ops.shape(data)), None]


def dynamic_partition(
    data: Any, partitions: Any, num_partitions: int, name: str | None = None
) -> list[Tensor]:
    """Rows dealt out to several tensors, by number (TensorFlow: `tf.dynamic_partition`).

    Args:
      data: of any dtype; its shape begins with that of `partitions`.
      partitions: for each row the number of the tensor it goes to, int32.
      num_partitions: how many tensors there are.
      name: of the operation.

    Returns:
      a list of `num_partitions` tensors.

    Raises:
      ValueError: if shapes do not fit. InvalidArgumentError: for a number out of range.

    Example:
      >>> even, odd = tf.dynamic_partition([10, 11, 12], [0, 1, 0], 2)
      >>> even  # [10, 12]
    """
    return _dynamic_partition(data, partitions, name=name, num_partitions=num_partitions)
