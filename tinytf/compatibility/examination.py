"""`tinytf doctor FILE`: what a program asks for, held against what is here."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tinytf.api import names, paths
from tinytf.compatibility import python_2, sources, states
from tinytf.compatibility.hook.importing import translated
from tinytf.compatibility.hook.numpy_names import PYTHONS, RENAMED, WRITTEN_OUT
from tinytf.compatibility.reading import Reader, Use

#: What a finding says of the program.
RUNS, DIFFERS, MISSING = "runs", "differs", "missing"
#: Packages that need a real TensorFlow beneath them.
_ON_TENSORFLOW = {"keras", "sonnet", "tensor2tensor", "tensorlayer", "tflearn", "edward", "gpflow"}
_ON_TENSORFLOW |= {
    "tensorflow_datasets",
    "tensorflow_hub",
    "tensorflow_probability",
    "prettytensor",
}


class Finding(NamedTuple):
    """A name, what becomes of it, and where it stands.

    Attributes:
      name: as users write it: "tf.layers.dense". state: `RUNS`, `DIFFERS` or `MISSING`.
      text: what differs, or what to use instead. places: lines; in a notebook "cell:line".
    """

    name: str
    state: str
    text: str
    places: tuple[str, ...]


def examine(file: str) -> list[Finding]:
    """Read a program or notebook, and look up what it asks for. Nothing of it is run.

    Raises:
      OSError, ValueError: if the file cannot be read.

    Example:
      >>> [one.name for one in examine("mnist_softmax.py")]  # doctest: +SKIP
      ['tf.placeholder', 'tf.Session', ...]
    """
    found: dict[tuple[str, str, str], list[str]] = {}
    reader = Reader()
    for piece in sources.read(file):
        for line, magic in piece.magics:
            if said := _said_of_magic(magic):
                found.setdefault((magic, MISSING, said), []).append(piece.place(line))
        try:
            reader.uses = []
            reader.read(ast.parse(piece.source))
        except (SyntaxError, ValueError) as error:
            for line, text in _unreadable(piece.source, error):
                found.setdefault(("Python", MISSING, text), []).append(piece.place(line))
            continue
        for use in reader.uses:
            for name, state, text in _judge(use, Path(file).parent):
                places = found.setdefault((name, state, text), [])
                if piece.place(use.line) not in places:
                    places.append(piece.place(use.line))
    return [Finding(*key, tuple(places)) for key, places in found.items()]


def _unreadable(source: str, error: Exception) -> list[tuple[int, str]]:
    said = getattr(error, "msg", str(error))
    return python_2.remarks(source) or [(getattr(error, "lineno", None) or 1, f"{said}")]


def _said_of_magic(magic: str) -> str:
    if magic.startswith("%tensorflow_version") and not magic.split()[-1].startswith("1"):
        return "tinytf is TensorFlow 1.x: a program for TensorFlow 2 needs TensorFlow itself"
    return ""


Judged = tuple[str, str, str]


def _judge(use: Use, folder: Path) -> Iterator[Judged]:
    package, _, path = use.path.partition(".")
    if use.kind == "python 2":
        kept = {**python_2.NAMES, **python_2.METHODS}
        yield use.path, MISSING, f"Python 2's: {kept[use.path]}"
    elif use.kind == "package":
        yield from _judge_package(package, folder)
    elif package == "numpy":
        name = path.split(".")[0]
        if name in {*RENAMED, *PYTHONS, *WRITTEN_OUT} and name not in vars(sys.modules["numpy"]):
            yield f"np.{path}", DIFFERS, "numpy has dropped it: `tinytf run` gives it all the same"
    elif path:
        yield from judge_name(path, use.keywords)


def _judge_package(package: str, folder: Path) -> Iterator[Judged]:
    if (folder / f"{package}.py").exists() or (folder / package).is_dir():
        return  # part of the program
    if package in python_2.MODULES:
        yield package, MISSING, f"Python 2's: {python_2.MODULES[package]}"
    elif package in _ON_TENSORFLOW:
        yield package, MISSING, "this package needs a real TensorFlow: write it with tf's own names"
    elif package != "__main__" and importlib.util.find_spec(package) is None:
        yield package, MISSING, "this package is not installed"


def judge_name(path: str, keywords: tuple[str, ...] = ()) -> Iterator[Judged]:
    """What there is to say of a name of TensorFlow's; nothing for a mere module.

    Args:
      path: without "tensorflow.". keywords: that it is called with.

    Example:
      >>> list(judge_name("tpu.rewrite"))
      [('tf.tpu.rewrite', 'missing', 'it needs TensorFlow itself, and its hardware')]
    """
    path = translated(f"tensorflow.{path}").removeprefix("tinytf").removeprefix(".")
    if not path:  # tf itself, by another name
        return
    inner = path
    if path.split(".")[0] in ("python", "core", "examples") or paths.is_inner(path):
        found = _public(path)
        if found is None:
            state = RUNS if _is_here(path) else MISSING
            if state == MISSING or not paths.is_module(path):
                text = "" if state == RUNS else "of TensorFlow's inside, tinytf has what is public"
                yield f"tensorflow.{path}", state, text
            return
        path = found
    known = _known(path)
    shown = f"tf.{known}" if inner == path or not known else f"tensorflow.{inner} (tf.{known})"
    if not known or (known != path and names.table()[known].kind == "module"):
        if not _is_here(path):
            text = names.advice(path).lstrip(": ") or "TensorFlow 1.8 to 1.15 have no such name"
            yield f"tf.{path}", MISSING, text
        return
    name = names.table()[known]
    row = states.state_of(name)
    if row.state in ("planned", "never"):
        yet = "not yet; meanwhile: " if row.state == "planned" else ""
        yield shown, MISSING, yet + row.text
        return
    if name.kind == "module":
        return
    wrong = _unknown_keywords(names.find(known), keywords) if known == path else []
    if wrong:
        yield shown, MISSING, f"here it takes no argument {', '.join(wrong)}"
    for one in states.differences_of(name):
        yield shown, DIFFERS, f"{one.what}: in TensorFlow, {one.there}; here, {one.here}"
    if not wrong and row.state == "here":
        yield shown, RUNS, ""


def _public(path: str) -> str | None:
    """The public name of the longest beginning that has one, and what follows."""
    parts = path.split(".")
    for end in range(len(parts), 1, -1):
        public = paths.public_name(".".join(parts[:end]))
        if public is not None:
            return ".".join([public, *parts[end:]])
    return None


def _known(path: str) -> str:
    """The longest beginning that is a public name: of `tf.flags.FLAGS.steps`, `flags.FLAGS`."""
    while path and path not in names.table():
        path = path.rpartition(".")[0]
    return path


def _is_here(path: str) -> bool:
    """Whether tinytf has it beyond TensorFlow's public names: `tf.__version__`, an inner module."""
    try:
        names.find(path)
        return True
    except (AttributeError, ImportError):
        pass
    module, _, name = path.rpartition(".")
    for candidate, attribute in ((path, ""), (module, name)):
        try:
            found: Any = importlib.import_module(f"tinytf.{candidate}")
        except (ImportError, ValueError):
            continue
        if not attribute or hasattr(found, attribute):
            return True
    return False


def _unknown_keywords(function: Any, keywords: tuple[str, ...]) -> list[str]:
    if not keywords:
        return []
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # C's, messages'
        return []
    if any(one.kind == one.VAR_KEYWORD for one in parameters):
        return []
    return [word for word in keywords if word not in {one.name for one in parameters}]
