"""Chapter 1 in JupyterLab: run all, play the widget to its end, step back; light and dark."""

import json
import shutil

import pytest

from tests.notebooks.reading import NOTEBOOKS, ROOT, programs, tags

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.as_committed,
    pytest.mark.timeout(240),
]

NAME = "01_graphs_and_sessions.ipynb"
WIDGET = ".tinytf-counters"


@pytest.fixture(scope="module", autouse=True)
def course(notebooks):
    """The course as a learner has it, but without outputs: what is seen then was computed now."""
    shutil.copytree(ROOT / "images", notebooks / "images")
    (notebooks / "notebooks").mkdir()
    for path in NOTEBOOKS.glob("*.ipynb"):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                cell |= {"outputs": [], "execution_count": None}
        (notebooks / "notebooks" / path.name).write_text(json.dumps(notebook), encoding="utf-8")


def node(name, count=None, state=None):
    rest = "" if count is None else f'[data-count="{count}"]'
    rest += "" if state is None else f'[data-state="{state}"]'
    return f'[data-node="{name}"][data-form]{rest}'


def index_of(cell_id):
    return next(number for number, one in enumerate(programs(NAME)) if one["id"] == cell_id)


def run_every_cell(page):
    """Run the notebook to its end, past the errors made on purpose."""
    page.click('.lm-MenuBar-itemLabel:text-is("Run")')
    page.click('.lm-Menu-item[data-command="runmenu:run-all"]')
    page.wait_for_function(
        "() => [...document.querySelectorAll('.jp-CodeCell .jp-InputArea-prompt')]"
        ".every((prompt, index) => prompt.textContent === `[${index + 1}]:`)"
    )


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_chapter_1_runs_and_its_widget_plays_and_steps_back(open_notebook, theme):
    opened = open_notebook(f"notebooks/{NAME}", theme=theme)
    page = opened.page
    # Figures choose by this; it follows JupyterLab's theme, not the system's.
    scheme = "picture => getComputedStyle(picture).colorScheme"
    first = page.wait_for_selector(".jp-MarkdownCell img")
    assert first.evaluate(scheme) in ({"light", "normal"} if theme == "light" else {"dark"})
    opened.screenshot(f"chapter-01-top-{theme}")
    run_every_cell(page)

    def show(cell_id):
        cell = page.locator(".jp-CodeCell").nth(index_of(cell_id))
        cell.scroll_into_view_if_needed()
        return cell

    on_purpose = sum("raises-exception" in tags(cell) for cell in programs(NAME))
    errors = '.jp-RenderedText[data-mime-type$=".stderr"]'  # JupyterLab's for tracebacks, too
    page.wait_for_function(
        "([errors, number]) => document.querySelectorAll(errors).length === number",
        arg=[errors, on_purpose],
    )
    assert page.locator(".jp-CodeCell").count() == len(programs(NAME))

    widget = show("watch").locator(WIDGET)
    widget.locator(node("pow_op", count=2, state="waiting")).wait_for()
    widget.locator(node("add_op", count=2, state="waiting")).wait_for()
    assert widget.locator(node("useless")).count() == 0  # pruned away
    opened.screenshot(f"chapter-01-watch-start-{theme}", widget)
    widget.locator(".tinytf-speed").select_option("20")
    widget.locator(".tinytf-play").click()
    widget.locator(node("pow_op", count=0, state="done")).wait_for()
    page.wait_for_selector(f'{WIDGET}[data-playing="false"][data-frame="8"]')
    widget.locator(".tinytf-back").click()
    widget.locator(".tinytf-back").click()
    page.wait_for_selector(f'{WIDGET}[data-frame="6"]')
    widget.locator(node("pow_op", count=0, state="ready")).wait_for()
    opened.screenshot(f"chapter-01-watch-back-{theme}", widget)

    decision = show("watch-cond").locator(WIDGET)
    decision.locator(".tinytf-speed").select_option("20")
    decision.locator(".tinytf-play").click()
    decision.locator(node("cond/minus", state="skipped")).wait_for()
    decision.locator(node("cond/Merge", count=0, state="done")).wait_for()
    opened.screenshot(f"chapter-01-watch-cond-{theme}", decision)
    loop = show("watch-loop").locator(WIDGET)
    loop.locator(".tinytf-speed").select_option("20")
    loop.locator(".tinytf-play").click()
    loop.locator(node("loop/Exit", count=0, state="done")).wait_for()
    opened.screenshot(f"chapter-01-watch-loop-{theme}", loop)
    for tag in ("loss", "slope"):
        show("curves").locator(f'svg[data-tag="{tag}"] .tinytf-values').wait_for()

    for cell_id in ("curves", "graph-repr", "error-matmul", "server", "error-not-fed", "ex1-check"):
        opened.screenshot(f"chapter-01-{cell_id}-{theme}", show(cell_id))
    assert "0 of 6 points" in show("ex1-check").inner_text()
    assert opened.problems == []


@pytest.mark.parametrize("name", ["00_start_here.ipynb", NAME])
def test_every_picture_is_shown(open_notebook, name):
    opened = open_notebook(f"notebooks/{name}")
    opened.page.wait_for_selector(".jp-MarkdownCell img")
    opened.page.wait_for_function(
        "() => [...document.querySelectorAll('.jp-MarkdownCell img')]"
        ".every(picture => picture.complete && picture.naturalWidth > 0)"
    )
    assert opened.problems == []


def test_the_first_page_checks_the_machine_and_leads_to_chapter_1(open_notebook):
    opened = open_notebook("notebooks/00_start_here.ipynb")
    run_every_cell(opened.page)
    assert "This machine can run the course." in opened.page.inner_text(".jp-Notebook")
    assert opened.errors_in_outputs() == []
    opened.screenshot("start-here")
    opened.page.click('.jp-MarkdownCell a:text-is("Graphs and sessions")')
    opened.page.wait_for_selector('.jp-NotebookPanel:not(.lm-mod-hidden) h1:has-text("1. Graphs")')
    assert opened.problems == []
