"""The source of an answer out of a notebook that was handed in, without running it.

A live notebook is asked by `collecting`; here there is only text. Of all cells, what defines the
function is taken, and what defines the names it uses, and theirs: imports, functions, classes,
assignments. What else the notebook does (experiments, drawings, a loop that never ends) is left
out, so that it cannot stand in the way of a mark.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tinytf.grading.collecting import CannotCollectError, missing

#: IPython's own commands, on lines of their own.
_COMMAND = re.compile(r"^(\s*)(?:[%!?].*|[\w.]+\?{1,2})$", re.MULTILINE)
#: Cell magics that run the rest of their cell as it is.
_HARMLESS = ("%%time", "%%timeit", "%%capture", "%%prun")


@dataclass(slots=True, frozen=True)
class Statement:
    """One statement of a cell: its text, the names it binds, and those it uses."""

    text: str
    binds: frozenset[str]
    uses: frozenset[str]


def extract(cells: Iterable[str], symbol: str) -> str:
    r"""The source text that defines `symbol`, and what it uses.

    Args:
      cells: the sources of the code cells, in the notebook's order. symbol: of the function.

    Raises:
      CannotCollectError: if nothing defines it, or the cell that does is no Python.

    Example:
      >>> extract(["import math", "print('hello')", "def area(r):\n    return math.pi * r**2"],
      ...         "area").splitlines()[0]
      'import math'
    """
    statements: list[Statement] = []
    broken = ""
    for number, cell in enumerate(cells, start=1):
        try:
            statements += _statements(_without_commands(cell))
        except (SyntaxError, ValueError) as error:
            if re.search(rf"\bdef\s+{symbol}\b", cell):
                broken = _syntax(number, error)
        except RecursionError:
            broken = broken or f"Code cell {number} is nested too deeply to be read."
        else:
            if any(symbol in statement.binds for statement in statements):
                continue
    if not any(symbol in statement.binds for statement in statements):
        names = [name for s in statements if s.text.startswith("def ") for name in s.binds]
        raise CannotCollectError(broken or missing(symbol, names))
    if broken:
        raise CannotCollectError(broken)
    needed = _needed(statements, symbol)
    return "\n\n".join(s.text for s in statements if s.binds & needed or "*" in s.binds) + "\n"


def _syntax(number: int, error: Exception) -> str:
    line = getattr(error, "lineno", None)
    text = (getattr(error, "text", None) or "").strip()
    where = f"code cell {number}" + (f", line {line}" if line else "")
    message = getattr(error, "msg", None) or str(error)
    return f"SyntaxError: {message} ({where})" + (f": {text}" if text else "")


def _without_commands(cell: str) -> str:
    """The cell as plain Python: commands of IPython become `pass`, in the same lines."""
    first = cell.lstrip().split("\n", 1)[0]
    if first.startswith("%%"):
        if not first.startswith(_HARMLESS):
            return ""
        cell = cell.lstrip().removeprefix(first)
    try:
        ast.parse(cell)
    except SyntaxError:
        return _COMMAND.sub(r"\1pass", cell)
    return cell


def _statements(source: str) -> Iterator[Statement]:
    lines = source.splitlines()
    for node in ast.parse(source).body:
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
        text = "\n".join(lines[first - 1 : node.end_lineno])
        yield Statement(text, frozenset(_bound(node)), frozenset(_used(node)))


def _bound(node: ast.stmt) -> Iterator[str]:
    """The names that a statement of the notebook gives a value to; "*" for those of a module."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
        return
    for child in _outer(node):
        if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
            yield child.id
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield child.name
        elif isinstance(child, ast.Import | ast.ImportFrom):
            for alias in child.names:
                yield (alias.asname or alias.name).partition(".")[0]


def _outer(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a statement without those inside of functions and classes."""
    yield node
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
        return
    for child in ast.iter_child_nodes(node):
        yield from _outer(child)


def _used(node: ast.AST) -> Iterator[str]:
    for child in ast.walk(node):
        if isinstance(child, ast.Name) and not isinstance(child.ctx, ast.Store):
            yield child.id
        elif isinstance(child, ast.AugAssign) and isinstance(child.target, ast.Name):
            yield child.target.id


def _needed(statements: list[Statement], symbol: str) -> set[str]:
    """The names that the answer needs, its own among them."""
    needed: set[str] = set()
    wanted = {symbol}
    while wanted:
        needed |= wanted
        found = {name for s in statements if s.binds & wanted for name in s.uses}
        wanted = found - needed
    return needed
