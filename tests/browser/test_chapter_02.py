"""Chapter 2 in JupyterLab: run all, ask the rooms why; both placers; light and dark."""

import pytest

from tests.browser.test_chapter_01 import course, run_every_cell  # noqa: F401 - course: autouse
from tests.notebooks.reading import programs, tags

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.as_committed,
    pytest.mark.timeout(240),
]

NAME = "02_devices_and_placement.ipynb"
IDS = [cell["id"] for cell in programs(NAME)]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_chapter_2_runs_and_its_rooms_say_why(open_notebook, theme):
    opened = open_notebook(f"notebooks/{NAME}", theme=theme)
    page = opened.page
    page.wait_for_selector(".jp-MarkdownCell img")
    opened.screenshot(f"chapter-02-top-{theme}")
    run_every_cell(page)

    def show(cell_id):
        cell = page.locator(".jp-CodeCell").nth(IDS.index(cell_id))
        cell.scroll_into_view_if_needed()
        return cell

    on_purpose = sum("raises-exception" in tags(cell) for cell in programs(NAME))
    page.wait_for_function(
        "([errors, number]) => document.querySelectorAll(errors).length === number",
        arg=['.jp-RenderedText[data-mime-type$=".stderr"]', on_purpose],
    )
    show("predict-second").locator("pre", has_text="it is:     it fails").first.wait_for()
    show("way-1-smi").locator("pre", has_text="second_program.py").first.wait_for()

    rooms = show("rooms")
    rooms.locator('[data-node="tower0/MatMul"]').first.click()
    why = rooms.locator('.tinytf-why[data-op="tower0/MatMul"]')
    why.filter(has_text="pinned by tf.device('/device:GPU:0')").wait_for()
    opened.screenshot(f"chapter-02-rooms-{theme}", rooms)

    both = show("both-placers")
    both.locator('[data-choice="Cost model placer"]').click()
    both.locator('[data-node="right/m0"]:visible').first.click()
    both.locator(".tinytf-why:visible", has_text="finishes at").first.wait_for()
    opened.screenshot(f"chapter-02-both-placers-{theme}", both)
    for cell_id in ("smi-everything", "error-oom", "error-momentum", "explain-loss", "ex2-check"):
        opened.screenshot(f"chapter-02-{cell_id}-{theme}", show(cell_id))
    assert opened.problems == []


def test_every_picture_is_shown(open_notebook):
    opened = open_notebook(f"notebooks/{NAME}")
    opened.page.wait_for_selector(".jp-MarkdownCell img")
    opened.page.wait_for_function(
        "() => [...document.querySelectorAll('.jp-MarkdownCell img')]"
        ".every(picture => picture.complete && picture.naturalWidth > 0)"
    )
    assert opened.problems == []
