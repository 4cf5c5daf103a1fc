"""Chapter 4 in JupyterLab: run all, with its cluster; its errors are read."""

from tests.browser.chapters import course, in_theme, marks, run_chapter  # noqa: F401 - course: autouse

pytestmark = marks(seconds=400)

NAME = "04_clusters.ipynb"
MILLISECONDS = 180_000


@in_theme("dark")
def test_chapter_4_runs_and_breaks_its_cluster(open_notebook, theme):
    opened = open_notebook(f"notebooks/{NAME}", theme=theme)
    opened.page.set_default_timeout(MILLISECONDS)
    show = run_chapter(opened, NAME, theme)
    table = show("show")
    table.get_by_text("/job:worker/task:1").wait_for()
    opened.screenshot(f"chapter-04-cluster-{theme}", table)
    parts = show("send-recv")
    parts.locator("svg").first.wait_for()
    opened.screenshot(f"chapter-04-parts-{theme}", parts)
    timeline = show("timeline-view")
    timeline.locator("svg").first.wait_for()
    opened.screenshot(f"chapter-04-timeline-{theme}", timeline)
    live = show("cluster-view")
    live.locator("svg").first.wait_for()
    opened.screenshot(f"chapter-04-live-{theme}", live)
    missing = show("error-missing")
    missing.get_by_text("refused: nothing listens there").first.wait_for()
    opened.screenshot(f"chapter-04-missing-{theme}", missing)
    tasks = show("train-test")
    tasks.locator(".jp-OutputArea").get_by_text("of the new digits are right").wait_for()
    opened.screenshot(f"chapter-04-tasks-{theme}", tasks)
    opened.screenshot(f"chapter-04-failed-{theme}", show("error-cell"))
    show("stop").get_by_text("0 processes are left").wait_for()
    opened.screenshot(f"chapter-04-end-{theme}", show("ex1-check"))
    assert opened.problems == []
