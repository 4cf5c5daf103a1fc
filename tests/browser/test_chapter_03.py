"""Chapter 3 in JupyterLab: run all, play counters and threads to the end, step back."""

from tests.browser.chapters import course, in_theme, marks, run_chapter  # noqa: F401 - course: autouse

pytestmark = marks(seconds=420)

NAME = "03_parallel_execution.ipynb"
COUNTERS, POOLS = ".tinytf-counters", ".tinytf-pools"
#: The chapter waits, measures and tries many schedules: longer than others on a busy machine.
MILLISECONDS = 150_000


def node(name, state):
    return f'[data-node="{name}"][data-form][data-state="{state}"]'


@in_theme("light")
def test_chapter_3_runs_and_its_widgets_play_and_step_back(open_notebook, theme):
    opened = open_notebook(f"notebooks/{NAME}", theme=theme)
    opened.page.set_default_timeout(MILLISECONDS)
    show = run_chapter(opened, NAME, theme)

    play_the_counters(opened, show, theme)
    play_counters_and_threads(opened, show, theme)
    look_at_the_rest(opened, show, theme)
    assert opened.problems == []


def play_the_counters(opened, show, theme):
    """Those of the first graph: to the end, and two back; then both games."""
    counters = show("first-graph").locator(COUNTERS)
    counters.locator(node("e", "waiting")).wait_for()
    counters.locator(node("a", "ready")).wait_for()
    opened.screenshot(f"chapter-03-counters-start-{theme}", counters)
    counters.locator(".tinytf-speed").select_option("20")
    counters.locator(".tinytf-play").click()
    counters.locator(node("e", "done")).wait_for()
    finished = show("first-graph").locator(f'{COUNTERS}[data-playing="false"][data-frame="6"]')
    finished.wait_for()
    for _ in range(2):
        counters.locator(".tinytf-back").click()
    counters.locator(node("e", "ready")).wait_for()
    opened.screenshot(f"chapter-03-counters-back-{theme}", counters)

    counters.locator(".tinytf-mode-guess").click()
    counters.locator('[data-node="e"][data-form]').click()
    show("first-graph").locator(f'{COUNTERS}[data-verdict="wrong"]').wait_for()
    counters.locator('[data-node="a"][data-form]').click()
    show("first-graph").locator(f'{COUNTERS}[data-verdict="right"]').wait_for()
    opened.screenshot(f"chapter-03-guess-{theme}", counters)
    counters.locator(".tinytf-mode-schedule").click()
    show("first-graph").locator(f'{COUNTERS}[data-mode="schedule"]').wait_for()
    opened.screenshot(f"chapter-03-scheduler-{theme}", counters)


def play_counters_and_threads(opened, show, theme):
    """Two widgets of one step: playing one plays the other."""
    pools = show("one-kernel-threads").locator(POOLS)
    # In the lane of the thread that runs the kernel, and in those of intra-op threads.
    shards = pools.locator(":is(.tinytf-shard, .tinytf-shards)")
    shards.first.wait_for(state="attached")
    assert shards.count() == 4
    pools.locator(".tinytf-speed").select_option("20")
    pools.locator(".tinytf-play").click()
    show("one-kernel-threads").locator(f'{POOLS}[data-playing="false"][data-frame="4"]').wait_for()
    followed = show("one-kernel").locator(COUNTERS)
    followed.locator(node("peak", "done")).wait_for()
    followed.locator(".tinytf-back").click()
    show("one-kernel-threads").locator(f'{POOLS}[data-frame="3"]').wait_for()
    pools.locator(".tinytf-back").click()
    show("one-kernel").locator(f'{COUNTERS}[data-frame="2"]').wait_for()
    opened.screenshot(f"chapter-03-threads-{theme}", pools)


def look_at_the_rest(opened, show, theme):
    """A prediction in the graph, and texts."""
    asked = show("predict-ready").locator("form")
    for name in ("r", "s"):
        asked.locator(f'[data-node="{name}"]').click()
    asked.locator(".tinytf-commit").click()
    asked.get_by_text("Right:").wait_for()
    opened.screenshot(f"chapter-03-predicted-{theme}", asked)
    for cell_id in ("predict-race", "error-first", "error-order", "ex1-check"):
        opened.screenshot(f"chapter-03-{cell_id}-{theme}", show(cell_id))
