"""The graph widget in JupyterLab: opened, searched, walked through by keys, in both themes."""

import pytest

from tests.browser import lab
from tests.browser.looks import luminance, papers

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(150)]

NETWORK = [
    "import tinytf as tf\nimport tinytf.jupyter",
    'x = tf.placeholder(tf.float32, (None, 784), name="x")\n'
    'labels = tf.placeholder(tf.int64, (None,), name="labels")\n'
    "h = x\n"
    "for number in range(1, LAYERS + 1):\n"
    '    with tf.variable_scope(f"layer_{number}"):\n'
    '        w = tf.get_variable("w", (h.shape[1], 32))\n'
    '        b = tf.get_variable("b", (32,))\n'
    '        h = tf.nn.relu(tf.nn.bias_add(tf.matmul(h, w), b), name="out")\n'
    '        tf.summary.histogram("activations", h)\n'
    'with tf.name_scope("loss"):\n'
    "    loss = tf.reduce_mean(\n"
    "        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=h))\n"
    'with tf.name_scope("train"):\n'
    "    train = tf.train.AdamOptimizer().minimize(loss)\n"
    "merged = tf.summary.merge_all()\n"
    "init = tf.global_variables_initializer()",
    "tinytf.jupyter.graph()",
]
DEVICES = [
    "import tinytf as tf\nimport tinytf.jupyter",
    'x = tf.placeholder(tf.float32, (None, 4), name="x")\n'
    'with tf.device("/cpu:1"), tf.name_scope("second"):\n'
    '    y = tf.tanh(tf.multiply(x, 2.0, name="doubled"), name="y")\n'
    'total = tf.add(x, y, name="total")\n'
    'sess = tf.Session(config=tf.ConfigProto(device_count={"CPU": 2}))',
    "tinytf.jupyter.graph(total, session=sess)",
]
LOOP = [
    "import tinytf as tf\nimport tinytf.jupyter",
    "_, power = tf.while_loop(\n"
    "    lambda i, p: tf.less(i, 3),\n"
    "    lambda i, p: (tf.add(i, 1), tf.multiply(p, 2.0)),\n"
    '    [tf.constant(0), tf.constant(1.0)], name="power",\n'
    ")",
    "tinytf.jupyter.graph(power)",
    "from tinytf.protos import graph_pb2\n"
    "cyclic = graph_pb2.GraphDef()\n"
    'for name, op, source in [("a", "Neg", "c"), ("b", "Exp", "a"), ("c", "Tanh", "b")]:\n'
    "    cyclic.node.add(name=name, op=op, input=[source])\n"
    "tinytf.jupyter.graph(cyclic)",
    "tinytf.jupyter.graph(tf.Graph())",
]
FLAT = (
    "generator = random.Random(0)\n"
    'nodes = [tf.constant(1.0, name="start")]\n'
    "for number in range(COUNT - 1):\n"
    "    one, other = generator.choice(nodes[-9:]), generator.choice(nodes[-40:])\n"
    '    nodes.append(generator.choice([tf.add, tf.multiply])(one, other, name=f"n{number}"))'
)
STEPS = (
    'inputs = tf.placeholder(tf.float32, (200, None, 8), name="inputs")\n'
    'with tf.variable_scope("rnn"):\n'
    '    kernel = tf.get_variable("kernel", (24, 16))\n'
    '    state = tf.zeros((1, 16), name="state")\n'
    "    for step in range(200):\n"
    "        state = tf.tanh(tf.matmul(tf.concat([inputs[step], state], 1), kernel))"
)
LARGE = ["import random\nimport tinytf as tf\nimport tinytf.jupyter"] + [
    f"tf.reset_default_graph()\n{build}\ntinytf.jupyter.graph()"
    for build in (
        NETWORK[1].replace("LAYERS", "24"),
        FLAT.replace("COUNT", "1000"),
        STEPS,
        FLAT.replace("COUNT", "20_000"),
    )
]
WIDGET = ".tinytf-graph-view"


@pytest.fixture(scope="module", autouse=True)
def written(notebooks):
    def write(name, cells, **numbers):
        for key, number in numbers.items():
            cells = [cell.replace(key, str(number)) for cell in cells]
        lab.write_notebook(notebooks / f"{name}.ipynb", cells)

    write("network", NETWORK, LAYERS=12)
    write("devices", DEVICES)
    write("loop", LOOP)
    write("large", LARGE)


def box(name, **data):
    rest = "".join(f'[data-{key}="{value}"]' for key, value in data.items())
    return f'{WIDGET} .tinytf-node[data-name="{name}"]{rest}'


def chosen(name):
    return f'{WIDGET}[data-selected="{name}"]'


def details(page):
    return page.inner_text(f"{WIDGET} .tinytf-details")


def shown(opened, name):
    """Open a notebook's widget, and wait until it is drawn."""
    opened.run_all()
    opened.page.wait_for_selector(f"{WIDGET} .tinytf-node")
    opened.page.locator(WIDGET).first.scroll_into_view_if_needed()
    opened.screenshot(f"graph-view-{name}", opened.page.locator(WIDGET).first)
    return opened.page


def test_scopes_open_and_close_and_a_box_is_explained(open_notebook):
    opened = open_notebook("network.ipynb")
    page = shown(opened, "network")
    assert int(page.get_attribute(WIDGET, "data-boxes")) <= 30
    page.wait_for_selector(box("layer_3/", open="false"))
    assert page.locator(box("init", aside="true")).count() == 1
    assert page.locator(box("train/", aside="true")).count() == 1

    page.click(box("layer_3/") + " .tinytf-toggle")
    page.wait_for_selector(box("layer_3/MatMul"))
    page.click(box("layer_3/MatMul"))
    page.wait_for_selector(chosen("layer_3/MatMul"))
    said = details(page)
    for words in (
        "MatMul",
        "layer_2/out",
        "float32 (?, 32)",
        "transpose_a = False",
        "In[2], line 8",
    ):
        assert words in said
    assert page.locator(f"{WIDGET} .tinytf-edge[data-lit]").count() >= 3
    opened.screenshot("graph-view-chosen", page.locator(WIDGET))

    page.hover(box("layer_3/BiasAdd"))
    page.wait_for_function(
        "selector => document.querySelector(selector).innerText.includes('layer_3/BiasAdd')",
        arg=f"{WIDGET} .tinytf-details .tinytf-title",
    )
    number = page.get_attribute(box("x"), "data-item")
    line = page.locator(f'{WIDGET} .tinytf-edge[data-from="{number}"] .tinytf-way').bounding_box()
    page.mouse.move(line["x"] + line["width"] / 2, line["y"] + line["height"] / 2)
    page.wait_for_selector(f"{WIDGET} .tinytf-line-words")
    assert "1 tensor:\nx:0, float32 (?, 784)" in details(page)
    page.click(f"{WIDGET} .tinytf-title-of .tinytf-toggle")
    page.wait_for_selector(box("layer_3/", open="false"))
    assert page.locator(box("layer_3/MatMul")).count() == 0
    page.wait_for_selector(chosen("layer_3/"))
    assert opened.errors_in_outputs() == []
    assert opened.problems == []


def test_what_is_set_aside_can_be_put_back(open_notebook):
    opened = open_notebook("network.ipynb")
    page = shown(opened, "network-again")
    lines = page.locator(f"{WIDGET} .tinytf-edge").count()
    page.click(box("train/"))
    assert page.locator(f"{WIDGET} .tinytf-strands path").count() >= 12
    opened.screenshot("graph-view-aside", page.locator(WIDGET))
    page.click(f"{WIDGET} .tinytf-move-aside")
    page.wait_for_selector(box("train/") + ":not([data-aside])")
    assert page.locator(f"{WIDGET} .tinytf-edge").count() > lines
    page.click(f"{WIDGET} .tinytf-reset")
    page.wait_for_selector(box("train/", aside="true"))
    assert page.locator(f"{WIDGET} .tinytf-edge").count() == lines
    assert opened.problems == []


def test_search_finds_opens_and_chooses(open_notebook):
    opened = open_notebook("network.ipynb")
    page = shown(opened, "network-search")
    page.focus(WIDGET)
    page.keyboard.press("/")
    page.keyboard.type("layer_7/mat")
    page.wait_for_selector(f"{WIDGET} .tinytf-found [role=option][aria-selected=true]")
    assert page.get_attribute(box("layer_7/"), "data-match") is not None
    opened.screenshot("graph-view-search", page.locator(WIDGET))
    page.keyboard.press("Enter")
    page.wait_for_selector(chosen("layer_7/MatMul"))
    page.wait_for_selector(box("layer_7/MatMul", lit="self"))
    assert page.locator(f"{WIDGET} .tinytf-found:visible").count() == 0
    page.keyboard.press("/")
    page.keyboard.press("Control+A")
    page.keyboard.type("nothing has this name")
    page.get_by_text("No name has that in it.").wait_for()
    page.keyboard.press("Escape")
    assert page.locator(f"{WIDGET} [data-match]").count() == 0
    assert page.evaluate("document.activeElement.className") == f"tinytf-view {WIDGET[1:]}"
    assert opened.problems == []


def test_it_is_used_with_the_keyboard_alone(open_notebook):
    opened = open_notebook("network.ipynb")
    page = shown(opened, "network-keys")
    cells = page.locator(".jp-Cell").count()
    page.focus(WIDGET)
    for key, name in [
        ("ArrowDown", "x"),
        ("ArrowDown", "layer_1/"),
        ("ArrowDown", "layer_2/"),
        ("ArrowUp", "layer_1/"),
    ]:
        page.keyboard.press(key)
        page.wait_for_selector(chosen(name))
    page.keyboard.press("Enter")
    page.wait_for_selector(box("layer_1/", open="true"))
    page.wait_for_selector(chosen("layer_1/w/"))
    page.keyboard.press("ArrowDown")
    page.wait_for_selector(chosen("layer_1/MatMul"))
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector(chosen("layer_1/MatMul"))
    page.keyboard.press("Escape")
    page.wait_for_selector(chosen("layer_1/"))
    page.wait_for_selector(box("layer_1/", open="false"))
    scale = page.get_attribute(WIDGET, "data-scale")
    page.keyboard.press("+")
    assert page.get_attribute(WIDGET, "data-scale") > scale
    page.keyboard.press("0")
    for key in ("x", "b", "d", "d", "ArrowDown"):  # the notebook's own: cut, insert, delete
        page.keyboard.press(key)
    assert page.locator(".jp-Cell").count() == cells
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.className") == f"tinytf-view {WIDGET[1:]}"
    assert opened.problems == []


def test_what_a_box_needs_is_lit_and_the_screen_can_be_filled(open_notebook):
    opened = open_notebook("network.ipynb")
    page = shown(opened, "network-needs")
    page.click(f"{WIDGET} .tinytf-trace")
    page.click(box("layer_4/"))
    needed = int(page.get_attribute(WIDGET, "data-needed"))
    assert f"It needs {needed} operations of" in page.inner_text(f"{WIDGET} .tinytf-told")
    for name, is_needed in [("x", True), ("layer_1/", True), ("layer_5/", False), ("init", False)]:
        assert (page.get_attribute(box(name), "data-needed") is not None) == is_needed
    opened.screenshot("graph-view-needs", page.locator(WIDGET))
    page.click(f"{WIDGET} .tinytf-trace")
    assert page.get_attribute(WIDGET, "data-needed") == ""
    where = page.get_attribute(f"{WIDGET} .tinytf-world", "transform")
    page.click(f"{WIDGET} .tinytf-map", position={"x": 100, "y": 150})
    assert page.get_attribute(f"{WIDGET} .tinytf-world", "transform") != where
    page.click(f"{WIDGET} .tinytf-full")
    page.wait_for_selector(f"{WIDGET}:fullscreen")
    opened.screenshot("graph-view-full-screen")
    page.click(f"{WIDGET} .tinytf-full")
    page.wait_for_selector(f"{WIDGET}:not(:fullscreen)")
    assert opened.problems == []


def test_it_works_without_a_kernel(open_notebook, lab_server):
    opened = open_notebook("network.ipynb", fresh=True)
    page = shown(opened, "network-alone")
    lab_server.stop_kernels()
    page.click(box("layer_2/") + " .tinytf-toggle")
    page.wait_for_selector(box("layer_2/MatMul"))
    page.click(box("layer_2/MatMul"))
    assert "float32 (?, 32)" in details(page)


def test_it_is_legible_and_devices_are_told_apart_in_both_themes(open_notebook):
    opened = open_notebook("devices.ipynb")
    page = shown(opened, "devices")
    assert "CPU:1" in page.text_content(box("second/y") + " .tinytf-device")
    assert "CPU:0" in page.text_content(box("total") + " .tinytf-device")
    fills = {
        page.get_attribute(box(name) + " .tinytf-swatch + rect", "fill")
        for name in ("second/y", "total")
    }
    assert len(fills) == 2  # patterns, not colours alone
    page.click(box("total"))
    for theme, paper in papers(opened):
        for selector, style in [
            (box("total") + " .tinytf-name", "fill"),
            (f"{WIDGET} .tinytf-title", "color"),
            (f"{WIDGET} .tinytf-edge .tinytf-way", "stroke"),
        ]:
            assert abs(luminance(page, selector, style) - paper) > 0.4
        opened.screenshot(f"graph-view-devices-{theme}", page.locator(WIDGET))
    page.click(f"{WIDGET} .tinytf-colours")
    page.wait_for_selector(
        box("second/y") + '[data-hue="1"], ' + box("second/y") + '[data-hue="0"]'
    )
    for theme, _ in papers(opened):
        opened.screenshot(f"graph-view-by-device-{theme}", page.locator(WIDGET))
    assert opened.problems == []


def test_loops_cycles_and_nothing_at_all(open_notebook):
    opened = open_notebook("loop.ipynb", theme="dark")
    page = shown(opened, "loop")
    page.wait_for_selector(box("power/", kind="loop"))
    cyclic = page.locator(WIDGET).nth(1)
    assert "A cycle that is no loop, so it can never run: a → b → c → a." in cyclic.inner_text()
    assert cyclic.locator('.tinytf-world [data-cycle="true"]').count() == 3
    cyclic.scroll_into_view_if_needed()
    opened.screenshot("graph-view-cycle", cyclic)
    assert "An empty graph" in page.locator(".jp-CodeCell").nth(4).inner_text()
    assert opened.errors_in_outputs() == []
    assert opened.problems == []


def test_large_graphs_open_closed(open_notebook):
    opened = open_notebook("large.ipynb")
    page = shown(opened, "large")
    for number, name in enumerate(["deep", "flat", "steps", "huge"]):
        widget = page.locator(WIDGET).nth(number)
        assert int(widget.get_attribute("data-boxes")) <= 30
        widget.scroll_into_view_if_needed()
        opened.screenshot(f"graph-view-{name}", widget)
        group = widget.locator('.tinytf-node[data-open="false"]').first.get_attribute("data-item")
        widget.locator(f'[data-item="{group}"] .tinytf-toggle').click()
        widget.locator(f'[data-item="{group}"][data-open="true"]').wait_for(state="attached")
        opened.screenshot(f"graph-view-{name}-open", widget)
    assert opened.errors_in_outputs() == []
    assert opened.problems == []
