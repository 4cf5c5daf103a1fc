"""What helps a learner, in JupyterLab: hints that unfold, the solution, the points."""

import json

import pytest

from tests.browser import lab
from tests.browser.looks import luminance, papers
from tests.grading.learning import write_exercise

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(150)]

HINTS = [
    "First: read `b`.",
    "Second: an operation waits for\n\n    everything\n",
    "Third: `<last>`",
]
SETTINGS = """import os
os.environ["TINYTF_PROGRESS"] = {progress!r}
os.environ["TINYTF_EXERCISES"] = {exercises!r}
from tinytf import grading
from tinytf.grading.progress import note
from tinytf.grading.report import Outcome, Report"""
CELLS = [
    'grading.hint("ch03.ex1")',
    'grading.hint("ch03.ex1")',
    'grading.hint("ch03.ex1")',
    'grading.solution("ch03.ex1")',
    'note(Report("ch03.ex1", [Outcome("it holds", 6, 6)]))\ngrading.solution("ch03.ex1")',
    "grading.progress()",
]


@pytest.fixture(scope="module", autouse=True)
def written(notebooks, tmp_path_factory):
    """A course of two exercises, and a notebook with points of its own."""
    course = tmp_path_factory.mktemp("course")
    for name in ("ex1", "ex2"):
        folder = course / "ch03" / name
        write_exercise(folder, "In order, but not more", (2, 4))
        with (folder / "exercise.toml").open("a") as facts:
            facts.write(f"hints = {json.dumps(HINTS)}\n")
        (folder / "solution.py").write_text("def f():\n    return 8  # of course\n")
    progress = str(tmp_path_factory.mktemp("points") / "progress.json")
    first = SETTINGS.format(progress=progress, exercises=str(course))
    lab.write_notebook(notebooks / "learner.ipynb", [first, *CELLS])


def test_hints_unfold_and_the_solution_opens_when_all_points_are_there(open_notebook):
    opened = open_notebook("learner.ipynb")
    opened.run_all()
    assert opened.errors_in_outputs() == []
    page = opened.page
    cells = page.locator(".jp-CodeCell")

    third = cells.nth(3).locator(".jp-OutputArea")
    assert "Third: <last>" in third.inner_text()
    assert third.locator("details").count() == 2
    assert not third.get_by_text("Second: an operation").is_visible()
    third.get_by_text("Hint 2").click()
    assert third.get_by_text("Second: an operation").is_visible()
    assert not third.get_by_text("First: read").is_visible()
    third.get_by_text("Hint 1").click()
    assert third.get_by_text("First: read").is_visible()
    assert third.locator("code", has_text="b").count() >= 1  # the inside is markdown
    opened.screenshot("learner-hints", third)

    refused = cells.nth(4).locator(".jp-OutputArea")
    assert "your best try: none yet" in refused.inner_text()
    assert "of course" not in refused.inner_text()
    solution = cells.nth(5).locator(".jp-OutputArea")
    assert "return 8  # of course" in solution.inner_text()
    opened.screenshot("learner-solution", solution)

    table = cells.nth(6).locator("table")
    assert table.locator("tbody tr").first.inner_text().split("\t") == [
        "3",
        "ex1 In order, but not more",
        "6 of 6",
        "1",
        "yes",
    ]
    assert "6 of 12" in table.locator("tfoot").inner_text()
    for theme, paper in papers(opened):
        opened.screenshot(f"learner-points-{theme}", table)
        assert abs(luminance(page, ".tinytf-progress td", "color") - paper) > 0.5
    assert opened.problems == []
