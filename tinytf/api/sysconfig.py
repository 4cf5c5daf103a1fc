"""`tf.sysconfig`: where this is installed. There is nothing here to compile C++ against."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

from tinytf.api.names import explained
from tinytf.api.version import CXX11_ABI_FLAG, MONOLITHIC_BUILD

__all__ = ["CXX11_ABI_FLAG", "MONOLITHIC_BUILD", "get_compile_flags", "get_include", "get_lib"]
__all__ += ["get_link_flags"]

__getattr__ = explained(__name__, "sysconfig")


def get_lib() -> str:
    """The folder that the package is installed in (TensorFlow: `tf.sysconfig.get_lib`).

    Example:
      >>> tf.sysconfig.get_lib().endswith("tinytf")  # True
    """
    return str(Path(__file__).resolve().parents[1])


def get_include() -> NoReturn:
    """Fails: there are no C++ headers (TensorFlow: `tf.sysconfig.get_include`).

    Raises:
      NotImplementedError: always; it says how ops of one's own are made here.

    Example:
      >>> try:
      ...     tf.sysconfig.get_include()
      ... except NotImplementedError as error:
      ...     print(str(error)[-16:])
      docs/own_ops.md.
    """
    _no_cpp("get_include")


def get_compile_flags() -> NoReturn:
    """Fails: there are no C++ headers (TensorFlow: `tf.sysconfig.get_compile_flags`).

    Raises:
      NotImplementedError: always; it says how ops of one's own are made here.

    Example:
      >>> try:
      ...     tf.sysconfig.get_compile_flags()
      ... except NotImplementedError as error:
      ...     print(str(error)[-16:])
      docs/own_ops.md.
    """
    _no_cpp("get_compile_flags")


def get_link_flags() -> NoReturn:
    """Fails: there is no C++ library (TensorFlow: `tf.sysconfig.get_link_flags`).

    Raises:
      NotImplementedError: always; it says how ops of one's own are made here.

    Example:
      >>> try:
      ...     tf.sysconfig.get_link_flags()
      ... except NotImplementedError as error:
      ...     print(str(error)[-16:])
      docs/own_ops.md.
    """
    _no_cpp("get_link_flags")


def _no_cpp(name: str) -> NoReturn:
    raise NotImplementedError(
        f"tf.sysconfig.{name}: tinytf is Python, and has no C++ headers or libraries. "
        "tf.user_ops.define_op adds an op with a kernel in Python: docs/own_ops.md."
    )
