"""A program's or notebook's code, in pieces that Python can parse."""

from __future__ import annotations

import json
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

#: Cells with these at their head are Python all the same.
_PYTHON = ("%%time", "%%timeit", "%%capture", "%%prun", "%%task", "%%predict", "%%as_tensorflow")


class Piece(NamedTuple):
    """A whole program, or a cell of a notebook: its number, from 1; 0 for a program."""

    cell: int
    source: str
    magics: tuple[tuple[int, str], ...] = ()

    def place(self, line: int) -> str:
        """How a line is called: "12"; in a notebook "3:12", the cell before it."""
        return f"{self.cell}:{line}" if self.cell else str(line)


def read(file: str) -> list[Piece]:
    """The pieces of a file.

    Raises:
      OSError: if it cannot be read. ValueError: if it is no text, or no notebook.

    Example:
      >>> read("mnist_softmax.py")  # doctest: +SKIP
      [Piece(cell=0, source='import tensorflow as tf...', magics=())]
    """
    if not file.endswith(".ipynb"):
        try:
            with tokenize.open(file) as opened:
                return [Piece(0, opened.read())]
        except (SyntaxError, UnicodeDecodeError) as error:
            raise ValueError(f"{file} is no Python program: {error}") from None
    try:
        return list(_cells(json.loads(Path(file).read_text("utf-8"))))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{file} is no notebook: {error}") from None


def _cells(notebook: Any) -> Iterator[Piece]:
    cells = notebook.get("cells")
    if cells is None:  # format 3
        cells = [cell for sheet in notebook["worksheets"] for cell in sheet["cells"]]
    number = 0
    for cell in cells:
        if cell["cell_type"] != "code":
            continue
        source = cell["source"] if "source" in cell else cell["input"]
        text = source if isinstance(source, str) else "".join(source)
        if text.strip():
            number += 1  # as `tinytf run` counts them
            yield python_of(number, text)


def python_of(number: int, text: str) -> Piece:
    r"""A cell without what only IPython understands; lines stay where they are.

    Example:
      >>> python_of(1, "%matplotlib inline\nx = 1\n!ls")
      Piece(cell=1, source='pass\nx = 1\npass', magics=((1, '%matplotlib inline'), (3, '!ls')))
    """
    lines = text.split("\n")
    head = lines[0].strip()
    if head.startswith("%%") and not head.startswith(_PYTHON):
        return Piece(number, "", ((1, head),))
    magics = []
    for index, line in enumerate(lines):
        if re.match(r"\s*[%!]|\s*[\w.]+\?+\s*$|\s*\?", line):
            magics.append((index + 1, line.strip()))
            lines[index] = re.match(r"\s*", line)[0] + "pass"  # type: ignore[index]
        elif found := re.match(r"(\s*[\w, ]+=\s*)[%!]", line):
            magics.append((index + 1, line.strip()))
            lines[index] = f"{found[1]}None"
    return Piece(number, "\n".join(lines), tuple(magics))
