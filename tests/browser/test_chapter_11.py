"""Chapter 11 in JupyterLab: run its short path, make predictions, look at lens, map and curves."""

from tests.browser.chapters import course, in_theme, marks, run_chapter  # noqa: F401 - course: autouse

pytestmark = marks(seconds=400)

NAME = "11_data_parallelism.ipynb"
MILLISECONDS = 120_000


@in_theme("dark")
def test_chapter_11_runs_and_old_gradients_and_curves_are_shown(open_notebook, theme):
    opened = open_notebook(f"notebooks/{NAME}", theme=theme)
    opened.page.set_default_timeout(MILLISECONDS)
    show = run_chapter(opened, NAME, theme)
    asked = show("predict-learns")
    opened.screenshot(f"chapter-11-asked-{theme}", asked)
    asked.locator("form").locator("label, li").first.click()
    asked.locator(".tinytf-commit").click()
    asked.get_by_text("Nothing is learnt at all").first.wait_for()
    opened.screenshot(f"chapter-11-predict-learns-{theme}", asked)
    show("map").get_by_text("drop above 2").first.wait_for()
    opened.screenshot(f"chapter-11-map-{theme}", show("map"))
    show("lens").get_by_text("of 3 workers were on average").first.wait_for()
    opened.screenshot(f"chapter-11-lens-{theme}", show("lens"))
    opened.screenshot(f"chapter-11-table-{theme}", show("table"))
    show("scaling").get_by_text("64 workers").first.wait_for()
    opened.screenshot(f"chapter-11-scaling-{theme}", show("scaling"))
    opened.screenshot(f"chapter-11-end-{theme}", show("ex1-check"))
    assert opened.problems == []
