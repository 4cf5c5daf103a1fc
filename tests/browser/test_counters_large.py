"""The step player on a step of 200 operations: groups, search, motion, the time it takes."""

import pytest

from tests.browser import lab
from tests.browser.tasks import play, task_times

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(150)]

#: A multilayer perceptron with Adam: scopes of layers, of gradients and of the optimizer.
NETWORK = (
    'x = tf.placeholder(tf.float32, (None, 12), name="x")\n'
    'labels = tf.placeholder(tf.int64, (None,), name="labels")\n'
    "h = x\n"
    "for number in range(1, 8):\n"
    '    with tf.variable_scope(f"layer_{number}"):\n'
    '        w = tf.get_variable("w", (h.shape[1], 8))\n'
    '        b = tf.get_variable("b", (8,))\n'
    "        h = tf.nn.relu(tf.nn.bias_add(tf.matmul(h, w), b))\n"
    'with tf.name_scope("loss"):\n'
    "    loss = tf.reduce_mean(\n"
    "        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=h))\n"
    'with tf.name_scope("train"):\n'
    "    train = tf.train.AdamOptimizer().minimize(loss)\n"
    "sess = tf.InteractiveSession()\n"
    "sess.run(tf.global_variables_initializer())\n"
    "feeds = {x: [[0.5] * 12] * 4, labels: [0, 1, 2, 3]}"
)
CELLS = [
    "import tinytf as tf\nimport tinytf.jupyter",
    NETWORK,
    "step = tinytf.jupyter.watch(train, feeds)\nstep",
    "tinytf.jupyter.watch(tf.square(h), feeds)",
]
WIDGET = '.tinytf-counters[data-number="0"]'


@pytest.fixture(scope="module", autouse=True)
def written(notebooks):
    lab.write_notebook(notebooks / "large_step.ipynb", CELLS)


def open_step(open_notebook, **how):
    size = {"width": 1600, "height": 1000}
    opened = open_notebook("large_step.ipynb", viewport=size, **how)
    opened.run_all()
    opened.page.wait_for_selector(".tinytf-counters .tinytf-node")
    opened.page.evaluate(
        "document.querySelectorAll('.tinytf-counters').forEach((e, n) => e.dataset.number = n)"
    )
    opened.page.focus(WIDGET)
    return opened


@pytest.fixture
def opened(open_notebook):
    return open_step(open_notebook)


def box(name, **data):
    rest = "".join(f'[data-{key}="{value}"]' for key, value in data.items())
    return f'{WIDGET} .tinytf-node[data-node="{name}"]{rest}'


def frame(number):
    return f'{WIDGET}[data-frame="{number}"][data-moving="false"]'


def test_groups_say_how_far_they_have_come_and_open_by_keyboard(opened):
    page = opened.page
    closed = page.locator(f'{WIDGET} .tinytf-node[data-open="false"]')
    assert 8 <= closed.count() <= 30
    first = page.inner_text(f"{WIDGET} .tinytf-now")
    assert first.startswith("The step begins.")
    assert "ready to run" in first
    assert page.locator(f"{WIDGET} .tinytf-queue li").count() == 9  # eight, and how many more
    page.keyboard.press("End")
    page.wait_for_selector(box("layer_1/", state="done", waiting=0, ready=0))
    page.keyboard.press("Home")
    page.wait_for_selector(frame(0))
    waiting = {
        name: int(page.get_attribute(box(name), "data-waiting")) for name in ("layer_1/", "train/")
    }
    assert 0 < waiting["layer_1/"] < waiting["train/"]
    told = page.text_content(box("layer_1/") + " > .tinytf-kind")
    assert told == f"{waiting['layer_1/']} wait, 6 ready, 0 done"

    for _ in range(30):
        if page.locator(box("layer_1/", selected="true")).count():
            break
        page.keyboard.press("ArrowDown")
    said = page.inner_text(f"{WIDGET} .tinytf-detail")
    assert said.startswith("layer_1/ holds ")
    page.keyboard.press("Enter")
    page.wait_for_selector(box("layer_1/MatMul", count=1, state="waiting"))
    page.keyboard.press("Escape")
    page.wait_for_selector(box("layer_1/", open="false"))
    page.dblclick(box("layer_2/") + " .tinytf-name")
    page.wait_for_selector(box("layer_2/MatMul", state="waiting"))
    page.keyboard.press("End")
    page.wait_for_selector(box("layer_2/MatMul", state="done"))
    assert page.locator(f"{WIDGET} .tinytf-map:visible").count() == 1
    assert opened.problems == []


def test_search_opens_what_an_operation_is_in_and_tells_its_value(opened):
    page = opened.page
    page.keyboard.press("End")
    page.keyboard.press("/")
    page.keyboard.type("layer_3/mat")
    page.wait_for_selector(f"{WIDGET} .tinytf-found [role=option][aria-selected=true]")
    page.keyboard.press("Enter")
    page.wait_for_selector(box("layer_3/MatMul", selected="true"))
    detail = page.locator(f"{WIDGET} .tinytf-detail")
    detail.get_by_text("layer_3/MatMul has run: layer_3/MatMul:0 = float32 (4, 8)").wait_for()
    assert page.evaluate("document.activeElement.dataset.number") == "0"
    page.keyboard.press("/")
    page.keyboard.press("Control+A")
    page.keyboard.type("no such name")
    page.get_by_text("No name has that in it.").wait_for()
    page.keyboard.press("Escape")
    assert page.locator(f"{WIDGET} [data-match]").count() == 0
    cells = page.locator(".jp-Cell").count()
    for key in ("x", "d", "d", "b"):  # the notebook's own
        page.keyboard.press(key)
    assert page.locator(".jp-Cell").count() == cells
    assert opened.problems == []


def test_a_tensor_travels_before_a_counter_goes_down(open_notebook):
    """Animations are stopped where they are: nothing here depends on time."""
    opened = open_step(open_notebook, fresh=True)  # whose animations stop
    page = opened.page
    page.evaluate(
        "() => { const animate = Element.prototype.animate;"
        " Element.prototype.animate = function (...given) {"
        "  const made = animate.apply(this, given); made.pause(); return made; }; }"
    )
    page.click(box("layer_1/") + " .tinytf-toggle")
    events = page.evaluate(MATMUL_EVENT.replace("NAME", "layer_1/MatMul"))
    page.fill(f"{WIDGET} .tinytf-slider", str(events - 1))
    page.wait_for_selector(frame(events - 1))
    page.wait_for_selector(box("layer_1/BiasAdd", count=1))
    page.focus(WIDGET)
    page.keyboard.press("ArrowRight")
    page.wait_for_selector(f'{WIDGET}[data-moving="true"][data-frame="{events}"]')
    assert page.locator(box("layer_1/MatMul", state="done")).count() == 1
    assert page.locator(box("layer_1/BiasAdd", count=1, state="waiting")).count() == 1
    assert page.text_content(f"{WIDGET} .tinytf-token") == "4×8"
    page.evaluate(
        "document.querySelector('.tinytf-token').getAnimations().forEach(a => a.finish())"
    )
    page.wait_for_selector(frame(events))
    page.wait_for_selector(box("layer_1/BiasAdd", count=0, state="ready"))
    assert page.locator(f"{WIDGET} .tinytf-token").count() == 0
    page.keyboard.press("ArrowLeft")  # backwards there is no motion
    page.wait_for_selector(frame(events - 1))
    page.wait_for_selector(box("layer_1/BiasAdd", count=1))
    page.emulate_media(reduced_motion="reduce")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector(frame(events))
    assert page.locator(box("layer_1/BiasAdd", count=0)).count() == 1
    assert opened.problems == []


#: The number of the event at which an operation ran, from the list of what happens.
MATMUL_EVENT = """() => {
  const widget = document.querySelector('.tinytf-counters[data-number="0"]');
  widget.querySelector('.tinytf-story').open = true;
  return new Promise((answer) => {
    const look = () => {
      const lines = [...widget.querySelectorAll('.tinytf-story li')];
      if (!lines.length) return requestAnimationFrame(look);
      widget.querySelector('.tinytf-story').open = false;
      answer(lines.findIndex((line) => line.textContent.startsWith('NAME (MatMul) ran')));
    };
    look();
  });
}"""


def test_no_task_of_the_page_takes_long_while_it_plays(open_notebook, chromium_browser):
    opened = open_step(open_notebook, fresh=True)
    page = opened.page
    with task_times(chromium_browser, page) as took:
        play(page, WIDGET, ("5", 80), ("20", 1000))  # test_cockpit.py does the rest in motion
    assert len(took) > 200
    assert max(took) < 50
    assert "The step is over: " in page.inner_text(f"{WIDGET} .tinytf-now")
    assert opened.problems == []


def test_instruments_of_one_run_keep_together_by_the_clock(opened):
    page = opened.page
    heard = page.evaluate_handle(
        "() => { const heard = []; for (const type of ['tinytf:clock', 'tinytf:select'])"
        " addEventListener(type, (event) => heard.push({ type, ...event.detail })); return heard; }"
    )
    page.keyboard.press("ArrowRight")
    page.wait_for_selector(frame(1))
    page.click(box("loss/"))
    events = heard.json_value()
    assert [event["type"] for event in events] == ["tinytf:clock", "tinytf:select"]
    assert events[0]["run"]
    assert events[0]["run"] == events[1]["run"]
    assert events[0]["time"] > 0
    assert events[1]["name"] == "loss/"
    tell = "([type, detail]) => window.dispatchEvent(new CustomEvent('tinytf:' + type, { detail }))"
    page.evaluate(tell, ["clock", {"run": events[0]["run"], "time": 1e15}])
    last = page.get_attribute(f"{WIDGET} .tinytf-slider", "max")
    page.wait_for_selector(frame(last))
    other = '.tinytf-counters[data-number="1"]'
    assert page.get_attribute(other, "data-frame") == "0"  # another run
    page.evaluate(tell, ["select", {"run": events[0]["run"], "name": "layer_1/MatMul"}])
    page.wait_for_selector(box("layer_1/", selected="true"))
    assert opened.problems == []
