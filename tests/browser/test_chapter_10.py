"""Chapter 10 in JupyterLab: run its short path, make a prediction, look at a simulated step."""

from tests.browser.chapters import course, in_theme, marks, run_chapter  # noqa: F401 - course: autouse

pytestmark = marks(seconds=300)

NAME = "10_model_parallelism.ipynb"
MILLISECONDS = 120_000


@in_theme("light")
def test_chapter_10_runs_and_what_was_predicted_is_shown_with_its_timeline(open_notebook, theme):
    opened = open_notebook(f"notebooks/{NAME}", theme=theme)
    opened.page.set_default_timeout(MILLISECONDS)
    show = run_chapter(opened, NAME, theme)
    opened.screenshot(f"chapter-10-asked-{theme}", show("predict-together"))
    for name in ("predict-layers", "predict-together", "predict-deep"):
        asked = show(name)
        form = asked.locator("form")
        form.locator("label, li").first.click()
        form.locator(".tinytf-commit").click()
        asked.get_by_text(
            "Simulated:" if name != "predict-layers" else "A step in 2 parts"
        ).first.wait_for()
        opened.screenshot(f"chapter-10-{name}-{theme}", asked)
    show("vertical-virtual").get_by_text("Simulated: 8.8 ms").first.wait_for()
    opened.screenshot(f"chapter-10-virtual-{theme}", show("vertical-virtual"))
    opened.screenshot(f"chapter-10-table-{theme}", show("table"))
    opened.screenshot(f"chapter-10-end-{theme}", show("ex1-check"))
    assert opened.problems == []
