"""Lists with tensors in them become tensors: `tf.reshape(x, [tf.shape(y)[0], -1])`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework import dtypes
from tinytf.framework.conversion import register_tensor_conversion_function
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.constant import constant
from tinytf.ops.array.stack import pack
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.math.cast import cast

_PLAIN = (int, float, complex, str, bytes, bool, np.generic, np.ndarray, type(None))


def _is_tensor(value: Any) -> bool:
    """Whether it is a tensor, or a variable, which the node reads."""
    return isinstance(value, Tensor) or (
        not isinstance(value, _PLAIN) and hasattr(value, "_as_graph_element")
    )


def _dtype_of_tensors(values: Any) -> dtypes.DType | None:
    """The dtype of the first tensor in nested lists; None if there is no tensor."""
    for value in values:
        if isinstance(value, _PLAIN):
            continue
        if _is_tensor(value):
            return value.dtype.base_dtype
        if isinstance(value, list | tuple):
            found = _dtype_of_tensors(value)
            if found is not None:
                return found
    return None


def _cast_tensors(values: Any, dtype: dtypes.DType) -> list[Any]:
    return [
        _cast_tensors(value, dtype)
        if isinstance(value, list | tuple)
        else cast(value, dtype)
        if _is_tensor(value) and value.dtype.base_dtype != dtype
        else value
        for value in values
    ]


def _pack_nested(values: Any, dtype: dtypes.DType, name: str) -> Any:
    """One `Pack` for each list that has tensors in it; lists without are left alone."""
    parts: list[Any] = []
    with op_scope(name, name, (values,)) as scope:
        for index, value in enumerate(values):
            if _is_tensor(value) and value.dtype.base_dtype != dtype:
                raise TypeError(
                    f"Cannot convert a list containing a tensor of dtype {value.dtype} to "
                    f"{dtype} (Tensor is: {value!r})"
                )
            nested = isinstance(value, list | tuple)
            parts.append(_pack_nested(value, dtype, str(index)) if nested else value)
        if not any(map(_is_tensor, parts)):
            return parts
        tensors = [
            part if _is_tensor(part) else constant(part, dtype, name=str(index))
            for index, part in enumerate(parts)
        ]
        return pack(tensors, name=scope)


def _list_conversion(
    value: Any, dtype: Any = None, name: str | None = None, as_ref: bool = False
) -> Any:
    if as_ref:
        return NotImplemented
    inferred = _dtype_of_tensors(value)
    if inferred is None:
        return NotImplemented
    if dtype is None:
        return _pack_nested(value, inferred, "packed" if name is None else name)
    wanted = dtypes.as_dtype(dtype).base_dtype
    if wanted != inferred:
        value = _cast_tensors(value, wanted)
    return _pack_nested(value, wanted, "packed" if name is None else name)


register_tensor_conversion_function((list, tuple), _list_conversion, 99)
