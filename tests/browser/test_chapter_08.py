"""Chapter 8 in JupyterLab: run its short path, and make a prediction."""

from tests.browser.chapters import course, in_theme, marks, run_chapter  # noqa: F401 - course: autouse

pytestmark = marks(seconds=300)

NAME = "08_tf_data.ipynb"
MILLISECONDS = 120_000


@in_theme("dark")
def test_chapter_8_runs_and_predictions_are_made(open_notebook, theme):
    opened = open_notebook(f"notebooks/{NAME}", theme=theme)
    opened.page.set_default_timeout(MILLISECONDS)
    show = run_chapter(opened, NAME, theme)
    asked = show("predict-interleave").locator("form")
    asked.locator("li").first.click()
    asked.locator(".tinytf-commit").click()
    asked.get_by_text("Right:").wait_for()
    opened.screenshot(f"chapter-08-predicted-{theme}", asked)
    opened.screenshot(f"chapter-08-interleave-{theme}", show("interleave-draw"))
    opened.screenshot(f"chapter-08-error-{theme}", show("error-batch"))
    opened.screenshot(f"chapter-08-end-{theme}", show("ex1-check"))
    assert opened.problems == []
