"""Fixtures of the browser's tests: one server and one Chromium for all of them.

One process runs them (tests/scheduling.py), and starting JupyterLab takes as long as a test. The
same goes for loading it in the browser: a page is kept for the next test, where it is as new.
"""

import pytest

from tests.browser import lab


@pytest.fixture(scope="session")
def notebooks(tmp_path_factory):
    """The folder that the server serves; each module writes its own notebooks there."""
    return tmp_path_factory.mktemp("notebooks")


@pytest.fixture(scope="session")
def lab_server(notebooks, tmp_path_factory):
    """A JupyterLab server on the folder `notebooks`."""
    with lab.running_lab(notebooks, tmp_path_factory.mktemp("lab")) as server:
        yield server


@pytest.fixture(scope="session")
def chromium_browser():
    """A headless Chromium (mark the tests with `browser`)."""
    from tinytf.cli import machine

    path = machine.chromium()
    if path is None:
        pytest.fail("this test uses a browser: mark it with @pytest.mark.browser")
    with lab.browser(path) as chromium:
        yield chromium


@pytest.fixture(scope="session")
def kept_pages(chromium_browser):
    """Server -> a page that a test has left as new: loading JupyterLab takes longest."""
    kept = {}
    yield kept
    for page in kept.values():
        page.page.context.close()


@pytest.fixture
def open_notebook(request, chromium_browser, lab_server, kept_pages):
    """A function that opens a notebook of the folder.

    It does so in a page that a test before has left, if there is one; fresh: in one of its own, for
    tests that are about loading a page, that change more of it than the notebook, or measure it.
    """
    opened = []
    failed = request.session.testsfailed

    def open_page(notebook, theme="light", fresh=False, **context):
        key = None if fresh or context.keys() - {"viewport"} else lab_server.url
        if key in kept_pages:
            page = kept_pages.pop(key)
            opened.append((key, page))
            page.open(notebook, theme, **context)
        else:
            lab_server.set_theme(theme)
            page = lab.Page(chromium_browser, lab_server, notebook, **context)
            opened.append((key, page))
        return page

    yield open_page
    for key, page in opened:
        as_new = key and request.session.testsfailed == failed and not page.problems
        if as_new and key not in kept_pages and page.leave():
            kept_pages[key] = page
        else:
            page.close()
