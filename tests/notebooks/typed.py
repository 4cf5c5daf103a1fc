"""Programs as a reader types them: what they print here, and in a real TensorFlow."""

import contextlib
import io
import json
import subprocess

import tinytf
from tests.notebooks.there import RUNNER
from tinytf.cli import machine


def printed_here(source, name):
    """What a program prints that uses `tf`."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(source, name, "exec"), {"tf": tinytf})  # noqa: S102 - our own
    return said.getvalue()


def printed_there(sources, folder, end=""):
    """What a real TensorFlow prints, by the names of the programs; none of them fails.

    Args:
      folder: where they run. end: what the process does after them.
    """
    result = subprocess.run(
        [str(machine.tensorflow_python()), "-c", RUNNER + end],
        input=json.dumps(sources),
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
    )
    assert result.returncode == 0, result.stderr[-2000:]
    answers = json.loads(result.stdout.splitlines()[-1])
    assert [name for name, (_, error) in answers.items() if error is not None] == []
    return {name: text for name, (text, _) in answers.items()}
