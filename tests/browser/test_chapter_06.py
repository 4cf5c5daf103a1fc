"""Chapter 6 in JupyterLab: run all; the live queue follows, reports are read."""

from tests.browser.chapters import course, in_theme, marks, run_chapter  # noqa: F401 - course: autouse

pytestmark = marks(seconds=300)

NAME = "06_queues.ipynb"
QUEUE = ".tinytf-live-queue"
MILLISECONDS = 120_000


@in_theme("dark")
def test_chapter_6_runs_and_its_queue_is_followed(open_notebook, theme):
    opened = open_notebook(f"notebooks/{NAME}", theme=theme)
    opened.page.set_default_timeout(MILLISECONDS)
    show = run_chapter(opened, NAME, theme)
    # Three, one and three went in and came out, over the cells; then the session was closed.
    widget = show("fifo").locator(f'{QUEUE}[data-made="true"][data-count="0"]')
    widget.wait_for()
    widget.get_by_text("7 put in, 7 taken out").wait_for()
    opened.screenshot(f"chapter-06-queue-{theme}", widget)
    stuck = show("stuck")
    stuck.get_by_text("nothing that runs can end it").first.wait_for()
    opened.screenshot(f"chapter-06-stuck-{theme}", stuck)
    show("deadlock-found").get_by_text("Deadlock: nobody can go on.").first.wait_for()
    opened.screenshot(f"chapter-06-end-{theme}", show("ex1-check"))
    assert opened.problems == []
