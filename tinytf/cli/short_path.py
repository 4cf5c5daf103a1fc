"""The short path of a lesson: what is left without its depth, and how long a reader takes.

Depth is each section whose heading's cell has the tag `depth`, down to the next heading of its
level or above, and each exercise after the first. `tinytf lab --short` opens copies without it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from tinytf.cli.reset import keep
from tinytf.framework.files import write_file
from tinytf.grading.question import Question

__all__ = ["SUFFIX", "is_copy", "minutes", "short", "write_copies"]

SUFFIX = ".short.ipynb"
#: How many words of a lesson are read in a minute: with pauses to think and to look.
WORDS_A_MINUTE = 130
_LATER_EXERCISE = re.compile(r"### Exercise (?!1:)\d+:")

Cell = dict[str, Any]


def short(cells: Iterable[Cell]) -> list[Cell]:
    """The cells of a notebook that belong to its short path.

    Example:
      >>> deep = {"tags": ["depth"]}
      >>> short([{"cell_type": "markdown", "source": "## In depth: x", "metadata": deep}])
      []
    """
    kept, level = [], 0  # of the heading whose section is left out
    for cell in cells:
        text = "".join(cell["source"])
        heading = re.match(r"(#+) ", text) if cell["cell_type"] == "markdown" else None
        if heading and (not level or len(heading[1]) <= level):
            deep = "depth" in cell["metadata"].get("tags", ()) or _LATER_EXERCISE.match(text)
            level = len(heading[1]) if deep else 0
        if not level:
            kept.append(cell)
    return kept


def minutes(cells: Sequence[Cell], questions: dict[str, Question], seconds: float) -> int:
    """How long a reader takes for these cells, exercises apart: their words, and what they run.

    Args:
      questions: those of the chapter; of each that a cell asks, question and answer are read.
      seconds: how long the cells run.
    """
    texts = []
    for cell in cells:
        text = "".join(cell["source"])
        if re.match(r"ex\d+-", cell.get("id", "")) or text.startswith("### Exercise"):
            continue
        texts.append(re.sub(r"\]\([^)]*\)", "]", text))
        asked = re.match(r"%%predict (\S+)", text)
        if asked and asked[1] in questions:
            question = questions[asked[1]]
            texts += [question.text, question.why, *question.options.values()]
    words = len(re.findall(r"\w+", " ".join(texts)))
    return round(words / WORDS_A_MINUTE + seconds / 60)


def write_copies(folder: Path) -> None:
    """Write the short path of each lesson of a folder beside it, `06_queues.short.ipynb`.

    A copy in which somebody works stays, as long as the lesson itself is as it was; of an older
    one, what was done in it is kept under another name.
    """
    for path in sorted(folder.glob("[0-9][0-9]_*.ipynb")):
        if is_copy(path):
            continue
        content = path.read_bytes()
        of = hashlib.sha256(content).hexdigest()
        target = path.with_name(path.stem + SUFFIX)
        if target.exists():
            if _made_of(target) == of:
                continue
            keep(target, target.read_bytes())
        notebook = json.loads(content)
        notebook["cells"] = [_linked(cell) for cell in short(notebook["cells"])]
        notebook["metadata"]["tinytf"] = {"short": of}
        write_file(target, (json.dumps(notebook, indent=1, ensure_ascii=False) + "\n").encode())


def is_copy(path: Path) -> bool:
    """Whether a notebook was made by `write_copies`, or keeps what a learner had in another."""
    return path.name.endswith(SUFFIX) or ".mine-" in path.name


def _made_of(copy: Path) -> str:
    """What a copy was made of; "" if it does not say."""
    try:
        return str(json.loads(copy.read_bytes())["metadata"]["tinytf"]["short"])
    except (ValueError, KeyError, TypeError):
        return ""


def _linked(cell: Cell) -> Cell:
    """The cell, leading from one short path to the next."""
    if cell["cell_type"] != "markdown":
        return cell
    text = re.sub(r"\]\((\d\d_\w+)\.ipynb", rf"](\1{SUFFIX}", "".join(cell["source"]))
    return {**cell, "source": text}
