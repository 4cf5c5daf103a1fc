"""The counters widget as a game in JupyterLab: guessing, and playing the scheduler."""

import re

import pytest

from tests.browser import lab
from tests.browser.looks import luminance, papers

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(150)]

CELLS = [
    "import tinytf as tf\nimport tinytf.jupyter",
    'x = tf.placeholder(tf.float32, (), name="x")\n'
    'a = tf.constant(3.0, name="a")\n'
    'v = tf.constant(2.0, name="v")\n'
    'b = tf.multiply(a, x, name="b")\n'
    'total = tf.add(b, v, name="total")\n'
    "sess = tf.InteractiveSession()",
    "widget = tinytf.jupyter.watch(total, {x: 5.0})\nwidget",
    "2 + 2",
]
DEEP = [
    "import tinytf as tf\nimport tinytf.jupyter",
    "h = tf.constant(1.0)\n"
    "for _ in range(12):\n"
    "    h = tf.cond(h < 100.0, lambda h=h: h * 2.0, lambda h=h: h - 1.0)\n"
    "    break\n"
    "for _ in range(12):\n"
    "    h = tf.square(h)\n"
    "sess = tf.InteractiveSession()",
    "tinytf.jupyter.watch(h, threads=4)",
]
WIDGET = ".tinytf-counters"


@pytest.fixture(scope="module", autouse=True)
def written(notebooks):
    lab.write_notebook(notebooks / "games.ipynb", CELLS)
    lab.write_notebook(notebooks / "deep.ipynb", DEEP)


def node(name, state=None):
    rest = "" if state is None else f'[data-state="{state}"]'
    return f'{WIDGET} [data-node="{name}"][data-form]{rest}'


def now(page):
    return page.inner_text(f"{WIDGET} .tinytf-now")


def opened_in_mode(open_notebook, mode, notebook="games.ipynb", theme="light"):
    opened = open_notebook(notebook, theme=theme)
    opened.run_all()
    opened.page.wait_for_selector(node("total"))
    opened.page.click(f"{WIDGET} .tinytf-mode-{mode}")
    opened.page.wait_for_selector(f'{WIDGET}[data-mode="{mode}"]')
    return opened


def test_guesses_right_and_wrong(open_notebook):
    opened = opened_in_mode(open_notebook, "guess")
    page = opened.page
    assert now(page) == "Which one runs next?"
    assert page.locator(f"{WIDGET} .tinytf-play:visible").count() == 0
    assert page.inner_text(f"{WIDGET} .tinytf-queue") == "hidden"
    page.click(node("total"))
    page.wait_for_selector(f'{WIDGET}[data-verdict="wrong"]')
    assert now(page) == "✗ Not yet. total still waits for 2 inputs (v, b)."
    page.click(node("v"))
    assert now(page) == "✗ Not yet. v is ready, but stands behind a in the queue."
    opened.screenshot("counters-guess-wrong", page.locator(WIDGET))
    page.click(node("a"))
    page.wait_for_selector(f'{WIDGET}[data-verdict="right"]')
    assert now(page).startswith("✓ Right. a (Const) ran: a:0 = float32 3.0.")
    assert page.inner_text(f"{WIDGET} .tinytf-score") == "Score: 0 of 1 at the first try."
    opened.screenshot("counters-guess-right", page.locator(WIDGET))

    # The rest by keyboard: the arrows go through the operations, Enter guesses.
    page.focus(WIDGET)
    for name in ("v", "b", "total"):
        for _ in range(6):
            if page.locator(f'{node(name)}[data-selected="true"]').count():
                break
            page.keyboard.press("ArrowRight")
        assert page.inner_text(f"{WIDGET} .tinytf-detail").endswith("Enter or a click: guess it.")
        page.keyboard.press("Enter")
        page.wait_for_selector(node(name, "done"))
    assert "That was the last one. Score: 3 of 4 at the first try." in now(page)
    page.click(f"{WIDGET} .tinytf-again")
    page.wait_for_selector(node("a", "waiting"))
    page.check(f"{WIDGET} .tinytf-easy")
    assert page.locator(f"{WIDGET} .tinytf-queue li").all_inner_texts() == ["a", "v"]
    page.click(f"{WIDGET} .tinytf-show-me")
    assert now(page).startswith("It was a. a (Const) ran")
    page.click(f"{WIDGET} .tinytf-mode-watch")
    page.wait_for_selector(f"{WIDGET} .tinytf-play")
    assert opened.errors_in_outputs() == []
    assert opened.problems == []


def test_the_scheduler_is_played_with_the_keyboard_alone(open_notebook):
    opened = opened_in_mode(open_notebook, "schedule", theme="dark")
    page = opened.page
    page.focus(WIDGET)
    page.keyboard.press("ArrowLeft")  # the last operation: it says why it cannot be chosen
    page.wait_for_selector(f'{node("total")}[data-selected="true"]')
    assert page.inner_text(f"{WIDGET} .tinytf-detail") == "total still waits for 2 inputs (v, b)."
    page.keyboard.press("Enter")
    assert now(page) == "✗ total still waits for 2 inputs (v, b)."
    page.keyboard.press("ArrowDown")  # only what is ready
    page.wait_for_selector(f'{node("a")}[data-selected="true"]')
    page.keyboard.press("2")
    page.wait_for_selector(node("a", "running"))
    assert now(page) == "a goes to thread 2."
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_selector(f'{WIDGET} .tinytf-gantt-row[data-lane="0"] .tinytf-block')
    opened.screenshot("counters-schedule", page.locator(WIDGET))
    for _ in range(2):
        if page.locator(node("b", "ready")).count() == 0:
            page.keyboard.press("w")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
    page.wait_for_selector(f'{WIDGET}[data-finished="true"]')
    assert now(page).startswith("Done: your schedule takes ")
    result = page.inner_text(f"{WIDGET} .tinytf-result")
    assert "the recorded order" in result
    assert "→ total" in result  # the longest path, as it was recorded: by way of b, or from v alone
    order = page.inner_text(f"{WIDGET} .tinytf-order")
    assert order == 'threads=2, order=["a", "v", "b", "total"]'
    assert page.evaluate("document.activeElement.className") == "tinytf-view tinytf-counters"
    for theme, paper in papers(opened):
        opened.screenshot(f"counters-schedule-done-{theme}", page.locator(WIDGET))
        assert abs(luminance(page, f"{WIDGET} .tinytf-result", "color") - paper) > 0.5
    assert opened.errors_in_outputs() == []
    assert opened.problems == []


def test_a_schedule_by_mouse_in_equal_lengths(open_notebook):
    opened = opened_in_mode(open_notebook, "schedule")
    page = opened.page
    page.select_option(f"{WIDGET} .tinytf-threads", "1")
    page.check(f"{WIDGET} .tinytf-equal")
    for name in ("v", "a"):
        page.click(f'{WIDGET} .tinytf-queue li[data-node="{name}"] button')
        page.wait_for_selector(node(name, "done"))
    page.click(node("a"))
    assert now(page) == "✗ a has run already."
    page.click(node("b"))
    page.click(node("total"))
    page.wait_for_selector(f'{WIDGET}[data-finished="true"]')
    assert now(page) == "Done: your schedule takes 4 units, and none can be shorter."
    assert page.inner_text(f"{WIDGET} .tinytf-order") == 'order=["v", "a", "b", "total"]'
    assert opened.problems == []


def test_a_deep_graph_says_that_it_goes_on(open_notebook):
    opened = open_notebook("deep.ipynb")
    page = opened.page
    opened.run_all()
    more = page.locator(f"{WIDGET} .tinytf-more")
    more.get_by_text("The drawing goes on").wait_for()
    assert "A Merge counts differently" in page.inner_text(f"{WIDGET} .tinytf-aside >> nth=0")
    page.focus(WIDGET)
    page.select_option(f"{WIDGET} .tinytf-speed", "20")
    page.click(f"{WIDGET} .tinytf-play")
    page.wait_for_selector(node("Square_11", "done"))
    page.wait_for_selector(f'{WIDGET}[data-playing="false"]')
    assert re.fullmatch(r"The step is over: \d+ operations ran, \d+ skipped\.", now(page))
    opened.screenshot("counters-deep", page.locator(WIDGET))
    assert opened.problems == []
