"""Chapter 8 in JupyterLab: run all; the stages of a pipeline are followed."""

from tests.browser.chapters import course, in_theme, marks, run_chapter  # noqa: F401 - course: autouse

pytestmark = marks(seconds=300)

NAME = "08_tf_data.ipynb"
PIPELINE = ".tinytf-live-pipeline"
MILLISECONDS = 120_000


@in_theme("dark")
def test_chapter_8_runs_and_its_pipelines_are_followed(open_notebook, theme):
    opened = open_notebook(f"notebooks/{NAME}", theme=theme)
    opened.page.set_default_timeout(MILLISECONDS)
    show = run_chapter(opened, NAME, theme)
    # Made before the iterator started; the next cell took batches, and made a second one.
    pipeline = show("view-data").locator(PIPELINE)
    pipeline.locator('[data-key="OneShotIterator: BatchDatasetV2"]').wait_for()
    stages = pipeline.locator(".tinytf-station")
    keys = [stages.nth(n).get_attribute("data-key") for n in range(stages.count())]
    assert len(set(keys)) == len(keys)
    for stage in ("SkipDataset", "ParallelMapDatasetV2", "BatchDatasetV2"):
        assert f"OneShotIterator: {stage}" in keys
    assert keys[-1] == "sess.run"
    opened.screenshot(f"chapter-08-stages-{theme}", pipeline)
    halfway = show("view-run").locator(PIPELINE)
    halfway.locator('[data-key="OneShotIterator"][data-made="30"]').wait_for()
    queues = show("view-queues").locator(PIPELINE)
    queues.locator('[data-key="batch/fifo_queue"]:not([data-made="0"])').wait_for()
    opened.screenshot(f"chapter-08-queues-{theme}", queues)
    opened.screenshot(f"chapter-08-interleave-{theme}", show("interleave-draw"))
    opened.screenshot(f"chapter-08-error-{theme}", show("error-batch"))
    opened.screenshot(f"chapter-08-end-{theme}", show("ex3-check"))
    assert opened.problems == []
