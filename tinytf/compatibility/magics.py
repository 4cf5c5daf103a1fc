"""`%as_tensorflow` and `%tensorflow_version`: tinytf for a notebook that asks for TensorFlow.

`%load_ext tinytf` registers them. Colaboratory's notebooks have the second in their first cell.
"""

from __future__ import annotations

import builtins
import contextlib
from typing import Any

from tinytf.compatibility import as_tensorflow, hook, is_off

#: What is to be undone by `%as_tensorflow off`.
_on = contextlib.ExitStack()


def register(shell: Any) -> None:
    """Add the magics to IPython's shell.

    Example:
      >>> register(get_ipython())  # doctest: +SKIP
    """

    def as_tensorflow_magic(line: str, cell: str | None = None) -> None:
        """`import tensorflow` gives tinytf from here on; `off`: as before. %%: in this cell."""
        if cell is None:
            switch(line.strip())
            return
        with as_tensorflow():
            shell.run_cell(cell)

    shell.register_magic_function(as_tensorflow_magic, "line_cell", "as_tensorflow")
    shell.register_magic_function(tensorflow_version, "line", "tensorflow_version")


def switch(to: str) -> None:
    """`%as_tensorflow`, `%as_tensorflow off`.

    Raises:
      ValueError: for another word. RuntimeError: if a real TensorFlow has been imported.

    Example:
      >>> switch("on")
      >>> switch("off")
    """
    if to in ("", "on"):
        _on.enter_context(as_tensorflow())
    elif to == "off":
        _on.close()
        if hook.installed():  # the kernel was started with it
            getattr(builtins.__import__, "remove")()  # noqa: B009
    else:
        raise ValueError(f"%as_tensorflow takes `on` (the default) or `off`, got {to!r}")


def tensorflow_version(line: str) -> None:
    """`%tensorflow_version 1.x`: what Colaboratory's notebooks begin with.

    Raises:
      ValueError: for a version that is not 1's.

    Example:
      >>> tensorflow_version("1.x")
      TensorFlow 1.x is tinytf here.
    """
    wanted = line.strip()
    if not wanted.startswith("1"):
        raise ValueError(
            f"%tensorflow_version {wanted}: tinytf is TensorFlow 1.x. For a program of "
            "TensorFlow 2, install TensorFlow itself, and run it without tinytf."
        )
    if not is_off():
        switch("on")
        print("TensorFlow 1.x is tinytf here.")
