"""`tf.compat` and the switches that programs written for both TensorFlow 1 and 2 call first.

tinytf *is* TensorFlow 1.x's graph mode, so each of these asks for what is already so.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


def as_bytes(bytes_or_text: Any, encoding: str = "utf-8") -> bytes:
    """Text as bytes (TensorFlow: `tf.compat.as_bytes`); TypeError for anything else.

    Example:
      >>> tf.compat.as_bytes("abc")  # b"abc"
    """
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text
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


def executing_eagerly() -> bool:
    """False: operations always build a graph.

    Example:
      >>> tf.executing_eagerly()  # False
    """
    return False


def __getattr__(name: str) -> ModuleType:
    # `tf.compat.v1` is `tf` itself. Looked up when asked for: nothing here imports the root.
    if name == "v1":
        return sys.modules["tinytf"]
    if name == "v2":
        raise AttributeError("tinytf is TensorFlow 1.x: there is tf.compat.v1, but no tf.compat.v2")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
