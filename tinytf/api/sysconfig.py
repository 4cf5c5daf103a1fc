"""`tf.sysconfig`: where this is installed. There is nothing here to compile C++ against."""

from __future__ import annotations

from collections.abc import Callable
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


def _refusing(name: str, what: str) -> Callable[[], NoReturn]:
    def refuse() -> NoReturn:
        raise NotImplementedError(
            f"tf.sysconfig.{name}: tinytf is Python, and has no C++ headers or libraries. "
            "tf.user_ops.define_op adds an op with a kernel in Python: docs/own_ops.md."
        )

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"""Fails: there {what} (TensorFlow: `tf.sysconfig.{name}`).

    Raises:
      NotImplementedError: always; it says how ops of one's own are made here.

    Example:
      >>> try:
      ...     tf.sysconfig.{name}()
      ... except NotImplementedError as error:
      ...     print(str(error)[-16:])
      docs/own_ops.md.
    """
    return refuse


get_include = _refusing("get_include", "are no C++ headers")
get_compile_flags = _refusing("get_compile_flags", "are no C++ headers")
get_link_flags = _refusing("get_link_flags", "is no C++ library")
