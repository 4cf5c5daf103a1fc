"""The simulated cluster in JupyterLab, and in a page that has no kernel."""

import pytest

from tests.browser import lab
from tests.browser.looks import luminance, papers
from tests.browser.test_export import export

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(150)]

CELLS = ["import tinytf.jupyter", "shown = tinytf.jupyter.scaling()\nshown"]
SCALING = ".tinytf-scaling[data-number]"


@pytest.fixture(scope="module", autouse=True)
def written(notebooks):
    lab.write_notebook(notebooks / "scaling.ipynb", CELLS)


def drawn(number):
    return f'.tinytf-scaling[data-number="{number}"][data-busy="false"]'


def test_a_cluster_is_changed_and_drawn_anew(open_notebook):
    opened = open_notebook("scaling.ipynb", viewport={"width": 1500, "height": 1100})
    page = opened.page
    opened.run_all()
    page.wait_for_selector(drawn(1))
    assert page.locator(f"{SCALING} .tinytf-did").count() > 20  # the first frame is not empty
    assert page.locator(f"{SCALING} .tinytf-published").count() == 4
    opened.screenshot("scaling", page.locator(SCALING))
    page.click(f'{SCALING} [data-field="mode"] button:text-is("asynchronous")')
    page.wait_for_selector(drawn(2))
    assert "A gradient misses" in page.inner_text(f"{SCALING} .tinytf-now")
    assert page.is_disabled(f'{SCALING} [data-field="backup"] input')
    workers = page.locator(f'{SCALING} [data-field="workers"] input')
    workers.focus()
    workers.press("ArrowRight")  # 50 -> 64
    page.wait_for_selector(drawn(3))
    assert "64 workers" in page.inner_text(f"{SCALING} .tinytf-now")
    for theme, paper in papers(opened):
        opened.screenshot(f"scaling-asynchronous-{theme}", page.locator(SCALING))
        assert abs(luminance(page, f"{SCALING} .tinytf-now", "color") - paper) > 0.5
    assert opened.errors_in_outputs() == []
    assert opened.problems == []


def test_it_fits_a_narrow_page(open_notebook):
    opened = open_notebook("scaling.ipynb", theme="dark")
    page = opened.page
    page.keyboard.press("Control+b")  # no list of files beside it
    opened.run_all()
    page.set_viewport_size({"width": 600, "height": 1400})
    page.wait_for_selector(drawn(1))
    widths = page.locator(SCALING).evaluate("e => [e.scrollWidth, e.clientWidth]")
    assert widths[0] <= widths[1]
    opened.screenshot("scaling-narrow", page.locator(SCALING))
    assert opened.problems == []


def test_an_exported_page_has_the_drawings_and_says_what_it_lacks(tmp_path, chromium_browser):
    lab.write_notebook(tmp_path / "scaling.ipynb", CELLS)
    export(tmp_path / "scaling.ipynb", tmp_path / "scaling.html")
    page = chromium_browser.new_page(viewport={"width": 1200, "height": 1000})
    try:
        page.set_default_timeout(lab.MILLISECONDS)
        page.goto((tmp_path / "scaling.html").as_uri())
        page.wait_for_selector("body[data-shown]")
        assert page.locator(f"{SCALING} .tinytf-did").count() > 20
        assert page.is_disabled(f"{SCALING} .tinytf-fields input >> nth=0")
        assert "this page has no kernel" in page.inner_text(f"{SCALING} .tinytf-aside")
        page.screenshot(path=lab.ARTIFACTS / "scaling-export.png")
    finally:
        page.close()
