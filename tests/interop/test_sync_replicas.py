"""A worker of ours and one of a real TensorFlow train one model, in step and out of step."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tinytf as tf
from tests.oracle.environment import ROOT, tensorflow_environment

pytestmark = [pytest.mark.tensorflow, pytest.mark.netns, pytest.mark.timeout(240)]
PROGRAM = Path(__file__).with_name("sync_replicas_program.py")
ROWS = np.random.RandomState(3).normal(size=(8, 3)).astype(np.float32)
LABELS = ROWS @ np.array([1.0, -2.0, 0.5], np.float32)


@pytest.fixture(scope="module")
def seen():
    from tinytf.cli import machine

    inside = ["sh", "-c", 'ip link set lo up && exec "$@"', "sh", sys.executable, str(PROGRAM)]
    space = ["unshare", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]
    process = subprocess.run(
        [*space, *inside, str(machine.tensorflow_python())],
        capture_output=True,
        text=True,
        timeout=220,
        cwd=ROOT,
        env={**tensorflow_environment(), "PYTHONPATH": str(ROOT)},
    )
    assert process.returncode == 0, process.stderr[-4000:]
    return json.loads(process.stdout.splitlines()[-1])


def alone(optimizer, losses):
    """The values after each step of one process; each step has the loss that is its turn."""
    with tf.Graph().as_default(), tf.Session() as sess:
        w = tf.get_variable("w", initializer=np.zeros(3, np.float32))
        table = tf.get_variable("table", initializer=np.ones([4, 1], np.float32))
        trains = [
            optimizer.minimize(
                tf.reduce_mean(tf.square(tf.reduce_sum(ROWS[part] * w, 1) - LABELS[part]))
                + tf.reduce_sum(tf.nn.embedding_lookup(table, [0, 2]))
            )
            for part in losses
        ]
        sess.run(tf.global_variables_initializer())
        found = []
        for step in range(5):
            sess.run(trains[step % len(trains)])
            found.append(sess.run({"w": w, "table": table}))
        return found


def same(seen, expected):
    assert [each["step"] for each in seen["values"]] == [1, 2, 3, 4, 5]
    for found, wanted in zip(seen["values"], expected, strict=True):
        for name, value in wanted.items():
            np.testing.assert_allclose(found[name], value, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("chief", ["our chief", "their chief", "our chief, resources"])
def test_synchronous_steps_are_those_of_one_process(seen, chief):
    same(seen[chief], alone(tf.train.AdamOptimizer(0.1), [slice(None)]))
    for givers in seen[chief]["givers"]:
        assert len(givers) in (0, 2)  # none to the step that has not begun


def test_asynchronous_steps_follow_one_another(seen):
    parts = [slice(0, None, 2), slice(1, None, 2)]
    same(seen["asynchronous"], alone(tf.train.GradientDescentOptimizer(0.1), parts))
    assert seen["asynchronous"]["givers"] == []
