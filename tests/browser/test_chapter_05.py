"""Chapter 5 in JupyterLab: run all, with its cluster; its tables and its end."""

from tests.browser.chapters import course, in_theme, marks, run_chapter  # noqa: F401 - course: autouse

pytestmark = marks(seconds=400)

NAME = "05_sharing_state.ipynb"
MILLISECONDS = 180_000


@in_theme("light")
def test_chapter_5_runs_and_leaves_nothing_behind(open_notebook, theme):
    opened = open_notebook(f"notebooks/{NAME}", theme=theme)
    opened.page.set_default_timeout(MILLISECONDS)
    show = run_chapter(opened, NAME, theme)
    clients = show("containers-shown")
    clients.locator("td:text-is('my_problem_1')").wait_for()
    opened.screenshot(f"chapter-05-clients-{theme}", clients)
    # The cluster was stopped at the end; what is shown is what it was last.
    live = show("live-cluster")
    live.locator("svg").first.wait_for()
    opened.screenshot(f"chapter-05-live-{theme}", live)
    restart = show("error-restart")
    restart.get_by_text("since the restart at").first.wait_for()
    opened.screenshot(f"chapter-05-restart-{theme}", restart)
    show("stop").get_by_text("processes that run: 0").wait_for()
    opened.screenshot(f"chapter-05-end-{theme}", show("ex1-check"))
    assert opened.problems == []
