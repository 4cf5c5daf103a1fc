"""What a page shows where no widget runs: the drawing, or where styles are stripped, a sentence."""

import re

import pytest

import tinytf as tf
import tinytf.jupyter
from tests.browser import lab
from tinytf.training.staleness import Gradient, StalenessLog

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(150)]


def stored(widget):
    return widget._repr_mimebundle_()[0]["text/html"]


def threads():
    x = tf.constant(3.0)
    with tf.Session() as sess:
        return stored(tinytf.jupyter.threads(tf.square(x), session=sess))


MAKERS = {
    "scaling": lambda: stored(tinytf.jupyter.scaling(workers=4)),
    "threads": threads,
    "staleness": lambda: tinytf.jupyter.staleness_map(
        {
            "as it is": StalenessLog([Gradient(n % 3, max(0, n - 2), n) for n in range(60)], 60),
            "drop": StalenessLog([Gradient(n % 3, n, n + n % 3, n % 3 == 2) for n in range(9)], 9),
        }
    )._repr_html_(),
}


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_is_shown_unless_styles_are_stripped(chromium_browser, name, theme):
    html = MAKERS[name]()
    page = chromium_browser.new_page(viewport={"width": 1000, "height": 800}, color_scheme=theme)
    try:
        page.set_content(f'<body style="color-scheme: {theme}">{html}</body>')
        assert page.locator("svg").first.evaluate("e => e.getBoundingClientRect().width") > 200
        assert not page.locator(".tinytf-instead").first.is_visible()
        lab.ARTIFACTS.mkdir(exist_ok=True)
        page.screenshot(path=lab.ARTIFACTS / f"stored-{name}-{theme}.png", full_page=True)
        page.set_content(re.sub("<style>.*?</style>", "", html, flags=re.DOTALL))
        assert page.locator("svg:visible").count() == 0
        assert page.locator(".tinytf-instead").first.is_visible()
    finally:
        page.close()
