"""Sessions with `ConfigProto.cluster_def`: what ours see, and what TensorFlow's saw.

`own_clusters.json` is what own_clusters_program.py printed under TensorFlow 2.15.1; where there is
one, it is asked again.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.oracle.environment import ROOT, tensorflow_environment
from tests.ports import free_ports

PROGRAM = Path(__file__).with_name("own_clusters_program.py")
RECORDED = json.loads(PROGRAM.with_name("own_clusters.json").read_text())


def seen_by(command, environment):
    command += map(str, free_ports(2))
    process = subprocess.run(
        command, capture_output=True, text=True, timeout=160, cwd=ROOT, env=environment
    )
    assert process.returncode == 0, process.stderr[-4000:]
    return json.loads(process.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def ours():
    environment = {**tensorflow_environment(), "PYTHONPATH": str(ROOT)}
    return seen_by([sys.executable, str(PROGRAM), "tinytf"], environment)


@pytest.mark.parametrize("name", RECORDED)
def test_ours_sees_what_tensorflow_saw(ours, name):
    assert ours[name] == RECORDED[name]


@pytest.mark.tensorflow
@pytest.mark.netns
@pytest.mark.timeout(180)
def test_tensorflow_sees_what_it_saw():
    from tinytf.cli import machine

    inside = 'ip link set lo up && exec "$@"'
    alone = "unshare --net --pid --fork --kill-child --mount-proc sh -c".split()
    program = ["sh", str(machine.tensorflow_python()), str(PROGRAM), "tensorflow"]
    found = seen_by([*alone, inside, *program], tensorflow_environment())
    assert found == RECORDED
