"""Every instrument, and a lesson as a page: axe finds nothing that keeps somebody out."""

import json
import shutil

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser import lab
from tests.browser.test_export import export, open_page  # noqa: F401 - a fixture
from tests.notebooks.reading import NOTEBOOKS, ROOT

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(420)]

LESSON = "06_queues.ipynb"
#: An instrument -> the cell that shows it.
INSTRUMENTS = {
    "cluster": "tinytf.jupyter.cluster(two)",  # the style sheets of all others come after its own
    "counters": "watched = watch(total, threads=2)\nwatched",
    "pools": "threads(watched)",
    "cockpit": "cockpit(total)",
    "cockpit of a cluster": "cockpit(far, session=on_cluster)",
    "graph": "graph(total)",
    "timeline": "timeline(total, session=sess)",
    "placed": "tinytf.jupyter.placed(total)",
    "queue": "queue(line, sess)",
    "pipeline": "pipeline(line.dequeue(), sess)",
    "parts": "parts(far, on_cluster)",
    "lens": "lens(optimizer, sess)",
    "pace": 'pace("ch01", "one session", images=15_000, seconds=0.5)',
}
BEFORE = [
    "import tinytf as tf\nimport tinytf.jupyter\n"
    "from tinytf.jupyter import cockpit, graph, lens, pace, parts\n"
    "from tinytf.jupyter import pipeline, queue, threads, timeline, watch\n"
    'x = tf.placeholder_with_default([3.0, 4.0], [2], name="x")\n'
    'with tf.name_scope("layer"):\n'
    '    squared = tf.square(x, name="squared")\n'
    'total = tf.reduce_sum(squared, name="total")\n'
    'line = tf.FIFOQueue(4, tf.float32, shapes=[[]], name="line")\n'
    "sess = tf.InteractiveSession()\n"
    "sess.run(line.enqueue(1.0))",
    "from tinytf.training.staleness import StalenessOptimizer\n"
    "step = tf.train.create_global_step()\n"
    'loss = tf.square(tf.get_variable("v", initializer=3.0))\n'
    "optimizer = StalenessOptimizer(tf.train.GradientDescentOptimizer(0.1))\n"
    "train = optimizer.minimize(loss, step)\n"
    "sess.run(tf.global_variables_initializer())\n"
    "list(map(sess.run, [train] * 5))",
    "two = tf.LocalCluster(ps=1, worker=1)\n"
    "with tf.Graph().as_default():\n"
    '    with tf.device("/job:ps/task:0"):\n'
    '        near = tf.Variable(tf.ones([4]), name="near")\n'
    '    with tf.device("/job:worker/task:0"):\n'
    '        far = tf.reduce_sum(near, name="far")\n'
    '    on_cluster = tf.Session(two.target("worker:0"))\n'
    "on_cluster.run(near.initializer)",
]
AFTER = ["two.stop()"]


def violations(page, where=None):
    """What axe finds: the rule, what it is about, and where."""
    page.evaluate(lab.AT_REST)
    found = Axe().run(page, context=where).response["violations"]
    return [
        f"{each['id']} ({each['help']}): {node['html'][:200]}"
        for each in found
        for node in each["nodes"]
    ]


def add_title(path, title):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    cell = {"cell_type": "markdown", "id": "title", "metadata": {}, "source": title}
    notebook["cells"].insert(0, cell)
    path.write_text(json.dumps(notebook), encoding="utf-8")


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The instruments on a page, light and dark."""
    folder = tmp_path_factory.mktemp("instruments")
    lab.write_notebook(folder / "all.ipynb", [*BEFORE, *INSTRUMENTS.values(), *AFTER])
    add_title(folder / "all.ipynb", "# The instruments")
    for theme in ("light", "dark"):
        export(folder / "all.ipynb", folder / f"{theme}.html", "--theme", theme)
    return folder


@pytest.mark.parametrize("width", [480, 1600])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_instruments(pages, open_page, theme, width):  # noqa: F811
    page = open_page(pages / f"{theme}.html")
    page.set_viewport_size({"width": width, "height": 900})
    page.wait_for_selector("body[data-shown]")
    for each in "counters pools timeline placement live-queue live-cluster lens".split():
        assert page.locator(f".tinytf-{each}").count() >= 1, each
    assert page.locator(".tinytf-cockpit .tinytf-timeline").count() == 2
    lab.ARTIFACTS.mkdir(exist_ok=True)
    page.screenshot(path=lab.ARTIFACTS / f"instruments-{theme}-{width}.png", full_page=True)
    assert keeps_its_looks(page) == ["grid", False]
    found = violations(page)
    assert not found, "\n".join(found)


def keeps_its_looks(page):
    """What other instruments' style sheets must not change: a queue's slots, a task's hue."""
    return page.evaluate("""() => {
      const style = (what) => getComputedStyle(document.querySelector(what));
      const task = style(".tinytf-cluster .tinytf-node");
      const isBlue = task.getPropertyValue("--hue") === task.getPropertyValue("--tinytf-compute");
      return [style(".tinytf-live-queue .tinytf-queue").display, isBlue];
    }""")


def test_a_lesson_as_a_page(tmp_path, open_page):  # noqa: F811
    """As it was saved: with questions, stored drawings, figures and an exercise."""
    shutil.copytree(ROOT / "images", tmp_path / "images")
    (tmp_path / "notebooks").mkdir()
    shutil.copy(NOTEBOOKS / LESSON, tmp_path / "notebooks")
    export(tmp_path / "notebooks" / LESSON, tmp_path / "page.html", "--keep-outputs")
    found = violations(open_page(tmp_path / "page.html"))
    assert not found, "\n".join(found)
