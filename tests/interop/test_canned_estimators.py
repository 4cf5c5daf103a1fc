"""Estimators that are trained here and by a real TensorFlow in turn: by checkpoints, both ways."""

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

import tinytf as tf
from tests.interop.canned_estimators_model import NAMES, results, train
from tests.oracle.environment import ROOT, tensorflow_environment

pytestmark = [pytest.mark.tensorflow, pytest.mark.timeout(180)]

PROGRAM = Path(__file__).with_name("canned_estimators_program.py")


def agree(ours, theirs):
    for name in NAMES:
        assert ours[name].keys() == theirs[name].keys()
        for key, value in ours[name].items():
            if key == "variables":
                assert value == theirs[name][key]
            else:
                np.testing.assert_allclose(value, theirs[name][key], 2e-5, 1e-6, err_msg=key)


def test_each_goes_on_where_the_other_stopped(tmp_path):
    from tinytf.cli import machine

    ours = str(tmp_path / "ours")
    train(tf, ours, 2)
    first = results(tf, ours)
    assert first["deep"]["global_step"] == 2
    done = subprocess.run(
        [str(machine.tensorflow_python()), str(PROGRAM), str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=150,
        env={**tensorflow_environment(), "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr[-4000:]
    first_there, second_there = json.loads(done.stdout.splitlines()[-1])
    agree(first, first_there)
    agree(results(tf, str(tmp_path / "theirs")), second_there)  # TensorFlow's checkpoint, read here
    train(tf, ours, 2)
    agree(results(tf, ours), second_there)  # two more steps are the same in both
