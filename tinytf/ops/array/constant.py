"""Values that are part of the graph: constant."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework import dtypes, tensor_value
from tinytf.framework.conversion import register_tensor_conversion_function
from tinytf.framework.op_card import define_op
from tinytf.framework.scopes import check_operation_name, text_of
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import Dimension, TensorShape
from tinytf.ops.base.arguments import explains_arguments

const = define_op(
    "Const",
    "-> output: dtype",
    "value: tensor, dtype: type",
    no_gradient="a constant does not depend on anything",
    shape=lambda c: TensorShape.of(c.attrs["value"].shape),
)


@const.kernel
def _const(*, value: np.ndarray) -> np.ndarray:
    return value


@explains_arguments
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
