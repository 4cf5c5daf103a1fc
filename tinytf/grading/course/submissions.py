"""A notebook that was handed in: made fit for nbgrader before it looks at it.

nbgrader gives up on what is no notebook, on a cell that is there twice (with a message about old
metadata), and says nothing of one that was deleted. Here each of them gets a mark and a reason.
The file that was handed in is kept beside it, under its name and ".as-submitted".
"""

from __future__ import annotations

import copy
import json
import os
import stat
import warnings
from pathlib import Path
from typing import Any

import nbformat

#: More than a notebook with answers can have; one with megabytes of output can be saved without.
MOST_BYTES = 20 << 20
KEPT = ".as-submitted"
_ANSWER_GONE = "# This cell was missing. An answer that is elsewhere in the notebook counts."


class NotGradableError(ValueError):
    """A file that was handed in is no notebook of this assignment; the message says why."""


def prepare(path: Path, release: Path) -> str:
    """Make sure that nbgrader can read a submission; return why it gets no mark, or "".

    What cannot be read, or is another chapter's, is replaced by the released notebook with the
    reason in its metadata. The file itself is kept.
    """
    try:
        _look(path, read(release))
    except NotGradableError as error:
        blank = read(release)
        blank.metadata.setdefault("tinytf", {})["problem"] = str(error)
        if path.exists() or path.is_symlink():
            os.replace(path, free(path.with_name(path.name + KEPT)))
        path.parent.mkdir(parents=True, exist_ok=True)
        write(blank, path)
        return str(error)
    return ""


def free(path: Path) -> Path:
    """The path, or with a number if it is taken: nothing that was handed in is lost."""
    number, found = 1, path
    while found.exists() or found.is_symlink():
        number += 1
        found = path.with_name(f"{path.name}-{number}")
    return found


def read(path: Path) -> Any:
    """A notebook. What nbformat would warn of (cells without an id, or with the same) it mends."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return nbformat.read(path, as_version=4)


def write(notebook: Any, path: Path) -> None:
    """Write a notebook; under its name there is always a whole one."""
    temporary = path.with_name(path.name + ".new")
    temporary.write_text(nbformat.writes(notebook) + "\n", encoding="utf-8")
    os.replace(temporary, path)


def _look(path: Path, release: Any) -> None:
    """Raise NotGradableError if the file is not a notebook of this assignment."""
    notebook = _as_notebook(path)
    problem = notebook.metadata.get("tinytf", {}).get("problem")
    if problem:
        raise NotGradableError(f"{problem}")
    wanted = release.metadata.get("tinytf", {}).get("chapter", path.stem)
    own = {name for name in map(grade_id, notebook.cells) if name}
    there = {name for name in map(grade_id, release.cells) if name}
    if own & there:
        return
    found = notebook.metadata.get("tinytf", {}).get("chapter")
    if found and found != wanted:
        raise NotGradableError(f"This is the notebook of {found}; {wanted} was asked for.")
    raise NotGradableError(
        f"This notebook has none of the cells of {wanted}. Answer in the notebook that was handed "
        f"out ({wanted}.ipynb), and hand in that one."
    )


def _as_notebook(path: Path) -> Any:
    try:
        kind = path.lstat()
    except FileNotFoundError:
        raise NotGradableError(f"{path.name} was not handed in.") from None
    if not stat.S_ISREG(kind.st_mode):
        raise NotGradableError(f"{path.name} is not a file but a link or the like.")
    if kind.st_size == 0:
        raise NotGradableError(f"{path.name} is empty.")
    if kind.st_size > MOST_BYTES:
        raise NotGradableError(
            f"{path.name} has {kind.st_size >> 20} MiB; at most {MOST_BYTES >> 20} are read. "
            f"Clear its outputs and hand it in again."
        )
    try:
        notebook = read(path)
        json.dumps(notebook)
    except Exception as error:  # whatever is in the file: nbformat raises all sorts of errors
        said = str(error).splitlines()[0][:120] if str(error) else type(error).__name__
        raise NotGradableError(f"{path.name} is not a notebook ({said}).") from None
    if not isinstance(notebook.get("cells"), list) or not notebook.cells:
        raise NotGradableError(f"{path.name} is a notebook without cells.")
    return notebook


def grade_id(cell: Any) -> str:
    """The name by which nbgrader knows a cell; "" for one of the learner's own."""
    facts = cell.get("metadata", {}).get("nbgrader")
    return str(facts.get("grade_id", "")) if isinstance(facts, dict) else ""


def mend(notebook: Any, release: Any) -> list[str]:
    """Put back what was deleted or doubled, in place; say what, a line for each.

    Locked cells are the release's own again. Answers stay where they are, whatever became of their
    metadata: they are found by what they define.
    """
    there = {grade_id(cell): cell for cell in release.cells if grade_id(cell)}
    said = _strip_strangers(notebook, there)
    at = -1
    for name, original in there.items():
        places = [i for i, cell in enumerate(notebook.cells) if grade_id(cell) == name]
        if not places:
            at += 1
            notebook.cells.insert(at, copy.deepcopy(original))
            if original.metadata.nbgrader.solution:  # the stub could come after an answer elsewhere
                notebook.cells[at].source = _ANSWER_GONE
            if original.metadata.nbgrader.grade:
                said.append(f"The cell {name} was missing; it was put back.")
            continue
        at = places[0]
        cell = notebook.cells[at]
        if cell.cell_type != original.cell_type:
            source, cell = cell.source, copy.deepcopy(original)
            cell.source = source
            notebook.cells[at] = cell
        cell.metadata["nbgrader"] = copy.deepcopy(original.metadata.nbgrader)
        if original.metadata.nbgrader.locked and cell.source != original.source:
            cell.source = original.source
            said.append(f"The cell {name} was changed; it was put back.")
    return said


def _strip_strangers(notebook: Any, there: dict[str, Any]) -> list[str]:
    """Take the metadata from cells that nbgrader does not know, and from the second of a name."""
    said, seen = [], set()
    for cell in notebook.cells:
        if "nbgrader" not in cell.get("metadata", {}):
            continue
        name = grade_id(cell)
        if name in seen:
            is_answer = name in there and there[name].metadata.nbgrader.solution
            which = "last answer" if is_answer else "first one"
            said.append(f"The cell {name} was there more than once; the {which} counts.")
        if name in seen or name not in there:
            del cell.metadata["nbgrader"]
        seen.add(name)
    return said
