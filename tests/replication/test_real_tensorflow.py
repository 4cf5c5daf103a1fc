"""The programs under a real TensorFlow, as they are."""

import json
import os
import subprocess
import sys

import pytest

from tests.oracle.environment import ROOT
from tests.replication.running import NOISE, ONE_PROCESS


@pytest.mark.tensorflow
@pytest.mark.netns
@pytest.mark.timeout(500)
def test_the_programs_run_there_as_they_are():
    done = subprocess.run(
        [sys.executable, "-m", "tests.replication.tensorflow_program"],
        capture_output=True,
        text=True,
        timeout=480,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert all(one and one >= ONE_PROCESS - NOISE - 0.02 for one in found.values()), done.stdout
