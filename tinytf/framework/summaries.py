"""A node in one line, as TensorFlow's messages write it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tinytf.framework import dtypes
from tinytf.framework.shape_inference import brackets
from tinytf.framework.tensor_shape import TensorShape

if TYPE_CHECKING:
    from tinytf.framework.operation import Operation

_ENUM_NAME = {
    "float32": "FLOAT", "float64": "DOUBLE", "float16": "HALF",
}  # fmt: skip


def describe_node(op: Operation) -> str:
    """A node as C++ messages write it: "{{node add}} = AddV2[T=DT_FLOAT](x, y)"."""
    attrs = ", ".join(f"{name}={attr_text(op.attrs[name])}" for name in sorted(op.attrs))
    inputs = [t.op.name if t.value_index == 0 else t.name for t in op.inputs]
    inputs += [f"^{control.name}" for control in op.control_inputs]
    return f"{{{{node {op.name}}}}} = {op.type}[{attrs}]({', '.join(inputs)})"


def type_text(dtype: dtypes.DType) -> str:
    """A type as messages spell it: "DT_FLOAT", "DT_INT32_REF"."""
    base = dtype.base_dtype.name
    text = f"DT_{_ENUM_NAME.get(base, base.upper())}"
    return text + "_REF" if dtype.is_ref else text


def attr_text(value: Any) -> str:
    """An attribute value as messages spell it."""
    if isinstance(value, dtypes.DType):
        return type_text(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, bytes):
        return '"' + value.decode("utf-8", "backslashreplace") + '"'
    if isinstance(value, TensorShape):
        return brackets(value)
    if isinstance(value, np.ndarray):
        kind = type_text(dtypes.as_dtype(value.dtype))
        return f"Tensor<type: {kind} shape: {brackets(TensorShape(value.shape))}>"
    if isinstance(value, tuple):
        return "[" + ", ".join(attr_text(item) for item in value) + "]"
    return str(value)
