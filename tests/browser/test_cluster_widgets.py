"""The views of clusters in JupyterLab: the parts of a step, and a cluster that is followed."""

import pytest

from tests.browser import lab
from tests.browser.looks import luminance, papers

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(150)]

CLUSTER, PARTS, TIMELINE = ".tinytf-live-cluster", ".tinytf-placement", ".tinytf-timeline"
CELLS = [
    "import tinytf as tf\nimport tinytf.jupyter\ncluster = tinytf.LocalCluster(ps=1, worker=2)",
    "tinytf.jupyter.cluster(cluster)",
    'with tf.device("/job:ps/task:0"):\n    v = tf.get_variable("v", initializer=[1.0, 2.0])\n'
    'with tf.device("/job:worker/task:1"):\n    y = tf.identity(v * 2.0, name="y")\n'
    'sess = tf.Session(cluster.target("worker:0"))\nsess.run(v.initializer)',
    "shown = tinytf.jupyter.parts(y, sess)\nshown",
    "tinytf.jupyter.timeline(y, session=sess)",
    'sess.close()\ncluster.kill("worker:1")',
    "cluster.stop()",
]
STEERED = [
    "import tinytf as tf\nimport tinytf.jupyter\ncluster = tinytf.LocalCluster(ps=1, worker=1)",
    "tinytf.jupyter.cluster(cluster)",
    *(["# a long notebook\n" * 12] * 5),
]
BUSY = [*STEERED[:2], "cluster.wait_for_end('worker:0', timeout=100)"]


@pytest.fixture(scope="module", autouse=True)
def written(notebooks):
    lab.write_notebook(notebooks / "cluster.ipynb", CELLS)
    lab.write_notebook(notebooks / "steered.ipynb", STEERED)
    lab.write_notebook(notebooks / "busy_cluster.ipynb", BUSY)


def test_a_cluster_a_step_in_parts_and_its_timeline(open_notebook):
    opened = open_notebook("cluster.ipynb")
    page = opened.page
    page.click(".jp-Notebook .jp-Cell >> nth=0")
    page.keyboard.press("Control+Home")

    def run_cells(count):
        for _ in range(count):
            page.keyboard.press("Shift+Enter")

    run_cells(2)
    page.wait_for_selector(f'{CLUSTER} [data-node="ps:0"][data-task="serving"]')
    run_cells(3)
    page.wait_for_selector(f"{TIMELINE} [data-arrow]")
    page.wait_for_selector(f'{CLUSTER} .tinytf-edge[data-source="ps:0"][data-target="worker:1"]')
    parts = page.locator(PARTS)
    for theme, paper in papers(opened):
        opened.screenshot(f"cluster-{theme}", page.locator(CLUSTER))
        opened.screenshot(f"cluster-timeline-{theme}", page.locator(TIMELINE))
        opened.screenshot(f"parts-{theme}", parts)
        assert abs(luminance(page, f"{CLUSTER} .tinytf-title", "color") - paper) > 0.5

    assert parts.locator("[data-room]").count() == 2
    assert parts.locator(".tinytf-bytes").all_text_contents() == ["8 bytes"]
    parts.locator('[data-choice="after, with 16-bit transfer"]').click()
    assert parts.locator(".tinytf-bytes").all_text_contents() == ["4 bytes (16-bit)"]
    parts.locator('[data-choice="before Send and Recv"]').click()
    assert parts.locator("[data-room]").count() == 0
    parts.focus()
    page.keyboard.press("ArrowRight")
    assert "VariableV2" in parts.locator(".tinytf-whys").inner_text()

    page.locator(CLUSTER).focus()
    page.keyboard.press("ArrowDown")
    page.wait_for_selector(f'{CLUSTER}[data-selected="ps:0"]')
    assert "v: float32 (2), 8 bytes" in page.locator(f"{CLUSTER} .tinytf-told").inner_text()
    page.click(".jp-Notebook .jp-Cell >> nth=5")
    run_cells(1)
    page.wait_for_selector(f'{CLUSTER} [data-node="worker:1"][data-task="ended"]')
    opened.screenshot("cluster-killed", page.locator(CLUSTER))
    assert page.locator(CLUSTER).get_attribute("data-selected") == "ps:0"
    run_cells(1)
    page.wait_for_selector(f'{CLUSTER} [data-node="ps:0"][data-task="ended"]')
    page.wait_for_selector(f'{CLUSTER} [data-sign="stopped"]')
    assert "The cluster is stopped" in page.inner_text(f"{CLUSTER} .tinytf-title >> nth=0")
    assert page.locator(f"{CLUSTER} .tinytf-task-acts button:visible").count() == 0
    assert opened.errors_in_outputs() == []
    assert opened.problems == []


def test_a_task_is_killed_by_its_button_and_what_happened_is_played(open_notebook):
    opened = open_notebook("steered.ipynb")
    page = opened.page
    opened.run_all()
    worker = f'{CLUSTER} [data-node="worker:0"]'
    page.wait_for_selector(f"{worker}[data-task=serving]")
    assert page.locator(f"{CLUSTER} .tinytf-task-acts button:visible").count() == 0
    page.click(worker)  # to choose a task does nothing to it
    page.wait_for_selector(f"{CLUSTER} [data-do=kill]")
    # By keyboard: from the view to its buttons.
    page.focus(f"{CLUSTER} [data-do=kill]")
    page.keyboard.press("Enter")
    page.wait_for_selector(f"{worker}[data-task=ended]")
    page.wait_for_selector(f'{CLUSTER} .tinytf-now:has-text("worker:0 ended by SIGKILL")')
    page.click(f"{CLUSTER} [data-do=restart]")
    page.wait_for_selector(f"{worker}[data-task=serving]")

    page.focus(CLUSTER)
    page.keyboard.press("Home")
    page.wait_for_selector(f'{CLUSTER}[data-frame="0"] [data-sign="replay"]')
    page.wait_for_selector(f"{worker}[data-task=serving]")
    for frame in range(1, 9):  # on a busy machine something else may have happened before
        page.keyboard.press("ArrowRight")
        page.wait_for_selector(f'{CLUSTER}[data-frame="{frame}"]')
        if page.locator(f"{worker}[data-task=ended]").count():
            break
    page.wait_for_selector(f"{worker}[data-task=ended]")
    assert page.locator(f"{CLUSTER} .tinytf-task-acts button:visible").count() == 0
    page.keyboard.press("End")
    page.wait_for_selector(f'{CLUSTER} [data-sign="live"]')

    page.click(f"{CLUSTER} .tinytf-title >> nth=0", button="right")
    page.click('.lm-Menu-item[data-command="notebook:create-output-view"]')
    beside = f".jp-LinkedOutputView {CLUSTER}"  # in sight while the notebook scrolls
    page.wait_for_selector(f'{beside} [data-node="worker:0"][data-task=serving]')
    page.click(f'{beside} [data-node="worker:0"]')
    page.click(f"{beside} [data-do=kill]")  # its buttons are there, too
    page.wait_for_selector(f'{beside} [data-node="worker:0"][data-task=ended]')
    page.wait_for_selector(f'.jp-Notebook {CLUSTER} [data-node="worker:0"][data-task=ended]')
    assert opened.errors_in_outputs() == []
    assert opened.problems == []


def test_a_task_is_killed_while_a_cell_runs(open_notebook):
    opened = open_notebook("busy_cluster.ipynb")
    page = opened.page
    page.click(".jp-Notebook .jp-Cell >> nth=0")
    page.keyboard.press("Control+Home")
    page.keyboard.press("Shift+Enter")
    page.keyboard.press("Shift+Enter")
    worker = f'{CLUSTER} [data-node="worker:0"]'
    page.wait_for_selector(f"{worker}[data-task=serving]")
    page.wait_for_selector(f"{CLUSTER}[data-ready=true]")
    page.keyboard.press("Shift+Enter")
    page.wait_for_selector('.jp-Notebook-ExecutionIndicator[data-status="busy"]')
    page.click(worker)
    page.click(f"{CLUSTER} [data-do=kill]")
    page.wait_for_selector(f"{worker}[data-task=ended]")  # the cell waits for just that
    page.wait_for_selector('.jp-OutputArea-output pre:has-text("-9")')
    assert opened.errors_in_outputs() == []
    assert opened.problems == []
