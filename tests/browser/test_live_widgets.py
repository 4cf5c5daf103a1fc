"""The live queue and the pipeline view in JupyterLab: they follow a program while a cell runs."""

import pytest

from tests.browser import lab
from tests.browser.looks import luminance, papers

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(150)]

QUEUE = ".tinytf-live-queue"
PIPELINE = ".tinytf-live-pipeline"
IMPORTS = "import threading\nimport tinytf as tf\nimport tinytf.jupyter"
CELLS = [
    IMPORTS,
    'q = tf.FIFOQueue(3, tf.float32, shapes=[[]], name="q")\n'
    'x = tf.placeholder(tf.float32, [], name="x")\n'
    "put, take = q.enqueue(x), q.dequeue_many(2)\n"
    "sess = tf.Session()",
    "tinytf.jupyter.queue(q, sess)",
    # A cell that runs: three elements, and an enqueue that waits until the fourth is asked for.
    "for number in range(3):\n    sess.run(put, {x: number})\n"
    "fourth = threading.Thread(target=sess.run, args=[put, {x: 3.0}])\n"
    "fourth.start()\n"
    "try:\n    threading.Event().wait(60)\nexcept KeyboardInterrupt:\n    pass",
    "print(sess.run(take))\nfourth.join()\nsess.run(q.close())",
    # The widget's thread sees the session closed while an enqueue of the step before it waits.
    'other = tf.FIFOQueue(1, tf.float32, shapes=[[]], name="other")\n'
    "sess.run(other.enqueue(1.0))\nsecond = other.enqueue(2.0)\n"
    "def wait():\n    try:\n        sess.run(second)\n    except tf.errors.OpError:\n        pass\n"
    "waiter = threading.Thread(target=wait)\nwaiter.start()\n"
    "tinytf.jupyter.queue(other, sess)",
    "sess.close()\nwaiter.join()",
]
FILES = [
    IMPORTS,
    'for number in range(2):\n    with open(f"part{number}.csv", "w") as file:\n'
    '        file.write("1,2\\n3,4\\n5,6\\n")',
    'names = tf.train.string_input_producer(["part0.csv", "part1.csv"], num_epochs=2)\n'
    "key, line = tf.TextLineReader().read(names)\n"
    "batch = tf.train.batch(tf.decode_csv(line, [[0.0], [0.0]]), 2)\n"
    "sess = tf.InteractiveSession()\n"
    "sess.run(tf.local_variables_initializer())",
    "tinytf.jupyter.pipeline(batch)",
    "coord = tf.train.Coordinator()\nthreads = tf.train.start_queue_runners(coord=coord)\n"
    "try:\n    while True:\n        sess.run(batch)\n"
    "except tf.errors.OutOfRangeError:\n    coord.request_stop()\ncoord.join(threads)",
]


@pytest.fixture(scope="module", autouse=True)
def written(notebooks):
    lab.write_notebook(notebooks / "queue.ipynb", CELLS)
    lab.write_notebook(notebooks / "files.ipynb", FILES)


def run_cells(page, count):
    """Run the next cells, without waiting for their ends."""
    for _ in range(count):
        page.keyboard.press("Shift+Enter")


def test_a_queue_is_followed_while_a_cell_runs(open_notebook):
    opened = open_notebook("queue.ipynb")
    page = opened.page
    page.click(".jp-Notebook .jp-Cell >> nth=0")
    page.keyboard.press("Control+Home")
    run_cells(page, 3)
    page.wait_for_selector(f'{QUEUE}[data-made="false"]')
    run_cells(page, 1)
    page.wait_for_selector(f'{QUEUE}[data-count="3"][data-waiting="1"]')
    assert page.locator(f"{QUEUE} .tinytf-element").all_text_contents() == ["2.0", "1.0", "0.0"]
    assert "enqueue · 1 element" in page.inner_text(f"{QUEUE} .tinytf-queue")
    for theme, paper in papers(opened):
        opened.screenshot(f"queue-full-{theme}", page.locator(QUEUE))
        assert abs(luminance(page, f"{QUEUE} .tinytf-element", "color") - paper) > 0.5
    page.keyboard.press("Escape")
    page.keyboard.press("i")
    page.keyboard.press("i")  # interrupts the kernel: the cell that waits goes on
    run_cells(page, 1)
    page.wait_for_selector(f'{QUEUE}[data-count="2"][data-waiting="0"][data-closed="true"]')
    opened.screenshot("queue-closed", page.locator(QUEUE))
    run_cells(page, 1)
    other = f'{QUEUE}[data-count="1"]'
    page.wait_for_selector(f'{other}[data-waiting="1"]')
    run_cells(page, 1)
    page.wait_for_selector(f'{other}[data-waiting="0"][data-ended="true"]')
    assert "The session is closed" in page.inner_text(f"{other} .tinytf-queue-now")
    opened.screenshot("queue-ended", page.locator(other))
    assert opened.problems == []


def test_no_label_of_a_queue_is_broken_in_two(open_notebook):
    opened = open_notebook("queue.ipynb")
    page = opened.page
    page.keyboard.press("Control+b")  # no list of files beside it
    page.click(".jp-Notebook .jp-Cell >> nth=0")
    page.keyboard.press("Control+Home")
    run_cells(page, 4)
    page.wait_for_selector(f'{QUEUE}[data-count="3"][data-waiting="1"]')
    for width in (1600, 480):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function(
            "([it, wide]) => { const { clientWidth } = document.querySelector(it);"
            " return clientWidth < wide && clientWidth > 0.6 * wide; }",
            arg=[QUEUE, width],
        )
        see_that_no_label_is_broken(page)
    assert opened.problems == []


def see_that_no_label_is_broken(page):
    for part in (
        ".tinytf-sign",
        ".tinytf-waits",
        ".tinytf-element",
        ".tinytf-waiting .tinytf-quiet",
    ):
        for one in page.locator(f"{QUEUE} {part}").all():
            assert one.bounding_box()["height"] < 42, part
    assert page.evaluate(
        f"(() => {{ const it = document.querySelector('{QUEUE}');"
        " return it.scrollWidth <= it.clientWidth; })()"
    )


def test_a_pipeline_of_files_is_followed(open_notebook):
    opened = open_notebook("files.ipynb", theme="dark")
    page = opened.page
    opened.run_all()
    page.wait_for_selector(f'{PIPELINE} [data-key="batch/fifo_queue"][data-made="12"]')
    stations = page.locator(f"{PIPELINE} .tinytf-station")
    keys = [stations.nth(n).get_attribute("data-key") for n in range(stations.count())]
    assert keys == ["input_producer", "TextLineReaderV2", "batch/fifo_queue", "sess.run"]
    assert "12 records" in stations.nth(1).inner_text()
    assert "closed" in stations.nth(2).inner_text()
    for theme, paper in papers(opened):
        opened.screenshot(f"pipeline-{theme}", page.locator(PIPELINE))
        opened.screenshot(f"pipeline-page-{theme}")
        station = f"{PIPELINE} .tinytf-station"
        assert abs(luminance(page, station, "color") - paper) > 0.5
    assert opened.errors_in_outputs() == []
    assert opened.problems == []
