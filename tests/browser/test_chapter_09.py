"""Chapter 9 in JupyterLab: run all, with its cluster, a fleet that is watched, and its end."""

from tests.browser.chapters import course, in_theme, marks, run_chapter  # noqa: F401 - course: autouse

pytestmark = marks(seconds=400)

NAME = "09_one_network_per_device.ipynb"
MILLISECONDS = 180_000


@in_theme("dark")
def test_chapter_9_runs_and_leaves_nothing_behind(open_notebook, theme):
    opened = open_notebook(f"notebooks/{NAME}", theme=theme)
    opened.page.set_default_timeout(MILLISECONDS)
    show = run_chapter(opened, NAME, theme)
    fleet = show("fleet-run")
    fleet.locator("td:text-is('cancelled')").wait_for()
    assert fleet.locator("table.tinytf-fleet").count() == 1  # it changes, and is not repeated
    opened.screenshot(f"chapter-09-fleet-{theme}", fleet)
    table = show("table")
    table.locator("pre", has_text="ensemble, by queues").last.wait_for()
    opened.screenshot(f"chapter-09-table-{theme}", table)
    show("stop").get_by_text("processes that run: 0").wait_for()
    opened.screenshot(f"chapter-09-end-{theme}", show("ex1-check"))
    assert opened.problems == []
