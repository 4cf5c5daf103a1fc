"""One large variable in parts, which may lie on different devices.

`tf.get_variable` with a `partitioner` makes a `PartitionedVariable`: a list of ordinary variables,
"w/part_0", "w/part_1" ..., that are joined where the whole is used as a tensor.

Mirrors `PartitionedVariable` of tensorflow/python/ops/variables.py and
tensorflow/python/ops/partitioned_variables.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tinytf.framework import dtypes
from tinytf.framework.conversion import register_tensor_conversion_function
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, as_shape
from tinytf.ops.array.concat import concat
from tinytf.ops.array.identity import identity
from tinytf.ops.array.split import split
from tinytf.ops.variables.variable import Variable


class PartitionedVariable:
    """The parts of a variable, in order; converts to a tensor as one.

    Made by `tf.get_variable(..., partitioner=...)`.

    Args:
      name, shape, dtype: of the whole.
      variable_list: the parts, each with its slice information.
      partitions: the number of parts in each dimension; more than one in one dimension only.

    Raises:
      TypeError: if the parts or partitions are no lists. ValueError: if they do not fit.

    Example:
      >>> w = tf.get_variable("w", [6, 4], partitioner=tf.fixed_size_partitioner(3))
      >>> [part.name for part in w], w.as_tensor().shape
      (['w/part_0:0', 'w/part_1:0', 'w/part_2:0'], TensorShape([Dimension(6), Dimension(4)]))
    """

    def __init__(self, name: str, shape: Any, dtype: Any, variable_list: Any, partitions: Any):
        if not isinstance(variable_list, list | tuple):
            raise TypeError(f"variable_list is not a list or tuple: {variable_list}")
        if not isinstance(partitions, list | tuple):
            raise TypeError(f"partitions is not a list or tuple: {partitions}")
        if not all(count >= 1 for count in partitions):
            raise ValueError(f"partition values must be positive: {partitions}")
        if not variable_list:
            raise ValueError("variable_list may not be empty")
        self._shape = as_shape(shape)
        if len(self._shape) != len(partitions):
            raise ValueError(f"len(shape) != len(partitions): {shape} vs. {partitions}")
        for part in variable_list:
            info = part._get_save_slice_info()
            if info is None:
                raise ValueError(
                    f"All variables must have a save_slice_info available: "
                    f"{[v.name for v in variable_list]}"
                )
            if as_shape(info.full_shape) != self._shape:
                raise ValueError(
                    f"All variables' full shapes must match shape: {shape}; but full shapes "
                    f"were: {[info.full_shape]}"
                )
        self._variable_list = sorted(
            variable_list, key=lambda part: part._get_save_slice_info().var_offset
        )
        self._name, self._dtype, self._partitions = name, dtypes.as_dtype(dtype), partitions

    @property
    def name(self) -> str:
        """The name of the whole, without ":0": it is no operation."""
        return self._name

    @property
    def dtype(self) -> dtypes.DType:
        """The element type."""
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """The static shape of the whole."""
        return self._shape

    def get_shape(self) -> TensorShape:
        """The static shape of the whole (TensorFlow's older name for `shape`)."""
        return self._shape

    def __iter__(self) -> Iterator[Variable]:
        """The parts in order."""
        return iter(self._variable_list)

    def __len__(self) -> int:
        axes = self._partition_axes()
        if len(axes) > 1:
            raise ValueError(f"Cannot get a length for {len(axes)} > 1 partition axes")
        return len(self._variable_list)

    def __repr__(self) -> str:
        return (
            f"<tf.PartitionedVariable {self._name!r} shape={self._shape} "
            f"dtype={self._dtype.name} in {len(self._variable_list)} parts>"
        )

    def _get_variable_list(self) -> list[Variable]:
        return self._variable_list

    def _get_partitions(self) -> Any:
        return self._partitions

    def _partition_axes(self) -> list[int]:
        return [axis for axis, count in enumerate(self._partitions) if count > 1] or [0]

    def _only_axis(self, what: str) -> int:
        axes = self._partition_axes()
        if len(axes) > 1:
            raise NotImplementedError(f"Cannot {what} along more than one dimension: {axes}.")
        return axes[0]

    def as_tensor(self) -> Tensor:
        """The whole as one tensor, whatever control dependencies are around."""
        graph = get_default_graph()
        with graph.control_dependencies(None):
            joined: Any = self._variable_list[0]
            if len(self._variable_list) > 1:
                axis = self._only_axis("concatenate")
                with graph.name_scope(self._name + "/ConcatPartitions/"):
                    joined = concat(self._variable_list, axis)
            with graph.name_scope(None):
                return identity(joined, name=self._name)

    def assign(
        self,
        value: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> list[Any]:
        """Give all parts new values.

        Args:
          value: a tensor of the whole's shape, a list with a value for each part, or another
            partitioned variable with the same partitions.
          use_locking, name, read_value: as for `Variable.assign`.

        Returns:
          what the parts' assignments return; their operations with read_value=False.
        """
        return self._to_parts("assign", value, use_locking, name, read_value)

    def assign_add(
        self,
        value: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> list[Any]:
        """Add to all parts; see `assign`."""
        return self._to_parts("assign_add", value, use_locking, name, read_value)

    def assign_sub(
        self,
        value: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> list[Any]:
        """Subtract from all parts; see `assign`."""
        return self._to_parts("assign_sub", value, use_locking, name, read_value)

    def _to_parts(self, method: str, value: Any, *settings: Any) -> list[Any]:
        axis = self._only_axis("do assign action")
        if isinstance(value, list | PartitionedVariable):
            values = list(value)
            if len(values) != len(self._variable_list):
                raise ValueError(
                    f"{self!r} cannot take {len(values)} values: one is needed for each part."
                )
        else:
            sizes = [part.shape.as_list()[axis] for part in self._variable_list]
            values = split(value, sizes, axis=axis)
        pairs = zip(self._variable_list, values, strict=True)
        return [getattr(part, method)(new, *settings) for part, new in pairs]


def _to_tensor(
    variable: PartitionedVariable, dtype: Any = None, name: str | None = None, as_ref: bool = False
) -> Tensor:
    if dtype is not None and not dtypes.as_dtype(dtype).is_compatible_with(variable.dtype):
        raise ValueError(
            f"Incompatible type conversion requested to type '{dtypes.as_dtype(dtype).name}' for "
            f"variable of type '{variable.dtype.name}'"
        )
    if as_ref:
        raise NotImplementedError("PartitionedVariable doesn't support being used as a reference.")
    return variable.as_tensor()


register_tensor_conversion_function(PartitionedVariable, _to_tensor)

# Partitioners -----------------------------------------------------------------------------------

Partitioner = Callable[..., Sequence[int]]


def fixed_size_partitioner(num_shards: int, axis: int = 0) -> Partitioner:
    """A partitioner into a given number of parts (TensorFlow: `tf.fixed_size_partitioner`).

    Args:
      num_shards: the number of parts; fewer, if the dimension is smaller.
      axis: the dimension that is cut.

    Example:
      >>> w = tf.get_variable("w", [5, 2], partitioner=tf.fixed_size_partitioner(2))
      >>> [part.shape.as_list() for part in w]
      [[3, 2], [2, 2]]
    """

    def partitioner(shape: TensorShape, **_: Any) -> list[int]:
        partitions = [1] * len(shape)
        partitions[axis] = min(num_shards, _size(shape, axis))
        return partitions

    return partitioner


def variable_axis_size_partitioner(
    max_shard_bytes: int,
    axis: int = 0,
    bytes_per_string_element: int = 16,
    max_shards: int | None = None,
) -> Partitioner:
    """A partitioner into parts of limited size (TensorFlow: `tf.variable_axis_size_partitioner`).

    Args:
      max_shard_bytes: what a part may take; a single row may be more.
      axis: the dimension that is cut.
      bytes_per_string_element: what an element of type string counts.
      max_shards: the largest number of parts.

    Raises:
      ValueError: for sizes that are not positive.

    Example:
      >>> partitioner = tf.variable_axis_size_partitioner(max_shard_bytes=40)
      >>> partitioner(tf.TensorShape([10, 4]), tf.float32)
      [5, 1]
    """
    if max_shard_bytes < 1 or bytes_per_string_element < 1:
        raise ValueError(
            f"Both max_shard_bytes and bytes_per_string_element must be positive. Currently, "
            f"max_shard_bytes is {max_shard_bytes} and bytes_per_string_element is "
            f"{bytes_per_string_element}"
        )
    if max_shards and max_shards < 1:
        raise ValueError("max_shards must be positive.")

    def partitioner(shape: TensorShape, dtype: dtypes.DType) -> list[int]:
        if not isinstance(shape, TensorShape):
            raise ValueError(f"shape is not a TensorShape: {shape}")
        if not shape.is_fully_defined():
            raise ValueError(f"shape is not fully defined: {shape}")
        if not isinstance(dtype, dtypes.DType):
            raise ValueError(f"dtype is not a DType: {dtype}")
        length = _size(shape, axis)
        element = _element_bytes(dtype, bytes_per_string_element)
        row = _elements(shape) / length * element
        count = math.ceil(length / max(1, math.floor(max_shard_bytes / row)))
        partitions = [1] * len(shape)
        partitions[axis] = min(max_shards, count) if max_shards else count
        return partitions

    return partitioner


def min_max_variable_partitioner(
    max_partitions: int = 1,
    axis: int = 0,
    min_slice_size: int = 256 << 10,
    bytes_per_string_element: int = 16,
) -> Partitioner:
    """A partitioner into parts that are not too small (TensorFlow: the same name).

    Args:
      max_partitions: the largest number of parts.
      axis: the dimension that is cut.
      min_slice_size: the least number of bytes in a part.
      bytes_per_string_element: what an element of type string counts.

    Example:
      >>> partitioner = tf.min_max_variable_partitioner(max_partitions=9, min_slice_size=64)
      >>> partitioner(shape=tf.TensorShape([10, 4]), dtype=tf.float32)
      [3, 1]
    """

    def partitioner(shape: TensorShape, dtype: dtypes.DType) -> list[int]:
        if axis >= len(shape):
            raise ValueError(
                f"Cannot partition variable along axis {axis} when shape is only {shape}"
            )
        total = _elements(shape) * _element_bytes(dtype, bytes_per_string_element)
        wanted = math.ceil(total / min_slice_size)
        partitions = [1] * len(shape)
        partitions[axis] = max(1, min(_size(shape, axis), max_partitions, wanted))
        return partitions

    return partitioner


def _element_bytes(dtype: dtypes.DType, of_a_string: int) -> int:
    return of_a_string if dtype.base_dtype is dtypes.string else dtype.size


def _elements(shape: TensorShape) -> int:
    return shape.num_elements() or 0


def _size(shape: TensorShape, axis: int) -> int:
    return shape.as_list()[axis] or 0


# Slices -----------------------------------------------------------------------------------------


class PartitionInfo:
    """Which part an initializer is called for: what it gets as `partition_info`.

    Attributes:
      full_shape: of the whole. var_offset: where the part starts, in each dimension.
    """

    def __init__(self, full_shape: list[int], var_offset: list[int]):
        for start, size in zip(var_offset, full_shape, strict=True):
            if not 0 <= start < size:
                raise ValueError(
                    f"Expected 0 <= offset < shape but found offset={start}, shape={size} for "
                    f"var_offset={var_offset}, full_shape={full_shape}"
                )
        self.full_shape, self.var_offset = full_shape, var_offset


def partitions_of(partitioner: Partitioner, shape: TensorShape, dtype: Any) -> Sequence[int]:
    """What a partitioner says about a new variable; ValueError if it cannot be done."""
    if not shape.is_fully_defined():
        raise ValueError(
            f"Shape of a new partitioned variable must be fully defined, but instead was {shape}."
        )
    if not len(shape):
        raise ValueError(f"A partitioned Variable must have rank at least 1, shape: {shape}")
    counts = partitioner(shape=shape, dtype=dtype)
    if not isinstance(counts, Sequence):
        raise ValueError(f"Partitioner must return a sequence, but saw: {counts}")
    if len(counts) != len(shape):
        raise ValueError(
            f"Partitioner returned a partition list that does not match the Variable's rank: "
            f"{counts} vs. {shape}"
        )
    if any(count < 1 for count in counts):
        raise ValueError(f"Partitioner returned zero partitions for some axes: {counts}")
    if sum(count > 1 for count in counts) > 1:
        raise ValueError(
            f"Can only slice a variable along one dimension: shape: {shape}, partitioning: {counts}"
        )
    return counts


def slices(
    full_shape: list[int], partitions: Sequence[int]
) -> Iterator[tuple[list[int], list[int]]]:
    """(offset, shape) of each part; the first ones are larger by one if it does not come out."""
    axis = next((axis for axis, count in enumerate(partitions) if count > 1), 0)
    count = partitions[axis]
    least, larger = divmod(full_shape[axis], count)
    offset = [0] * len(full_shape)
    for index in range(count):
        shape = [*full_shape]
        shape[axis] = least + (index < larger)
        yield [*offset], shape
        offset[axis] += shape[axis]
