"""Chapter 13 in JupyterLab: run its short path, commit to a prediction, look at the curves."""

from tests.browser.chapters import course, in_theme, marks, run_chapter  # noqa: F401 - course: autouse

pytestmark = marks(seconds=400)

NAME = "13_estimators.ipynb"
MILLISECONDS = 180_000


@in_theme("light")
def test_chapter_13_runs_and_asks_what_steps_count(open_notebook, theme):
    opened = open_notebook(f"notebooks/{NAME}", theme=theme)
    opened.page.set_default_timeout(MILLISECONDS)
    show = run_chapter(opened, NAME, theme)
    asked = show("predict-again")
    asked.locator("form label", has_text="the graph of before is gone").click()
    asked.locator(".tinytf-commit").click()
    asked.get_by_text("this one has restored them").first.wait_for()
    opened.screenshot(f"chapter-13-committed-{theme}", asked)
    curves = show("curves")
    curves.locator("svg").last.wait_for()
    opened.screenshot(f"chapter-13-curves-{theme}", curves)
    doctor = show("doctor")
    doctor.locator("pre", has_text="0 are not in tinytf").first.wait_for()
    opened.screenshot(f"chapter-13-doctor-{theme}", doctor)
    opened.screenshot(f"chapter-13-end-{theme}", show("ex1-check"))
    assert opened.problems == []
