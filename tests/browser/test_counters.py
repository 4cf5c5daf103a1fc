"""The counters widget in JupyterLab: played to the end, stepped back, by mouse and by keyboard."""

import pytest

from tests.browser import lab
from tests.browser.looks import luminance, papers

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(150)]

CELLS = [
    "import tinytf as tf\nimport tinytf.jupyter",
    'x = tf.placeholder(tf.float32, (), name="x")\n'
    'a = tf.constant(3.0, name="a")\n'
    'b = tf.multiply(a, x, name="b")\n'
    'v = tf.Variable(2.0, name="v")\n'
    'total = tf.add(b, v, name="total")\n'
    "sess = tf.InteractiveSession()\n"
    "sess.run(tf.global_variables_initializer())",
    "widget = tinytf.jupyter.watch(total, {x: 5.0})\nwidget",
    "tf.get_default_graph()",
    "total",
    "total.op",
]
LOOP = [
    "import tinytf as tf\nimport tinytf.jupyter",
    "i, product = tf.while_loop(\n"
    "    lambda i, p: tf.less(i, 3),\n"
    "    lambda i, p: (tf.add(i, 1), tf.multiply(p, 2.0)),\n"
    "    [tf.constant(0), tf.constant(1.0)],\n"
    ")\n"
    "sess = tf.InteractiveSession()",
    "tinytf.jupyter.watch(product)",
]


@pytest.fixture(scope="module", autouse=True)
def written(notebooks):
    lab.write_notebook(notebooks / "counters.ipynb", CELLS)
    lab.write_notebook(notebooks / "loop.ipynb", LOOP)


def node(name, count=None, state=None):
    rest = "" if count is None else f'[data-count="{count}"]'
    rest += "" if state is None else f'[data-state="{state}"]'
    return f'.tinytf-counters [data-node="{name}"][data-form]{rest}'


def at_frame(number):
    return f'.tinytf-counters[data-frame="{number}"]'


def test_the_widget_plays_to_the_end_and_steps_back(open_notebook):
    opened = open_notebook("counters.ipynb")
    page = opened.page
    opened.run_all()
    page.wait_for_selector(node("total", count=2, state="waiting"))
    page.wait_for_selector(node("b", count=1))
    page.wait_for_selector(node("a", count=0, state="ready"))
    queued = page.locator(".tinytf-counters .tinytf-queue li")
    assert queued.all_inner_texts() == ["a", "v"]
    widget = page.locator(".tinytf-counters")
    opened.screenshot("counters-start", widget)

    page.select_option(".tinytf-counters .tinytf-speed", "20")
    page.click(".tinytf-counters .tinytf-play")
    page.wait_for_selector(node("total", count=0, state="done"))
    page.wait_for_selector('.tinytf-counters[data-playing="false"]')
    assert "The step is over: 5 operations ran." in page.inner_text(".tinytf-counters .tinytf-now")
    assert page.is_disabled(".tinytf-counters .tinytf-step")
    assert queued.all_inner_texts() == ["empty"]
    last = int(widget.get_attribute("data-frame"))

    # Two back: before the last operation ran, it waited in the queue with its counter at 0.
    page.click(".tinytf-counters .tinytf-back")
    page.click(".tinytf-counters .tinytf-back")
    page.wait_for_selector(at_frame(last - 2))
    page.wait_for_selector(node("total", count=0, state="ready"))
    assert queued.all_inner_texts() == ["total"]
    opened.screenshot("counters-light", widget)

    page.hover(node("b"))
    assert "b has run: b:0 = float32 15.0" in page.inner_text(".tinytf-counters .tinytf-detail")
    page.click(".tinytf-counters .tinytf-reset")
    page.wait_for_selector(node("total", count=2, state="waiting"))
    opened.screenshot("counters-page-light")
    assert opened.errors_in_outputs() == []
    assert opened.problems == []


def test_the_widget_obeys_the_keyboard_and_not_the_notebook(open_notebook):
    opened = open_notebook("counters.ipynb")
    page = opened.page
    opened.run_all()
    page.wait_for_selector(at_frame(0))
    page.focus(".tinytf-counters")
    for key, frame in [
        ("ArrowRight", 1),
        ("ArrowRight", 2),
        ("ArrowLeft", 1),
        ("End", 6),
        ("Home", 0),
    ]:
        page.keyboard.press(key)
        page.wait_for_selector(at_frame(frame))
    assert page.evaluate("document.activeElement.className") == "tinytf-view tinytf-counters"
    page.keyboard.press("Space")
    page.wait_for_selector('.tinytf-counters[data-playing="true"]')
    page.wait_for_selector(at_frame(1))
    page.keyboard.press("Space")
    page.wait_for_selector('.tinytf-counters[data-playing="false"]')
    page.focus(".tinytf-counters .tinytf-slider")
    for key, frame in [("End", 6), ("ArrowLeft", 5), ("ArrowRight", 6)]:
        page.keyboard.press(key)
        page.wait_for_selector(at_frame(frame))
    page.focus(".tinytf-counters .tinytf-back")
    page.keyboard.press("Space")  # presses the button, once
    page.wait_for_selector(at_frame(5))
    page.keyboard.press("Enter")
    page.wait_for_selector(at_frame(4))
    cells = page.locator(".jp-Cell").count()
    for key in ("x", "b", "d", "d", "ArrowLeft"):  # the notebook's own: cut, insert, delete
        page.keyboard.press(key)
    page.wait_for_selector(at_frame(3))
    assert page.locator(".jp-Cell").count() == cells
    assert opened.problems == []


def test_drawings_are_legible_in_both_themes(open_notebook):
    opened = open_notebook("counters.ipynb")
    page = opened.page
    opened.run_all()
    page.wait_for_selector(node("total"))
    page.click(".tinytf-counters .tinytf-step")
    page.click(".tinytf-counters .tinytf-step")
    page.click(".tinytf-counters .tinytf-step")
    page.wait_for_selector(at_frame(3))
    for theme, paper in papers(opened):
        ink = luminance(page, node("b") + " .tinytf-name", "fill")
        line = luminance(page, ".tinytf-counters .tinytf-way", "stroke")
        text = luminance(page, ".tinytf-counters .tinytf-now", "color")
        assert min(abs(value - paper) for value in (ink, line, text)) > 0.5, (ink, line, text)
        opened.screenshot(f"counters-{theme}", page.locator(".tinytf-counters"))
        opened.screenshot(f"graph-{theme}", page.locator(".jp-CodeCell").nth(3))
        opened.screenshot(f"tensor-{theme}", page.locator(".jp-CodeCell").nth(4))
        opened.screenshot(f"operation-{theme}", page.locator(".jp-CodeCell").nth(5))
    assert "In[2], line 5" in page.inner_text(".tinytf-facts >> nth=0")
    assert opened.problems == []


def test_a_loop_starts_its_counters_over(open_notebook):
    opened = open_notebook("loop.ipynb")
    page = opened.page
    opened.run_all()
    merge = node("while/Merge")
    page.wait_for_selector(node("while/Merge", count=1, state="waiting"))
    page.select_option(".tinytf-counters .tinytf-speed", "20")
    page.click(".tinytf-counters .tinytf-play")
    page.wait_for_selector('.tinytf-counters[data-playing="true"]')
    page.wait_for_selector('.tinytf-counters[data-playing="false"]')
    assert page.text_content(f"{merge} .tinytf-note") == "#3"
    assert page.locator('.tinytf-counters [data-form][data-state="skipped"]').count() > 0
    opened.screenshot("counters-loop", page.locator(".tinytf-counters"))
    assert opened.errors_in_outputs() == []
    assert opened.problems == []


def test_saved_outputs_are_readable_before_anything_runs(open_notebook, notebooks, lab_server):
    """As in a fresh clone: outputs there, widget state stripped, trusted or not."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(notebooks / "counters.ipynb", as_version=4)
    NotebookClient(notebook, timeout=60).execute()
    del notebook.metadata["widgets"]
    for cell in notebook.cells:
        for output in cell.outputs:  # as scripts/notebooks --fix does
            output.get("data", {}).pop("application/vnd.jupyter.widget-view+json", None)
    nbformat.write(notebook, notebooks / "untrusted.ipynb")
    notebook.cells[0].source += "  # trusted"
    nbformat.write(notebook, notebooks / "trusted.ipynb")
    lab_server.trust("trusted.ipynb")

    drawn = open_notebook("trusted.ipynb", fresh=True)
    drawn.page.wait_for_selector('.jp-OutputArea .tinytf-graph [data-node="total"]')
    assert drawn.page.locator(".tinytf-instead:visible").count() == 0
    drawn.screenshot("saved-trusted")

    plain = open_notebook("untrusted.ipynb", fresh=True)
    outputs = plain.page.locator(".jp-CodeCell").nth(2).locator(".jp-OutputArea")
    outputs.get_by_text("There is a drawing here").wait_for()
    text = outputs.inner_text()
    assert "total (AddV2) ran: total:0 = float32 17.0." in text
    assert "VariableV2✓" not in text  # the words of a drawing without its lines
    plain.screenshot("saved-untrusted")
    assert drawn.problems == plain.problems == []
