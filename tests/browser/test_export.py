"""scripts/export_html: one page, opened from a file with the network switched off."""

import os
import shutil
import subprocess
import sys

import pytest

from tests.browser import lab
from tests.notebooks.reading import NOTEBOOKS, ROOT, programs

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(420)]

NAME = "03_parallel_execution.ipynb"
IDS = [cell["id"] for cell in programs(NAME)]
COUNTERS, POOLS = ".tinytf-counters", ".tinytf-pools"
CELLS = [
    "import tinytf as tf\nfrom tinytf.jupyter import threads, watch",
    'x = tf.constant(3.0, name="x")\n'
    'y = tf.square(x, name="y")\n'
    "sess = tf.InteractiveSession()\n"
    "watched = watch(y)\n"
    "watched",
    "watched",
    "threads(watched)",
]


def export(notebook, page, *options):
    """Run the script; the page's text."""
    result = subprocess.run(
        [sys.executable, ROOT / "scripts" / "export_html", *options, notebook, page],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert result.returncode == 0, result.stderr[-3000:]
    return page.read_text(encoding="utf-8")


@pytest.fixture
def open_page(chromium_browser):
    """A function that opens a file; everything else than files is refused, and written down."""
    context = chromium_browser.new_context(viewport={"width": 1200, "height": 1000})
    asked, problems = [], []

    def answer(route):
        if route.request.url.startswith(("file:", "data:", "blob:")):
            route.continue_()
        else:
            asked.append(route.request.url)
            route.abort()

    def opened(path):
        page = context.new_page()
        page.set_default_timeout(lab.MILLISECONDS)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda m: m.type == "error" and problems.append(m.text))
        page.goto(path.as_uri())
        return page

    context.route("**/*", answer)
    yield opened
    context.close()
    assert asked == []
    assert problems == []


def test_a_widget_shown_twice_and_one_that_follows_it(tmp_path, open_page):
    lab.write_notebook(tmp_path / "small.ipynb", CELLS)
    export(tmp_path / "small.ipynb", tmp_path / "small.html", "--theme", "dark")
    page = open_page(tmp_path / "small.html")
    page.wait_for_selector(POOLS)
    page.locator(".tinytf-step").first.click()
    page.wait_for_function(
        "() => [...document.querySelectorAll('[data-frame]')].map(e => e.dataset.frame)"
        ".join() === '1,1,1'"
    )
    page.locator(f"{POOLS} .tinytf-step").click()
    page.wait_for_selector(f'{COUNTERS}[data-frame="2"]')
    assert page.locator(f'{COUNTERS}[data-frame="2"]').count() == 2


def test_a_notebook_that_fails_leaves_the_old_page(tmp_path):
    lab.write_notebook(tmp_path / "fails.ipynb", ["1 / 0"])
    page = tmp_path / "fails.html"
    page.write_text("the old page")
    with pytest.raises(AssertionError, match="ZeroDivisionError"):
        export(tmp_path / "fails.ipynb", page)
    assert page.read_text() == "the old page"


@pytest.mark.as_committed
def test_chapter_3_plays_without_a_kernel_and_without_a_network(tmp_path, open_page):
    shutil.copytree(ROOT / "images", tmp_path / "images")
    (tmp_path / "notebooks").mkdir()
    shutil.copy(NOTEBOOKS / NAME, tmp_path / "notebooks")
    shutil.copy(NOTEBOOKS / "digits.py", tmp_path / "notebooks")
    shutil.copytree(NOTEBOOKS / "optdigits", tmp_path / "notebooks" / "optdigits")
    text = export(tmp_path / "notebooks" / NAME, tmp_path / "chapter.html")
    assert len(text) < 4_000_000
    page = open_page(tmp_path / "chapter.html")
    page.wait_for_function(
        "() => [...document.images].every(picture => picture.complete && picture.naturalWidth)"
    )

    def show(cell_id):
        return page.locator(".jp-CodeCell").nth(IDS.index(cell_id))

    counters = show("first-graph").locator(COUNTERS)
    counters.locator(".tinytf-speed").select_option("20")
    counters.locator(".tinytf-play").click()
    show("first-graph").locator(f'{COUNTERS}[data-playing="false"][data-frame="6"]').wait_for()
    counters.locator(".tinytf-back").click()
    show("first-graph").locator(f'{COUNTERS}[data-frame="5"]').wait_for()

    pools = show("one-kernel-threads").locator(POOLS)
    pools.locator(".tinytf-speed").select_option("20")
    pools.locator(".tinytf-play").click()
    show("one-kernel-threads").locator(f'{POOLS}[data-playing="false"][data-frame="4"]').wait_for()
    show("one-kernel").locator(f'{COUNTERS}[data-frame="4"]').wait_for()
    pools.locator(".tinytf-back").click()
    show("one-kernel").locator(f'{COUNTERS}[data-frame="3"]').wait_for()
    assert show("five-timeline").locator("[data-box]").count() > 10
    assert show("graph-view").locator("svg").count() > 0
    lab.ARTIFACTS.mkdir(exist_ok=True)
    show("five-timeline").screenshot(path=lab.ARTIFACTS / "chapter-03-export-timeline.png")
    pools.screenshot(path=lab.ARTIFACTS / "chapter-03-export-threads.png")
    page.evaluate("window.scrollTo(0, 0)")
    page.screenshot(path=lab.ARTIFACTS / "chapter-03-export-top.png")


def test_a_cockpit_plays_without_a_kernel(tmp_path, open_page):
    cells = [*CELLS[:2], "from tinytf.jupyter import cockpit\ncockpit(y)"]
    lab.write_notebook(tmp_path / "cockpit.ipynb", cells)
    export(tmp_path / "cockpit.ipynb", tmp_path / "cockpit.html")
    page = open_page(tmp_path / "cockpit.html")
    page.wait_for_selector("body[data-shown]")
    cockpit = page.locator(".tinytf-cockpit")
    cockpit.locator(".tinytf-transport .tinytf-step").last.click()
    for view in (COUNTERS, POOLS, ".tinytf-transport"):
        cockpit.locator(f'{view}[data-frame="1"]').wait_for()
    width = "element => element.getBoundingClientRect().width"
    assert cockpit.locator(".tinytf-timeline svg").first.evaluate(width) > 900  # of 1,200
