"""The first page: what it says of exercises is so, and it shows somebody who begins."""

import re

import pytest

from tests.notebooks import reading
from tests.notebooks.reading import ROOT, printed
from tinytf import cli, grading
from tinytf.grading.progress import Progress, Row

pytestmark = pytest.mark.as_committed

NAME = "00_start_here.ipynb"
#: Cell -> why nbval does not compare what it shows.
UNCOMPARED = {"fifteen-pace": "how fast this machine trains"}


@pytest.fixture(scope="module")
def text():
    return "\n".join(reading.prose(NAME))


def test_it_shows_the_points_of_somebody_who_begins():
    shown = printed(reading.cell(NAME, "your-progress")).splitlines()
    assert shown[0].split() == ["chapter", "exercise", "points", "tries", "passed"]
    rows = [re.search(r" +(\d+) of (\d+)$", line).groups() for line in shown[1:]]
    assert {points for points, _ in rows} == {"0"}
    *each, total = [int(worth) for _, worth in rows]
    assert sum(each) == total > 100
    assert shown[-1].startswith(f"total    {len(each)} exercises ")


def sanitised(text):
    """As nbval compares it."""
    config = (ROOT / "tests" / "nbval_sanitize.cfg").read_text(encoding="utf-8")
    for pattern, replacement in re.findall(r"^regex: (.*)$\n^replace: (.*)$", config, re.MULTILINE):
        text = re.sub(pattern, replacement, text)
    return text


def test_nbval_compares_that_a_table_is_there_and_not_which_exercises_there_are():
    (output,) = reading.cell(NAME, "your-progress")["outputs"]
    html, plain = ("".join(output["data"][f"text/{kind}"]) for kind in ("html", "plain"))
    other = Progress([Row("ch01.ex1", "Another", 12), Row("ch09.ex1", "New", 3, 3, 7)])
    assert sanitised(repr(other)) == sanitised(plain) == "PROGRESS"
    assert sanitised(other._repr_html_()) == sanitised(html) == "PROGRESS"
    troubled = Progress(other.rows, ["Your points cannot be read: why"])
    assert sanitised(repr(troubled)) == "PROGRESS\nYour points cannot be read: why"


def test_what_it_tells_to_type_is_there(text):
    for call in ('grading.check("ch03.ex1")', 'grading.hint("ch03.ex1")'):
        assert f"`{call}`" in text
    assert "give_up=True" in text
    assert {"check", "hint", "solution", "progress"} <= set(grading.__all__)
    commands = re.findall(r"`tinytf ([^`]+)`", text)
    assert sorted(commands) == ["progress", "reset 3"]
    for command in commands:
        assert cli._parser().parse_args(command.split()).command == command.split()[0]
