"""JupyterLab in a headless Chromium, for tests: start it, open a notebook, run it, look at it.

`running_lab` starts the server as `tinytf lab` does, with settings of its own; `browser` starts
Chromium; `Page` is one opened notebook. Wait on what the page shows, never on time.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.kept_ports import kept_ports
from tinytf.cli.lab import HOST, Lab
from tinytf.cli.machine import course_root

#: Where tests leave screenshots; not committed.
ARTIFACTS = course_root() / ".artifacts"
MILLISECONDS = 45_000
VIEWPORT = {"width": 1200, "height": 1000}
THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}
_KERNEL_ANSWERS = """async () => {
  const context = window.jupyterapp.shell.currentWidget.sessionContext;
  await context.ready;
  const kernel = context.session.kernel;
  await kernel.info;
  await kernel.requestExecute({code: "", silent: true, store_history: false}).done;
}"""
#: Open a notebook in the place of all that is there.
_OPEN = """async (path) => {
  const { commands, shell } = window.jupyterapp;
  const before = [...shell.widgets("main")];
  const opened = await commands.execute("docmanager:open", { path });
  await opened.context.ready;
  before.forEach((widget) => widget.dispose());
  shell.activateById(opened.id);
}"""
#: Close everything and end the kernels. Where nothing is open, JupyterLab opens a launcher some
#: time later: it is to be there before.
_LEAVE = """async () => {
  const { commands, shell } = window.jupyterapp;
  const before = ["main", "down"].flatMap((area) => [...shell.widgets(area)]);
  await commands.execute("launcher:create");
  for (const widget of before) {
    const session = widget.context?.sessionContext;
    if (session?.session) await session.shutdown();
    widget.dispose();
  }
  shell.expandLeft();
}"""
#: Change the theme, and wait until JupyterLab's sign that it does so is gone: it covers the page.
_SET_THEME = """async (theme) => {
  const { activeElement, body } = document;
  const until = (holds) => new Promise((done) => {
    const look = () => {
      if (!holds()) return;
      observer.disconnect();
      done();
    };
    const observer = new MutationObserver(look);
    observer.observe(body, { attributes: true, childList: true });
    look();
  });
  const isSeen = () => !document.getElementById("jupyterlab-splash");
  await until(isSeen);
  if (body.dataset.jpThemeName === theme) return;
  await window.jupyterapp.commands.execute("apputils:change-theme", { theme });
  await until(() => isSeen() && body.dataset.jpThemeName === theme);
  activeElement.focus({ preventScroll: true }); // all was hidden meanwhile
}"""
#: What one test could leave to the next one, besides what `_LEAVE` clears away.
_TRACES = """() => {
  const count = (selector) => document.querySelectorAll(selector).length;
  const width = (selector) => document.querySelector(selector).getBoundingClientRect().width;
  const { shell } = window.jupyterapp;
  return [
    count(".jp-Dialog, .lm-Menu, .jp-NotebookPanel, .jp-LinkedOutputView, .jp-CodeConsole"),
    count("[class*=tinytf-]"), width("#jp-left-stack"), shell.leftCollapsed, shell.rightCollapsed,
    shell.mode, document.fullscreenElement === null, document.body.className,
    Object.keys(sessionStorage).join(),
  ];
}"""
#: What fades in is there; what goes on for ever, such as a sign that something runs, stands still.
AT_REST = """document.getAnimations().forEach((animation) => {
  if (Number.isFinite(animation.effect.getComputedTiming().endTime)) animation.finish();
  else animation.pause();
})"""
#: JupyterLab draws a traceback as it draws what is written to stderr.
_ERRORS = '.jp-RenderedText[data-mime-type$=".stderr"]'
#: Console errors of JupyterLab itself that say nothing about a notebook.
_HARMLESS = ("favicon", "/api/contents/.jupyter", "ResizeObserver loop")


def write_notebook(path: Path, sources: Sequence[str]) -> None:
    """A notebook of code cells."""
    cells = [
        {
            "cell_type": "code",
            "id": f"cell-{number}",
            "metadata": {},
            "source": source,
            "outputs": [],
            "execution_count": None,
        }
        for number, source in enumerate(sources)
    ]
    kernel = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    notebook = {
        "cells": cells,
        "metadata": {"kernelspec": kernel},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    path.write_text(json.dumps(notebook), encoding="utf-8")


class Server:
    """A running JupyterLab server."""

    def __init__(self, lab: Lab, home: Path):
        self.lab = lab
        self._home = home
        self.url = f"http://{HOST}:{lab.port}"

    def request(self, method: str, path: str, content: Any = None) -> Any:
        """Call the server's own interface."""
        data = None if content is None else json.dumps(content).encode()
        headers = {"Authorization": f"token {self.lab.token}", "Content-Type": "application/json"}
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=20) as reply:
            body = reply.read()
        return json.loads(body) if body else None

    def set_theme(self, theme: str) -> None:
        """Choose "light" or "dark" for pages that are opened from now on."""
        raw = json.dumps({"theme": THEMES[theme]})
        self.request("PUT", "/lab/api/settings/@jupyterlab/apputils-extension:themes", {"raw": raw})

    def trust(self, notebook: str) -> None:
        """Mark a notebook of the server's folder as trusted, as `jupyter trust` does."""
        import nbformat
        from nbformat.sign import NotebookNotary

        notary = NotebookNotary(data_dir=str(self._home / "data"))
        notary.sign(nbformat.read(self.lab.root / notebook, as_version=4))
        notary.store.close()

    def stop_kernels(self) -> None:
        """End all kernels, or the next page would go on in one that has already run."""
        for session in self.request("GET", "/api/sessions"):
            self.request("DELETE", f"/api/sessions/{session['id']}")


@contextmanager
def running_lab(root: Path, home: Path, environment: Mapping[str, str] = {}) -> Iterator[Server]:
    """A server on the notebooks below `root`; its own settings and logs go to `home`."""
    with kept_ports(1) as (port,):
        lab = Lab(root, Path("none.ipynb"), port, "a-token-for-tests", browser=False)
        with _running(lab, home, environment) as server:
            yield server


@contextmanager
def _running(lab: Lab, home: Path, environment: Mapping[str, str]) -> Iterator[Server]:
    home.mkdir(parents=True, exist_ok=True)
    variables = {
        **lab.environment(),
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_DATA_DIR": str(home / "data"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
        "IPYTHONDIR": str(home / "ipython"),
        "TINYTF_PROGRESS": str(home / "progress.json"),
        "PYTHONPATH": os.pathsep.join(
            [str(course_root()), *filter(None, [os.environ.get("PYTHONPATH")])]
        ),
        **environment,
    }
    log_path = home / "server.log"
    with log_path.open("wb") as log:
        process = subprocess.Popen(
            [*lab.command(), "--LabApp.expose_app_in_browser=True"],
            env=variables,
            stdout=log,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
        )
        server = Server(lab, home)
        try:
            _wait_until_it_answers(server, process, log_path)
            yield server
        finally:
            try:
                if process.poll() is None:
                    server.stop_kernels()
            finally:
                process.terminate()
                process.wait(timeout=20)


def _wait_until_it_answers(server: Server, process: subprocess.Popen, log: Path) -> None:
    for _ in range(900):
        try:
            server.request("GET", "/api")
            return
        except (urllib.error.URLError, ConnectionError):
            try:
                process.wait(timeout=0.1)
            except subprocess.TimeoutExpired:
                continue
            break
    raise RuntimeError(f"JupyterLab did not start:\n{log.read_text(errors='replace')[-4000:]}")


@contextmanager
def browser(executable: str) -> Iterator[Any]:
    """A headless Chromium (playwright's Browser)."""
    from playwright.sync_api import sync_playwright

    arguments = ["--disable-dev-shm-usage"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        arguments.append("--no-sandbox")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=executable, headless=True, args=arguments
        )
        try:
            yield chromium
        finally:
            chromium.close()


class Page:
    """One notebook, open in JupyterLab.

    Attributes:
      page: playwright's page, for everything else.
      problems: console errors and exceptions of the page so far.
    """

    def __init__(self, chromium: Any, server: Server, notebook: str, **context: Any):
        self.server = server
        self._context = chromium.new_context(**{"viewport": VIEWPORT, **context})
        self.page = self._context.new_page()
        self.page.set_default_timeout(MILLISECONDS)
        self.problems: list[str] = []
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        workspace = f"test-{os.getpid()}-{id(self)}"
        self.page.goto(
            f"{server.url}/lab/workspaces/{workspace}/tree/{notebook}"
            f"?token={server.lab.token}&reset"
        )
        self._wait_for_the_notebook()
        self._without_a_notebook = self.page.evaluate(_TRACES)[2:]

    def _wait_for_the_notebook(self) -> None:
        self.page.wait_for_selector(".jp-NotebookPanel .jp-CodeCell")
        self.wait_until_idle()
        # "Idle" may be shown before the connection has carried a request; one that is sent then
        # can be lost, and the cells stay as they are.
        self.page.evaluate(_KERNEL_ANSWERS)

    def set_theme(self, theme: str) -> None:
        """Change to "light" or "dark", as a learner may at any time."""
        self.page.evaluate(_SET_THEME, THEMES[theme])

    def open(self, notebook: str, theme: str, viewport: Mapping[str, int] = VIEWPORT) -> None:
        """Open a notebook in a page that was left: a quarter of the work of a new page."""
        self.page.set_viewport_size(viewport)
        self.set_theme(theme)
        self.page.evaluate(_OPEN, notebook)
        self._wait_for_the_notebook()

    def leave(self) -> bool:
        """Close the notebook, and end its kernel; whether the page is as new."""
        from playwright.sync_api import Error

        try:
            self.page.mouse.move(0, 0)
            self.page.set_default_timeout(MILLISECONDS)
            self.page.set_viewport_size(VIEWPORT)
            self.page.evaluate(_LEAVE)
            left = self.page.evaluate(_TRACES)
        except Error:
            return False
        self.server.stop_kernels()
        self.problems.clear()
        return bool(left == [0, 0, *self._without_a_notebook])

    def _heard(self, message: Any) -> None:
        where = message.location.get("url", "")
        if message.type == "error" and not any(h in message.text + where for h in _HARMLESS):
            self.problems.append(f"{message.text} ({where})")

    def wait_until_idle(self) -> None:
        """Wait until the kernel is there and has nothing to do."""
        self.page.wait_for_selector('.jp-Notebook-ExecutionIndicator[data-status="idle"]')

    def run_all(self) -> None:
        """Run all cells; wait until the last one has its number, or one has failed."""
        self.page.click('.lm-MenuBar-itemLabel:text-is("Run")')
        self.page.click('.lm-Menu-item[data-command="runmenu:run-all"]')
        try:
            self.page.wait_for_function(
                "([prompts, errors]) => document.querySelector(errors) ||"
                " [...document.querySelectorAll(prompts)]"
                ".every(prompt => /\\[\\d+\\]/.test(prompt.textContent))",
                arg=[".jp-CodeCell .jp-InputArea-prompt", _ERRORS],
            )
        except Exception as error:
            path = self.screenshot("run-all-failed")
            error.add_note(f"See {path}. The console said: {self.problems}")
            raise
        self.wait_until_idle()

    def errors_in_outputs(self) -> list[str]:
        """The tracebacks that cells have left."""
        return self.page.locator(_ERRORS).all_inner_texts()

    def screenshot(self, name: str, locator: Any = None) -> Path:
        """A picture of the page, or of a part of it, in .artifacts/."""
        ARTIFACTS.mkdir(exist_ok=True)
        path = ARTIFACTS / f"{name}.png"
        (locator or self.page).screenshot(path=path)
        return path

    def close(self) -> None:
        """Close the page and end its kernel."""
        self._context.close()
        self.server.stop_kernels()

    def __enter__(self) -> Page:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()


if __name__ == "__main__":  # to look at it:  python -m tests.browser.lab FOLDER
    with running_lab(Path(sys.argv[1]).resolve(), Path(sys.argv[1]) / ".lab") as running:
        print(f"{running.url}/lab?token={running.lab.token}", flush=True)
        input("Enter stops it. ")
