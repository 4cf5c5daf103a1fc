"""Sources of the graph: constants and placeholders."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework import dtypes, tensor_value
from tinytf.framework.conversion import register_tensor_conversion_function
from tinytf.framework.errors import InvalidArgumentError
from tinytf.framework.op_card import define_op
from tinytf.framework.scopes import check_operation_name, text_of
from tinytf.framework.shape_inference import InferenceContext
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import Dimension, TensorShape, as_shape, unknown_shape

# Const ------------------------------------------------------------------------------------------

const = define_op(
    "Const",
    "-> output: dtype",
    "value: tensor, dtype: type",
    no_gradient="a constant does not depend on anything",
)


@const.shape
def _const_shape(c: InferenceContext) -> TensorShape:
    return TensorShape.of(c.attrs["value"].shape)


@const.kernel
def _const(*, value: np.ndarray) -> np.ndarray:
    return value


def constant(
    value: Any,
    dtype: Any = None,
    shape: Any = None,
    name: str = "Const",
    verify_shape: bool = False,
) -> Tensor:
    """A tensor with a fixed value (TensorFlow: `tf.constant`).

    Args:
      value: a number, string, (nested) list or numpy array; it is copied.
      dtype: the element type; by default float32, int32, bool or string for Python values, and
        the array's own for arrays.
      shape: fully known; where `value` has too few elements, the last one repeats.
      name: of the operation.
      verify_shape: whether a value of another shape is an error instead.

    Raises:
      TypeError: if the value is not of type `dtype`.
      ValueError: for None, ragged lists, or more elements than `shape` has room for.

    Example:
      >>> tf.constant([[1.0, 2.0]]).shape
      TensorShape([Dimension(1), Dimension(2)])
    """
    dtype = tensor_value.quantized_type(value) if dtype is None else dtype
    wanted = None if dtype is None else dtypes.as_dtype(dtype).base_dtype
    array = tensor_value.to_array(value, wanted, shape, verify_shape)
    tensor_value.check_size(array)
    array.flags.writeable = False
    graph = get_default_graph()
    if type(name) is not str:
        name = "Const" if name is None else text_of(name) or ""
    if not name:
        check_operation_name(name)
    full = name[:-1] if name.endswith("/") else graph.unique_name(name)
    kind = wanted or dtypes.as_dtype(array.dtype)
    # Straight to the graph: the array was just made and checked, there is nothing to infer.
    op = graph._create(const.op_def, full, (), {"value": array, "dtype": kind}, (kind,))
    return op.outputs[0]


def _constant_from_value(
    value: Any, dtype: Any = None, name: str | None = None, as_ref: bool = False
) -> Tensor:
    return constant(value, dtype, name="Const" if name is None else name)


def _constant_from_shape(
    value: TensorShape, dtype: Any = None, name: str | None = None, as_ref: bool = False
) -> Tensor:
    if not value.is_fully_defined():
        raise ValueError(f"Cannot convert a partially known TensorShape {value} to a Tensor.")
    if dtype not in (None, dtypes.int32, dtypes.int64):
        raise TypeError(
            f"Cannot convert TensorShape {value} to dtype {dtypes.as_dtype(dtype)}. Allowed dtypes "
            f"are tf.int32 and tf.int64."
        )
    kind = dtype or _smallest(value.as_list())
    return constant(value.as_list(), kind, name=name or "shape_as_tensor")


def _smallest(sizes: list[Any]) -> dtypes.DType:
    """int32, or int64 where a size needs it."""
    return dtypes.int32 if max(sizes, default=0) <= dtypes.int32.max else dtypes.int64


def _constant_from_dimension(
    value: Dimension, dtype: Any = None, name: str | None = None, as_ref: bool = False
) -> Tensor:
    if value.value is None:
        raise ValueError(f"Cannot convert unknown Dimension {value} to a Tensor.")
    if dtype not in (None, dtypes.int32, dtypes.int64):
        raise TypeError(
            f"Cannot convert Dimension {value} to dtype {dtypes.as_dtype(dtype)}. Allowed dtypes "
            f"are tf.int32 and tf.int64."
        )
    return constant(value.value, dtype or _smallest([value.value]), name=name or "shape_as_tensor")


register_tensor_conversion_function(object, _constant_from_value, 200)
register_tensor_conversion_function(Dimension, _constant_from_dimension, 100)
register_tensor_conversion_function(TensorShape, _constant_from_shape, 100)

# Placeholder ------------------------------------------------------------------------------------

_placeholder = define_op(
    "Placeholder",
    "-> output: dtype",
    "dtype: type, shape: shape = { unknown_rank: true }",
    no_gradient="a placeholder is an input of the graph",
)


#: The last graphs that wrote {} for an unknown shape as well as for that of a scalar.
_LAST_VAGUE_PRODUCER = 21


@_placeholder.shape
def _placeholder_shape(c: InferenceContext) -> TensorShape:
    shape = c.attrs["shape"]
    if c.producer <= _LAST_VAGUE_PRODUCER and shape.ndims == 0:
        return unknown_shape()
    return shape


@_placeholder.kernel
def _placeholder_kernel(*, node: Any) -> Any:
    kind = node.attrs["dtype"]
    raise InvalidArgumentError(
        f"You must feed a value for placeholder tensor '{node.name}' with dtype {kind.name} and "
        f"shape {node.outputs[0].shape}: add it, or its name {node.outputs[0].name!r}, to the "
        f"feed_dict of this run.",
    )


def placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> Tensor:
    """A tensor whose value every run must feed (TensorFlow: `tf.placeholder`).

    Args:
      dtype: the element type. shape: what fed values must fit; None for any shape.
      name: of the operation.

    Example:
      >>> x = tf.placeholder(tf.float32, [None, 3])
    """
    return _placeholder(name=name, dtype=dtype, shape=as_shape(shape))


# PlaceholderWithDefault -------------------------------------------------------------------------

_placeholder_with_default = define_op(
    "PlaceholderWithDefault", "input: dtype -> output: dtype", "dtype: type, shape: shape"
)


@_placeholder_with_default.shape
def _default_shape(c: InferenceContext) -> TensorShape:
    try:
        c.input(0).merge_with(c.attrs["shape"])
    except ValueError as error:
        raise ValueError(f"The default value does not fit: {error}") from None
    return c.attrs["shape"]


@_placeholder_with_default.kernel
def _pass_on(value: Any) -> Any:
    return value


@_placeholder_with_default.gradient
def _placeholder_with_default_gradient(op: Any, gradient: Tensor) -> Tensor:
    return gradient


def placeholder_with_default(input: Any, shape: Any, name: str | None = None) -> Tensor:
    """A tensor that may be fed, and is `input` otherwise.

    Args:
      input: the default value. shape: what the value, fed or not, must fit. name: of the operation.

    Example:
      >>> rate = tf.placeholder_with_default(0.5, [])
      >>> sess.run(rate * 2.0), sess.run(rate * 2.0, {rate: 3.0})  # (1., 6.)
    """
    return _placeholder_with_default(
        input, name=name, shape=as_shape(shape) if shape is not None else unknown_shape()
    )
