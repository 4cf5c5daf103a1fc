"""The timeline in JupyterLab: zoomed, moved, walked through; very many events; both themes."""

import pytest

from tests.browser import lab
from tests.browser.looks import luminance, papers
from tests.browser.tasks import task_times

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(150)]

CELLS = [
    "import numpy as np\nimport tinytf as tf\nimport tinytf.jupyter",
    'x = tf.placeholder(tf.float32, [300, 300], name="x")\n'
    'y = tf.matmul(x, x, name="product")\n'
    'with tf.device("/cpu:1"):\n'
    '    z = tf.reduce_sum(tf.square(y, name="square"), name="z")\n'
    'i = tf.while_loop(lambda i: i < 3, lambda i: tf.add(i, 1, name="next"), [0], name="loop")\n'
    "config = tf.ConfigProto(device_count={'CPU': 2})\n"
    "sess = tf.InteractiveSession(config=config)",
    "timeline = tinytf.jupyter.timeline([z, i], {x: np.ones([300, 300])}, steps=2)\ntimeline",
]
# A trace that is the same every time: shards, and a queue that grows.
MADE_UP = [
    "import tinytf as tf\nimport tinytf.jupyter",
    "from tinytf.protos.step_stats_pb2 import StepStats\n"
    "stats = StepStats()\n"
    "task = '/job:localhost/replica:0/task:0/device:'\n"
    "def device(name, **threads):\n"
    "    made = stats.dev_stats.add(device=task + name)\n"
    "    for title, number in threads.items():\n"
    "        made.thread_names[number] = title\n"
    "    return made\n"
    "def run(device, thread, name, label, start, end, ready=None):\n"
    "    begin = 1_800_000_000_000_000_000\n"
    "    device.node_stats.add(node_name=name, timeline_label=label, thread_id=thread,\n"
    "        all_start_nanos=begin + start, all_end_rel_nanos=end - start,\n"
    "        scheduled_nanos=begin + (start if ready is None else ready))",
    "cpu, pool = device('CPU:0', main=1, other=2), device('CPU:0/intra_op', main=1, pool_1=3)\n"
    "gpu = device('GPU:0', stream=4)\n"
    "run(cpu, 1, 'product', 'product = MatMul(x, w)', 0, 90_000)\n"
    "run(pool, 1, 'product', 'product = MatMul(x, w) shard 1 of 2', 2_000, 80_000)\n"
    "run(pool, 3, 'product', 'product = MatMul(x, w) shard 2 of 2', 9_000, 88_000)\n"
    "run(cpu, 2, 'tanh', 'tanh = Tanh(x)', 5_000, 60_000, 0)\n"
    "gpu0 = task + 'GPU:0'\n"
    "run(cpu, 1, 'product/_0', f'product/_0 = _Send(product, edge_0_product @{gpu0})', 91_000,"
    " 96_000, 90_000)\n"
    "run(gpu, 4, 'product/_1', f'[8B] edge_0_product from {task}CPU:0 to {gpu0}', 100_000,"
    " 110_000)\n"
    "run(gpu, 4, 'tiny', 'tiny = Neg(w)', 98_000, 98_040)\n"
    "run(gpu, 4, 'square', 'square = Square(product/_1)', 110_000, 150_000)\n"
    "tinytf.jupyter.timeline(stats)",
]
#: Twelve thousand, one after the other.
THOUSANDS = [
    *MADE_UP[:2],
    "lanes = device('CPU:0', **{f'thread_{n}': n for n in range(1, 9)})\n"
    "for n in range(12_000):\n"
    "    run(lanes, n % 8 + 1, f'op_{n}', f'op_{n} = Add(op_{n - 8}, op_{n - 8})',\n"
    "        n * 1000, n * 1000 + 7000, n * 1000 - 3000 if n > 8 else 0)\n"
    "tinytf.jupyter.timeline(stats)",
]
#: A hundred thousand runs, some of them long, on eight threads.
LONG = [
    *MADE_UP[:2],
    "lanes = device('CPU:0', **{f'thread_{n}': n for n in range(1, 9)})\n"
    "at = [0] * 8\n"
    "for n in range(100_000):\n"
    "    start = at[n % 8]\n"
    "    at[n % 8] = start + 300 + n * 7919 % 900 + (n % 97 == 0) * 40_000\n"
    "    label = f'layer_{n % 40}/op_{n} = Add(op_{n - 8})'\n"
    "    run(lanes, n % 8 + 1, f'layer_{n % 40}/op_{n}', label, start, at[n % 8] - 50)\n"
    "tinytf.jupyter.timeline(stats)",
]


@pytest.fixture(scope="module", autouse=True)
def written(notebooks):
    lab.write_notebook(notebooks / "long.ipynb", LONG)
    lab.write_notebook(notebooks / "timeline.ipynb", CELLS)
    lab.write_notebook(notebooks / "made_up.ipynb", MADE_UP)
    lab.write_notebook(notebooks / "thousands.ipynb", THOUSANDS)


WIDGET = ".tinytf-timeline"


def box(name, which=0):
    return f'{WIDGET} [data-node="{name}"][data-box] >> nth={which}'


def told(name):
    return f'{WIDGET} .tinytf-told[data-node="{name}"]'


def span(page):
    data = page.locator(WIDGET).evaluate("it => ({...it.dataset})")
    return int(data["from"]), int(data["to"])


def wait_for_span(page, holds):
    page.wait_for_function(
        f"() => {{ const d = document.querySelector('{WIDGET}').dataset;"
        f" const [from, to] = [Number(d.from), Number(d.to)]; return {holds}; }}"
    )


def point_at(page, name):
    """The mouse to the middle of a box, however narrow a slow machine has made it."""
    at = page.locator(f"{box(name)} >> rect >> nth=0").bounding_box()
    page.mouse.move(at["x"] + at["width"] / 2, at["y"] + at["height"] / 2)


def test_a_real_step_tells_what_ran_when_and_why(open_notebook):
    opened = open_notebook("timeline.ipynb")
    page = opened.page
    opened.run_all()
    page.wait_for_selector(box("product"))
    said = page.inner_text(WIDGET)
    assert "Timeline of 2 steps:" in said
    assert "as they were optimised" in said
    picture, words = (
        page.locator(f"{WIDGET} {part}").first.bounding_box()
        for part in (".tinytf-chart", ".tinytf-told")
    )
    assert picture["y"] < words["y"]  # first the picture
    assert picture["width"] > 0.9 * page.locator(WIDGET).bounding_box()["width"]
    for meaning in ("computes", "sends or receives", "a tensor travels"):
        assert meaning in page.inner_text(f"{WIDGET} .tinytf-meanings")
    point_at(page, "product")
    page.wait_for_selector(told("product"))
    text = page.inner_text(told("product"))
    assert "product (MatMul)" in text
    assert "CPU:0" in text
    assert "in step 1" in text
    assert "product: float32 (300, 300), 360,000 bytes" in text
    assert "In[2], line 2" in text
    assert (
        page.locator(f"{WIDGET} .tinytf-sent[data-arrow]").count() == 4
    )  # there and back, in two steps
    assert page.locator(f"{WIDGET} .tinytf-depth").count() >= 1
    _, end = span(page)
    page.select_option(f"{WIDGET} .tinytf-steps", "aligned")
    page.wait_for_selector(f"{WIDGET}[data-aligned='true']")
    wait_for_span(page, f"to < {end}")
    opened.screenshot("timeline-aligned", page.locator(WIDGET))
    assert opened.errors_in_outputs() == []
    assert opened.problems == []


def test_zoom_move_and_walk_by_keyboard_buttons_and_mouse(open_notebook):
    opened = open_notebook("made_up.ipynb")
    page = opened.page
    opened.run_all()
    page.wait_for_selector(box("tanh"))
    whole = span(page)
    assert whole == (0, 150_000)
    page.focus(WIDGET)
    cells = page.locator(".jp-Cell").count()
    for key, name in [
        ("ArrowRight", "product"),
        ("ArrowRight", "product/_0"),
        ("ArrowDown", "tanh"),
        ("ArrowUp", "product"),
        ("ArrowDown", "tanh"),
        ("ArrowDown", "product"),
        ("End", "product"),
        ("x", "product"),
    ]:
        page.keyboard.press(key)
        page.wait_for_selector(told(name))
    assert "shard 1 of 2" in page.inner_text(told("product"))
    lit = page.locator(f'{WIDGET} [data-lit="near"]').count()
    assert lit == 2  # the other shard, and the kernel they are of
    assert page.locator(".jp-Cell").count() == cells  # the notebook did not take the x
    page.keyboard.press("ArrowUp")
    page.wait_for_selector(told("tanh"))
    page.keyboard.press("Enter")
    wait_for_span(page, "to - from === 110000")
    page.keyboard.press("0")
    wait_for_span(page, "from === 0 && to === 150000")
    page.keyboard.press("+")
    wait_for_span(page, "to - from === 75000")
    before = span(page)
    page.keyboard.press("Shift+ArrowRight")
    wait_for_span(page, f"from > {before[0]}")
    page.keyboard.press("Escape")
    page.wait_for_selector(told(""))
    page.click(f"{WIDGET} .tinytf-fit")
    wait_for_span(page, "to - from === 150000")
    page.click(f"{WIDGET} .tinytf-closer")
    wait_for_span(page, "to - from === 75000")

    assert opened.errors_in_outputs() == []
    assert opened.problems == []


def test_zoom_at_the_mouse_by_keys(open_notebook):
    opened = open_notebook("made_up.ipynb")
    page = opened.page
    opened.run_all()
    page.wait_for_selector(box("tanh"))
    page.locator(WIDGET).scroll_into_view_if_needed()
    cells = page.locator(".jp-Cell").count()
    target = page.locator(box("square")).bounding_box()
    x, y = target["x"] + target["width"] / 2, target["y"] + target["height"] / 2
    page.focus(WIDGET)
    page.mouse.move(x, y)
    page.wait_for_selector(told("square"))
    before = 150_000
    for _ in range(4):
        page.keyboard.press("w")
        before *= 0.7
        wait_for_span(page, f"Math.abs(to - from - {before}) < 3")
    wait_for_span(page, "from < 130000 && to > 130000")  # what was under the mouse still is
    page.wait_for_selector(told("square"))
    start = span(page)[0]
    page.keyboard.press("a")
    wait_for_span(page, f"from < {start}")
    page.keyboard.press("d")
    wait_for_span(page, f"from === {start}")
    page.keyboard.press("s")
    wait_for_span(page, f"Math.abs(to - from - {before / 0.7}) < 3")
    page.mouse.dblclick(x, y)
    wait_for_span(page, "from === 0 && to === 150000")

    assert page.locator(".jp-Cell").count() == cells  # the notebook took none of the keys
    assert page.locator(".jp-Notebook.jp-mod-editMode").count() == 0
    assert opened.problems == []


def test_drag_to_zoom_and_the_wheel_is_the_pages(open_notebook):
    opened = open_notebook("made_up.ipynb")
    page = opened.page
    opened.run_all()
    page.wait_for_selector(box("tanh"))
    page.locator(WIDGET).scroll_into_view_if_needed()
    frame = page.locator(f"{WIDGET} .tinytf-window").bounding_box()
    x, y = frame["x"] + frame["width"] / 2, frame["y"] + frame["height"] - 6
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 100, y, steps=3)
    page.wait_for_selector(f"{WIDGET} .tinytf-selection")
    page.mouse.up()
    wait_for_span(page, "to - from < 40000")
    assert page.locator(f"{WIDGET} .tinytf-selection").count() == 0
    before = span(page)
    page.keyboard.down("Shift")  # and with Shift it is moved
    page.mouse.down()
    page.mouse.move(x + 150, y, steps=3)
    page.mouse.up()
    page.keyboard.up("Shift")
    wait_for_span(page, f"from < {before[0]}")
    before = span(page)
    page.keyboard.down("Control")
    page.mouse.wheel(0, 100)
    page.keyboard.up("Control")
    wait_for_span(page, f"to - from > {before[1] - before[0]}")

    # Without a key the wheel is the page's: who reads on is not held up.
    heard = page.evaluate_handle(
        "() => { const heard = [];"
        " addEventListener('wheel', (event) => heard.push(event.defaultPrevented)); return heard; }"
    )
    page.mouse.wheel(0, 10)
    page.wait_for_function("heard => heard.length === 1", arg=heard)
    assert heard.json_value() == [False]
    assert opened.problems == []


def test_a_small_box_is_seen_and_hit_beside_it(open_notebook):
    opened = open_notebook("made_up.ipynb")
    page = opened.page
    opened.run_all()
    page.wait_for_selector(box("tiny"))
    page.locator(WIDGET).evaluate("it => { it.style.width = '480px'; }")
    page.wait_for_function(f"document.querySelector('{WIDGET} .tinytf-times').clientWidth < 480")
    small = page.locator(f"{box('tiny')} >> rect >> nth=0")
    x, y, width = (float(small.get_attribute(name)) for name in ("x", "y", "width"))
    assert 2.9 < width < 4
    drawing = page.locator(f"{WIDGET} .tinytf-window svg")
    height = page.locator(WIDGET).bounding_box()["height"]
    drawing.click(position={"x": x - 3, "y": y + 6})
    page.wait_for_selector(told("tiny"))
    assert page.locator(WIDGET).bounding_box()["height"] == height  # nothing moves away
    assert "Its inputs were there at +98 µs; it started" in page.inner_text(told("tiny"))
    opened.screenshot("timeline-narrow", page.locator(WIDGET))
    assert opened.problems == []


def test_a_hundred_thousand_events_are_thinned_and_never_freeze(open_notebook, chromium_browser):
    opened = open_notebook("long.ipynb", fresh=True)
    page = opened.page
    opened.run_all()
    widget = page.locator(WIDGET)
    widget.scroll_into_view_if_needed()
    data = widget.evaluate("it => ({...it.dataset})")
    assert data["boxes"] == data["seen"] == "100000"
    assert int(data["drawn"]) < 1000
    assert "100,000 events: shown thinned." in widget.inner_text()
    chart = page.locator(f"{WIDGET} .tinytf-window").bounding_box()
    page.mouse.move(chart["x"] + chart["width"] / 2, chart["y"] + 60)
    widget.focus()
    with task_times(chromium_browser, page) as took:
        whole = before = int(data["to"])
        for _ in range(14):
            page.keyboard.press("w")
            before *= 0.7
            wait_for_span(page, f"Math.abs(to - from - {before}) < 3")
        for _ in range(5):
            start = span(page)[0]
            page.keyboard.press("d")
            wait_for_span(page, f"from > {start}")
        page.keyboard.press("0")
        wait_for_span(page, f"from === 0 && to === {whole}")
    assert len(took) > 100
    assert max(took) < 50
    crowd = page.locator(f"{WIDGET} .tinytf-many").first.bounding_box()
    page.mouse.click(crowd["x"] + 5, crowd["y"] + 5)  # a click on many zooms to them
    wait_for_span(page, f"to < {whole} || from > 0")
    opened.screenshot("timeline-long", widget)
    assert opened.errors_in_outputs() == []
    assert opened.problems == []


def test_arrows_shards_and_the_queue(open_notebook):
    opened = open_notebook("made_up.ipynb")
    page = opened.page
    opened.run_all()
    page.wait_for_selector(box("product", 2))
    widget = page.locator(WIDGET)
    titles = widget.locator(".tinytf-device-name").all_text_contents()
    assert titles == ["CPU:0", "CPU:0 intra-op pool", "GPU:0"]
    assert widget.locator("[data-arrow]").count() == 1
    assert widget.locator('[data-box][data-kind="shard"]').count() == 2
    tops = [
        page.locator(box(name, which)).bounding_box()["y"]
        for name, which in [("product", 0), ("product", 1), ("product", 2), ("product/_1", 0)]
    ]
    assert tops == sorted(tops)  # shards are below their node
    page.click(f"{box('product/_1')} >> rect >> nth=0")
    page.wait_for_selector(told("product/_1"))
    assert "from /job" in page.inner_text(told("product/_1"))
    # A saved page without a kernel, or a busy one: it is all in the browser.
    opened.screenshot("timeline-made-up", widget)
    assert opened.problems == []


def test_thousands_of_boxes_stay_usable(open_notebook):
    opened = open_notebook("thousands.ipynb")
    page = opened.page
    opened.run_all()
    widget = page.locator(WIDGET)
    widget.scroll_into_view_if_needed()
    data = widget.evaluate("it => ({...it.dataset})")
    assert data["boxes"] == data["seen"] == "12000"
    assert int(data["drawn"]) < 2000
    widget.focus()
    costs = []
    spans = []
    for _ in range(9):
        page.keyboard.press("+")
        before = spans[-1] if spans else 12_004_000
        wait_for_span(page, f"to - from < {before}")
        data = widget.evaluate("it => ({...it.dataset})")
        spans.append(int(data["to"]) - int(data["from"]))
        costs.append((int(data["drawn"]), float(data["milliseconds"])))
        assert int(data["drawn"]) < 3000
    print("drawn, ms:", costs)
    assert widget.locator("[data-node^=op_] text").count() > 0  # there is room for names now
    opened.screenshot("timeline-many", widget)
    assert opened.problems == []


def test_it_is_legible_in_both_themes(open_notebook):
    opened = open_notebook("made_up.ipynb")
    page = opened.page
    opened.run_all()
    page.wait_for_selector(box("tanh"))
    page.click(box("tanh"))
    page.wait_for_selector(told("tanh"))
    for theme, paper in papers(opened):
        ink = [
            luminance(page, f"{WIDGET} {part}", style)
            for part, style in [
                (".tinytf-device-name", "fill"),
                (".tinytf-thread", "fill"),
                (".tinytf-when", "fill"),
                ('[data-node="square"] text', "fill"),
                (".tinytf-told td", "color"),
            ]
        ]
        assert min(abs(value - paper) for value in ink) > 0.5
        for part in (".tinytf-sent", '[data-node="square"] rect'):
            assert abs(luminance(page, f"{WIDGET} {part}", "stroke") - paper) > 0.15
        opened.screenshot(f"timeline-{theme}", page.locator(WIDGET))
    assert opened.problems == []
