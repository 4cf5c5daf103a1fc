"""Fixtures of the browser's tests: one server and one Chromium for all of them.

One process runs them (tests/scheduling.py), and starting JupyterLab takes as long as a test.
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
