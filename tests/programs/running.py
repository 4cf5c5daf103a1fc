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

FOLDER = Path(__file__).parent


def kinds() -> list[str]:
    """The folders with programs."""
    return sorted({path.parent.name for path in FOLDER.glob("*/*.py")})


def programs(kind: str = "*") -> list[Path]:
    """The programs of a kind, or all."""
    return sorted(FOLDER.glob(f"{kind}/*.py"))


def recording_of(kind: str) -> dict[str, str]:
    """Program's name -> what TensorFlow printed."""
    path = FOLDER / "recorded" / f"{kind}.json"
    return json.loads(path.read_text()) if path.exists() else {}


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
