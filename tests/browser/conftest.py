"""Fixtures of the browser's tests: one server and one Chromium for all tests of a module."""

import pytest

from tests.browser import lab


@pytest.fixture(scope="module")
def notebooks(tmp_path_factory):
    """A folder for the notebooks of a module; the server serves it."""
    return tmp_path_factory.mktemp("notebooks")


@pytest.fixture(scope="module")
def lab_server(notebooks, tmp_path_factory):
    """A JupyterLab server on the folder `notebooks`."""
    with lab.running_lab(notebooks, tmp_path_factory.mktemp("lab")) as server:
        yield server


@pytest.fixture(scope="module")
def chromium_browser():
    """A headless Chromium (mark the tests with `browser`)."""
    from tinytf.cli import machine

    path = machine.chromium()
    if path is None:
        pytest.fail("this test uses a browser: mark it with @pytest.mark.browser")
    with lab.browser(path) as chromium:
        yield chromium


@pytest.fixture
def open_notebook(chromium_browser, lab_server):
    """A function that opens a notebook of the folder; every page is closed at the end."""
    pages = []

    def open_page(notebook, theme="light", **context):
        lab_server.set_theme(theme)
        pages.append(lab.Page(chromium_browser, lab_server, notebook, **context))
        return pages[-1]

    yield open_page
    for page in pages:
        page.close()
