"""Run a program of this folder and keep what it prints. Nothing of either library is imported."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from absl import app, flags

PROGRAMS = Path(__file__).parent
SEEDS = PROGRAMS.parent / "seeds"


def programs(root: Path) -> list[Path]:
    """The programs in the folders of one of the two."""
    return sorted(root.glob("*/*.py"))


def recorded(root: Path) -> dict[str, dict[str, str]]:
    """Folder -> program -> what TensorFlow printed."""
    paths = sorted((root / "recorded").glob("*.json"))
    return {path.stem: json.loads(path.read_text()) for path in paths}


def names(root: Path) -> dict[str, list[str]]:
    """Folder -> names of its programs."""
    found: dict[str, list[str]] = {}
    for path in programs(root):
        found.setdefault(path.parent.name, []).append(path.stem)
    return found


def printed(program: Path, import_: Callable[..., Any] | None = None) -> str:
    """What a program prints, run as `__main__` in an empty folder, and how it ends if badly.

    Args:
      program: the file.
      import_: what its `import` calls; Python's own by default.
    """
    said = io.StringIO()
    space: dict[str, Any] = {"__name__": "__main__", "__file__": str(program)}
    if import_ is not None:
        space["__builtins__"] = {**vars(__import__("builtins")), "__import__": import_}
    code = compile(program.read_text(), str(program), "exec")
    with _alone(program), contextlib.redirect_stdout(said):
        try:
            exec(code, space)  # noqa: S102 - the program is what is tested
        except SystemExit as end:
            if end.code:
                print(f"ends with {end.code}")
    return said.getvalue()


@contextlib.contextmanager
def _alone(program: Path) -> Iterator[None]:
    """An empty folder to work in, no arguments, and no flags left behind."""
    app.define_help_flags()  # absl's own, once and for all
    folder, argv, flagged = Path.cwd(), sys.argv, set(flags.FLAGS)
    with tempfile.TemporaryDirectory() as empty:
        os.chdir(empty)
        sys.argv = [str(program)]
        try:
            yield
        finally:
            os.chdir(folder)
            sys.argv = argv
            for name in set(flags.FLAGS) - flagged:
                delattr(flags.FLAGS, name)
            flags.FLAGS.unparse_flags()
