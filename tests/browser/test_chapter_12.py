"""Chapter 12 in JupyterLab: run its short path, commit to a prediction, look at the table."""

from tests.browser.chapters import course, in_theme, marks, run_chapter  # noqa: F401 - course: autouse

pytestmark = marks(seconds=400)

NAME = "12_fault_tolerance.ipynb"
MILLISECONDS = 180_000


@in_theme("dark")
def test_chapter_12_runs_and_tells_what_a_dead_chief_costs(open_notebook, theme):
    opened = open_notebook(f"notebooks/{NAME}", theme=theme)
    opened.page.set_default_timeout(MILLISECONDS)
    show = run_chapter(opened, NAME, theme)
    asked = show("predict-chief")
    opened.screenshot(f"chapter-12-asked-{theme}", asked)
    asked.locator("form label", has_text="the variables are alive").click()
    asked.locator(".tinytf-commit").click()
    asked.get_by_text("the chief does not ask").first.wait_for()
    opened.screenshot(f"chapter-12-committed-{theme}", asked)
    show("predict-half").locator("form").first.wait_for()
    table = show("table")
    table.locator("pre", has_text="in graph").last.wait_for()
    opened.screenshot(f"chapter-12-table-{theme}", table)
    opened.screenshot(f"chapter-12-end-{theme}", show("ex1-check"))
    assert opened.problems == []
