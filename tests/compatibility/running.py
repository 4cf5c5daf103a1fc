"""Programs in processes of their own, as `tinytf run` starts them."""

import os
import subprocess
import sys
from pathlib import Path

from tests.waiting import LONG
from tinytf import compatibility


def tinytf(*arguments, cwd, **environment):
    """The `tinytf` command: what it printed, and how it ended."""
    return _run(["-m", "tinytf", *arguments], cwd, {**os.environ, **environment})


def python(program, **environment):
    """The same of a program, without the command that would start it."""
    return _run([program], program.parent, compatibility.environment({**os.environ, **environment}))


def _run(arguments, cwd, environment):
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=LONG,
    )


def write(folder: Path, name, text):
    """A file in a folder."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path
