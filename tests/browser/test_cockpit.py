"""The cockpit in JupyterLab: one clock for all views, one choice, a view beside the notebook."""

import pytest

from tests.browser import lab
from tests.browser.looks import luminance, papers
from tests.browser.tasks import play, task_times
from tests.browser.test_counters_large import NETWORK

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(150)]

IMPORTS = "import numpy as np\nimport tinytf as tf\nimport tinytf.jupyter"
STEP = [
    IMPORTS,
    'x = tf.constant(np.ones((300, 300), np.float32), name="x")\n'
    'left = tf.matmul(x, x, name="left")\n'
    'right = tf.matmul(x, -x, name="right")\n'
    'total = tf.add(left, right, name="total")\n'
    "sess = tf.InteractiveSession()",
    "tinytf.jupyter.cockpit(total)",
]
BUSY = [*STEP, "import threading\nthreading.Event().wait(100)"]
CLUSTER = [
    f"{IMPORTS}\ncluster = tinytf.LocalCluster(ps=1, worker=2)",
    'with tf.device("/job:ps/task:0"):\n    v = tf.get_variable("v", initializer=[1.0, 2.0])\n'
    'with tf.device("/job:worker/task:1"):\n    y = tf.identity(v * 2.0, name="y")\n'
    'sess = tf.Session(cluster.target("worker:0"))\nsess.run(v.initializer)',
    "tinytf.jupyter.cockpit(y, session=sess)",
]
LARGE = [IMPORTS, NETWORK, "tinytf.jupyter.cockpit(train, feeds, threads=1)"]
COCKPIT, TRANSPORT = ".tinytf-cockpit", ".tinytf-transport"
COUNTERS, POOLS, TIMELINE = ".tinytf-counters", ".tinytf-pools", ".tinytf-timeline"
PARTS, TASKS = ".tinytf-placement", ".tinytf-live-cluster"


@pytest.fixture(scope="module", autouse=True)
def written(notebooks):
    lab.write_notebook(notebooks / "cockpit.ipynb", STEP)
    lab.write_notebook(notebooks / "cockpit_busy.ipynb", BUSY)
    lab.write_notebook(notebooks / "cockpit_cluster.ipynb", CLUSTER)
    lab.write_notebook(notebooks / "cockpit_large.ipynb", LARGE)


@pytest.fixture
def show(open_notebook):
    """A function that opens a notebook, runs it, and waits for the views of its cockpit."""

    def open_and_run(notebook, **context):
        opened = open_notebook(notebook, viewport={"width": 1500, "height": 1100}, **context)
        opened.page.keyboard.press("Control+b")  # no list of files beside it
        opened.run_all()
        opened.page.wait_for_selector(f"{COCKPIT} {TIMELINE}[data-drawn]")
        opened.page.wait_for_selector(f"{TRANSPORT}[data-frame]")
        return opened

    return open_and_run


def at(frame, where=COCKPIT):
    """What all views of a recorded step have when they stand at an event."""
    return [f'{where} {view}[data-frame="{frame}"]' for view in (TRANSPORT, COUNTERS, POOLS)]


def wait_for_all(page, selectors):
    for selector in selectors:
        page.wait_for_selector(selector)


def test_whatever_moves_the_time_moves_all_views(show):
    opened = show("cockpit.ipynb")
    page = opened.page
    opened.screenshot("cockpit-first", page.locator(COCKPIT))
    last = int(page.get_attribute(f"{TRANSPORT} .tinytf-slider", "max"))
    page.fill(f"{TRANSPORT} .tinytf-slider", str(last // 2))  # scrub
    wait_for_all(page, at(last // 2))
    line = f"{TIMELINE}[data-now]:not([data-now='']):has(.tinytf-now-line)"
    page.wait_for_selector(line)
    middle = page.get_attribute(TIMELINE, "data-now")
    assert 0 < int(middle) < int(page.get_attribute(TIMELINE, "data-to"))
    for theme, paper in papers(opened):
        opened.screenshot(f"cockpit-half-{theme}", page.locator(COCKPIT))
        assert abs(luminance(page, f"{TRANSPORT} .tinytf-now", "color") - paper) > 0.5
    page.focus(COUNTERS)
    page.keyboard.press("ArrowRight")  # the keys of any view
    wait_for_all(page, at(last // 2 + 1))
    page.focus(POOLS)
    page.keyboard.press("End")
    wait_for_all(page, at(last))
    page.wait_for_selector(f'{COUNTERS} [data-node="total"][data-state="done"]')
    page.wait_for_selector(f"{line}:not([data-now='{middle}'])")
    page.focus(TRANSPORT)
    page.keyboard.press("Home")
    wait_for_all(page, at(0))
    assert page.locator(f"{COCKPIT} .tinytf-play:visible").count() == 1
    page.select_option(f"{TRANSPORT} .tinytf-speed", "20")
    page.focus(COUNTERS)
    page.keyboard.press(" ")  # plays as the one button does
    wait_for_all(page, [f'{TRANSPORT}[data-playing="false"][data-frame="{last}"]', *at(last)])
    assert page.inner_text(f"{TRANSPORT} .tinytf-now") == "The step is over: 5 operations ran."
    assert page.locator(f'{COCKPIT} {COUNTERS}[data-playing="true"]').count() == 0
    assert opened.errors_in_outputs() == []
    assert opened.problems == []


def test_an_operation_that_is_chosen_in_one_view_is_shown_by_all(show):
    opened = show("cockpit.ipynb")
    page = opened.page
    shown = {
        "counters": f'{COUNTERS} [data-node="NAME"][data-selected="true"]',
        "pools": f'{POOLS} .tinytf-bar[data-name="NAME"][data-selected]',
        "timeline": f'{TIMELINE} .tinytf-told[data-node="NAME"]',
    }
    page.click(f'{COUNTERS} [data-node="left"]')
    wait_for_all(page, [each.replace("NAME", "left") for each in shown.values()])
    page.mouse.move(0, 0)
    page.click(f'{POOLS} .tinytf-bar[data-name="right"]')
    wait_for_all(page, [each.replace("NAME", "right") for each in shown.values()])
    page.focus(TIMELINE)
    page.mouse.move(0, 0)
    page.keyboard.press("Home")
    first = page.get_attribute(f"{TIMELINE} .tinytf-told", "data-node")
    assert first != "right"
    wait_for_all(page, [each.replace("NAME", first) for each in shown.values()])
    assert opened.problems == []


def test_it_stands_in_one_column_where_there_is_little_room(show):
    opened = show("cockpit.ipynb")
    page = opened.page

    def lefts():
        boxes = [page.locator(f"{COCKPIT} {view}").bounding_box() for view in (COUNTERS, POOLS)]
        return [round(box["x"]) for box in boxes]

    assert lefts()[0] < lefts()[1]
    page.set_viewport_size({"width": 520, "height": 1000})
    page.wait_for_function(
        "([one, other]) => document.querySelector(one).getBoundingClientRect().left"
        " === document.querySelector(other).getBoundingClientRect().left",
        arg=[f"{COCKPIT} {COUNTERS}", f"{COCKPIT} {POOLS}"],
    )
    assert page.locator(COCKPIT).evaluate("it => it.scrollWidth <= it.clientWidth")
    opened.screenshot("cockpit-narrow", page.locator(COCKPIT))
    assert opened.problems == []


def test_a_view_of_its_own_plays_beside_the_notebook_while_a_cell_runs(open_notebook):
    opened = open_notebook("cockpit_busy.ipynb", viewport={"width": 1700, "height": 1100})
    page = opened.page
    page.keyboard.press("Control+b")
    page.click(".jp-Notebook .jp-Cell >> nth=0")
    page.keyboard.press("Control+Home")
    for _ in STEP:
        page.keyboard.press("Shift+Enter")
    page.wait_for_selector(f"{COCKPIT} {TIMELINE}[data-drawn]")
    page.click(f"{COCKPIT} {POOLS} .tinytf-heading", button="right")
    page.click('.lm-Menu-item[data-command="notebook:create-output-view"]')
    beside = f".jp-LinkedOutputView {COCKPIT}"
    page.wait_for_selector(f"{beside} {TIMELINE}[data-drawn]")
    page.click(".jp-Notebook .jp-Cell >> nth=-1")
    page.keyboard.press("Shift+Enter")
    page.wait_for_selector('.jp-Notebook-ExecutionIndicator[data-status="busy"]')
    inside = f".jp-Notebook {COCKPIT}"
    page.click(f"{beside} {TRANSPORT} .tinytf-step")
    wait_for_all(page, [*at(1, beside), *at(1, inside)])  # in step with the first one
    page.select_option(f"{beside} {TRANSPORT} .tinytf-speed", "20")
    page.click(f"{beside} {TRANSPORT} .tinytf-play")
    page.wait_for_selector(f'{beside} {COUNTERS} [data-node="total"][data-state="done"]')
    page.wait_for_selector(f'{inside} {COUNTERS} [data-node="total"][data-state="done"]')
    assert page.locator('.jp-Notebook-ExecutionIndicator[data-status="busy"]').count() == 1
    opened.screenshot("cockpit-beside")
    page.click(".jp-Notebook .jp-Cell >> nth=-1")
    page.click('.lm-MenuBar-itemLabel:text-is("Kernel")')
    page.click('.lm-Menu-item[data-command="kernelmenu:interrupt"]')
    opened.wait_until_idle()
    assert opened.problems == []


def test_a_step_on_a_cluster_and_a_task_that_is_killed_and_started_again(show):
    opened = show("cockpit_cluster.ipynb")
    page = opened.page
    part = f'{PARTS} [data-node="mul"]'
    page.focus(TRANSPORT)
    page.keyboard.press("ArrowRight")
    page.wait_for_selector(f'{part}[data-state="waiting"]')
    page.keyboard.press("End")
    page.wait_for_selector(f'{part}[data-state="done"]')
    page.focus(PARTS)  # any view
    page.keyboard.press("Escape")
    page.click(part)
    page.wait_for_selector(f'{TIMELINE} .tinytf-told[data-node="mul"]')
    page.wait_for_selector(f'{TASKS} [data-node="worker:1"][data-lit]')
    opened.screenshot("cockpit-cluster", page.locator(COCKPIT))
    worker = f'{TASKS} [data-node="worker:1"]'
    page.click(worker)
    page.click(f"{TASKS} [data-do=kill]")
    page.wait_for_selector(f"{worker}[data-task=ended]")
    page.click(f"{TASKS} [data-do=restart]")
    page.wait_for_selector(f"{worker}[data-task=serving]")
    page.focus(TRANSPORT)
    page.keyboard.press("Home")  # what was traced is there as before
    page.wait_for_selector(f'{part}[data-state="waiting"]')
    assert page.locator(f"{COCKPIT} .tinytf-play:visible").count() == 1
    assert opened.errors_in_outputs() == []
    assert opened.problems == []


def test_no_task_of_the_page_takes_long_while_a_large_step_plays(show, chromium_browser):
    opened = show("cockpit_large.ipynb", fresh=True)
    page = opened.page
    with task_times(chromium_browser, page) as took:
        play(page, TRANSPORT, ("20", 70), ("5", 1000))
    last = page.get_attribute(f"{TRANSPORT} .tinytf-slider", "max")
    wait_for_all(page, at(last))
    assert len(took) > 200
    assert max(took) < 50
    assert opened.problems == []
