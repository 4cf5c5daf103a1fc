"""A real TensorFlow's client on our server (which listens on the loopback interface only)."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.oracle.environment import ROOT, tensorflow_environment
from tinytf.distributed.server.server import Server

pytestmark = [pytest.mark.tensorflow, pytest.mark.timeout(120)]
PROGRAM = Path(__file__).with_name("tf_client_program.py")


@pytest.fixture(scope="module")
def seen(request):
    """What TensorFlow's client saw on our server."""
    from tinytf.cli import machine

    with Server.create_local_server() as server:
        process = subprocess.run(
            [str(machine.tensorflow_python()), str(PROGRAM), server.target],
            capture_output=True,
            text=True,
            timeout=110,
            env=tensorflow_environment(),
            cwd=ROOT,
        )
    assert process.returncode == 0, process.stderr[-4000:]
    return json.loads(process.stdout.splitlines()[-1])


def test_variables_and_feeds(seen):
    assert seen["total"] == [111, 222]
    assert seen["nested"] == {"a": [11, 23], "b": [0, 1]}


def test_nodes_added_later(seen):
    assert seen["updated"] == [[11, 21], [0, 1]]


@pytest.mark.parametrize(
    "dtype", ["float64", "int8", "uint16", "int64", "bool", "complex64", "float16"]
)
def test_types(seen, dtype):
    assert seen[dtype] is True


def test_strings_and_large_tensors(seen):
    assert seen["strings"] == ["", "über"]
    assert seen["big"] == 2 << 20


def test_programs(seen):
    assert seen["matmul"] == [[11]]
    assert seen["loop"] == 12
    assert seen["cond"] == [1, 2]
    assert seen["loss"] < 1e-6


def test_devices(seen):
    assert seen["devices"] == ["/job:localhost/replica:0/task:0/device:CPU:0"]


def test_errors_name_class_operation_and_cause(seen):
    kind, op, text = seen["uninitialized"]
    assert (kind, op) == ("FailedPreconditionError", "reference")
    assert "Attempting to use uninitialized value reference" in text
    kind, op, text = seen["not fed"]
    assert (kind, op) == ("InvalidArgumentError", "x")
    assert "You must feed a value for placeholder tensor 'x'" in text
    kind, op, text = seen["misplaced"]
    assert (kind, op) == ("InvalidArgumentError", "misplaced")
    assert "Cannot assign a device for operation misplaced" in text
    kind, op, text = seen["division"]
    assert (kind, op) == ("InvalidArgumentError", "divided")
    assert "Integer division by zero" in text
    assert seen["alive"] == 1


def test_traces_partial_runs_and_callables(seen):
    assert {"x", "reference"} & set(seen["traced"])
    assert seen["partial"] == [2, 20]
    assert seen["kept"] == [[1, 2], [2, 4]]
    assert seen["deleted"][0] == "InvalidArgumentError"
    assert "is not in the session store" in seen["deleted"][2]
    assert seen["callable"] == 6
    assert seen["raw callable"] == 7


def test_state_is_shared_until_a_reset(seen):
    assert seen["shared"] == [11, 21]
    assert seen["after reset"][0] == "FailedPreconditionError"
