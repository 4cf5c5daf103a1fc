"""What a supervisor of one library has saved, one of the other goes on with."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import tinytf as tf
from tests.oracle.environment import ROOT, tensorflow_environment

PROGRAM = Path(__file__).with_name("supervisors_program.py")


def run(python, name, folder):
    done = subprocess.run(
        [str(python), str(PROGRAM), name, str(folder)],
        capture_output=True,
        text=True,
        timeout=100,
        cwd=ROOT,
        env={**tensorflow_environment(), "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.tensorflow
def test_they_take_turns(tensorflow_python, tmp_path):
    ours = sys.executable, "tinytf", tmp_path
    theirs = tensorflow_python, "tensorflow", tmp_path
    assert run(*ours) == [0, [1.0, 2.0], "begin"]
    assert run(*theirs) == [3, [4.0, 5.0], "tinytf"]
    assert run(*ours) == [6, [7.0, 8.0], "tensorflow"]
    assert run(*theirs) == [9, [10.0, 11.0], "tinytf"]
    steps = set()
    for path in tmp_path.glob("events*"):
        for event in tf.train.summary_iterator(path):
            if event.HasField("summary"):
                steps.add(event.step)
    assert steps == {3, 6, 9, 12}
