"""A learner's way through an exercise, in JupyterLab: wrong answer, reply, hints, right answer.

What is typed is typed into the cells; what is read is what the page shows.
"""

import pytest

from tests.browser import lab
from tests.browser.chapters import course, marks  # noqa: F401 - course: autouse
from tests.browser.looks import luminance, papers
from tests.notebooks.reading import ROOT, cells
from tinytf.cli.short_path import short
from tinytf.grading import exercise

pytestmark = marks(seconds=300)

NAME = "03_parallel_execution.ipynb"
FOLDER = ROOT / "exercises" / "ch03" / "ex1"
REPLY = ".tinytf-report"


@pytest.fixture(scope="module")
def points(tmp_path_factory):
    """The learner's file of points."""
    return tmp_path_factory.mktemp("points") / "progress.json"


@pytest.fixture(scope="module")
def lab_server(notebooks, points, tmp_path_factory):
    home = tmp_path_factory.mktemp("lab")
    with lab.running_lab(notebooks, home, {"TINYTF_PROGRESS": str(points)}) as server:
        yield server


def shown(opened, kind, cell_id):
    """A cell of the chapter; kind: "code" or "markdown"."""
    ids = [cell["id"] for cell in short(cells(NAME)) if cell["cell_type"] == kind]
    name = {"code": ".jp-CodeCell", "markdown": ".jp-MarkdownCell"}[kind]
    cell = opened.page.locator(name).nth(ids.index(cell_id))
    cell.scroll_into_view_if_needed()
    return cell


def write(opened, cell, text):
    """Put a text into a cell, in the place of what it holds, and run it."""
    cell.locator(".cm-content").click()
    opened.page.keyboard.press("Control+a")
    opened.page.keyboard.insert_text(text)
    run(opened, cell)


def run(opened, cell):
    """Run a cell; wait until it has its number."""
    before = cell.locator(".jp-InputArea-prompt").inner_text()
    cell.locator(".cm-content").click()
    opened.page.keyboard.press("Control+Enter")
    opened.page.wait_for_function(
        "([prompt, before]) => /\\[\\d+\\]/.test(prompt.textContent)"
        " && prompt.textContent !== before",
        arg=[cell.locator(".jp-InputArea-prompt").element_handle(), before],
    )


def test_a_learner_goes_wrong_takes_hints_and_gets_it_right(open_notebook):
    opened = open_notebook(f"notebooks/{NAME}", fresh=True)  # of a server of this file's own
    opened.page.set_default_timeout(120_000)
    answer, check = (shown(opened, "code", name) for name in ("ex1-answer", "ex1-check"))

    run(opened, answer)
    run(opened, check)
    assert "0 of 6 points" in check.locator(REPLY).inner_text()
    assert "Not done yet." in check.locator(REPLY).inner_text()

    bug = (FOLDER / "bugs" / "nothing_in_order.py").read_text(encoding="utf-8")
    write(opened, answer, bug.partition("\n")[2])
    run(opened, check)
    reply = check.locator(REPLY).inner_text()
    assert "4 of 6 points, not there yet" in reply
    assert "expected ['a1', 'a2', 'a3'], got" in reply
    assert "schedule" in reply
    assert 'Stuck? grading.hint("ch03.ex1")' in reply
    for theme, paper in papers(opened):
        opened.screenshot(f"exercise-wrong-{theme}", check)
        assert abs(luminance(opened.page, f"{REPLY} td", "color") - paper) > 0.5

    unfold_the_hints(opened)

    write(opened, answer, (FOLDER / "solution.py").read_text(encoding="utf-8"))
    run(opened, check)
    assert "6 of 6 points, passed" in check.locator(REPLY).inner_text()
    assert "Stuck?" not in check.locator(REPLY).inner_text()
    opened.screenshot("exercise-right", check)

    write(opened, check, "grading.progress()")
    rows = check.locator(".tinytf-progress tbody tr").all_inner_texts()
    row = next(row.split("\t") for row in rows if "In order, but not more" in row)
    assert row[-3:] == ["6 of 6", "2", "yes"]  # what was not begun is no try
    opened.screenshot("exercise-progress", check)
    assert opened.problems == []


def unfold_the_hints(opened):
    """One after the other: each is there only when the one before is open."""
    hints = exercise.find("ch03.ex1").hints
    task = shown(opened, "markdown", "ex1-task")
    opened.screenshot("exercise-task", task)
    summaries = task.locator("summary")
    assert summaries.count() == len(hints) >= 2
    for number in range(len(hints)):
        inside = task.locator("details > p").nth(number)
        assert summaries.nth(number).is_visible()
        assert not inside.is_visible()
        if number + 1 < len(hints):
            assert not summaries.nth(number + 1).is_visible()
        summaries.nth(number).click()
        inside.wait_for(state="visible")
    opened.screenshot("exercise-hints", task)
