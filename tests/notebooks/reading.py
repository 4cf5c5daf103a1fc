"""What the tests read out of notebooks and slides."""

import json
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from tinytf.cli.short_path import is_copy

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"
#: The committed notebooks in the order of the course; not what learners have made of them.
NAMES = sorted(path.name for path in NOTEBOOKS.glob("*.ipynb") if not is_copy(path))
CHAPTERS = [name for name in NAMES if not name.startswith("00_")]
#: What the cells of each chapter's predictions give; a chapter without it asks in the old form.
TRUTHS = Path(__file__).parent / "truths"
ASKING = [name for name in NAMES if (TRUTHS / f"ch{name[:2]}.toml").exists()]


def truths(chapter: str) -> dict[str, Any]:
    """What the cells of "ch06" give that ask for a prediction, by the names of their questions."""
    return tomllib.loads((TRUTHS / f"{chapter}.toml").read_text(encoding="utf-8"))


LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)")
IMAGE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")


@cache
def cells(name: str) -> list[dict[str, Any]]:
    """The cells, each with its source as one text."""
    notebook = json.loads((NOTEBOOKS / name).read_text(encoding="utf-8"))
    return [{**cell, "source": "".join(cell["source"])} for cell in notebook["cells"]]


def prose(name: str) -> list[str]:
    """The Markdown cells."""
    return [cell["source"] for cell in cells(name) if cell["cell_type"] == "markdown"]


def programs(name: str) -> list[dict[str, Any]]:
    """The code cells."""
    return [cell for cell in cells(name) if cell["cell_type"] == "code"]


def cell(name: str, identifier: str) -> dict[str, Any]:
    """The code cell of that id."""
    return next(one for one in programs(name) if one["id"] == identifier)


def headings(name: str) -> list[tuple[int, str]]:
    """(level, words) of each heading; a comment in a block of code is none."""
    text = re.sub(r"^```.*?^```$", "", "\n\n".join(prose(name)), flags=re.MULTILINE | re.DOTALL)
    found = re.findall(r"^(#{1,6}) +(.+?) *$", text, flags=re.MULTILINE)
    return [(len(signs), words) for signs, words in found]


def tags(cell: dict[str, Any]) -> list[str]:
    """The tags of a cell."""
    return cell["metadata"].get("tags", [])


def printed(cell: dict[str, Any]) -> str:
    """What a cell printed, and its result as text."""
    parts = []
    for output in cell["outputs"]:
        parts.append("".join(output.get("text", [])))
        parts.append("".join(output.get("data", {}).get("text/plain", [])))
    return "".join(parts)


def error(cell: dict[str, Any]) -> tuple[str, str] | None:
    """(class, message) of the error a cell ends in, if it does."""
    for output in cell["outputs"]:
        if output["output_type"] == "error":
            return output["ename"], output["evalue"]
    return None
