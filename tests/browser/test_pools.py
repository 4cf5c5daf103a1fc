"""The thread-pools widget in JupyterLab, in step with the counters of the same watched step."""

import pytest

from tests.browser import lab
from tests.browser.looks import luminance, papers

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(150)]

IMPORTS = "import numpy as np\nimport tinytf as tf\nimport tinytf.devices\nimport tinytf.jupyter"
CELLS = [
    IMPORTS,
    'x = tf.constant(np.ones((300, 300), np.float32), name="x")\n'
    'left = tf.matmul(x, x, name="left")\n'
    'right = tf.matmul(x, -x, name="right")\n'
    'total = tf.add(left, right, name="total")\n'
    "sess = tf.InteractiveSession()",
    "watched = tinytf.jupyter.watch(total, threads=2)\nwatched",
    "tinytf.jupyter.threads(watched)",
]
# Large, so that nobody's bar is so short that its neighbour covers it.
GPUS = [
    IMPORTS + "\ntinytf.devices.simulate_gpus(1)",
    'with tf.device("/gpu:0"):\n'
    '    a = tf.square(tf.fill([1500, 1500], 2.0), name="a")\n'
    '    b = tf.exp(a, name="b")\n'
    'with tf.device("/cpu:0"):\n'
    '    total = tf.reduce_sum(b, name="total")\n'
    "sess = tf.InteractiveSession()",
    "tinytf.jupyter.threads(total)",
]
CLOCK = [*CELLS[:3], "tinytf.jupyter.threads(watched.recording)"]  # no link but the clock
BUSY = [
    *CELLS[:3],
    "tinytf.jupyter.threads(watched)",
    "import threading\nthreading.Event().wait(60)",
]
POOLS = ".tinytf-pools"

#: Whether an element has been as wide as it is for two frames: its ticks are drawn anew until then.
IS_AT_REST = """where => new Promise(done => {
  const width = () => document.querySelector(where).getBoundingClientRect().width;
  const before = width();
  requestAnimationFrame(() => requestAnimationFrame(() => done(width() === before)));
})"""


@pytest.fixture(scope="module", autouse=True)
def written(notebooks):
    lab.write_notebook(notebooks / "pools.ipynb", CELLS)
    lab.write_notebook(notebooks / "gpus.ipynb", GPUS)
    lab.write_notebook(notebooks / "busy.ipynb", BUSY)
    lab.write_notebook(notebooks / "clock.ipynb", CLOCK)


def at_frame(number, widget=POOLS):
    return f'{widget}[data-frame="{number}"]'


def bar(name):
    """The bar of an operation in the lane of its thread."""
    return f'{POOLS} .tinytf-bar[data-name="{name}"]'


def test_both_widgets_play_the_same_step_together(open_notebook):
    opened = open_notebook("pools.ipynb")
    page = opened.page
    opened.run_all()
    page.wait_for_selector(at_frame(0))
    assert page.locator(f"{POOLS} .tinytf-bar[data-when=future]").count() == 5
    page.click(f"{POOLS} .tinytf-step")  # x is taken
    page.wait_for_selector(at_frame(1, ".tinytf-counters"))
    page.wait_for_selector('.tinytf-counters [data-node="x"][data-state="running"]')
    assert "x on " in page.inner_text(f"{POOLS} .tinytf-pool-now")
    page.click(".tinytf-counters .tinytf-step")
    page.wait_for_selector(at_frame(2))
    middle = "document.querySelector('.tinytf-pools .tinytf-slider').max / 2 | 0"
    half = page.evaluate(middle)
    for number in range(2, half):
        page.click(f"{POOLS} .tinytf-step")
        page.wait_for_selector(at_frame(number + 1))
    opened.screenshot("pools-half", page.locator(POOLS))
    page.select_option(f"{POOLS} .tinytf-speed", "20")
    page.click(f"{POOLS} .tinytf-play")
    page.wait_for_selector('.tinytf-counters [data-node="total"][data-state="done"]')
    page.wait_for_selector(f'{POOLS}[data-playing="false"]')
    assert page.inner_text(f"{POOLS} .tinytf-now") == "The step is over: 5 operations ran."
    last = int(page.get_attribute(POOLS, "data-frame"))
    page.click(f"{POOLS} .tinytf-back")
    page.click(".tinytf-counters .tinytf-back")
    page.wait_for_selector(at_frame(last - 2))
    page.wait_for_selector(at_frame(last - 2, ".tinytf-counters"))
    page.wait_for_selector(f"{bar('total')}[data-when=now]")
    page.click(f"{POOLS} button[data-choice=time]")
    page.wait_for_selector(f"{POOLS} [data-axis=time]")
    for theme, paper in papers(opened):
        assert abs(luminance(page, bar("total"), "color") - paper) > 0.5
        assert abs(luminance(page, bar("total"), "borderTopColor") - paper) > 0.25
        opened.screenshot(f"pools-{theme}", page.locator(POOLS))
        opened.screenshot(f"pools-page-{theme}")
    assert opened.errors_in_outputs() == []
    assert opened.problems == []


def test_operations_are_told_by_pointing_and_by_keyboard(open_notebook):
    opened = open_notebook("pools.ipynb")
    page = opened.page
    opened.run_all()
    page.wait_for_selector(at_frame(0))
    detail = page.locator(f"{POOLS} .tinytf-detail")
    page.hover(f"{bar('left')}")
    detail.get_by_text("left (MatMul) on ").wait_for()
    assert "Built in In[2], line 2." in detail.inner_text()
    page.focus(POOLS)
    page.mouse.move(0, 0)
    page.keyboard.press("ArrowDown")
    page.wait_for_selector(f"{bar('x')}[data-selected]")
    detail.get_by_text("x (Const) on ").wait_for()
    page.keyboard.press("ArrowUp")
    page.wait_for_selector(f"{bar('total')}[data-selected]")
    for key, frame in [("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("Home", 0)]:
        page.keyboard.press(key)
        page.wait_for_selector(at_frame(frame))
    assert page.evaluate("document.activeElement.className").endswith("tinytf-pools")
    assert opened.problems == []


def test_the_clock_of_the_page_keeps_instruments_together(open_notebook):
    opened = open_notebook("clock.ipynb")
    page = opened.page
    opened.run_all()
    page.wait_for_selector(at_frame(0))
    page.click(".tinytf-counters .tinytf-step")
    page.wait_for_selector(at_frame(1))
    page.focus(POOLS)
    page.keyboard.press("End")
    last = page.get_attribute(POOLS, "data-frame")
    page.wait_for_selector(at_frame(last, ".tinytf-counters"))
    page.click(bar("right"))
    page.wait_for_selector('.tinytf-counters [data-node="right"][data-selected="true"]')
    assert opened.problems == []


def test_the_lanes_are_as_wide_as_the_page_and_all_of_the_step_is_seen_at_once(open_notebook):
    opened = open_notebook("pools.ipynb")
    page = opened.page
    opened.run_all()
    page.wait_for_selector(at_frame(0))
    page.keyboard.press("Control+b")  # no list of files beside it
    for width in (480, 1600):
        see_all_of_the_step(page, width)
    assert opened.problems == []


def see_all_of_the_step(page, width):
    """Set the width of the page; what is in the lanes is there, and where its marks say."""
    page.set_viewport_size({"width": width, "height": 1000})
    page.wait_for_function(
        "wide => document.querySelector('.tinytf-pools').clientWidth > 0.6 * wide", arg=width
    )
    lanes = page.locator(f"{POOLS} .tinytf-lane-scroll").bounding_box()
    assert lanes["width"] > 0.95 * page.locator(POOLS).bounding_box()["width"]
    assert page.locator(f"{POOLS} .tinytf-bar").count() == 5
    assert all(box.is_visible() for box in page.locator(f"{POOLS} .tinytf-bar").all())
    page.locator(f"{POOLS} .tinytf-ruler .tinytf-lane").scroll_into_view_if_needed()
    page.wait_for_function(IS_AT_REST, arg=f"{POOLS} .tinytf-ruler .tinytf-lane")
    column = page.locator(f"{POOLS} .tinytf-over i >> nth=1").evaluate(
        "it => it.getBoundingClientRect().x"
    )
    ruler = page.locator(f"{POOLS} .tinytf-ruler .tinytf-lane").bounding_box()
    page.mouse.click(column, ruler["y"] + 4)  # to where the second mark is
    mark = page.inner_text(f"{POOLS} .tinytf-ruler .tinytf-lane span >> nth=1")
    page.wait_for_selector(at_frame(mark))


def test_a_gpu_has_a_stream(open_notebook):
    opened = open_notebook("gpus.ipynb")
    page = opened.page
    opened.run_all()
    page.wait_for_selector(at_frame(0))
    titles = page.locator(f"{POOLS} .tinytf-lane-title").all_text_contents()
    assert titles[:2] == ["CPU:0", "GPU:0 (simulated), in-order stream"]
    page.focus(POOLS)
    page.keyboard.press("End")
    page.wait_for_selector(f"{bar('total')}[data-when=over]")
    page.hover(f"{bar('b')}")
    told = page.inner_text(f"{POOLS} .tinytf-detail")
    assert "b (Exp) in the stream of GPU:0 (simulated), handed over by" in told
    opened.screenshot("pools-gpu", page.locator(POOLS))
    assert opened.problems == []


def test_they_play_while_a_cell_is_running(open_notebook):
    opened = open_notebook("busy.ipynb")
    page = opened.page
    page.click('.lm-MenuBar-itemLabel:text-is("Run")')
    page.click('.lm-Menu-item[data-command="runmenu:run-all"]')
    page.wait_for_selector(at_frame(0))
    page.wait_for_selector('.jp-Notebook-ExecutionIndicator[data-status="busy"]')
    page.focus(POOLS)
    page.select_option(f"{POOLS} .tinytf-speed", "20")
    page.click(f"{POOLS} .tinytf-play")
    page.wait_for_selector('.tinytf-counters [data-node="total"][data-state="done"]')
    page.click(".tinytf-counters .tinytf-mode-guess")
    page.wait_for_selector(at_frame(0))
    page.click('.tinytf-counters [data-node="x"]')
    page.wait_for_selector('.tinytf-counters[data-verdict="right"]')
    busy = '.jp-Notebook-ExecutionIndicator[data-status="busy"]'
    assert page.locator(busy).count() == 1  # all of it while the cell ran
    page.click('.lm-MenuBar-itemLabel:text-is("Kernel")')
    page.click('.lm-Menu-item[data-command="kernelmenu:interrupt"]')
    opened.wait_until_idle()
    assert opened.problems == []


def test_a_saved_notebook_has_all_that_a_static_page_needs(notebooks):
    """Both widgets with their scripts, and the link between them: what nbconvert puts in a page."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(notebooks / "pools.ipynb", as_version=4)
    NotebookClient(notebook, timeout=60).execute()
    models = notebook.metadata["widgets"]["application/vnd.jupyter.widget-state+json"]["state"]
    drawn = {key for key, model in models.items() if "_esm" in model["state"]}
    [link] = [model["state"] for model in models.values() if model["model_name"] == "LinkModel"]
    ends = [link["source"], link["target"]]
    assert {name.removeprefix("IPY_MODEL_") for name, _ in ends} == drawn
    assert [attribute for _, attribute in ends] == ["frame", "frame"]
    for key in drawn:
        script = models[key]["state"]["_esm"]
        assert "https://" not in script
        assert "import " not in script
