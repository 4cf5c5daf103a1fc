"""Sums, differences, products, the larger and the smaller: two tensors in, broadcast, one out.

The kernels are Python's own operators: on arrays they are numpy's functions, and on single numbers
they are ten times as fast as those. Where shapes do not fit, what numpy says becomes TensorFlow's
"Incompatible shapes: [2] vs. [3]" on the way to the user (`framework/errors.py`).
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.array_types import Array
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.indexed_slices import IndexedSlices, convert_to_tensor_or_indexed_slices
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, merge
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, as_shape, unknown_shape
from tinytf.ops.array.constant import constant
from tinytf.ops.array.where import where_v2
from tinytf.ops.base.broadcast_gradients import all_of_one_known_shape, reduce_to_inputs
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.math.comparison import greater_equal, less_equal
from tinytf.ops.math.complex_numbers import conj
from tinytf.ops.math.elementwise import binary_card

# AddV2 ------------------------------------------------------------------------------------------

_add_v2 = binary_card(
    "AddV2",
    "T: {floattype, uint8, uint16, uint32, uint64, int8, int16, int32, int64, complextype}",
    operator.add,
    commutative=True,
    aggregate=True,
)


@_add_v2.gradient
def _add_gradient(op: Operation, gradient: Any) -> tuple[Any, Any]:
    x, y = op.inputs
    if all_of_one_known_shape(x, y, gradient):
        return gradient, gradient
    return reduce_to_inputs(x, y, gradient, gradient)


def add(x: Any, y: Any, name: str | None = None) -> Tensor:
    """`x + y`, element by element, broadcast (TensorFlow: `tf.add`).

    Args:
      x, y: numeric tensors of one dtype, or strings, which are joined. A Python number takes the
        dtype of x.
      name: of the operation.

    Raises:
      TypeError: if the dtypes differ. ValueError: if the shapes do not broadcast.

    Example:
      >>> tf.add([1, 2], [10])  # [11, 12]
    """
    return typed_add(x, y, "Add" if name is None else name)


def typed_add(x: Any, y: Any, name: str) -> Tensor:
    """`add`, under a name that an operator has chosen."""
    if isinstance(x, Tensor):
        card = _add if x.dtype.base_dtype is dtypes.string else _add_v2
        if isinstance(y, Tensor) or _is_natural(y, x.dtype):
            return card(x, y, name=name)
    with op_scope(name, "Add", (x, y)) as scope:
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, dtype_hint=x.dtype.base_dtype, name="y")
        card = _add if x.dtype.base_dtype is dtypes.string else _add_v2
        return card(x, y, name=scope)


def _is_natural(number: Any, dtype: dtypes.DType) -> bool:
    """Whether a Python number converts to the dtype without a question: the common, fast case."""
    kind = type(number)
    return (kind is float and dtype.is_floating) or (kind is int and not dtype.is_bool)


# Add --------------------------------------------------------------------------------------------

_add = binary_card(
    "Add", "T: {floattype, uint8, int8, int16, int32, int64, complextype, string}", operator.add
)


@_add.kernel(types={"T": ["string"]})
def _join_strings(x: Array, y: Array) -> np.ndarray:
    joined = np.add(x, y)
    if isinstance(joined, np.ndarray):
        return joined
    result = np.empty((), object)
    result[()] = joined
    return result


_add.gradient(_add_gradient)

# Sub --------------------------------------------------------------------------------------------

_sub = binary_card(
    "Sub",
    "T: {floattype, uint8, int8, uint16, int16, int32, int64, complextype, uint32, uint64}",
    operator.sub,
)


@_sub.gradient
def _sub_gradient(op: Operation, gradient: Any) -> tuple[Any, Any]:
    x, y = op.inputs
    if all_of_one_known_shape(x, y, gradient):
        return gradient, -gradient
    return reduce_to_inputs(x, y, gradient, -gradient)


def subtract(x: Any, y: Any, name: str | None = None) -> Tensor:
    """`x - y`, element by element, broadcast (TensorFlow: `tf.subtract`).

    Args:
      x, y: numeric tensors of one dtype.
      name: of the operation.

    Raises:
      TypeError: if the dtypes differ. ValueError: if the shapes do not broadcast.

    Example:
      >>> tf.subtract([5, 6], [1, 2])  # [4, 4]
    """
    return _sub(x, y, name=name)


# Mul --------------------------------------------------------------------------------------------

mul_op = binary_card(
    "Mul",
    "T: {floattype, uint8, int8, uint16, int16, int32, uint32, uint64, int64, complextype}",
    operator.mul,
    commutative=True,
)


@mul_op.gradient
def _mul_gradient(op: Operation, gradient: Any) -> tuple[Any, Any]:
    x, y = op.inputs
    if all_of_one_known_shape(x, y, gradient) and gradient.dtype in (dtypes.int32, dtypes.float32):
        return mul_op(gradient, y), mul_op(gradient, x)
    return reduce_to_inputs(x, y, mul_op(gradient, conj(y)), mul_op(conj(x), gradient))


def multiply(x: Any, y: Any, name: str | None = None) -> Tensor:
    """`x * y`, element by element, broadcast (TensorFlow: `tf.multiply`).

    Args:
      x, y: numeric tensors of one dtype.
      name: of the operation.

    Raises:
      TypeError: if the dtypes differ. ValueError: if the shapes do not broadcast.

    Example:
      >>> tf.multiply([1, 2, 3], 2)  # [2, 4, 6]
    """
    return mul_op(x, y, name=name)


def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Any:
    """A tensor or `IndexedSlices` times one number (TensorFlow: `tf.scalar_mul`).

    Args:
      scalar: a number or a tensor of rank 0; a number takes the dtype of x.
      x: a tensor or `IndexedSlices`.
      name: of the operation.

    Raises:
      ValueError: if `scalar` has another rank.

    Example:
      >>> tf.scalar_mul(2.0, tf.constant([1.0, 3.0]))  # [2., 6.]
    """
    scalar = convert_to_tensor(scalar, dtype=x.dtype.base_dtype, name="scalar")
    if scalar.shape.ndims != 0:
        raise ValueError(f"The input scalar must be a 0-D value. Received shape {scalar.shape}.")
    if isinstance(x, IndexedSlices):
        return IndexedSlices(mul_op(scalar, x.values, name=name), x.indices, x.dense_shape)
    return mul_op(scalar, x, name=name)


# SquaredDifference ------------------------------------------------------------------------------

_squared_difference = binary_card(
    "SquaredDifference", "T: {floattype, int32, int64, complextype}", commutative=True
)


@_squared_difference.kernel
def _squared_difference_kernel(x: Array, y: Array) -> Array:
    difference = np.subtract(x, y)
    # For complex numbers the square of the distance: d times its conjugate, which is real.
    return (
        np.multiply(np.conjugate(difference), difference)
        if difference.dtype.kind == "c"
        else (np.square(difference))
    )


@_squared_difference.gradient
def _squared_difference_gradient(op: Operation, gradient: Any) -> tuple[Any, Any]:
    x: Any = op.inputs[0]
    y: Any = op.inputs[1]
    with get_default_graph().control_dependencies([gradient.op]):
        x_gradient = scalar_mul(2.0, gradient) * (x - y)
    if all_of_one_known_shape(x, y, gradient):
        return x_gradient, -x_gradient
    return reduce_to_inputs(x, y, x_gradient, -x_gradient)


def squared_difference(x: Any, y: Any, name: str | None = None) -> Tensor:
    """`(x - y)²`, element by element, broadcast (TensorFlow: `tf.squared_difference`).

    Args:
      x, y: numeric tensors of one dtype; for complex ones the result is `|x - y|²`.
      name: of the operation.

    Example:
      >>> tf.squared_difference([1, 5], 3)  # [4, 4]
    """
    return _squared_difference(x, y, name=name)


# Maximum ----------------------------------------------------------------------------------------

_ORDERED = "T: {floattype, int8, uint8, int16, uint16, int32, uint32, int64, uint64}"
maximum_op = binary_card("Maximum", _ORDERED, np.maximum)  # NaN if one of the two is


@maximum_op.gradient
def _maximum_gradient(op: Operation, gradient: Any) -> tuple[Any, Any]:
    return _extremum_gradient(op, gradient, greater_equal)


def _extremum_gradient(op: Operation, gradient: Any, chooses_x: Any) -> tuple[Any, Any]:
    x, y = op.inputs
    zeros = ops.zeros_like(gradient)
    mask = chooses_x(x, y)
    return reduce_to_inputs(x, y, where_v2(mask, gradient, zeros), where_v2(mask, zeros, gradient))


def maximum(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The larger of two, element by element, broadcast (TensorFlow: `tf.maximum`).

    Args:
      x, y: real tensors of one dtype. Where they are equal, the gradient goes to x.
      name: of the operation.

    Example:
      >>> tf.maximum([1, 5], 3)  # [3, 5]
    """
    return maximum_op(x, y, name=name)


# Minimum ----------------------------------------------------------------------------------------

minimum_op = binary_card("Minimum", _ORDERED, np.minimum)


@minimum_op.gradient
def _minimum_gradient(op: Operation, gradient: Any) -> tuple[Any, Any]:
    return _extremum_gradient(op, gradient, less_equal)


def minimum(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The smaller of two, element by element, broadcast (TensorFlow: `tf.minimum`).

    Args:
      x, y: real tensors of one dtype. Where they are equal, the gradient goes to x.
      name: of the operation.

    Example:
      >>> tf.minimum([1, 5], 3)  # [1, 3]
    """
    return minimum_op(x, y, name=name)


# AddN -------------------------------------------------------------------------------------------

_add_n = define_op(
    "AddN",
    "inputs: N * T -> sum: T",
    "N: int >= 1, T: {numbertype, variant}",
    commutative=True,
    aggregate=True,
)


@_add_n.shape
def _add_n_shape(c: InferenceContext) -> TensorShape:
    shapes = c.shapes()
    result = shapes[-1]
    for index in range(len(shapes) - 2, -1, -1):
        try:
            result = merge(shapes[index], result)
        except ValueError as error:
            raise ValueError(f"{error}\n\tFrom merging shape {index} with other shapes.") from None
    return result


@_add_n.kernel
def _add_n_kernel(*inputs: Any) -> Any:
    first = inputs[0]
    for index, value in enumerate(inputs):
        if value.shape != first.shape:
            raise invalid(
                f"Inputs to operation AddN of type AddN must have the same size and shape.  "
                f"Input 0: {shown(first)} != input {index}: {shown(value)}"
            )
    if len(inputs) == 1:
        return first
    total = np.add(first, inputs[1])
    for value in inputs[2:]:
        # The running total is ours alone: it may be written to.
        total = np.add(total, value, out=total) if total.ndim else np.add(total, value)
    return total


@_add_n.gradient
def _add_n_gradient(op: Operation, gradient: Any) -> list[Any]:
    return [gradient] * len(op.inputs)


def add_n(inputs: Any, name: str | None = None) -> Tensor:
    """The sum of several tensors of one shape and dtype (TensorFlow: `tf.add_n`).

    Args:
      inputs: tensors or `IndexedSlices`, which are written out as tensors; at least one.
      name: of the operation.

    Raises:
      ValueError: for an empty list, or shapes that differ. TypeError: for dtypes that differ.

    Example:
      >>> tf.add_n([[1, 2], [3, 4], [5, 6]])  # [9, 12]
    """
    if (
        not isinstance(inputs, Iterable)
        or isinstance(inputs, Tensor)
        or not (given := list(inputs))
    ):
        raise ValueError(
            "Inputs must be an iterable of at least one Tensor/IndexedSlices with the same dtype "
            "and shape."
        )
    summands = [convert_to_tensor_or_indexed_slices(value) for value in given]
    if len(summands) > 1:
        return _add_n(summands, name=name)
    only = convert_to_tensor(summands[0])
    return ops.identity(only, name=name) if name else only


def accumulate_n(
    inputs: Any, shape: Any = None, tensor_dtype: Any = None, name: str | None = None
) -> Tensor:
    """`add_n`, with a check of shape and dtype (TensorFlow: `tf.accumulate_n`).

    Args:
      inputs: a list of tensors of one shape and dtype.
      shape: what the shape is expected to be.
      tensor_dtype: what the dtype is expected to be.
      name: of the operation.

    Raises:
      ValueError, TypeError: if the inputs are not what is expected.

    Example:
      >>> tf.accumulate_n([[1, 2], [3, 4]], shape=[2])  # [4, 6]
    """
    if not isinstance(inputs, list | tuple) or not inputs:
        raise _unequal_inputs()
    tensors = [convert_to_tensor_or_indexed_slices(value) for value in inputs]
    if any(not isinstance(t, Tensor) or t.dtype != tensors[0].dtype for t in tensors):
        raise _unequal_inputs()
    static = unknown_shape() if shape is None else as_shape(shape)
    for tensor in tensors:
        static = static.merge_with(tensor.shape)
    if tensor_dtype is not None and tensor_dtype != tensors[0].dtype:
        raise TypeError(
            f"The `tensor_dtype` argument is {tensor_dtype}, but `input` is of type "
            f"{tensors[0].dtype}. These must be equal. Try casting the input to the desired type."
        )
    return add_n(tensors, name=name)


def _unequal_inputs() -> ValueError:
    return ValueError("inputs must be a list of at least one Tensor with the same dtype and shape")


def one(like: Tensor) -> Tensor:
    """A constant 1 of the dtype of a tensor, for gradients."""
    return constant(1, dtype=like.dtype.base_dtype)
