"""The four programs: as one process with all the data, and with tasks that are killed."""

import sys

import numpy as np
import pytest

import tinytf as tf
from tests.distributed.waiting import until
from tests.replication.running import (
    FOLDER,
    NOISE,
    ONE_PROCESS,
    chief,
    numbers,
    saved,
    start,
    task_of,
)
from tests.waiting import LONG

pytestmark = [pytest.mark.slow, pytest.mark.timeout(4 * LONG)]

#: Steps of those that are compared with one process.
FEW = 12


@pytest.fixture
def digits(monkeypatch):
    """The network and the data of the course."""
    monkeypatch.syspath_prepend(FOLDER.parent)
    import digits

    yield digits
    del sys.modules["digits"]


def one_process(digits, batches):
    """The variables after a step with each of the batches, in one process; by name."""
    images, labels = digits.load()
    with tf.Graph().as_default(), tf.Session() as sess:
        pixels, label = tf.placeholder(tf.float32, [None, 64]), tf.placeholder(tf.int32, [None])
        loss, _ = digits.network(pixels, label)
        step = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
        sess.run(tf.global_variables_initializer())
        for rows in batches:
            sess.run(step, {pixels: images[rows], label: labels[rows]})
        variables = tf.trainable_variables()
        return {
            one.op.name: value for one, value in zip(variables, sess.run(variables), strict=True)
        }


def check_the_same(folder, expected):
    """The last checkpoint has these values, to rounding."""
    reader = tf.train.load_checkpoint(str(folder / "checkpoints"))
    assert reader.get_tensor("global_step") == FEW
    for name, value in expected.items():
        np.testing.assert_allclose(reader.get_tensor(name), value, rtol=1e-4, atol=1e-6)


def test_synchronous_training_between_graphs_is_that_of_one_process(digits, tmp_path):
    random = [np.random.RandomState(task) for task in range(2)]
    batches = [
        np.concatenate([each.randint(0, digits.TRAINING, 50) for each in random])
        for _ in range(FEW)
    ]
    with start("between_graph_sync", tmp_path, f"--steps={FEW}", worker=2) as run:
        assert run.wait(2 * LONG) == 0, run.events
        reached = {*numbers(run, "worker:0", "accuracy"), *numbers(run, "worker:1", "accuracy")}
    assert len(reached) == 1  # both see the same variables at the end
    check_the_same(tmp_path, one_process(digits, batches))


def test_synchronous_training_in_one_graph_is_that_of_one_process(digits, tmp_path):
    random = np.random.RandomState(0)
    batches = [random.randint(0, digits.TRAINING, 100) for _ in range(FEW)]
    with start("in_graph_sync", tmp_path, f"--steps={FEW}", worker=2) as run:
        assert run.wait(2 * LONG) == 0, run.events
    check_the_same(tmp_path, one_process(digits, batches))


@pytest.mark.parametrize(
    ("program", "victim", "steps"),
    [
        ("in_graph_sync", "worker", 400),
        ("in_graph_async", "ps", 1500),
        ("between_graph_async", "chief", 1500),
        ("between_graph_sync", "chief", 400),
        ("between_graph_sync", "ps", 400),
    ],
)
def test_training_goes_on_after_a_kill(program, victim, steps, tmp_path):
    with start(program, tmp_path, f"--steps={steps}", worker=2) as run:
        assert until(lambda: (saved(tmp_path) or 0) > 0, 2 * LONG), run
        before = saved(tmp_path)
        run.kill(task_of(run, victim))
        assert run.wait(2 * LONG) == 0, run.events
        assert numbers(run, chief(run), "accuracy")[-1] >= ONE_PROCESS - NOISE
        began = numbers(run, chief(run), "from step")
    assert any("was ended by SIGKILL; it is started again" in event for event in run.events)
    if victim == "chief":
        assert began[-1] >= before
    assert saved(tmp_path) >= steps
