"""Sharded variables, containers, isolation, filters and resets: as on TensorFlow's own cluster.

One program, three times: TensorFlow's client on TensorFlow's servers; tinytf's on tinytf's;
tinytf's on TensorFlow's. TensorFlow's servers listen on all interfaces: it runs in a network of its
own.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.oracle.environment import ROOT, tensorflow_environment
from tinytf.cli import machine

pytestmark = [pytest.mark.tensorflow, pytest.mark.netns, pytest.mark.timeout(150)]
PROGRAM = Path(__file__).with_name("sharding_program.py")


def answers(python, *arguments):
    """What the program's client sees."""
    inside = 'ip link set lo up && exec "$@"'
    process = subprocess.run(
        ["unshare", "--net", "sh", "-c", inside, "sh", str(python), str(PROGRAM), *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=ROOT,
        env={**tensorflow_environment(), "PYTHONPATH": str(ROOT)},
    )
    assert process.returncode == 0, process.stderr[-4000:]
    return json.loads(process.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def expected():
    """What TensorFlow's client sees on TensorFlow's servers."""
    return answers(machine.tensorflow_python())


def test_on_our_servers(expected):
    assert answers(sys.executable, "tinytf") == expected


def test_our_client_on_their_servers(expected):
    assert answers(sys.executable, "tinytf", str(machine.tensorflow_python())) == expected


def test_the_program_sees_what_it_is_about(expected):
    assert expected["losses"][0] == 8
    assert expected["losses"][-1] < 0.3
    assert expected["sessions of the master"] == "AbortedError"
    assert expected["'a' after"] == expected["default 0 after"] == "FailedPreconditionError"
    assert expected["'' after"] == [6, 6]
    assert (expected["isolated"], expected["shared"]) == ([3, 3], [2, 2])
    assert expected["tasks, ['/job:else']"] == ["/job:worker/replica:0/task:0"]
