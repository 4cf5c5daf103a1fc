"""Pipelines cross to TensorFlow and back: their functions travel with the graph."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.oracle.environment import ROOT, tensorflow_environment

pytestmark = [pytest.mark.tensorflow, pytest.mark.timeout(120)]
PROGRAM = Path(__file__).with_name("datasets_program.py")


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """The elements that both libraries got of both libraries' graphs."""
    from tinytf.cli import machine

    path = tmp_path_factory.mktemp("files") / "numbers.txt"
    path.write_text("number\n" + "\n".join(map(str, range(10))) + "\n")
    process = subprocess.run(
        [str(machine.tensorflow_python()), str(PROGRAM), str(path)],
        capture_output=True,
        text=True,
        timeout=110,
        cwd=ROOT,
        env={**tensorflow_environment(), "PYTHONPATH": str(ROOT)},
    )
    assert process.returncode == 0, process.stderr[-4000:]
    return json.loads(process.stdout.splitlines()[-1])


@pytest.mark.parametrize("kind", ["one-shot", "initializable"])
@pytest.mark.parametrize("builder", ["tinytf", "tensorflow"])
def test_either_library_runs_what_either_has_built(seen, builder, kind):
    ours, theirs = seen[f"{builder} tinytf {kind}"], seen[f"{builder} tensorflow {kind}"]
    assert ours == theirs
    assert sorted(value for _, values, _ in ours for value in values) == sorted([*range(8)] * 4)


@pytest.mark.parametrize("kind", ["one-shot", "initializable"])
def test_both_libraries_build_the_same(seen, kind):
    assert seen[f"tinytf tinytf {kind}"] == seen[f"tensorflow tensorflow {kind}"]
