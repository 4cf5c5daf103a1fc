"""`tf.flags`, `tf.app.flags`: options of a program, on absl's own package.

As in TensorFlow, `FLAGS` reads the command line when a value is first asked for, and the DEFINE
functions take the argument names of earlier versions, too. In a notebook the command line is the
kernel's, not the program's, so nothing is read from it; and a cell may define its flags again.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from typing import Any

from absl import app as _app
from absl import flags as _absl
from absl.flags import *  # noqa: F403

from tinytf.api.names import explained as _explained

_absl.disclaim_key_flags()  # flags belong to the module that calls this one

_RENAMED = {"flag_name": "name", "default_value": "default", "docstring": "help"}

__getattr__ = _explained(__name__, "flags")


def arguments() -> list[str]:
    """The command line as far as it is the program's: in a notebook only the name.

    Example:
      >>> import sys
      >>> tf.flags.arguments() == sys.argv  # True
    """
    rest = sys.argv[1:]
    set_by_program = rest and sys.orig_argv[-len(rest) :] != rest
    return sys.argv[:1] if _in_notebook() and not set_by_program else sys.argv


def _in_notebook() -> bool:
    kernel = sys.modules.get("ipykernel.kernelapp")
    return kernel is not None and bool(kernel.IPKernelApp.initialized())


def _may_be_replaced(name: str) -> bool:
    """Whether a flag that exists is given up for one of the program's."""
    module = _absl.FLAGS.find_module_defining_flag(name) or ""
    # absl.app.run itself uses "verbosity" after parsing; it cannot be another's.
    return _in_notebook() or (module.startswith("absl.") and name != "verbosity")


@functools.cache
def _defining(define: Callable[..., Any]) -> Callable[..., Any]:
    """A DEFINE function that takes the names of earlier versions, and replaces where it may."""

    @functools.wraps(define)
    def defined(*args: Any, **kwargs: Any) -> Any:
        for old, new in _RENAMED.items():
            if old in kwargs:
                kwargs[new] = kwargs.pop(old)
        name = str(args[0] if args else kwargs.get("name"))
        replaces = name in _absl.FLAGS and _may_be_replaced(name)
        if replaces:
            delattr(_absl.FLAGS, name)
        flag = define(*args, **kwargs)
        if replaces and _absl.FLAGS.is_parsed():  # what the command line says holds again
            _absl.FLAGS(arguments(), known_only=True)
        return flag

    return defined


globals().update(
    {name: _defining(getattr(_absl, name)) for name in _absl.__all__ if name.startswith("DEFINE_")}
)


class _Flags:
    """The flags of the program; parsed when one is first read (TensorFlow: `tf.flags.FLAGS`)."""

    def __getattr__(self, name: str) -> Any:
        try:  # what the object has itself: methods
            return object.__getattribute__(_absl.FLAGS, name)
        except AttributeError:
            if not _absl.FLAGS.is_parsed():
                _absl.FLAGS(arguments())
            return getattr(_absl.FLAGS, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(_absl.FLAGS, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(_absl.FLAGS, name)

    def __call__(self, argv: list[str], known_only: bool = False) -> list[str]:
        return _absl.FLAGS(argv, known_only=known_only)

    def __getitem__(self, name: str) -> Any:
        return _absl.FLAGS[name]

    def __setitem__(self, name: str, flag: Any) -> None:
        _absl.FLAGS[name] = flag

    def __contains__(self, name: str) -> bool:
        return name in _absl.FLAGS

    def __iter__(self) -> Iterator[str]:
        return iter(_absl.FLAGS)

    def __len__(self) -> int:
        return len(_absl.FLAGS)

    def __dir__(self) -> list[str]:
        return dir(_absl.FLAGS)

    def __str__(self) -> str:
        return str(_absl.FLAGS)


FLAGS = _Flags()  # type: ignore[assignment]
