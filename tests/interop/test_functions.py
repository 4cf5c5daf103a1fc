"""Graphs with functions cross to TensorFlow and back, and run on each other's servers."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.oracle.environment import ROOT, tensorflow_environment

pytestmark = [pytest.mark.tensorflow, pytest.mark.netns, pytest.mark.timeout(120)]
PROGRAM = Path(__file__).with_name("functions_program.py")
#: square(3) * 10; the variable after adding 3 to 1; 1 - 1; from 1 by 1 to 10; the slopes 60 + 3000
VALUES = [90.0, 4.0, 0.0, 10.0, 3060.0]


@pytest.fixture(scope="module")
def seen():
    """What both libraries saw, in a network of their own: TensorFlow's server listens widely."""
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
            str(machine.tensorflow_python()),
            str(PROGRAM),
        ],
        capture_output=True,
        text=True,
        timeout=110,
        cwd=ROOT,
        env={**tensorflow_environment(), "PYTHONPATH": str(ROOT)},
    )
    assert process.returncode == 0, process.stderr[-4000:]
    return json.loads(process.stdout.splitlines()[-1])


@pytest.mark.parametrize("whose", ["ours", "theirs"])
@pytest.mark.parametrize("where", ["at home", "abroad", "home again", "on the other's server"])
def test_values_are_the_same_everywhere(seen, whose, where):
    values, (kind, _, text) = seen[f"{whose} {where}"]
    assert values == VALUES
    assert kind == "InvalidArgumentError"
    assert "Integer division by zero" in text


@pytest.mark.parametrize("whose", ["ours", "theirs"])
def test_a_graph_comes_back_as_it_went(seen, whose):
    assert seen[f"{whose} and back"] == []


@pytest.mark.parametrize("whose", ["ours", "theirs"])
def test_functions_added_later(seen, whose):
    assert seen[f"{whose} later"] == 101.0


def test_our_errors_name_the_call_and_the_operation_inside(seen):
    """The definition calls the node "divided_0": its result has the name "divided"."""
    for where, node in [("ours at home", "divided"), ("theirs abroad", "divided_0")]:
        _, (_, op, text) = seen[where]
        assert op == "division"
        assert f"[[{{{{function_node Divide}}}}{{{{node {node}}}}}]]" in text
        assert "[[{{node division}}]]" in text


def test_errors_from_our_server_name_both(seen):
    _, (_, _, text) = seen["theirs on the other's server"]
    assert "{{node divided_0}}" in text
    assert "{{node division}}" in text


def test_errors_from_tensorflows_server_show_our_lines(seen):
    _, (_, op, text) = seen["ours on the other's server"]
    assert op == "division"
    assert 'tf.floordiv(1, a, name="divided")' in text
    assert 'divide(zero, name="division")' in text
