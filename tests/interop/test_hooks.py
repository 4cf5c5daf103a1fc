"""One training, in one folder, by a real TensorFlow and by tinytf in turn."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import tinytf as tf
from tests.oracle.environment import ROOT, tensorflow_environment

pytestmark = [pytest.mark.tensorflow, pytest.mark.timeout(240)]
PROGRAM = Path(__file__).with_name("hooks_program.py")


def train(folder, last_step, library):
    from tinytf.cli import machine

    python = sys.executable if library == "tinytf" else str(machine.tensorflow_python())
    process = subprocess.run(
        [python, str(PROGRAM), str(folder), str(last_step), library][: 4 + (library == "tinytf")],
        capture_output=True,
        text=True,
        timeout=100,
        cwd=ROOT,
        env={**tensorflow_environment(), "PYTHONPATH": str(ROOT)},
    )
    assert process.returncode == 0, process.stderr[-4000:]
    return json.loads(process.stdout.splitlines()[-1])


@pytest.mark.parametrize("first", ["tinytf", "tensorflow"])
def test_each_goes_on_where_the_other_has_ended(tmp_path, first):
    second = "tensorflow" if first == "tinytf" else "tinytf"
    assert train(tmp_path, 3, first) == [1.5, [1, 2, 3]]
    assert train(tmp_path, 5, second) == [2.5, [4, 5]]
    assert train(tmp_path, 6, first) == [3.0, [6]]
    steps = [
        event.step
        for path in sorted(tmp_path.glob("events*"))
        for event in tf.train.summary_iterator(str(path))
        if event.summary.value
    ]
    assert sorted(steps) == [1, 2, 3, 4, 5, 6]
