"""`tf.compat` and the switches that programs written for both TensorFlow 1 and 2 call first.

tinytf *is* TensorFlow 1.x's graph mode, so each of these asks for what is already so.
"""

from __future__ import annotations

import contextlib
import datetime
import numbers
import os
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from tinytf.api.names import explained
from tinytf.framework.tensor_shape import dimension_at_index, dimension_value


__all__ = ["as_bytes", "as_str", "as_str_any", "as_text", "bytes_or_text_types", "complex_types"]
__all__ += ["dimension_at_index", "dimension_value", "forward_compatibility_horizon"]
__all__ += ["forward_compatible", "integral_types", "path_to_str", "real_types"]

bytes_or_text_types = (bytes, str)
complex_types = (numbers.Complex, np.number)
integral_types = (numbers.Integral, np.integer)
real_types = (numbers.Real, np.integer, np.floating)

#: the day that `forward_compatible` compares with: TensorFlow 2.15.1's
_RELEASE = _horizon = datetime.date(2023, 10, 10)


def as_bytes(bytes_or_text: Any, encoding: str = "utf-8") -> bytes:
    """Text as bytes (TensorFlow: `tf.compat.as_bytes`); TypeError for anything else.

    Example:
      >>> tf.compat.as_bytes("abc")  # b"abc"
    """
    if isinstance(bytes_or_text, bytearray | bytes):
        return bytes(bytes_or_text)
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


def as_text(bytes_or_text: Any, encoding: str = "utf-8") -> str:
    """Bytes as text (TensorFlow: `tf.compat.as_text`); TypeError for anything else.

    Example:
      >>> tf.compat.as_text(b"abc")  # "abc"
    """
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


as_str = as_text


def as_str_any(value: Any, encoding: str = "utf-8") -> str:
    """Bytes as text, and anything else as Python shows it (TensorFlow: `tf.compat.as_str_any`).

    Example:
      >>> tf.compat.as_str_any(b"abc"), tf.compat.as_str_any(3)
      ('abc', '3')
    """
    return as_text(value, encoding) if isinstance(value, bytes) else str(value)


def path_to_str(path: Any) -> Any:
    """A path object as text; what is none, as it is (TensorFlow: `tf.compat.path_to_str`).

    Example:
      >>> import pathlib
      >>> tf.compat.path_to_str(pathlib.PurePosixPath("/tmp"))
      '/tmp'
    """
    return as_str_any(os.fspath(path)) if hasattr(path, "__fspath__") else path


def forward_compatible(year: int, month: int, day: int) -> bool:
    """Whether graphs may hold what was new on a day (TensorFlow: `tf.compat.forward_compatible`).

    They hold what TensorFlow 2.15.1 knows.

    Example:
      >>> tf.compat.forward_compatible(2019, 1, 1)  # True
    """
    return _horizon > datetime.date(year, month, day)


@contextlib.contextmanager
def forward_compatibility_horizon(year: int, month: int, day: int) -> Iterator[None]:
    """A later day for `forward_compatible` to compare with, in a `with`; none that is past.

    Example:
      >>> with tf.compat.forward_compatibility_horizon(2030, 1, 1):
      ...     tf.compat.forward_compatible(2029, 1, 1)
      True
    """
    global _horizon
    before, _horizon = _horizon, max(_RELEASE, datetime.date(year, month, day))
    try:
        yield
    finally:
        _horizon = before


def disable_v2_behavior() -> None:
    """Nothing to do: this is TensorFlow 1.x behaviour.

    Example:
      >>> tf.disable_v2_behavior()
    """


def disable_eager_execution() -> None:
    """Nothing to do: operations always build a graph.

    Example:
      >>> tf.disable_eager_execution()
    """


def disable_control_flow_v2() -> None:
    """Nothing to do: conditionals and loops are TensorFlow 1.x's.

    Example:
      >>> tf.disable_control_flow_v2()
    """


def disable_tensor_equality() -> None:
    """Nothing to do: `==` compares whether two tensors are the same.

    Example:
      >>> tf.disable_tensor_equality()
    """


def disable_v2_tensorshape() -> None:
    """Nothing to do: the sizes in a shape are of `tf.Dimension`.

    Example:
      >>> tf.disable_v2_tensorshape()
    """


def control_flow_v2_enabled() -> bool:
    """False: conditionals and loops are TensorFlow 1.x's.

    Example:
      >>> tf.control_flow_v2_enabled()  # False
    """
    return False


def executing_eagerly() -> bool:
    """False: operations always build a graph.

    Example:
      >>> tf.executing_eagerly()  # False
    """
    return False


__getattr__ = explained(__name__, "compat")
