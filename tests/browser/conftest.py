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
def open_notebook(request, chromium_browser, lab_server):
    """A function that opens a notebook of the folder; every notebook is closed at the end.

    JupyterLab is loaded once and shows one notebook after the other, as a learner's does. A second
    one at the same time, one that asks for a browser with other settings, and whatever follows a
    test that failed have a page of their own.
    """
    pages, failed = [], request.session.testsfailed

    def open_page(notebook, theme="light", viewport=lab.VIEWPORT, **context):
        page = None
        if not pages and not context:
            page, lab_server.kept = lab_server.kept, None
        if page is not None:
            pages.append(page)
            page.open(notebook, theme, viewport)
            return page
        lab_server.set_theme(theme)
        context["viewport"] = viewport
        pages.append(lab.Page(chromium_browser, lab_server, notebook, **context))
        return pages[-1]

    yield open_page
    for page in pages:
        if page.kept and lab_server.kept is None and request.session.testsfailed == failed:
            page.leave()
            lab_server.kept = page
        else:
            page.close()
