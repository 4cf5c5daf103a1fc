"""Chapter 1 in JupyterLab: run all, play the widget to its end, step back."""

import re

from tests.browser.chapters import (
    course,  # noqa: F401 - a fixture for all tests
    in_theme,
    marks,
    run_chapter,
    run_every_cell,
    see_every_picture,
)
from tests.notebooks.reading import programs

pytestmark = marks(seconds=240)

NAME = "01_graphs_and_sessions.ipynb"
WIDGET = ".tinytf-counters"


def node(name, count=None, state=None):
    rest = "" if count is None else f'[data-count="{count}"]'
    rest += "" if state is None else f'[data-state="{state}"]'
    return f'[data-node="{name}"][data-form]{rest}'


#: Figures choose by this; it follows JupyterLab's theme, not the system's.
SCHEME = "picture => getComputedStyle(picture).colorScheme"


@in_theme("light")
def test_chapter_1_runs_and_its_widget_plays_and_steps_back(open_notebook, theme):
    opened = open_notebook(f"notebooks/{NAME}", theme=theme)
    page = opened.page
    first = page.wait_for_selector(".jp-MarkdownCell img")
    assert first.evaluate(SCHEME) in {"light", "normal"}
    show = run_chapter(opened, NAME, theme)

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

    show("predict-pruned").locator('form.tinytf-predict [data-node="Mul_1"]').wait_for()

    for cell_id in ("graph-repr", "predict-pruned", "error-matmul", "error-not-fed", "ex1-check"):
        opened.screenshot(f"chapter-01-{cell_id}-{theme}", show(cell_id))
    assert "0 of 6 points" in show("ex1-check").inner_text()
    assert opened.problems == []


def test_the_first_page_checks_the_machine_and_leads_to_chapter_1(open_notebook):
    opened = open_notebook("notebooks/00_start_here.ipynb", theme="dark", fresh=True)
    see_every_picture(opened.page)
    assert opened.page.locator(".jp-MarkdownCell img").first.evaluate(SCHEME) == "dark"
    ids = [cell["id"] for cell in programs("00_start_here.ipynb")]
    run_every_cell(opened.page, len(ids))
    assert opened.errors_in_outputs() == []
    points = opened.page.locator(".jp-CodeCell").nth(ids.index("your-progress"))
    points.scroll_into_view_if_needed()
    assert re.search(r"\d+ of \d+", points.locator("table.tinytf-progress tfoot").inner_text())
    opened.screenshot("start-here-points")
    # What is far above is not drawn.
    checked = opened.page.locator(".jp-CodeCell").first
    checked.scroll_into_view_if_needed()
    checked.locator("pre", has_text="This machine can run the course.").wait_for()
    opened.screenshot("start-here")
    opened.page.click('.jp-MarkdownCell a:text-is("Graphs and sessions")')
    opened.page.wait_for_selector('.jp-NotebookPanel:not(.lm-mod-hidden) h1:has-text("1. Graphs")')
    assert opened.problems == []
