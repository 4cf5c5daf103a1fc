"""The view of synchronous training in JupyterLab: it follows a cell, and plays back."""

import pytest

from tests.browser import lab
from tests.browser.looks import luminance, papers
from tests.browser.test_live_widgets import run_cells

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(150)]

LENS = ".tinytf-barrier-lens"
CELLS = [
    "import threading\nimport tinytf as tf\nimport tinytf.jupyter",
    "step = tf.train.create_global_step()\n"
    'v = tf.get_variable("v", initializer=tf.ones([8]))\n'
    "towers = []\n"
    "for number in range(3):\n"
    '    with tf.name_scope(f"tower_{number}"):\n'
    "        optimizer = tf.train.SyncReplicasOptimizer(\n"
    "            tf.train.GradientDescentOptimizer(0.1), 2, total_num_replicas=3)\n"
    "        towers.append(optimizer.minimize(tf.reduce_sum(tf.square(v)), step))\n"
    "sess = tf.InteractiveSession()\n"
    "sess.run(tf.global_variables_initializer())\n"
    "sess.run(tf.local_variables_initializer())\n"
    "sess.run(optimizer.chief_init_op)\n"
    "runner = optimizer.get_chief_queue_runner()\n"
    "threads = runner.create_threads(sess, daemon=True, start=True)",
    "tinytf.jupyter.lens(optimizer, sess)",
    # Two towers make a step, and the third one comes when it is over; twice.
    "for _ in range(2):\n"
    "    thread = threading.Thread(target=sess.run, args=[towers[1]])\n"
    "    thread.start()\n"
    "    sess.run(towers[0])\n"
    "    thread.join()\n"
    "    sess.run(towers[2])",
    "sess.close()",
]


@pytest.fixture(scope="module", autouse=True)
def written(notebooks):
    lab.write_notebook(notebooks / "barrier.ipynb", CELLS)


def test_training_is_followed_and_played_back(open_notebook):
    opened = open_notebook("barrier.ipynb")
    page = opened.page
    page.click(".jp-Notebook .jp-Cell >> nth=0")
    page.keyboard.press("Control+Home")
    run_cells(page, 4)
    page.wait_for_selector(f'{LENS}[data-total="6"][data-version="2"]')
    run_cells(page, 1)
    page.wait_for_selector(f'{LENS}[data-ended="true"][data-moving="false"]')
    said = page.inner_text(LENS)
    assert "2 steps of 2 gradients each, of 3 workers." in said
    assert "2 gradients came too late, and were dropped." in said
    assert "The session is closed: this is how it was." in said
    assert page.locator(f"{LENS} .tinytf-met").count() == 2
    assert page.locator(f"{LENS} .tinytf-gave").count() == 4
    assert page.locator(f'{LENS} [data-state="dropped"][data-worker="tower_2"]').count() == 2
    for theme, paper in papers(opened):
        opened.screenshot(f"barrier-lens-{theme}", page.locator(LENS))
        assert abs(luminance(page, f"{LENS} .tinytf-now", "color") - paper) > 0.5
    page.focus(LENS)
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector(f'{LENS}[data-frame="7"][data-moving="false"]')
    assert page.locator(f'{LENS} [data-state="dropped"]').count() == 1
    page.keyboard.press("Home")
    page.wait_for_selector(f'{LENS}[data-version="0"][data-gathered="0"][data-moving="false"]')
    assert page.locator(f"{LENS} .tinytf-met").count() == 0
    page.click(f"{LENS} .tinytf-step")
    page.wait_for_selector(f'{LENS}[data-gathered="1"][data-moving="false"]')
    assert "●○ 1 of 2" in page.inner_text(f"{LENS} .tinytf-gathered")
    assert "waits at the barrier" in page.inner_text(f"{LENS} .tinytf-now")
    page.select_option(f"{LENS} .tinytf-speed", "20")
    page.click(f"{LENS} .tinytf-play")
    page.wait_for_selector(f'{LENS}[data-version="2"][data-playing="false"][data-frame="8"]')
    page.set_viewport_size({"width": 560, "height": 900})
    page.wait_for_function(
        f"document.querySelector('{LENS} .tinytf-lanes').clientWidth"
        f" > 0.8 * document.querySelector('{LENS}').clientWidth"
    )  # one under the other
    opened.screenshot("barrier-lens-narrow", page.locator(LENS))
    assert page.evaluate(
        f"(() => {{ const it = document.querySelector('{LENS}');"
        " return it.scrollWidth <= it.clientWidth; })()"
    )
    assert opened.errors_in_outputs() == []
    assert opened.problems == []
