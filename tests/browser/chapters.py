"""The course in JupyterLab, for the tests of its chapters: open one, run it, show a cell of it."""

import json
import shutil

import pytest

from tests.notebooks.reading import NOTEBOOKS, ROOT, cells, tags
from tinytf.cli.short_path import is_copy, short

#: JupyterLab's for tracebacks.
ERRORS = '.jp-RenderedText[data-mime-type$=".stderr"]'
#: A whole chapter takes longer than anything else on a page, and twice that on a busy machine.
RUN_MILLISECONDS = 150_000


def in_theme(theme):
    """In which theme a chapter is seen: one each, by turns; the widgets in both."""
    return pytest.mark.parametrize("theme", [theme])


def marks(seconds):
    """The marks of a chapter's test file, whose tests may take so long."""
    mark = pytest.mark
    return [mark.browser, mark.slow, mark.as_committed, mark.timeout(seconds)]


@pytest.fixture(scope="module", autouse=True)
def course(notebooks):
    """The short paths of the course without outputs: what is seen then was computed now.

    (nbval runs the chapters as a whole.)
    """
    shutil.copytree(ROOT / "images", notebooks / "images", dirs_exist_ok=True)
    (notebooks / "notebooks").mkdir(exist_ok=True)
    for folder in ("optdigits", "replication", "iris", "estimators", "programs"):
        shutil.copytree(NOTEBOOKS / folder, notebooks / "notebooks" / folder, dirs_exist_ok=True)
    shutil.copy(NOTEBOOKS / "digits.py", notebooks / "notebooks")
    for path in NOTEBOOKS.glob("*.ipynb"):
        if is_copy(path):
            continue
        notebook = json.loads(path.read_text(encoding="utf-8"))
        notebook["cells"] = short(notebook["cells"])
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                cell |= {"outputs": [], "execution_count": None}
        (notebooks / "notebooks" / path.name).write_text(json.dumps(notebook), encoding="utf-8")


def run_every_cell(page, number=1):
    """Run the notebook to its end, past the errors made on purpose; it has so many code cells.

    On a busy machine JupyterLab puts the last cells on the page late: those on it may all have run.
    """
    page.click('.lm-MenuBar-itemLabel:text-is("Run")')
    page.click('.lm-Menu-item[data-command="runmenu:run-all"]')
    page.wait_for_function(
        "number => {"
        "const prompts = [...document.querySelectorAll('.jp-CodeCell .jp-InputArea-prompt')];"
        "return prompts.length >= number"
        " && prompts.every((prompt, index) => prompt.textContent === `[${index + 1}]:`); }",
        arg=number,
        timeout=RUN_MILLISECONDS,
    )


def see_every_picture(page):
    """Wait until all pictures of the texts that are on the page are shown."""
    page.wait_for_selector(".jp-MarkdownCell img")
    page.wait_for_function(
        "() => [...document.querySelectorAll('.jp-MarkdownCell img')]"
        ".every(picture => picture.complete && picture.naturalWidth > 0)"
    )


def run_chapter(opened, name, theme):
    """Run a chapter that is open to its end; a function that shows a cell, by its id.

    Checked on the way: no cell fails but those that are to, and each of those does.
    """
    page = opened.page
    see_every_picture(page)
    opened.screenshot(f"chapter-{name[:2]}-top-{theme}")
    there = [cell for cell in short(cells(name)) if cell["cell_type"] == "code"]
    ids = [cell["id"] for cell in there]
    run_every_cell(page, len(ids))
    on_purpose = sum("raises-exception" in tags(cell) for cell in there)
    page.wait_for_function(
        # A cell that failed in tasks has their tracebacks, too.
        "([errors, number]) => [...document.querySelectorAll('.jp-CodeCell')]"
        ".filter(cell => cell.querySelector(errors)).length === number",
        arg=[ERRORS, on_purpose],
    )
    assert page.locator(".jp-CodeCell").count() == len(ids)

    def show(cell_id):
        cell = page.locator(".jp-CodeCell").nth(ids.index(cell_id))
        cell.scroll_into_view_if_needed()
        return cell

    return show
