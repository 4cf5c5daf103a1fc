"""Stands in for Python's import: the user's program gets tinytf where it asks for TensorFlow.

Python looks modules up in one table, `sys.modules`, whoever asks. An entry "tensorflow" there would
be found by every installed package, too. So nothing is entered: what is replaced is `__import__`,
which is told who asks, and `importlib.import_module`, whose caller can be seen.
"""

from __future__ import annotations

import builtins
import importlib
import importlib.util
import os
import sys
from collections.abc import Mapping, Sequence
from types import ModuleType, TracebackType
from typing import Any

from .numpy_names import NumpyNames
from .whose import is_users

_FOLDER = os.path.dirname(os.path.abspath(__file__))
#: Where tinytf lies.
_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(_FOLDER)))
_ALIASES = (".compat.v1", "._api.v1")


class Importing:
    """A hook; it is called in place of `__import__` while it is installed."""

    gives_tinytf = True

    def __init__(self) -> None:
        self._python_import: Any = builtins.__import__
        self._import_module = importlib.import_module
        self._excepthook = sys.excepthook
        self._numpy = NumpyNames()
        self._version: str | None = None  # tinytf's own
        self._on = False

    def install(self) -> None:
        """From here on, the user's program gets tinytf."""
        self._on = True
        setattr(builtins, "__import__", self)  # noqa: B010
        setattr(importlib, "import_module", self.import_module)  # noqa: B010
        sys.excepthook = self.excepthook

    def remove(self) -> None:
        """Undo all of it; what others have put over it since stays, and passes through."""
        self._on = False
        if vars(builtins)["__import__"] is self:
            setattr(builtins, "__import__", self._python_import)  # noqa: B010
        if importlib.import_module == self.import_module:
            setattr(importlib, "import_module", self._import_module)  # noqa: B010
        if sys.excepthook == self.excepthook:
            sys.excepthook = self._excepthook
        self._numpy.take_back()
        if self._version is not None:
            vars(sys.modules["tinytf"])["__version__"] = self._version
            self._version = None

    def __call__(
        self,
        name: str,
        globals: Mapping[str, Any] | None = None,
        locals: Mapping[str, Any] | None = None,
        fromlist: Sequence[str] = (),
        level: int = 0,
    ) -> ModuleType:
        """Python's `__import__`."""
        __tracebackhide__ = True  # IPython leaves such a frame out
        package = name.partition(".")[0]
        if level or not self._on or package not in ("tensorflow", "numpy") or not is_users(globals):
            return self._python_import(name, globals, locals, fromlist, level)
        if package == "numpy":
            found = self._python_import(name, globals, locals, fromlist, level)
        else:
            self._find_tinytf()
            found = self._python_import(translated(name), globals, locals, fromlist, level)
            self._tell_version()
        self._numpy.give()
        return found

    def import_module(self, name: str, package: str | None = None) -> ModuleType:
        """Python's `importlib.import_module`."""
        __tracebackhide__ = True
        ours = self._on and name.partition(".")[0] == "tensorflow"
        if not ours or not is_users(sys._getframe(1).f_globals):
            return self._import_module(name, package)
        self._find_tinytf()
        found = self._import_module(translated(name))
        self._tell_version()
        return found

    def excepthook(
        self, kind: type[BaseException], error: BaseException, traceback: TracebackType | None
    ) -> None:
        """Show an uncaught error without the lines of this hook: they are nobody's mistake."""
        seen: set[int] = set()
        current: BaseException | None = error
        while current is not None and id(current) not in seen:
            seen.add(id(current))
            current.__traceback__ = _without_ours(current.__traceback__)
            current = current.__cause__ or current.__context__
        self._excepthook(kind, error, error.__traceback__ or traceback)

    def _find_tinytf(self) -> None:
        """See to it that a child process finds the tinytf that its parent had."""
        if "tinytf" in sys.modules or importlib.util.find_spec("tinytf") is not None:
            return
        if os.path.basename(_ROOT) in ("site-packages", "dist-packages"):
            raise ImportError(
                f"`import tensorflow` is to give tinytf here, and {sys.executable} has no tinytf. "
                "Start it with the Python that tinytf is installed for, or install it there, too.",
                name="tinytf",
            )
        sys.path.append(_ROOT)

    def _tell_version(self) -> None:
        """Programs ask `tf.__version__` whether this is TensorFlow 1: it is, as tf.VERSION says."""
        root = sys.modules["tinytf"]
        if self._version is None and hasattr(root, "VERSION"):
            self._version = root.__version__
            vars(root)["__version__"] = root.VERSION


def translated(name: str) -> str:
    """What a module of TensorFlow's is called here.

    Example:
      >>> translated("tensorflow.compat.v1.train")
      'tinytf.train'
    """
    rest = name.removeprefix("tensorflow")
    for alias in _ALIASES:
        if rest == alias or rest.startswith(f"{alias}."):
            rest = rest.removeprefix(alias)
    return f"tinytf{rest}"


def _without_ours(traceback: TracebackType | None) -> TracebackType | None:
    """A traceback without the frames of this folder."""
    while traceback is not None and _is_ours(traceback):
        traceback = traceback.tb_next
    frame = traceback
    while frame is not None:
        after = frame.tb_next
        while after is not None and _is_ours(after):
            after = after.tb_next
        frame.tb_next = after
        frame = after
    return traceback


def _is_ours(traceback: TracebackType) -> bool:
    return os.path.dirname(traceback.tb_frame.f_code.co_filename) == _FOLDER
