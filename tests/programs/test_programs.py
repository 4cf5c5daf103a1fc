"""Each program of this folder prints what TensorFlow prints for it."""

import json
import subprocess
import sys
import warnings

import pytest

from tests.oracle import environment
from tests.programs.running import FOLDER, kinds, printed, programs, recording_of
from tinytf import compatibility


@pytest.fixture(autouse=True)
def quiet():
    """Programs of TensorFlow 1 warn: of what they use, and of files that they leave open."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize("program", [pytest.param(p, id=f"{p.parent.name}/{p.stem}") for p in programs()])
def test_prints_what_tensorflow_prints(program):
    expected = recording_of(program.parent.name).get(program.stem)
    assert expected is not None, f"record it: scripts/oracle/record_programs.py {program.parent.name}"
    with compatibility.as_tensorflow():
        assert printed(program) == expected
