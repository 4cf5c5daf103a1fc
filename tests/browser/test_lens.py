"""The view of asynchronous training in JupyterLab: it follows a cell, and plays back."""

import pytest

from tests.browser import lab
from tests.browser.looks import luminance, papers
from tests.browser.test_live_widgets import run_cells

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(150)]

LENS = ".tinytf-lens"
CELLS = [
    "import threading\nimport tinytf as tf\nimport tinytf.jupyter\n"
    "from tinytf.training.staleness import StalenessOptimizer",
    "step = tf.train.create_global_step()\n"
    'v = tf.get_variable("v", initializer=tf.ones([8]))\n'
    "gate = tf.FIFOQueue(1, tf.float32, shapes=[[]])\n"
    "def worker(number, gate=None):\n"
    "    optimizer = StalenessOptimizer(tf.train.GradientDescentOptimizer(0.1), number,\n"
    "                                   drop_above=3)\n"
    "    pairs = optimizer.compute_gradients(tf.reduce_sum(tf.square(v)))\n"
    "    if gate is not None:\n"
    "        with tf.control_dependencies([gate]):\n"
    "            pairs = [(tf.identity(gradient), v) for gradient, v in pairs]\n"
    '    with tf.variable_scope("", reuse=tf.AUTO_REUSE):\n'
    "        return optimizer, optimizer.apply_gradients(pairs, step)\n"
    "optimizer, late = worker(1, gate.dequeue())\n"
    "_, fresh = worker(0)\n"
    "sess = tf.InteractiveSession()\n"
    "sess.run(tf.global_variables_initializer())",
    "tinytf.jupyter.lens(optimizer, sess)",
    # A gradient of worker 1 while worker 0 makes two updates, then five: the last one is dropped.
    "for updates in (2, 5):\n"
    "    has_read = threading.Event()\n"
    "    noted = tf.py_func(lambda _: has_read.set(), [optimizer._read], [])\n"
    "    thread = threading.Thread(target=sess.run, args=[[late, noted]])\n"
    "    thread.start()\n"
    "    has_read.wait()\n"
    "    for _ in range(updates):\n        sess.run(fresh)\n"
    "    sess.run(gate.enqueue(0.0))\n"
    "    thread.join()",
    "sess.close()",
]


@pytest.fixture(scope="module", autouse=True)
def written(notebooks):
    lab.write_notebook(notebooks / "lens.ipynb", CELLS)


def test_training_is_followed_and_played_back(open_notebook):
    opened = open_notebook("lens.ipynb", theme="dark")
    page = opened.page
    page.click(".jp-Notebook .jp-Cell >> nth=0")
    page.keyboard.press("Control+Home")
    run_cells(page, 4)
    page.wait_for_selector(f'{LENS}[data-total="9"]')
    run_cells(page, 1)
    page.wait_for_selector(f'{LENS}[data-ended="true"]')
    said = page.inner_text(LENS)
    assert (
        "8 gradients of 2 workers were on average 0.25 updates old (N - 1 = 1), at most 2." in said
    )
    assert "1 more was too old, and dropped." in said
    assert "The session is closed: this is how it was." in said
    gradients = page.locator(f"{LENS} .tinytf-gradient")
    assert gradients.count() == 9
    assert page.locator(f'{LENS} [data-state="dropped"]').count() == 1
    assert page.get_attribute(LENS, "data-version") == "8"
    for theme, paper in papers(opened):
        opened.screenshot(f"lens-{theme}", page.locator(LENS))
        assert abs(luminance(page, f"{LENS} .tinytf-now", "color") - paper) > 0.5
    page.focus(LENS)
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector(f'{LENS} [data-state="computing"] >> nth=0')
    page.keyboard.press("Home")
    page.wait_for_selector(f'{LENS}[data-version="0"]')
    assert page.locator(f'{LENS} [data-state="computing"]').count() == 2
    assert "version 0" in page.inner_text(f"{LENS} .tinytf-now")
    page.click(f"{LENS} .tinytf-step")
    page.wait_for_selector(f'{LENS}[data-version="1"]')
    assert "it was fresh" in page.inner_text(f"{LENS} .tinytf-now")
    page.select_option(f"{LENS} .tinytf-speed", "20")
    page.click(f"{LENS} .tinytf-play")
    page.wait_for_selector(f'{LENS}[data-version="8"][data-playing="false"]')
    page.set_viewport_size({"width": 560, "height": 900})
    page.wait_for_function(
        f"document.querySelector('{LENS} .tinytf-lanes').clientWidth"
        f" > 0.8 * document.querySelector('{LENS}').clientWidth"
    )  # one under the other
    assert page.evaluate(
        f"(() => {{ const it = document.querySelector('{LENS}');"
        " return it.scrollWidth <= it.clientWidth; })()"
    )
    assert opened.errors_in_outputs() == []
    assert opened.problems == []
