"""The same elements under another shape: reshape, expand_dims, squeeze."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tinytf.framework.array_types import Array
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import Dims, TensorShape, unknown_shape
from tinytf.ops.array.shape import shape
from tinytf.ops.base import shape_rules
from tinytf.ops.gradients.aggregation import dense

# Reshape ------------------------------------------------------------------------------------------

_reshape = define_op(
    "Reshape", "tensor: T, shape: Tshape -> output: T", "T: type, Tshape: {int32, int64} = DT_INT32"
)


@_reshape.shape
def _reshape_shape(c: InferenceContext) -> TensorShape:
    given, wanted = c.input(0), shape_rules.shape_from_input(c, 1)
    source, target = given.sizes, wanted.sizes
    if source is None or target is None:
        return wanted
    source_count, target_count = shape_rules.element_count(given), shape_rules.element_count(wanted)
    if target_count is not None:
        _check_element_count(given, wanted, source_count, target_count)
    elif target.count(None) == 1:
        found = _missing_size(source, target, source_count)
        if found is not None:
            position = target.index(None)
            return TensorShape.of((*target[:position], found, *target[position + 1 :]))
    return wanted


def _check_element_count(
    given: TensorShape, wanted: TensorShape, source_count: int | None, target_count: int
) -> None:
    """Whether a tensor can take a shape of that many elements."""
    if source_count is None:
        source = given.sizes or ()
        if source.count(None) == 1 and shape_rules.known_product(source):
            shape_rules.divide_evenly(target_count, shape_rules.known_product(source))
    elif source_count != target_count:
        sizes = ",".join("?" if size is None else str(size) for size in wanted.sizes or ())
        raise ValueError(
            f"Cannot reshape a tensor with {source_count} elements to shape [{sizes}] "
            f"({target_count} elements)"
        )


def _missing_size(
    source: tuple[int | None, ...], target: tuple[int | None, ...], source_count: int | None
) -> int | None:
    """The one size of the target that is not known, if the source tells it."""
    rest = shape_rules.known_product(target)
    if source_count is not None:
        return shape_rules.divide_evenly(source_count, rest) if rest else None
    return None  # a single unknown size on either side: equal perhaps, but not known


@_reshape.kernel
def _reshape_kernel(value: Array, sizes: Array) -> Array:
    try:
        shape = sizes.tolist()
        if sizes.ndim == 1 and min(shape, default=0) >= 0:
            return value.reshape(shape)
    except ValueError:
        pass  # explained below
    return value.reshape(_checked_sizes(value.shape, sizes))


def _checked_sizes(source: tuple[int, ...], sizes: Any) -> list[int]:
    """The sizes with -1 replaced, as TensorFlow's kernel works them out."""
    if sizes.ndim > 1:
        raise invalid(f"sizes input must be 1-D, not {shape_rules.shown(sizes)}")
    result, count = sizes.reshape(-1).tolist(), math.prod(source)
    missing = -1
    for position, size in enumerate(result):
        if size == -1:
            if missing >= 0:
                raise invalid(f"Only one input size may be -1, not both {missing} and {position}")
            missing = position
        elif size < 0:
            raise invalid(f"Size {position} must be non-negative, not {size}")
    if missing >= 0:
        result[missing] = _size_that_is_left(source, result, missing)
    if math.prod(result) != count:
        raise invalid(
            f"Input to reshape is a tensor with {count} values, but the requested shape has "
            f"{math.prod(result)}"
        )
    return result


def _size_that_is_left(source: tuple[int, ...], sizes: list[int], missing: int) -> int:
    known = [size for position, size in enumerate(sizes) if position != missing]
    if 0 in known:  # any size would do: zeros are left out of the calculation on both sides
        known, source = [s for s in known if s], tuple(s for s in source if s)
    count, product = math.prod(source), math.prod(known)
    if count % product:
        raise invalid(
            f"Input to reshape is a tensor with {count} values, but the requested shape requires "
            f"a multiple of {product}"
        )
    return count // product


@_reshape.gradient
def _reshape_gradient(op: Operation, gradient: Any) -> list[Tensor | None]:
    return [reshape_to_input(op, gradient), None]


def reshape_to_input(op: Operation, gradient: Any) -> Tensor:
    """A gradient under the shape of the first input of `op`."""
    return reshape(dense(gradient), shape(op.inputs[0]))


def reshape(tensor: Any, shape: Any, name: str | None = None) -> Tensor:
    """The elements of a tensor, in the same order, under another shape (TensorFlow: `tf.reshape`).

    Args:
      tensor: of any shape and dtype.
      shape: an int32 or int64 vector of as many elements; one size may be -1, "what is left".
      name: of the operation.

    Raises:
      ValueError: if the static shapes do not fit. InvalidArgumentError: if the values, in a run,
        do not.

    Example:
      >>> tf.reshape([1, 2, 3, 4, 5, 6], [2, -1])  # [[1, 2, 3], [4, 5, 6]]
    """
    return _reshape(tensor, shape, name=name)


# ExpandDims ---------------------------------------------------------------------------------------

_expand_dims = define_op(
    "ExpandDims", "input: T, dim: Tdim -> output: T", "T: type, Tdim: {int32, int64} = DT_INT32"
)


@_expand_dims.shape
def _expand_dims_shape(c: InferenceContext) -> TensorShape:
    source = c.input(0).sizes
    dim = c.constant(1)
    if dim is not None and dim.size != 1:
        raise ValueError("'dim' input must be a tensor with a single value")
    if source is None or dim is None:
        return unknown_shape()
    axis = int(dim.reshape(-1)[0])
    if not -len(source) - 1 <= axis <= len(source):
        raise ValueError(f"dim {axis} not in the interval [{-len(source) - 1}, {len(source)}].")
    axis = axis + len(source) + 1 if axis < 0 else axis
    return TensorShape.of((*source[:axis], 1, *source[axis:]))


@_expand_dims.kernel
def _expand_dims_kernel(value: Array, dim: Array) -> Array:
    if dim.size != 1:
        raise invalid("'dim' must be a tensor with a single value")
    axis, sizes = int(dim.reshape(-1)[0]), list(value.shape)
    if not -len(sizes) - 1 <= axis <= len(sizes):
        raise invalid(f"Tried to expand dim index {axis} for tensor with {len(sizes)} dimensions.")
    sizes.insert(axis if axis >= 0 else axis + len(sizes) + 1, 1)
    return value.reshape(sizes)


@_expand_dims.gradient
def _expand_dims_gradient(op: Operation, gradient: Any) -> list[Tensor | None]:
    return [reshape_to_input(op, gradient), None]


def expand_dims(input: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Tensor:
    """The tensor with a dimension of size 1 put in before `axis` (TensorFlow: `tf.expand_dims`).

    Args:
      input: a tensor of any shape and dtype, or a `SparseTensor`.
      axis: a number from -rank - 1 to rank; -1 adds at the end.
      name: of the operation.
      dim: the old name of `axis`.

    Raises:
      ValueError: without an axis, with both, or one out of range.

    Example:
      >>> tf.expand_dims(tf.zeros([2, 3]), 0).shape  # (1, 2, 3)
    """
    axis = deprecated_lookup("axis", axis, "dim", dim)
    if axis is None:
        raise ValueError("Must specify an axis argument to tf.expand_dims()")
    return _expand_dims(input, axis, name=name)


def deprecated_lookup(new_name: str, new: Any, old_name: str, old: Any) -> Any:
    """The value of an argument that has an old name as well; ValueError if both are given."""
    if old is not None:
        if new is not None:
            raise ValueError(f"Cannot specify both '{old_name}' and '{new_name}'.")
        return old
    return new


# Squeeze ------------------------------------------------------------------------------------------

_squeeze = define_op(
    "Squeeze", "input: T -> output: T", "T: type, squeeze_dims: list(int) >= 0 = []"
)


@_squeeze.shape
def _squeeze_shape(c: InferenceContext) -> TensorShape:
    source: Dims = c.input(0).sizes
    dims = c.attrs["squeeze_dims"]
    if source is None or (not dims and None in source):
        return unknown_shape()  # any size that is not known may be a 1
    axes = set()
    for position, dim in enumerate(dims):
        if not -len(source) <= dim < len(source):
            raise ValueError(f"squeeze_dims[{position}] not in [{-len(source)},{len(source)}).")
        axes.add(dim % len(source))
    for axis in sorted(axes):
        if source[axis] not in (None, 1):
            raise ValueError(
                f"Can not squeeze dim[{axis}], expected a dimension of 1, got {source[axis]}"
            )
    if not dims:
        return TensorShape.of(tuple(size for size in source if size != 1))
    return TensorShape.of(tuple(s for axis, s in enumerate(source) if axis not in axes))


@_squeeze.kernel
def _squeeze_kernel(value: Array, *, squeeze_dims: tuple[int, ...]) -> Array:
    sizes, count = value.shape, len(value.shape)
    if not squeeze_dims:
        return value.reshape([size for size in sizes if size != 1])
    axes = set()
    for dim in squeeze_dims:
        if not -count <= dim < count:
            raise invalid(f"Tried to squeeze dim index {dim} for tensor with {count} dimensions.")
        axes.add(dim % count)
    for axis in sorted(axes):
        if sizes[axis] != 1:
            raise invalid(
                f"Can not squeeze dim[{axis}], expected a dimension of 1, got {sizes[axis]}"
            )
    return value.reshape([size for axis, size in enumerate(sizes) if axis not in axes])


@_squeeze.gradient
def _squeeze_gradient(op: Operation, gradient: Any) -> Tensor:
    return reshape_to_input(op, gradient)


def squeeze(
    input: Any, axis: Any = None, name: str | None = None, squeeze_dims: Any = None
) -> Tensor:
    """The tensor without its dimensions of size 1 (TensorFlow: `tf.squeeze`).

    Args:
      input: a tensor of any shape and dtype, or a `SparseTensor`.
      axis: a number or a list: only these dimensions, which must be of size 1. By default all.
      name: of the operation.
      squeeze_dims: the old name of `axis`.

    Raises:
      ValueError, InvalidArgumentError: if a dimension of `axis` is out of range or not of size 1.

    Example:
      >>> tf.squeeze(tf.zeros([1, 3, 1])).shape  # (3,)
    """
    axis = deprecated_lookup("axis", axis, "squeeze_dims", squeeze_dims)
    if axis is None:
        axis = []
    elif np.isscalar(axis):
        axis = [axis]
    return _squeeze(input, name=name, squeeze_dims=axis)
