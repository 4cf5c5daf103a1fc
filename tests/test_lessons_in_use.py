"""A learner works in the notebooks themselves: the tests of lessons step aside, and say so."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LESSON = "notebooks/01_graphs_and_sessions.ipynb"
PLAIN = ["-p", "no:cacheprovider", "-p", "no:nbval"]
READS_A_LESSON = """
import pytest

@pytest.mark.as_committed
def test_of_a_lesson():
    pass
"""


@pytest.mark.skipif(os.name == "nt", reason="a git that is a shell script")
@pytest.mark.parametrize(
    ("changed", "arguments", "result"),
    [
        (LESSON, [], "1 skipped"),
        pytest.param(LESSON, ["--everything"], "1 passed", marks=pytest.mark.slow),
        pytest.param("", [], "1 passed", marks=pytest.mark.slow),
    ],
)
def test_lessons_that_were_worked_in_are_not_tested(tmp_path, changed, arguments, result):
    git = tmp_path / "git"
    git.write_text(f"#!/bin/sh\necho {changed}\n")
    git.chmod(0o755)
    (tmp_path / "test_inner.py").write_text(READS_A_LESSON)
    path = os.pathsep.join([str(tmp_path), os.environ["PATH"]])
    options = ["-q", f"--config-file={ROOT / 'pyproject.toml'}", "-p", "conftest", *arguments]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", *PLAIN, *options, str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "PATH": path, "CI": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result in run.stdout, run.stdout + run.stderr
    assert (f"you have worked in {changed}" in run.stdout) == ("skipped" in result)
