"""The placement widget in JupyterLab: by mouse and keyboard, both placers, both themes."""

import pytest

from tests.browser import lab
from tests.browser.looks import luminance, papers

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(150)]

CELLS = [
    "import tinytf as tf\nimport tinytf.devices\nimport tinytf.jupyter\n"
    "tinytf.devices.simulate_gpus(2)",
    'x = tf.placeholder(tf.float32, [64, 784], name="x")\n'
    'with tf.device("/gpu:0"):\n'
    '    w = tf.Variable(tf.zeros([784, 100]), name="w")\n'
    '    h = tf.matmul(x, w, name="h")\n'
    'with tf.device("/gpu:1"):\n'
    '    y = tf.reduce_sum(h, name="y")\n'
    'late = tf.add(y, 1.0, name="late")',
    "placed = tinytf.jupyter.placed(late)\nplaced",
    "placed.why(h)",
]
MANY = [
    CELLS[0],
    "h = tf.ones([8, 8])\n"
    "for layer in range(9):\n"
    '    with tf.name_scope(f"layer{layer}"), tf.device(f"/gpu:{layer % 2}"):\n'
    "        for _ in range(12):\n"
    '            h = tf.square(h, name="square")',
    "tinytf.jupyter.placed(h, compare=False)",
]


@pytest.fixture(scope="module", autouse=True)
def written(notebooks):
    lab.write_notebook(notebooks / "placed.ipynb", CELLS)
    lab.write_notebook(notebooks / "many.ipynb", MANY)


def figure(placer):
    return f'.tinytf-placement figure[data-placer="{placer}"]'


def node(name, placer="Simple placer"):
    return f'{figure(placer)} [data-node="{name}"]'


def why(name):
    return f'.tinytf-placement .tinytf-why[data-op="{name}"]'


def test_pointing_and_choosing_tells_why(open_notebook):
    opened = open_notebook("placed.ipynb")
    page = opened.page
    opened.run_all()
    page.wait_for_selector(node("h"))
    page.hover(node("h"))
    told = page.inner_text(f"{why('h')} >> nth=0")
    assert "h (MatMul) is on GPU:0 (simulated), placed by the simple placer" in told
    assert "In[2], line 4" in told
    assert "x:0 from CPU:0, 196 KiB (fed)" in told
    assert page.locator(why("h")).count() == 2  # both placers
    table = page.locator(".jp-CodeCell").nth(3).locator(".tinytf-title")
    assert table.inner_text().startswith("h (MatMul) is on GPU:0 (simulated)")
    page.hover(".tinytf-placement .tinytf-differing")
    page.wait_for_selector(why("h"), state="detached")

    page.click(node("w"))
    page.wait_for_selector('.tinytf-placement[data-selected="w"]')
    page.wait_for_selector(node("w") + '[data-lit="self"]')
    page.wait_for_selector(node("w/read") + '[data-lit="group"]')
    page.wait_for_selector(node("w", "Cost model placer") + '[data-lit="self"]')
    page.wait_for_selector(node("h") + '[data-lit=""]')
    titles = page.locator(f"{figure('Simple placer')} .tinytf-room-title").all_text_contents()
    assert titles == ["CPU:0", "GPU:0 (simulated)", "GPU:1 (simulated)"]
    opened.screenshot("placement-light", page.locator(".tinytf-placement"))
    page.click(".tinytf-placement button[data-choice='Cost model placer']")
    page.wait_for_selector(figure("Simple placer"), state="hidden")
    assert page.locator(why("w")).count() == 1
    assert opened.errors_in_outputs() == []
    assert opened.problems == []


def test_the_keyboard_walks_through_the_operations_and_along_edges(open_notebook):
    opened = open_notebook("placed.ipynb")
    page = opened.page
    opened.run_all()
    page.wait_for_selector(node("h"))
    page.focus(".tinytf-placement")
    cells = page.locator(".jp-Cell").count()
    for key, selected in [
        ("ArrowRight", "x"),
        ("ArrowRight", "w"),
        ("ArrowDown", "w/read"),
        ("ArrowDown", "h"),
        ("ArrowUp", "copy of x:0 on"),
        ("ArrowUp", "x"),
        ("x", "x"),
        ("Escape", ""),
    ]:
        page.keyboard.press(key)
        how = "^=" if selected.startswith("copy") else "="
        page.wait_for_selector(f'.tinytf-placement[data-selected{how}"{selected}"]')
    assert page.locator(".jp-Cell").count() == cells  # the notebook did not take the x
    assert opened.problems == []


def test_many_operations_come_by_name_scope(open_notebook):
    opened = open_notebook("many.ipynb")
    page = opened.page
    opened.run_all()
    page.wait_for_selector(".tinytf-placement [data-form='scope']")
    assert page.locator(".tinytf-placement [data-form='scope']").count() == 10  # and "ones"
    page.click(".tinytf-placement [data-form='scope'] >> nth=2")
    told = page.inner_text(".tinytf-placement .tinytf-why")
    assert "layer2/ on GPU:0 (simulated): 12 operations" in told
    opened.screenshot("placement-scopes", page.locator(".tinytf-placement"))
    page.click(".tinytf-placement button[data-choice='operations']")
    page.wait_for_selector(node("layer8/square_11"))
    drawing = page.locator(".tinytf-scroll")
    assert drawing.evaluate("it => it.scrollHeight <= it.clientHeight + 1")  # the page scrolls
    assert page.locator(".tinytf-placement button[data-choice='side by side']").count() == 0
    assert opened.errors_in_outputs() == []
    assert opened.problems == []


def test_the_rooms_are_as_wide_as_the_window_allows(open_notebook):
    opened = open_notebook("placed.ipynb")
    page = opened.page
    opened.run_all()
    page.keyboard.press("Control+b")  # no list of files beside it
    page.click(".tinytf-placement button[data-choice='Simple placer']")
    drawing = page.locator(f"{figure('Simple placer')} svg")
    heights = []
    for width in (1500, 480):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function(
            "wide => { const it = document.querySelector('.tinytf-placement');"
            " return it.clientWidth < wide && it.clientWidth > 0.6 * wide; }",
            arg=width,
        )
        page.wait_for_function(
            "() => { const it = document.querySelector('.tinytf-placement figure:not([hidden])"
            " .tinytf-scroll'); return it.scrollWidth <= it.clientWidth + 1; }"
        )
        heights.append(drawing.bounding_box()["height"])
    assert heights[0] < 0.8 * heights[1]
    assert opened.problems == []


def test_it_is_legible_in_both_themes(open_notebook):
    opened = open_notebook("placed.ipynb")
    page = opened.page
    opened.run_all()
    page.wait_for_selector(node("h"))
    page.click(node("late"))
    page.wait_for_selector(why("late"))
    for theme, paper in papers(opened):
        ink = [
            luminance(page, f"{figure('Simple placer')} {part}", style)
            for part, style in [
                (".tinytf-room-title", "fill"),
                (".tinytf-room rect", "stroke"),
                (".tinytf-bytes", "fill"),
                (".tinytf-name", "fill"),
            ]
        ] + [luminance(page, ".tinytf-why td", "color")]
        assert min(abs(value - paper) for value in ink) > 0.5
        crossing = f"{figure('Simple placer')} [data-crosses] .tinytf-way"
        assert abs(luminance(page, crossing, "stroke") - paper) > 0.25
        opened.screenshot(f"placement-{theme}", page.locator(".tinytf-placement"))
    assert opened.problems == []
