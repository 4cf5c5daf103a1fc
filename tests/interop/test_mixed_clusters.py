"""Clusters of tasks of both libraries, in a network of their own, and clients of both on each.

With TensorFlow's master our parameter server runs its parts; with ours, a real TensorFlow's
parameter server and worker run ours. See mixed_client_program.py for what the clients do.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.oracle.environment import ROOT, tensorflow_environment

pytestmark = [pytest.mark.tensorflow, pytest.mark.netns, pytest.mark.timeout(240)]
PROGRAM = Path(__file__).with_name("mixed_clusters_program.py")
LIBRARIES = ("tensorflow", "tinytf")


@pytest.fixture(scope="module")
def all_seen():
    """What the clients saw: whose master -> whose client -> part of the program -> what.

    In a space of processes of its own, too: all end with the program, however that ends.
    """
    from tinytf.cli import machine

    inside = 'ip link set lo up && exec "$@"'
    process = subprocess.run(
        [
            "unshare",
            "--net",
            "--pid",
            "--fork",
            "--kill-child",
            "--mount-proc",
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
        timeout=220,
        cwd=ROOT,
        env={**tensorflow_environment(), "PYTHONPATH": str(ROOT)},
    )
    assert process.returncode == 0, process.stderr[-4000:]
    return json.loads(process.stdout.splitlines()[-1])


@pytest.fixture(params=[(m, c) for m in LIBRARIES for c in LIBRARIES], ids="-".join)
def seen(all_seen, request):
    """What one client saw on one master."""
    master, client = request.param
    return all_seen[master][client]


def test_the_tasks_find_each_other(seen):
    assert seen["tasks"][:2] == ["/job:ps/task:0", "/job:worker/task:0"]


@pytest.mark.parametrize("variables", ["references", "resources"])
def test_training_reaches_the_same_loss(seen, all_seen, variables):
    loss = seen[f"loss with {variables}"]
    assert loss == pytest.approx(all_seen["tensorflow"]["tensorflow"]["loss with references"], 1e-5)
    assert loss < 0.02


def test_tensors_and_control_edges_between_tasks(seen):
    assert seen["moved"] == [[1, 2, 3], [4, 6, 8], 12, [1, 1]]
    assert seen["control edges"] == [4, 10]


def test_conditionals_across_tasks(seen):
    assert seen["cond"] == [[8, 9], [2, 3]]


def test_loops_across_tasks(seen, all_seen):
    assert seen["loop"] == [5, 58]
    assert seen["nested loops"] == [4, 24]
    reference = all_seen["tensorflow"]["tensorflow"]["gradient of a loop"]
    for values, expected in zip(seen["gradient of a loop"], reference, strict=True):
        assert values == pytest.approx(expected, rel=1e-5)


def test_an_error_on_the_parameter_server(seen):
    kind, op, text = seen["division"]
    assert (kind, op) == ("InvalidArgumentError", "divided")
    assert "From /job:ps/replica:0/task:0:\nInteger division by zero" in text
    assert seen["moved again"] == seen["moved"]


def test_a_closed_queue_on_the_parameter_server(seen):
    assert seen["closed first"] == [8, 0]
    kind, op, text = seen["closed queue"]
    assert (kind, op) == ("OutOfRangeError", "taken")
    assert "is closed and has insufficient elements (requested 1, current size 0)" in text


def test_a_deadline(seen):
    assert seen["deadline"][0] == "DeadlineExceededError"


def test_a_parameter_server_that_is_killed(seen):
    kind, _, text = seen["killed"]
    assert kind == "UnavailableError"
    assert "/job:ps/replica:0/task:0" in text
