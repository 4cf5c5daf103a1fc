"""A prediction in JupyterLab: by mouse, by keyboard; nothing is told before; it is legible."""

import pytest

from tests.browser import lab
from tests.browser.looks import luminance, papers
from tests.grading.asking import write_questions

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(150)]

SETTINGS = """import os
os.environ["TINYTF_PROGRESS"] = "off"
os.environ["TINYTF_EXERCISES"] = {course!r}
os.environ.pop("TINYTF_TRUTHS", None)
import tinytf as tf
%load_ext tinytf
a = tf.constant(1.0, name="a")
total = tf.add(a, tf.placeholder(tf.float32, name="b"), name="total")"""
CELLS = [
    "%%predict ch03.twice\nprint('secret')\n1",
    "%%predict ch03.count\nlen(tf.get_default_graph().get_operations())",
    "%%predict ch03.order\n['put', 'take', 'close']",
    "%%predict ch03.last\n'total'",
    "%%predict ch03.fed\ntf.Session().run(total)",
]


@pytest.fixture(scope="module", autouse=True)
def written(notebooks, tmp_path_factory):
    course = tmp_path_factory.mktemp("course")
    write_questions(course)
    sources = [SETTINGS.format(course=str(course)), *CELLS]
    lab.write_notebook(notebooks / "predictions.ipynb", sources)


def test_predictions_are_made_by_mouse_and_by_keyboard(open_notebook):
    opened = open_notebook("predictions.ipynb", theme="dark")
    page = opened.page
    opened.run_all()
    forms = page.locator("form.tinytf-predict")
    forms.nth(4).wait_for()
    assert forms.count() == len(CELLS)
    assert page.get_by_text("secret", exact=True).count() == 0
    assert page.locator(".tinytf-outcome").count() == 0
    opened.screenshot("predictions-asked")

    def outcome(number):
        shown = forms.nth(number).locator(".tinytf-outcome")
        shown.wait_for()
        return shown.inner_text()

    twice = forms.nth(0)
    assert twice.locator(".tinytf-commit").is_disabled()
    twice.locator("li").nth(2).click()
    twice.locator(".tinytf-commit").click()
    said = outcome(0)
    assert "Not so. What happened: 1" in said
    assert "Each use would have to run it again." in said
    assert "secret" in said
    assert twice.locator("[data-happened]").inner_text().endswith("this happened")
    assert twice.locator("input").first.is_disabled()

    count = forms.nth(1).locator("input")
    count.focus()
    page.keyboard.type("3")
    page.keyboard.press("Enter")
    assert "Right: 3 operations" in outcome(1)

    order = forms.nth(2)
    order.get_by_label("put in: later").focus()
    page.keyboard.press("Enter")
    assert order.locator("li").first.get_attribute("data-key") == "take"
    order.locator("li").nth(1).drag_to(order.locator("li").nth(0))
    assert order.locator("li").first.get_attribute("data-key") == "put"
    order.locator(".tinytf-commit").click()
    assert "Right: put in, then taken out, then closed" in outcome(2)

    last = forms.nth(3)
    last.locator('[data-node="total"]').focus()
    page.keyboard.press("Enter")
    assert last.locator("input").input_value() == "total"
    last.locator('[data-node="a"]').click()  # of one, the last choice counts
    assert last.locator("input").input_value() == "a"
    last.locator(".tinytf-commit").click()
    assert "Not so. What happened: total" in outcome(3)

    forms.nth(4).locator("input").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert "Right: an error" in outcome(4)
    for theme, paper in papers(opened):
        opened.screenshot(f"predictions-answered-{theme}")
        assert abs(luminance(page, ".tinytf-outcome", "color") - paper) > 0.5
    assert opened.problems == []
    assert opened.errors_in_outputs() == []
