"""Placers side by side. What they take depends on the machine: benchmarks/placement.py."""

import numpy as np
import pytest

import tinytf as tf
from tinytf.devices.device import DeviceAttributes
from tinytf.framework import errors
from tinytf.placement import simple
from tinytf.testing.placer_comparison import Comparison, Row, compare_placers, round_robin

TWO = tf.ConfigProto(device_count={"CPU": 2})
TASK = "/job:localhost/replica:0/task:0"


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def test_a_training_step_under_three_placers():
    x = tf.placeholder(tf.float32, [50, 20])
    weights = tf.Variable(tf.ones([20, 10]), name="weights")
    loss = tf.reduce_mean(tf.square(tf.matmul(x, weights)))
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    found = compare_placers(
        [loss, train],
        {x: np.ones([50, 20])},
        config=TWO,
        steps=3,
        prepare=tf.global_variables_initializer(),
    )
    assert list(found.rows) == ["simple", "round-robin", "cost model"]
    for name, row in found.rows.items():
        assert row.placement.placer == name
        assert min(row.predicted, row.measured, row.quickest) > 0
        assert row.quickest <= row.measured
        assert row.error == row.predicted / row.measured - 1
    assert found["simple"].moved == 0
    assert set(found["simple"].operations) == {"CPU:0"}
    assert set(found["round-robin"].operations) == {"CPU:0", "CPU:1"}
    assert found["cost model"].predicted <= found["simple"].predicted
    # Its own variables were not trained: every placer has a copy of the graph.
    with tf.Session() as session, pytest.raises(errors.FailedPreconditionError):
        session.run(weights)


def test_static_costs_and_one_fetch():
    found = compare_placers(tf.tanh(tf.zeros([10])), config=TWO, steps=1, measured=False)
    assert "static" in found.caption
    assert len(found.rows) == 3


def test_further_placements():
    y = tf.tanh(tf.zeros([10]))
    ops = tf.get_default_graph().get_operations()
    devices = [DeviceAttributes(f"{TASK}/device:CPU:{i}", "CPU", 0, 0) for i in range(2)]
    mine = round_robin(simple.place(ops, devices, task=TASK))
    found = compare_placers(y, config=TWO, steps=1, measured=False, others={"mine": mine})
    assert found["mine"].placement is mine


def test_round_robin_takes_turns_within_what_is_possible():
    x = tf.placeholder(tf.float32, [10])
    a, _, c = (tf.tanh(x, name=name) for name in "abc")
    with tf.device("/cpu:1"):
        tf.tanh(x, name="pinned")
    with tf.colocate_with(a):
        tf.negative(c, name="with_a")
    ops = tf.get_default_graph().get_operations()
    devices = [DeviceAttributes(f"{TASK}/device:CPU:{i}", "CPU", 0, 0) for i in range(3)]
    found = round_robin(simple.place(ops, devices, task=TASK))
    where = {name: found.device_of(name)[-1] for name in found.decisions}
    assert [where[name] for name in (x.op.name, "a", "b", "c")] == ["0", "1", "2", "0"]
    assert where["pinned"] == "1"
    assert where["with_a"] == where["a"]


def test_the_table():
    rows = {
        "simple": Row("simple", None, 0.004, 0.005, 0.0049, 0, {"CPU:0": 3}),
        "<b>": Row("<b>", None, 0.0003, 0.0002, 0.0001, 2_500_000, {"CPU:0": 1, "GPU:0": 2}),
    }
    text = repr(Comparison(rows, "measured", simulated=True))
    lines = text.splitlines()
    assert lines[0].split() == ["placer", "predicted", "measured", "error", "moved", "operations"]
    assert lines[1].split(maxsplit=8)[:7] == ["simple", "4.0", "ms", "5.0", "ms", "-20%", "0.00"]
    assert "1 on CPU:0, 2 on GPU:0" in lines[2]
    assert "simulated" in lines[3]
    html = Comparison(rows, "measured", simulated=False)._repr_html_()
    assert "&lt;b&gt;" in html
    assert "<b>" not in html
    assert "simulated" not in html


def test_nothing_to_fetch():
    with pytest.raises(errors.InvalidArgumentError, match="needs something to fetch"):
        compare_placers([])
    with pytest.raises(TypeError, match="runs tensors and operations, got 'loss' of type str"):
        compare_placers("loss")


def test_what_is_simulated_is_said(simulated_gpu):
    large = tf.placeholder(tf.float32, [300, 300])
    found = compare_placers(
        tf.matmul(large, large), {large: np.ones([300, 300])}, steps=1, measured=False
    )
    assert found.simulated
    assert "simulated" in repr(found)
    assert set(found["simple"].operations) == {"GPU:0"}


def test_a_simulated_gpu_is_as_fast_as_the_cpu_that_was_measured(simulated_gpu):
    """Its costs are not scaled by how much faster a real card would be."""
    values = tf.placeholder(tf.float32, [100_000])
    total = tf.reduce_sum(tf.tanh(tf.exp(values)))
    found = compare_placers(total, {values: np.ones(100_000)}, steps=2)
    assert found["round-robin"].predicted < 20 * found["simple"].predicted
