"""Programs written for TensorFlow 1.x, run as they are: `tinytf run`, `tinytf doctor FILE`.

hook         `import tensorflow` gives tinytf, to the user's program alone
startup      the same in the processes that it starts
programs, notebooks  run them; magics: in an open notebook; command_line: what is typed
states       the state of each public name; differences.txt: rows of docs/differences.md
sources      a program's code, or that of a notebook's cells; reading: the names in it
examination  these names, held against the states; report: as text; python_2: what is Python 2's

    with tinytf.compatibility.as_tensorflow():
        runpy.run_path("mnist_softmax.py", run_name="__main__")
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from tinytf.compatibility import hook

__all__ = ["as_tensorflow", "environment"]

STARTUP = str(Path(__file__).parent / "startup")


@contextlib.contextmanager
def as_tensorflow() -> Iterator[None]:
    """Inside of this, `import tensorflow` gives tinytf: to the user's program, and its children.

    What is imported from site-packages gets what is installed there, as ever. While it lasts,
    `tf.__version__` is "1.15.0", and the program finds names that numpy has dropped since. All is
    undone at the end, also after an error. Where the environment variable TINYTF_AS_TENSORFLOW is
    "off", it does nothing.

    Raises:
      RuntimeError: if a TensorFlow has been imported already: one process cannot have both by
        that name.

    Example:
      >>> with as_tensorflow():
      ...     import tensorflow as tf
      ...     print(tf.__version__)
      1.15.0
    """
    if is_off() or hook.installed():
        yield
        return
    if "tensorflow" in sys.modules:
        raise RuntimeError(
            "A TensorFlow has been imported in this process, from "
            f"{getattr(sys.modules['tensorflow'], '__file__', '?')}, and goes on by that name. "
            "Start a new process (restart the kernel) to have tinytf in its place."
        )
    before = {name: os.environ.get(name) for name in ("PYTHONPATH", hook.VARIABLE)}
    found = hook.install()
    try:
        os.environ.update(environment(os.environ))
        yield
    finally:
        found.remove()
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def is_off() -> bool:
    """Whether a real TensorFlow is wanted, by the environment variable.

    Example:
      >>> is_off()
      False
    """
    return os.environ.get(hook.VARIABLE) == "off"


def environment(given: Mapping[str, str]) -> dict[str, str]:
    """An environment in which Python's processes find tinytf where they ask for TensorFlow.

    Example:
      >>> environment({})["TINYTF_AS_TENSORFLOW"]
      'on'
    """
    rest = [entry for entry in given.get("PYTHONPATH", "").split(os.pathsep) if entry]
    path = [STARTUP, *(entry for entry in rest if entry != STARTUP)]
    return {**given, "PYTHONPATH": os.pathsep.join(path), hook.VARIABLE: "on"}
