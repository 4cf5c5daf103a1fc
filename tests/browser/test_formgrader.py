"""A teacher's way on screen: `tinytf grade lab`, Formgrader, and its buttons with our steps behind.

The server is started by the command, so it finds the course's nbgrader_config.py as it would.
"""

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.browser import lab
from tests.kept_ports import kept_ports
from tinytf.cli.lab import Lab
from tinytf.grading.course.course import Course
from tinytf.grading.course.source_notebooks import grade_id

pytestmark = [pytest.mark.browser, pytest.mark.sandbox, pytest.mark.slow, pytest.mark.timeout(600)]

CHAPTER = "ch01"
#: Formgrader's own pages take seconds, and grading starts processes.
MILLISECONDS = 150_000


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A course with one chapter of which nothing was released; the environment stays as it is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TINYTF_EXERCISES", str(lab.course_root() / "exercises"))
        return Course.create(tmp_path_factory.mktemp("autumn") / "class", [CHAPTER])


@pytest.fixture(scope="module")
def server(course, tmp_path_factory):
    """What `tinytf grade lab` starts, with settings of its own."""
    home = tmp_path_factory.mktemp("lab")
    with kept_ports(1) as (port,), _serving(course, port, home) as started:
        yield started


@contextmanager
def _serving(course, port, home):
    own = Lab(course.folder, Path("none"), port, "a-token-for-tests", browser=False)
    names = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    names += ("JUPYTERLAB_SETTINGS_DIR", "JUPYTERLAB_WORKSPACES_DIR")
    environment = {**os.environ, **{name: str(home / name.lower()) for name in names}}
    command = [sys.executable, "-m", "tinytf", "grade", "--course", str(course.folder), "lab"]
    log_path = home / "server.log"
    with log_path.open("wb") as log:
        process = subprocess.Popen(
            [*command, "--no-browser", "--port", str(own.port)],
            env={**environment, "JUPYTER_TOKEN": own.token, "PYTHONPATH": str(lab.course_root())},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        started = lab.Server(own, home)
        try:
            lab._wait_until_it_answers(started, process, log_path)
            yield started
        finally:
            process.terminate()
            process.wait(timeout=20)


@pytest.fixture
def page(chromium_browser, server):
    """JupyterLab, with its console errors in `problems`."""
    context = chromium_browser.new_context(viewport={"width": 1300, "height": 1000})
    opened = context.new_page()
    opened.set_default_timeout(MILLISECONDS)
    opened.problems = []
    opened.on("console", lambda said: _note(opened.problems, said))
    opened.on("pageerror", lambda error: opened.problems.append(str(error)))
    opened.goto(f"{server.url}/lab/workspaces/teacher?token={server.lab.token}&reset")
    opened.wait_for_selector(".jp-Launcher, .jp-NotebookPanel")
    yield opened
    context.close()


def _note(problems, said):
    if said.type == "error" and not any(known in said.text for known in lab._HARMLESS):
        problems.append(f"{said.text} ({said.location.get('url', '')})")


def hand_in(course, name, exercises):
    """Put a notebook into `submitted/` in which these exercises are solved."""
    released = course.released(CHAPTER)
    target = course.folder / "submitted" / name / CHAPTER / released.name
    target.parent.mkdir(parents=True)
    notebook = json.loads(released.read_text(encoding="utf-8"))
    answers = {f"{grade_id(one)}_answer": one.solution for one in exercises}
    for cell in notebook["cells"]:
        cell["source"] = answers.get(cell["metadata"]["nbgrader"]["grade_id"], cell["source"])
    target.write_text(json.dumps(notebook), encoding="utf-8")


def press(page, frame, cell):
    """Press a button of a table; wait until its report is there, and return it."""
    frame.locator(f"td.{cell} a").first.click()
    dialog = frame.locator(".modal.in, .modal.show")
    dialog.wait_for()
    said = dialog.inner_text()
    dialog.get_by_role("button", name="OK").click()
    dialog.wait_for(state="hidden")
    return said


def test_release_and_grade_with_the_buttons_of_formgrader(course, page):
    page.click('.lm-MenuBar-itemLabel:text-is("Nbgrader")')
    page.locator(".lm-Menu-item", has_text="Formgrader").first.click()
    frame = page.frame_locator("iframe")
    frame.locator("td.name", has_text=CHAPTER).wait_for()
    assert "exchange directory" not in frame.locator("body").inner_text()

    said = press(page, frame, "assign")
    assert "Successfully created" in said, said
    released = course.released(CHAPTER)
    assert "SOLUTION" not in released.read_text(encoding="utf-8")
    beside = released.parent / "exercises" / CHAPTER / "ex1"
    assert (beside / "checks.py").is_file()
    assert not (beside / "hidden.py").exists()

    hand_in(course, "anna", course.exercises(CHAPTER))
    page.frames[-1].evaluate("location.reload()")
    frame.locator("td.num-submissions a", has_text="1").click()
    frame.locator("td.student-id", has_text="anna").wait_for()

    said = press(page, frame, "autograde")
    assert "Applying preprocessor: CheckAnswers" in said
    assert "Applying preprocessor: Execute" not in said
    [mark] = course.marks(CHAPTER)
    graded = course.folder / "autograded" / "anna" / CHAPTER / f"{CHAPTER}.ipynb"
    assert mark.score == mark.most > 0, graded.read_text(encoding="utf-8")
    frame.locator("td.score", has_text=f"{mark.most:g} / {mark.most:g}").wait_for()
    assert frame.locator("td.status").inner_text() == "graded"
    page.screenshot(path=_picture("formgrader-graded"))
    assert page.problems == []


def _picture(name):
    lab.ARTIFACTS.mkdir(exist_ok=True)
    return lab.ARTIFACTS / f"{name}.png"
