"""TensorFlow's own modules, from which programs import what has a public name as well.

    from tinytf.python.framework import ops          # as of tensorflow.python.framework
    from tinytf.core.framework import graph_pb2
    from tinytf.contrib.layers.python.layers import initializers

`tensorflow_modules.txt` says which module defines which public name (scripts/oracle/module_paths.py
writes it). A module that is asked for is made of that: it gives what the public names give, and
says of others what they would say. tinytf/python has files for what no public name has.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
import re
import sys
from collections.abc import Sequence
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from pathlib import Path
from types import ModuleType
from typing import Any

from tinytf.api import names

_ROOT = "tinytf"
_ROOTS = ("contrib", "core", "examples", "python")
#: modules that pass on what others define -> the public module that has it, "" for tf itself
_PASSING_ON = {
    "python": "",
    "python.debug": "",
    "python.estimator.estimator_lib": "estimator",
    "python.feature_column.feature_column_lib": "feature_column",
    "python.framework.framework_lib": "",
    "python.layers.layers": "layers",
    "python.ops.image_ops": "image",
    "python.ops.linalg.linalg": "linalg",
    "python.ops.losses.losses": "losses",
    "python.ops.nn": "nn",
    "python.ops.standard_ops": "",
    "python.saved_model.saved_model": "saved_model",
    "python.training.training": "train",
}
#: modules that are known by their public names here
_PUBLIC = {
    "contrib.learn.python.learn.datasets.mnist": "contrib.learn.datasets.mnist",
    "examples.tutorials.mnist.input_data": "contrib.learn.datasets.mnist",
}


@functools.cache
def table() -> dict[str, dict[str, str]]:
    """A module, without "tensorflow." -> its names -> their public ones, without "tf."."""
    modules: dict[str, dict[str, str]] = {}
    text = Path(__file__).with_name("tensorflow_modules.txt").read_text("utf-8")
    for line in text.splitlines():
        if line.startswith("["):
            found = modules.setdefault(line[1:-1], {})
        elif line.startswith(" "):
            for pair in line.split():
                name, _, public = pair.partition("=")
                found[name] = public or name
    return modules


def public_name(path: str) -> str | None:
    """The public name of what stands by `path` in TensorFlow's own modules; None if it has none.

    Example:
      >>> public_name("python.training.saver.Saver")
      'train.Saver'
    """
    module, _, name = path.rpartition(".")
    defined = _defined_in(module)
    if name in defined:
        return defined[name]
    for home in _homes(module):
        public = f"{home}.{name}" if home else name
        if public in names.table():
            return public
    return None


def is_module(path: str) -> bool:
    """Whether TensorFlow has such a module, or one in it, of its own.

    Example:
      >>> is_module("python.ops.math_ops"), is_module("python.ops.tomatoes")
      (True, False)
    """
    known = (*table(), *_PASSING_ON, *_PUBLIC)
    if any(f"{module}.".startswith(f"{path}.") for module in known):
        return True
    if _defined_in(path):
        return True
    # Which modules are in these two, nobody has written down: what is no public name may be one.
    if path.startswith("python.keras") or is_inner(path):
        public = public_name(path)
        return public is None or names.table()[public].kind == "module"
    return False


def is_inner(path: str) -> bool:
    """Whether it is in the inner modules of a part of tf.contrib.

    Example:
      >>> is_inner("contrib.rnn.python.ops.rnn_cell")
      True
    """
    return re.match(r"contrib\.\w+\.python\b", path) is not None


def _defined_in(module: str) -> dict[str, str]:
    """What a module defines; of `errors`, `errors_impl` does."""
    return table().get(module) or table().get(f"{module}_impl") or {}


def _homes(module: str) -> list[str]:
    """The public modules that what a module has is found in, nearest first."""
    if module in _PASSING_ON or module in _PUBLIC:
        return [_PASSING_ON.get(module) or _PUBLIC.get(module, "")]
    parts = module.split(".")
    if parts[0] == "contrib" and parts[2:3] == ["python"]:
        return [".".join(parts[:2])]
    if parts[:2] == ["python", "keras"]:
        parts = [part for part in parts[1:] if part not in ("_impl", "engine")]
        return [".".join(parts[:end]) for end in range(len(parts), 0, -1)]
    homes = {public.rpartition(".")[0] for public in _defined_in(module).values()}
    return sorted(homes, key=lambda home: (-home.count("."), home))


class _Module(ModuleType):
    """One of TensorFlow's own modules."""

    def __getattr__(self, name: str) -> Any:
        path = self.__name__.removeprefix(f"{_ROOT}.")
        if path.startswith("core.") and not name.startswith("__"):
            return _message(path, name)
        public = public_name(f"{path}.{name}")
        if public is not None:
            return names.find(public)
        raise AttributeError(
            f"module {self.__name__!r} has no attribute {name!r}: of tensorflow.{path}, tinytf has "
            "what has a public name, too",
            name=name,
            obj=None,
        )


def _message(path: str, name: str) -> Any:
    from tinytf import protos

    for module in pkgutil.iter_modules(protos.__path__):
        found = importlib.import_module(f"{protos.__name__}.{module.name}")
        if name in vars(found):
            return vars(found)[name]
    raise AttributeError(
        f"module '{_ROOT}.{path}' has no attribute {name!r}: tinytf/protos has no such message",
        name=name,
        obj=None,
    )


def _explain(fullname: str, public: str | None) -> None:
    """Raise for a name that is public and not here: nothing else would say why."""
    if public is None:
        return
    try:
        names.find(public)
    except AttributeError as missing:
        raise ImportError(f"No module named {fullname!r}: {missing}", name=fullname) from None


class _Finder:
    """Makes the modules that are asked for."""

    @staticmethod
    def find_spec(
        fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Python asks this when it has found no such module itself."""
        inside = fullname.removeprefix(f"{_ROOT}.")
        if inside == fullname or inside.split(".")[0] not in _ROOTS:
            return None
        if inside in _PUBLIC:
            return spec_from_loader(fullname, names.Alias(names.find(_PUBLIC[inside])))
        if not is_module(inside):
            _explain(fullname, public_name(inside))
            return None
        return spec_from_loader(fullname, _Maker(), is_package=True)


class _Maker(Loader):
    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """An empty one: what is in it is looked up when it is asked for."""
        return _Module(spec.name, f"As tensorflow.{spec.name.removeprefix(f'{_ROOT}.')}.")

    def exec_module(self, module: ModuleType) -> None:
        """Nothing to run."""


def import_by_module_paths() -> None:
    """Let `from tinytf.python.framework import ops` find them."""
    if not any(finder is _Finder for finder in sys.meta_path):
        sys.meta_path.append(_Finder)
