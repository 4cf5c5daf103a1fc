"""Programs in processes of their own, as `tinytf run` starts them."""

import os
import subprocess
import sys
from pathlib import Path

from tests.oracle.environment import ROOT
from tests.waiting import LONG


def tinytf(*arguments, cwd, **environment):
    """The `tinytf` command: what it printed, and how it ended."""
    variables = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    return subprocess.run(
        [sys.executable, "-m", "tinytf", *map(str, arguments)],
        cwd=cwd,
        env=variables,
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
