"""A hang is one test's failure, with the stacks of all threads; the rest of the run goes on."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

WAITS_FOREVER = """
import threading, pytest

@pytest.mark.timeout(1)
def test_waits_in_python():
    threading.Event().wait()

def test_after_it():
    assert True
"""

# PyDLL keeps the interpreter lock, and a mutex locked twice ignores signals: no Python can run.
STUCK_IN_C = """
import ctypes, pytest

def test_before_it():
    assert True

@pytest.mark.timeout(1)
def test_stuck_in_c():
    library, mutex = ctypes.PyDLL(None), ctypes.create_string_buffer(64)
    library.pthread_mutex_lock(mutex)
    library.pthread_mutex_lock(mutex)

def test_after_it():
    assert True
"""


def run_inner(folder: Path, text: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a test file of its own under this project's configuration and conftest."""
    (folder / "test_inner.py").write_text(text)
    config = f"--config-file={ROOT / 'pyproject.toml'}"
    plugin = ["-p", "conftest", "-p", "no:nbval"]
    command = [sys.executable, "-m", "pytest", "-q", config, *plugin, *arguments, str(folder)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_a_wait_in_python_fails_alone(tmp_path):
    result = run_inner(tmp_path, WAITS_FOREVER, "-p", "no:xdist", "-p", "no:cacheprovider")
    assert "1 failed, 1 passed" in result.stdout
    assert "Timeout (>1.0s)" in result.stdout
    assert "threading.Event().wait()" in result.stdout


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="relies on glibc's mutexes")
def test_a_wait_outside_python_ends_its_process_once_and_the_run_goes_on(tmp_path, monkeypatch):
    monkeypatch.setenv("TINYTF_TEST_GRACE_SECONDS", "2")
    parallel = ("-n", "2", "--dist", "loadfile", "-p", "no:cacheprovider")
    result = run_inner(tmp_path, STUCK_IN_C, *parallel)
    assert "1 failed, 2 passed" in result.stdout
    assert "crashed while running" in result.stdout
    assert "in test_stuck_in_c" in result.stderr  # the stack, from the dying process
