"""Keras models, trained here and by a real TensorFlow from the same weights."""

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

import tinytf as tf
from tests.interop.keras_model import MODELS, one
from tests.oracle.environment import ROOT, tensorflow_environment

pytestmark = [pytest.mark.tensorflow, pytest.mark.timeout(240)]

PROGRAM = Path(__file__).with_name("keras_program.py")
#: In TensorFlow 2.15.1 these depend on the batches before them.
UNSTEADY = ("val_first_loss", "val_second_loss")


@pytest.fixture(scope="module")
def theirs():
    """What became of TensorFlow's models."""
    from tinytf.cli import machine

    done = subprocess.run(
        [str(machine.tensorflow_python()), str(PROGRAM)],
        capture_output=True,
        text=True,
        timeout=200,
        env={**tensorflow_environment(), "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("make", MODELS, ids=lambda make: make.__name__)
def test_training_is_tensorflows(make, theirs):
    mine, real = one(tf, make), theirs[make.__name__]
    for name in ("variables", "trained", "layers", "metrics", "count", "epochs"):
        assert mine[name] == real[name], name
    assert list(mine["history"]) == list(real["history"])
    for name in mine["history"]:
        if name not in UNSTEADY:
            np.testing.assert_allclose(mine["history"][name], real["history"][name], 1e-5, 1e-6)
    for name in ("predicted", "weights"):
        for ours, others in zip(mine[name], real[name], strict=True):
            np.testing.assert_allclose(ours, others, 1e-4, 1e-5)
    np.testing.assert_allclose(mine["evaluated"], real["evaluated"], 1e-5)
    np.testing.assert_allclose(mine["more"], real["more"], 1e-5)
