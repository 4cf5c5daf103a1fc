"""Chapter 7 in JupyterLab: run all; the live pipeline follows, reports are read."""

from tests.browser.chapters import course, in_theme, marks, run_chapter  # noqa: F401 - course: autouse

pytestmark = marks(seconds=300)

NAME = "07_reading_data.ipynb"
PIPELINE = ".tinytf-live-pipeline"
MILLISECONDS = 120_000


@in_theme("light")
def test_chapter_7_runs_and_its_pipeline_is_followed(open_notebook, theme):
    opened = open_notebook(f"notebooks/{NAME}", theme=theme)
    opened.page.set_default_timeout(MILLISECONDS)
    show = run_chapter(opened, NAME, theme)
    # Two epochs of four files went through, in a later cell; then the session was closed.
    pipeline = show("live").locator(PIPELINE)
    pipeline.locator('[data-key="batch_join/fifo_queue"][data-made="40"]').wait_for()
    stations = pipeline.locator(".tinytf-station")
    keys = [stations.nth(n).get_attribute("data-key") for n in range(stations.count())]
    assert keys[0] == "input_producer"
    assert keys[-1] == "sess.run"
    assert len([key for key in keys if key.startswith("TextLineReaderV2")]) == 3
    opened.screenshot(f"chapter-07-pipeline-{theme}", show("live"))
    stuck = show("error-not-started")
    stuck.get_by_text("A QueueRunner for it was built").first.wait_for()
    opened.screenshot(f"chapter-07-stuck-{theme}", stuck)
    opened.screenshot(f"chapter-07-end-{theme}", show("ex1-check"))
    assert opened.problems == []
