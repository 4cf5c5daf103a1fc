"""Turning values into tensors: `convert_to_tensor` and the registry behind it.

Mirrors `tensorflow/python/framework/tensor_conversion_registry.py`. Constants, variables and
other tensor-like types register a function each; this module knows none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tinytf.framework import dtypes
from tinytf.framework.tensor import Tensor

#: (value, dtype=None, name=None, as_ref=False) -> Tensor, or NotImplemented to try the next one.
ConversionFunction = Callable[..., Any]

_functions: list[tuple[int, int, Any, ConversionFunction]] = []
_by_type: dict[type, list[ConversionFunction]] = {}


def register_tensor_conversion_function(
    base_type: type | tuple[type, ...], conversion_func: ConversionFunction, priority: int = 100
) -> None:
    """Let values of `base_type` be used wherever a tensor is expected.

    Args:
      base_type: a class or a tuple of classes.
      conversion_func: called as `conversion_func(value, dtype=..., name=..., as_ref=...)`; returns
        a tensor, or NotImplemented to leave the value to a function of lower priority.
      priority: smaller numbers are tried first.

    Example:
      >>> class Celsius:
      ...     degrees = 20.0
      >>> def kelvin(value, dtype=None, name=None, as_ref=False):
      ...     return tf.constant(value.degrees + 273.15, dtype, name=name)
      >>> tf.register_tensor_conversion_function(Celsius, kelvin)
      >>> tf.convert_to_tensor(Celsius())  # 293.15
    """
    if not callable(conversion_func):
        raise TypeError("conversion_func must be callable.")
    _functions.append((priority, len(_functions), base_type, conversion_func))
    _functions.sort(key=lambda entry: entry[:2])
    _by_type.clear()


def _functions_for(kind: type) -> list[ConversionFunction]:
    found = _by_type.get(kind)
    if found is None:
        found = [function for _, _, base, function in _functions if issubclass(kind, base)]
        _by_type[kind] = found
    return found


def convert_to_tensor(
    value: Any,
    dtype: Any = None,
    name: str | None = None,
    preferred_dtype: Any = None,
    dtype_hint: Any = None,
    as_ref: bool = False,
) -> Tensor:
    """`value` as a tensor of the default graph (TensorFlow: `tf.convert_to_tensor`).

    Args:
      value: a tensor, variable, number, string, list or numpy array.
      dtype: the required type; inferred when None.
      name: the name of the constant, if one has to be made.
      preferred_dtype, dtype_hint: a type to try first when `dtype` is None.
      as_ref: internal: keep a variable's reference instead of reading it.

    Raises:
      ValueError: if `value` is a tensor of another type. TypeError: if it cannot be converted.

    Example:
      >>> tf.convert_to_tensor([1, 2], tf.float32)  # [1., 2.], float32
    """
    if dtype is not None:
        dtype = dtypes.as_dtype(dtype)
    if isinstance(value, Tensor):
        return _checked(value, dtype)
    preferred = dtype_hint if preferred_dtype is None else preferred_dtype
    for function in _functions_for(type(value)):
        result: Any = NotImplemented
        if dtype is None and preferred is not None:
            try:
                result = function(value, dtype=preferred, name=name, as_ref=as_ref)
            except (TypeError, ValueError):
                result = NotImplemented  # only a preference: the value decides
        if result is NotImplemented:
            result = function(value, dtype=dtype, name=name, as_ref=as_ref)
        if result is not NotImplemented:
            return result if as_ref else _checked(result, dtype)
    raise TypeError(
        f"Cannot convert {value!r} of type {type(value).__name__} to a tensor: no conversion "
        f"function is registered for it."
    )


def _checked(tensor: Tensor, dtype: dtypes.DType | None) -> Tensor:
    if dtype is not None and not dtype.is_compatible_with(tensor.dtype):
        raise ValueError(
            f"Tensor conversion requested dtype {dtype.name} for Tensor with dtype "
            f"{tensor.dtype.name}: {tensor!r}"
        )
    return tensor


def convert_n_to_tensor(
    values: Sequence[Any], dtype: Any = None, name: str | None = None, as_ref: bool = False
) -> list[Tensor]:
    """Convert each of `values`; the constants are named "name_0", "name_1" ..."""
    return [
        convert_to_tensor(v, dtype, None if name is None else f"{name}_{i}", as_ref=as_ref)
        for i, v in enumerate(values)
    ]
