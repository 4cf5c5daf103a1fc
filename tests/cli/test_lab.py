"""`tinytf lab`: which notebook, which port, what JupyterLab is told."""

import json
import os
import socket
from dataclasses import replace
from pathlib import Path

import pytest

from tinytf.cli import lab


@pytest.fixture
def course(tmp_path):
    folder = tmp_path / "my course" / "notebooks"
    folder.mkdir(parents=True)
    for name in ("00_start_here.ipynb", "01_graphs_and_sessions.ipynb"):
        (folder / name).write_text('{"cells":[],"metadata":{},"nbformat":4,"nbformat_minor":5}')
    return folder.parent


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (None, "00_start_here.ipynb"),
        ("1", "01_graphs_and_sessions.ipynb"),
        ("01", "01_graphs_and_sessions.ipynb"),
        ("01_graphs_and_sessions.ipynb", "01_graphs_and_sessions.ipynb"),
        ("notebooks/00_start_here.ipynb", "00_start_here.ipynb"),
    ],
)
def test_a_notebook_is_found_by_number_name_and_path(course, wanted, found):
    assert lab.find_notebook(course, wanted) == Path("notebooks", found)


def test_an_unknown_notebook_lists_those_there_are(course):
    with pytest.raises(FileNotFoundError, match=r"no notebook '7'[^$]*01_graphs_and_sessions"):
        lab.find_notebook(course, "7")


def test_a_file_outside_the_course_is_not_served(course, tmp_path):
    outside = tmp_path / "diary.ipynb"
    outside.write_text("{}")
    with pytest.raises(FileNotFoundError, match="diary"):
        lab.find_notebook(course, str(outside))


def test_without_notebooks_it_says_where_the_course_is(tmp_path):
    with pytest.raises(FileNotFoundError, match="comes with the repository"):
        lab.find_notebook(tmp_path, None)


def test_a_busy_port_is_refused_if_asked_for_and_avoided_if_not(monkeypatch):
    with socket.socket() as busy:
        busy.bind((lab.HOST, 0))
        busy.listen()
        port = busy.getsockname()[1]
        with pytest.raises(OSError, match=f"Port {port} is in use.*--port"):
            lab.free_port(port)
        monkeypatch.setattr(lab, "FIRST_PORT", port)
        assert lab.free_port() > port


def test_a_port_that_cannot_be_had_is_not_called_busy(monkeypatch):
    def refuse(self, address):
        raise PermissionError(13, "Permission denied")

    with pytest.raises(OSError, match=r"no port 99999\..*--port"):
        lab.free_port(99999)
    monkeypatch.setattr(socket.socket, "bind", refuse)
    with pytest.raises(OSError, match=r"Port 80 may only be used by root\..*--port"):
        lab.free_port(80)


def make_lab(root: Path, browser: bool = False) -> lab.Lab:
    notebook = Path("notebooks", "00_start_here.ipynb")
    return lab.Lab(root, notebook, port=8899, token="SECRET", browser=browser)


def test_the_secret_is_in_the_address_and_the_environment_but_not_in_the_command(course):
    started = make_lab(course)
    assert started.url() in started.greeting()
    assert started.url().endswith("/lab/tree/notebooks/00_start_here.ipynb?token=SECRET")
    assert started.environment()["JUPYTER_TOKEN"] == "SECRET"
    assert not [word for word in started.command() if "SECRET" in word]


def test_it_listens_on_loopback_and_asks_nobody_for_news(course):
    command = make_lab(course).command()
    assert "--ServerApp.ip=127.0.0.1" in command
    assert "--LabApp.news_url=None" in command
    assert f"--ServerApp.root_dir={course}" in command
    assert ("--allow-root" in command) == (os.geteuid() == 0)


def test_kernels_are_spoken_to_in_secret_where_that_is_possible(course, monkeypatch):
    zmq = pytest.importorskip("zmq")
    option = "--KernelManager.transport_encryption=auto"
    monkeypatch.setattr(zmq, "has", lambda what: False)
    assert option not in make_lab(course).command()
    monkeypatch.setattr(zmq, "has", lambda what: True)
    monkeypatch.setattr("jupyter_client.KernelManager.class_traits", lambda: {})
    assert option not in make_lab(course).command()
    monkeypatch.setattr(
        "jupyter_client.KernelManager.class_traits", lambda: {"transport_encryption": object()}
    )
    assert option in make_lab(course).command()


def test_a_browser_opens_only_where_there_is_a_screen(course, monkeypatch):
    assert "--no-browser" in make_lab(course, browser=False).command()
    assert "--no-browser" not in make_lab(course, browser=True).command()
    monkeypatch.setattr("sys.platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    assert lab.has_screen() is False
    monkeypatch.setenv("DISPLAY", ":0")
    assert lab.has_screen() is True


def test_the_course_settings_come_before_the_users(course, monkeypatch):
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", "theirs")
    first, second = make_lab(course).environment()["JUPYTER_CONFIG_PATH"].split(os.pathsep)
    settings = json.loads(Path(first, "labconfig", "page_config.json").read_text())
    # What is built in stays as it is; looking whether it is up to date starts node at each page.
    assert settings["buildCheck"] is False
    assert second == "theirs"


def test_a_teachers_lab_has_the_teachers_settings_also_in_a_terminal_of_a_learners(
    course, monkeypatch
):
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", "theirs")
    learners = make_lab(course).environment()["JUPYTER_CONFIG_PATH"]
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", learners)
    teachers = replace(make_lab(course), settings="jupyter_teacher")
    first, *others = teachers.environment()["JUPYTER_CONFIG_PATH"].split(os.pathsep)
    switched_off = json.loads(Path(first, "labconfig", "page_config.json").read_text())
    assert "@jupyter/nbgrader" not in switched_off["disabledExtensions"]
    assert others == ["theirs"]


def test_notebooks_are_trusted_and_a_broken_one_is_named(course, monkeypatch, tmp_path, capsys):
    nbformat = pytest.importorskip("nbformat")
    from nbformat.sign import NotebookNotary

    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    (course / "notebooks" / "02_broken.ipynb").write_text("{")
    assert lab.trust(course / "notebooks") == 2
    assert "02_broken.ipynb could not be marked as trusted" in capsys.readouterr().out
    first = nbformat.read(course / "notebooks" / "00_start_here.ipynb", as_version=4)
    notary = NotebookNotary()
    assert notary.check_signature(first)
    notary.store.close()


def test_what_jupyter_hides_by_itself_stays_hidden():
    manager = pytest.importorskip("jupyter_server.services.contents.manager").ContentsManager
    path = Path(lab.__file__).with_name("jupyter") / "jupyter_server_config.json"
    hidden = json.loads(path.read_text())["ContentsManager"]["hide_globs"]
    assert set(hidden) == {*manager.hide_globs.default(), "bugs", "hidden.py", "solution.py"}


@pytest.mark.slow
def test_answers_do_not_lie_open_in_the_file_browser(tmp_path):
    """What the server lists of an exercise's folder is what the file browser shows."""
    pytest.importorskip("jupyterlab")
    from tests.browser.lab import running_lab

    folder = tmp_path / "course" / "exercises" / "ch03" / "ex1"
    (folder / "bugs").mkdir(parents=True)
    (folder / "bugs" / "a_bug.py").touch()
    for name in ("checks.py", "hidden.py", "solution.py", "stub.py", "text.md"):
        (folder / name).touch()
    with running_lab(tmp_path / "course", tmp_path / "home") as server:
        listed = server.request("GET", "/api/contents/exercises/ch03/ex1")["content"]
    assert {entry["name"] for entry in listed} == {"checks.py", "stub.py", "text.md"}


def test_the_short_path_is_opened_beside_the_lesson(course, monkeypatch):
    started = []
    monkeypatch.setattr(lab, "course_root", lambda: course)
    monkeypatch.setattr(lab.os, "execve", lambda *arguments: started.append(arguments[1]))
    monkeypatch.setattr(lab, "trust", lambda folder: 0)
    lab.run("1", short=True, browser=False)
    (command,) = started
    page = "/lab/tree/notebooks/01_graphs_and_sessions.short.ipynb"
    assert f"--LabApp.default_url={page}" in command
    assert (course / "notebooks" / "00_start_here.short.ipynb").exists()
