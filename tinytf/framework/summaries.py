"""A node in one line, as TensorFlow's messages write it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tinytf.framework import dtypes
from tinytf.framework.shape_inference import brackets
from tinytf.framework.tensor_shape import TensorShape

if TYPE_CHECKING:
    from tinytf.framework.operation import Operation

_ENUM_NAME = {"float32": "FLOAT", "float64": "DOUBLE", "float16": "HALF"}


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
        kind = type_text(dtypes.as_dtype(value.dtype)).removeprefix("DT_").lower()
        shape = brackets(TensorShape(value.shape))
        return f"Tensor<type: {kind} shape: {shape} values: {_some_values(value)}>"
    if isinstance(value, tuple):
        return "[" + ", ".join(attr_text(item) for item in value) + "]"
    return str(value)


def _some_values(array: np.ndarray, most: int = 3) -> str:
    """The first values of a tensor: "1 2 3...", "[1 2][3...]..."."""
    shown = 0

    def text_of(part: np.ndarray) -> str:
        nonlocal shown
        if part.ndim > 1:
            return "".join(f"[{text_of(row)}]" for row in part if shown < most)
        values = part.reshape(-1)[: most - shown]
        shown += len(values)
        cut = array.ndim > 1 and len(values) < part.size
        return " ".join(map(_value_text, values)) + ("..." if cut else "")

    if not array.size:
        return ""
    return text_of(array) + ("..." if array.size > most else "")


def _value_text(value: Any) -> str:
    if isinstance(value, bytes):
        return repr(value)[2:-1].replace('"', '\\"')
    if isinstance(value, np.bool_):
        return str(int(value))
    if isinstance(value, np.floating):
        digits, exact = (15, 17) if value.dtype == np.float64 else (6, 9)
        short = f"{value:.{digits}g}"
        return short if type(value)(short) == value else f"{value:.{exact}g}"
    return "?" if isinstance(value, np.complexfloating) else str(value)
