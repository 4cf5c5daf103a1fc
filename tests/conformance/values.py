"""Values that cases of array ops are made of, for both libraries."""

from __future__ import annotations

from typing import Any

import numpy as np

#: Dtypes that every array op is tried with.
KINDS = ["float32", "float16", "bfloat16", "int32", "int64", "uint8", "complex64", "bool", "string"]


def numbers(tf: Any, *shape: int, dtype: str = "float32") -> Any:
    """A constant with the elements 0, 1, 2 ... (as texts for strings, odd or even for bool)."""
    values = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    if dtype == "string":
        return tf.constant(values.astype(str).astype(object), dtype=tf.string)
    return tf.constant(values % 2 == 0 if dtype == "bool" else values, dtype)


def fed(tf: Any, value: Any, dtype: str = "float32", shape: Any = None) -> tuple[Any, Any]:
    """A placeholder of unknown shape (or the given one) and its feed."""
    x = tf.placeholder(dtype, shape)
    return x, {x: value}


def varied(*shape: int) -> Any:
    """Numbers of which no row or column depends on the others, the same every time."""
    return np.cos(np.arange(np.prod(shape)) ** 2.0).reshape(shape)


def wave(tf: Any, *shape: int, dtype: str = "complex64") -> Any:
    """A constant of `varied` numbers."""
    value = varied(*shape)
    if dtype.startswith("complex"):
        value = value + 1j * varied(*shape, 2)[..., 1]
    return tf.constant(value.astype(dtype))
