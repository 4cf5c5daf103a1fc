"""The books' own programs: five servers in one notebook, on their ports, as in a real TensorFlow.

Their ports may be taken on this machine, and TensorFlow's servers listen on all interfaces: each
runs in a network of its own.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.oracle.environment import ROOT, tensorflow_environment
from tinytf.cli import machine

pytestmark = [pytest.mark.netns, pytest.mark.timeout(120)]
PROGRAM = Path(__file__).with_name("book_clusters_program.py")


def printed(python, *arguments):
    """What the cells print."""
    inside = 'ip link set lo up && exec "$@"'
    process = subprocess.run(
        ["unshare", "--net", "sh", "-c", inside, "sh", str(python), str(PROGRAM), *arguments],
        capture_output=True,
        text=True,
        timeout=100,
        cwd=ROOT,
        env={**tensorflow_environment(), "PYTHONPATH": str(ROOT)},
    )
    assert process.returncode == 0, process.stderr[-4000:]
    return json.loads(process.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def ours():
    return printed(sys.executable, "tinytf")


def test_what_the_books_say(ours):
    assert ours["opening"] == "3.0\n"
    assert ours["pinning"] == "4.0 5.0\n"
    assert ours["sharding"].endswith("3.0 6.0 9.0\n")
    assert (ours["client one"], ours["client two"]) == ("1.0\n", "2.0\n")
    assert ours["trainer"] == "[1. 2.]\n[[3. 4.]\n [5. 6.]]\n"
    assert ours["containers"] == "10.0 20.0\n10.0\ny is gone\n"


@pytest.mark.tensorflow
def test_as_in_tensorflow(ours):
    assert ours == printed(machine.tensorflow_python())
