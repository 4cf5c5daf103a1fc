"""The notebook of a chapter's exercises as nbgrader wants it: made from their folders.

ch03_ex1_task      the task (locked)
ch03_ex1_answer    the solution, between nbgrader's marks: a release holds what was before it
ch03_ex1           the check, with its points; the hidden ones between marks, too
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import nbformat
from nbformat import v4

from tinytf.grading import cells
from tinytf.grading.exercise import Exercise
from tinytf.grading.runner import load_checks

SCHEMA_VERSION = 3
#: What a release has in the place of the solution.
CODE_STUB = 'raise NotImplementedError("write this function")'

_OPENING = """# Exercises of chapter {number}

Write your answers into the cells below. A cell with `grading.check(...)` says in seconds what is right, what is not, and why; run it as often as you like. Hints unfold one after the other.

Do not rename this file, and leave the cells with tasks and checks as they are: what was changed in them is put back before grading."""  # noqa: E501

#: What every answer may use without importing it.
_IMPORTS = """import numpy as np

import tinytf as tf"""

_CHECK = """from tinytf import grading

report = grading.check("{name}")
### BEGIN HIDDEN TESTS
report = grading.check("{name}", hidden=True)
### END HIDDEN TESTS
display(report)
report.score"""


def build(exercises: Sequence[Exercise]) -> Any:
    """The source notebook of the exercises of one chapter.

    Example:
      >>> notebook = build([exercise.find("ch03.ex1")])
      >>> [cell.metadata.nbgrader.grade_id for cell in notebook.cells]
      ['ch03_about', 'ch03_imports', 'ch03_ex1_task', 'ch03_ex1_answer', 'ch03_ex1']
    """
    chapter = exercises[0].chapter
    opening = _OPENING.format(number=int(chapter.removeprefix("ch")))
    made = [
        _cell("markdown", opening, f"{chapter}_about", locked=True),
        _cell("code", _IMPORTS, f"{chapter}_imports", locked=True),
    ]
    for exercise in exercises:
        made += exercise_cells(exercise)
    notebook = v4.new_notebook(cells=made)
    notebook.metadata = nbformat.from_dict(
        {
            "kernelspec": {
                "display_name": "Python 3 (ipykernel)",
                "language": "python",
                "name": "python3",
            },
            "language_info": {"name": "python"},
            "tinytf": {"chapter": chapter},
        }
    )
    nbformat.validate(notebook)
    return notebook


def grade_id(exercise: Exercise) -> str:
    """The name of its check in the gradebook: "ch03_ex1"."""
    return exercise.name.replace(".", "_")


def points(exercise: Exercise) -> int:
    """What it is worth, hidden checks included."""
    sources = [("exercise_checks", exercise.checks), ("hidden_checks", exercise.hidden)]
    return sum(check.points for name, source in sources for check in load_checks(source, name))


def exercise_cells(exercise: Exercise) -> list[Any]:
    """Its three cells."""
    name = grade_id(exercise)
    check = _CHECK.format(name=exercise.name)
    return [
        _cell("markdown", cells.task(exercise), f"{name}_task", locked=True),
        _cell("code", with_solution(exercise), f"{name}_answer", solution=True),
        _cell("code", check, name, locked=True, grade=True, points=points(exercise)),
    ]


def _cell(kind: str, source: str, name: str, **facts: Any) -> Any:
    metadata: dict[str, Any] = dict.fromkeys("grade solution locked task".split(), False)
    metadata |= {"grade_id": name, "schema_version": SCHEMA_VERSION, **facts}
    make = v4.new_markdown_cell if kind == "markdown" else v4.new_code_cell
    return make(source, id=name.replace("_", "-"), metadata={"nbgrader": metadata})


def with_solution(exercise: Exercise) -> str:
    """The stub with the solution in the place of what it raises, between nbgrader's marks.

    Raises:
      ValueError: if stub.py is not imports and one function, or solution.py has no such function.
    """
    stub, solution = exercise.stub, exercise.solution
    head = _function(stub, exercise, "stub.py")
    *_, last = head.body
    if not isinstance(last, ast.Raise):
        raise ValueError(f"{exercise.folder / 'stub.py'} does not end with a `raise`.")
    before = stub.splitlines()[: last.lineno - 1]
    known = {ast.dump(node) for node in ast.parse(_IMPORTS + "\n" + stub).body}
    inside = _solution_lines(solution, exercise, known)
    marked = ["### BEGIN SOLUTION", *inside, "### END SOLUTION"]
    return "\n".join([*before, *("    " + line if line else "" for line in marked)])


def _function(source: str, exercise: Exercise, file: str) -> ast.FunctionDef:
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef) and node.name == exercise.symbol:
            return node
    raise ValueError(f"{exercise.folder / file} does not define {exercise.symbol}.")


def _solution_lines(source: str, exercise: Exercise, known: set[str]) -> list[str]:
    """What the function does, after what the solution defines beside it."""
    lines = source.splitlines()
    function = _function(source, exercise, "solution.py")
    found: list[str] = []
    for node in ast.parse(source).body:
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if node.lineno == function.lineno or is_text or ast.dump(node) in known:
            continue
        found += [*lines[node.lineno - 1 : node.end_lineno], ""]
    has_words = ast.get_docstring(function) is not None
    # From the end of the docstring on, so that a comment before the first statement comes along.
    opening = function.body[0]
    first = (opening.end_lineno or 0) if has_words else opening.lineno - 1
    text = textwrap.dedent("\n".join(lines[first : function.end_lineno]))
    return found + text.splitlines()


def write(exercises: Sequence[Exercise], folder: Path) -> Path:
    """Write the source notebook of a chapter; return its path."""
    chapter = exercises[0].chapter
    path = folder / chapter / f"{chapter}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".new")
    temporary.write_text(nbformat.writes(build(exercises)) + "\n", encoding="utf-8")
    temporary.replace(path)
    return path
