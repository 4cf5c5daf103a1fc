"""What an answer in the sandbox cannot do: read the hidden checks, reach a file or the network,
leave a process behind."""

import os
import socket
import textwrap
from pathlib import Path

import pytest

from tests.waiting import comes_true
from tinytf.grading import exercise, sandbox
from tinytf.grading.check import NoSandboxError, check_source

ROOT = Path(__file__).resolve().parents[2]
confined = pytest.mark.sandbox


@pytest.fixture
def ch01():
    return exercise.find("ch01.ex1")


def said(ch01, text, **how):
    """What an answer that does this prints, in the sandbox."""
    source = textwrap.dedent(text) + "\ndef build_graph():\n    pass\n"
    return check_source(ch01, source, confined=True, **how).output


@confined
def test_an_answer_in_the_sandbox_has_its_marks(ch01):
    assert check_source(ch01, ch01.solution, hidden=True, confined=True).passed


@pytest.mark.slow
@confined
def test_no_file_of_the_course_or_the_home_is_there(ch01):
    printed = said(
        ch01,
        f"""
        import os, sys
        here = {str(ROOT)!r}
        for name in ("exercises", "tests", "notebooks", "README.md", ".git"):
            print(name, os.path.exists(os.path.join(here, name)))
        print("home", os.path.exists({str(Path.home() / ".bashrc")!r}))
        installed = {{"/proc", "/usr", sys.prefix, sys.base_prefix}}  # and very many files
        found = []
        for folder, folders, files in os.walk("/"):
            folders[:] = [n for n in folders if os.path.join(folder, n) not in installed]
            found += [name for name in files if name in ("hidden.py", "solution.py")]
        print("found", found)
        print("variables", sorted(set(os.environ) - {{"PATH", "HOME", "LANG", "PWD", "LC_CTYPE"}}))
    """,
    )
    assert printed.splitlines() == [
        "exercises False",
        "tests False",
        "notebooks False",
        "README.md False",
        ".git False",
        "home False",
        "found []",
        "variables ['TINYTF_GRADING']",
    ]


@pytest.mark.slow
@confined
def test_nothing_but_its_own_tmp_can_be_written(ch01):
    printed = said(
        ch01,
        f"""
        import tempfile
        with tempfile.NamedTemporaryFile("w") as file:
            print(file.write("text"))
        for path in ({str(ROOT / "tinytf" / "mine")!r}, "/usr/mine", {os.__file__!r}):
            try:
                open(path, "a")
            except OSError as error:
                print(type(error).__name__)
    """,
    )
    lines = printed.splitlines()
    assert lines[0] == "4"
    assert len(lines) == 4
    assert set(lines[1:]) <= {"OSError", "PermissionError"}


@confined
def test_nobody_can_be_reached(ch01):
    with socket.create_server(("127.0.0.1", 0)) as server:
        printed = said(
            ch01,
            f"""
            import socket
            try:
                socket.create_connection(("127.0.0.1", {server.getsockname()[1]}), timeout=5)
            except OSError as error:
                print(type(error).__name__)
        """,
        )
    assert printed == "ConnectionRefusedError"


@confined
def test_no_other_process_is_seen_and_none_is_left(ch01, tmp_path):
    """A child in a session of its own holds the pipe open that it was given: it ends, too."""
    printed = said(
        ch01,
        """
        import os, subprocess, sys
        program = "import time; time.sleep(600)  # left behind"
        subprocess.Popen([sys.executable, "-c", program], start_new_session=True)
        pid = os.fork()
        if pid == 0:
            os.setsid()
            if os.fork():
                os._exit(0)
            while True:
                os.read(os.pipe()[0], 1)
        own = [int(name) for name in os.listdir("/proc") if name.isdecimal()]
        print(max(own) < 30, os.getppid() < 5)
    """,
    )
    assert printed == "True True"
    # The kernel ends them with the first process of the sandbox: soon, not in the same moment.
    assert comes_true(lambda: not any(map(_is_left_behind, Path("/proc").glob("[0-9]*/cmdline"))))


def _is_left_behind(path):
    return b"# left behind" in _bytes(path)


def _bytes(path):
    try:
        return path.read_bytes()
    except OSError:
        return b""


#: Ways to the source of the checks that a curious answer may try.
CURIOUS = """
import gc, linecache, sys

def look():
    found = []
    for name, module in sorted(sys.modules.items()):
        if "checks" in name and "exercise" in name:
            found.append(name)
    for name in linecache.cache:
        if "checks" in name:
            found.append("lines of " + name)
    frame = sys._getframe()
    while frame is not None:
        if "checks" in frame.f_code.co_filename:
            import inspect
            try:
                found.append(inspect.getsource(frame))
            except OSError:
                pass
            try:
                found.append(open(frame.f_code.co_filename).read())
            except OSError:
                pass
        frame = frame.f_back
    print("found", found)
"""


@confined
def test_hidden_checks_are_neither_a_file_nor_a_source_text(ch01):
    source = CURIOUS + ch01.solution.replace("def build_graph():", "def build_graph():\n    look()")
    report = check_source(ch01, source, hidden=True, confined=True)
    assert set(report.output.splitlines()) == {"found []"}


@pytest.mark.slow
@confined
def test_what_an_answer_sees_while_hidden_checks_run_does_not_come_out(ch01):
    """Neither by printing nor as an error."""
    source = (
        CURIOUS
        + ch01.solution.replace(
            "def build_graph():",
            "def build_graph():\n    import sys\n    code = sys._getframe(1).f_code\n"
            "    print(code.co_consts)\n    calls.append(1)\n"
            "    if 'hidden' in code.co_filename: raise ValueError('x' * 5000)",
        )
        + "\ncalls = []\n"
    )
    report = check_source(ch01, source, hidden=True, confined=True)
    visible = [outcome for outcome in report.outcomes if not outcome.hidden]
    hidden = [outcome for outcome in report.outcomes if outcome.hidden]
    assert all(outcome.passed for outcome in visible)
    assert hidden
    assert all(len(outcome.reason) <= 300 for outcome in hidden)
    without = check_source(ch01, source, confined=True)
    assert report.output == without.output


def test_without_a_sandbox_nothing_is_confined_and_it_is_said(ch01, monkeypatch):
    monkeypatch.setattr(sandbox, "obstacle", lambda: "bubblewrap is not installed")
    with pytest.raises(NoSandboxError, match="bubblewrap is not installed"):
        check_source(ch01, ch01.solution, confined=True)


def test_a_missing_program_is_named_with_its_package(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    assert "apt-get install bubblewrap" in sandbox.obstacle.__wrapped__()


def test_a_program_that_does_not_work_is_told_with_what_it_said(monkeypatch, tmp_path):
    fake = tmp_path / "bwrap"
    fake.write_text("#!/bin/sh\necho 'No permissions to create a new namespace' >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert "No permissions to create a new namespace" in sandbox.obstacle.__wrapped__()
