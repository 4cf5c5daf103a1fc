"""Our client on a real TensorFlow's server, in a network of their own.

TensorFlow's servers listen on all interfaces and execute graphs for whoever connects.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.oracle.environment import ROOT, tensorflow_environment

pytestmark = [pytest.mark.tensorflow, pytest.mark.netns, pytest.mark.timeout(120)]
PROGRAM = Path(__file__).with_name("our_client_program.py")


@pytest.fixture(scope="module")
def seen():
    """What our client saw on TensorFlow's server."""
    from tinytf.cli import machine

    inside = 'ip link set lo up && exec "$@"'
    process = subprocess.run(
        [
            "unshare",
            "--net",
            "sh",
            "-c",
            inside,
            "sh",
            sys.executable,
            str(PROGRAM),
            str(machine.tensorflow_python()),
        ],
        capture_output=True,
        text=True,
        timeout=110,
        cwd=ROOT,
        env={**tensorflow_environment(), "PYTHONPATH": str(ROOT)},
    )
    assert process.returncode == 0, process.stderr[-4000:]
    return json.loads(process.stdout.splitlines()[-1])


def test_variables_and_feeds(seen):
    assert seen["total"] == [111, 222]
    assert seen["both"] == [[0, 0], [11, 22], [0, 0]]


def test_nodes_added_later(seen):
    assert seen["updated"] == [11, 21]
    assert seen["loop"] == 12


@pytest.mark.parametrize(
    "dtype", ["float64", "int8", "uint16", "int64", "bool", "complex64", "float16"]
)
def test_types(seen, dtype):
    assert seen[dtype] is True


def test_strings_and_large_tensors(seen):
    assert seen["strings"] == ["", "über"]
    assert seen["big"] == 2 << 20


def test_devices(seen):
    assert seen["devices"] == ["/job:localhost/replica:0/task:0/device:CPU:0"]


def test_errors_name_the_operation_and_the_line_that_built_it(seen):
    kind, op, text = seen["division"]
    assert (kind, op) == ("InvalidArgumentError", "divided")
    assert "Integer division by zero" in text
    assert "our_client_program.py" in text
    assert 'name="divided")' in text
    kind, op, text = seen["not fed"]
    assert (kind, op) == ("InvalidArgumentError", "x")
    assert "You must feed a value for placeholder tensor 'x'" in text
    kind, op, text = seen["misplaced"]
    assert (kind, op) == ("InvalidArgumentError", "misplaced")
    kind, _, text = seen["uninitialized"]
    assert kind == "FailedPreconditionError"
    assert "Attempting to use uninitialized value reference" in text


def test_partial_runs_and_traces(seen):
    assert seen["partial"] == [2, 20]
    assert seen["traced"]


def test_a_server_of_tensorflow_keeps_no_tensors_for_handles(seen):
    kind, op, text = seen["handle"]
    assert (kind, op) == ("FailedPreconditionError", "GetSessionHandle")
    assert "GetSessionHandle called on null session state" in text


def test_state_is_shared_until_a_reset(seen):
    assert seen["shared"] == [11, 21]
    assert seen["after reset"][0] == "FailedPreconditionError"
