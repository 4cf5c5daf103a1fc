"""What operations cost: by type and shape, and as measured."""

import numpy as np
import pytest

import tinytf as tf
from tinytf.simulation.amounts import UNKNOWN, amount_of, size_of
from tinytf.simulation.costs import Costs, work_of
from tinytf.simulation.measured import Measured
from tinytf.simulation.rates import CPU, GPU, Rates, default_links, measure_cpu

CPU_0, GPU_0 = "/device:CPU:0", "/device:GPU:0"


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def zeros(*shape):
    return tf.placeholder(tf.float32, shape)


@pytest.mark.parametrize(
    ("build", "dense"),
    [
        (lambda: tf.matmul(zeros(10, 20), zeros(20, 30)), 2 * 10 * 20 * 30),
        (lambda: tf.matmul(zeros(20, 10), zeros(20, 30), transpose_a=True), 2 * 10 * 20 * 30),
        (lambda: tf.matmul(zeros(7, 10, 20), zeros(7, 20, 30)), 7 * 2 * 10 * 20 * 30),
        (
            lambda: tf.matmul(zeros(7, 20, 10), zeros(7, 20, 30), adjoint_a=True),
            7 * 2 * 10 * 20 * 30,
        ),
        (
            lambda: tf.nn.conv2d(zeros(2, 8, 8, 3), zeros(5, 5, 3, 16), [1, 1, 1, 1], "SAME"),
            2 * (2 * 8 * 8 * 16) * (5 * 5 * 3),
        ),
        (lambda: tf.nn.max_pool(zeros(1, 8, 8, 3), [1, 2, 2, 1], [1, 2, 2, 1], "SAME"), 192 * 4),
        (lambda: tf.matrix_inverse(zeros(10, 10)), 2000),
        (lambda: tf.matmul(zeros(None, 20), zeros(20, 30)), 2 * UNKNOWN * 20 * 30),
        (lambda: zeros(10) + zeros(10), 0),
    ],
)
def test_multiplications_and_additions(build, dense):
    assert amount_of(build().op).dense == dense


def test_the_gradients_of_a_convolution_cost_as_much_as_itself():
    image, kernel = zeros(2, 8, 8, 3), zeros(5, 5, 3, 16)
    result = tf.nn.conv2d(image, kernel, [1, 1, 1, 1], "SAME")
    for gradient in tf.gradients(result, [image, kernel]):
        assert amount_of(gradient.op).dense == amount_of(result.op).dense


def test_bytes_are_what_is_read_and_written():
    assert amount_of((zeros(100) + zeros(100)).op).size == 1200
    assert amount_of(tf.cast(zeros(100), tf.float64).op).size == 1200
    assert amount_of(tf.reshape(zeros(100), [10, 10]).op).size == 0
    assert amount_of(tf.tanh(zeros(100)).op).functions == 100


def test_what_is_assumed_is_said():
    assert amount_of(tf.tanh(zeros(None, 5)).op).assumed
    assert amount_of(tf.tanh(zeros(None, 5)).op).functions == 5 * UNKNOWN
    assert amount_of(tf.tanh(tf.placeholder(tf.float32)).op).functions == UNKNOWN
    assert not amount_of(tf.tanh(zeros(5)).op).assumed


def test_sizes():
    assert size_of(zeros(10, 10)) == 400
    assert size_of(zeros(None, 10)) == 40 * UNKNOWN
    assert size_of(tf.constant(["a", "b"])) == 64
    variable = tf.Variable(np.zeros(100), use_resource=True)
    assert size_of(variable.handle) == 800


def test_an_operation_takes_the_longest_of_its_parts():
    rates = Rates(dense=100, functions=10, memory=1000, start=1, source="test")
    assert rates.seconds(200, 0, 0) == 3
    assert rates.seconds(200, 40, 6000) == 7


def test_rates_go_by_device_then_type():
    op = tf.matmul(zeros(100, 100), zeros(100, 100)).op
    slow = Rates(1.0, 1.0, 1.0, 0.0, "test")
    costs = Costs({"/device:CPU:1": slow})
    assert costs.seconds(op, "/device:CPU:1") == 2e6
    assert costs.seconds(op, CPU_0) == CPU.seconds(2e6, 0, 120_000)
    assert costs.seconds(op, GPU_0) == GPU.seconds(2e6, 0, 120_000)
    assert "assumed" in costs.rates_of(GPU_0).source


def test_this_machine_can_be_measured():
    rates = measure_cpu(rounds=1)
    assert min(rates.dense, rates.functions, rates.memory, rates.start) > 0
    assert rates.start < 1


def test_measured_goes_before_static_and_scales_the_rest():
    x = zeros(1000)
    y, z = tf.tanh(x, name="y"), tf.tanh(x, name="z")
    static = Costs().seconds(y.op, CPU_0)
    costs = Costs(measured=Measured({"y": 3 * static}, {"y": "CPU"}, {("y", 0): 44.0}))
    assert costs.seconds(z.op, CPU_0) == static  # nothing is known yet of how they compare
    costs.calibrate([y.op, z.op])
    assert costs.seconds(y.op, CPU_0) == 3 * static
    assert costs.seconds(z.op, CPU_0) == pytest.approx(3 * static)
    assert costs.seconds(y.op, GPU_0) == pytest.approx(3 * Costs().seconds(y.op, GPU_0))
    assert (costs.size(y), costs.size(z)) == (44.0, 4000.0)


def test_what_a_measured_operation_needs_and_was_not_seen_was_optimised_away():
    folded = tf.exp(tf.fill([1000], 2.0), name="folded")
    y = tf.multiply(zeros(1000), folded, name="y")
    z = tf.tanh(y, name="z")  # added later
    costs = Costs(measured=Measured({"y": 1e-3}, {"y": "CPU"}))
    costs.calibrate(tf.get_default_graph().get_operations())
    assert costs.seconds(folded.op, CPU_0) == 0
    assert costs.seconds(z.op, CPU_0) > 0


def test_traces_are_averaged_over_steps_and_summed_over_executions():
    def step(*nodes):
        metadata = tf.RunMetadata()
        device = metadata.step_stats.dev_stats.add(device="/job:x/replica:0/task:0/device:GPU:1")
        for name, micros in nodes:
            device.node_stats.add(node_name=name, op_end_rel_micros=micros)
        return metadata

    first, second = step(("x", 10), ("x", 20), ("zero", 0)), step(("x", 50), ("once", 8))
    found = Measured.from_steps([first, second.step_stats])
    assert found.seconds["x"] == pytest.approx(40e-6)
    assert found.seconds["once"] == pytest.approx(8e-6)
    assert 0 < found.seconds["zero"] < 1e-6
    assert found.device_type["x"] == "GPU"


def test_a_real_trace():
    x = tf.tanh(tf.random_normal([300, 300]), name="x")
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    metadata = tf.RunMetadata()
    with tf.Session() as session:
        session.run(x, options=options, run_metadata=metadata)
    assert Measured.from_steps([metadata]).seconds["x"] > 0


def test_a_graph_as_work(graph):
    variable = tf.Variable(tf.zeros([100]), name="v")
    x = zeros(100)
    with tf.control_dependencies([variable.initializer]):
        y = tf.identity(x, name="y")
    tf.add(y, variable, name="z")
    ops = graph.get_operations()
    work = work_of(ops, Costs(), {op.name: [CPU_0] for op in ops})
    node = {node.name: node for node in work.nodes}
    kept = {work.nodes[tensor.producer].name for tensor in work.tensors if tensor.kept}
    assert "v" in kept
    assert "z" not in kept
    assert node["y"].shares_input
    assert not node["z"].shares_input
    sources = {work.nodes[work.tensors[t].producer].name for t in node["y"].inputs}
    assert sources == {"Placeholder", "v/Assign"}
    assert node["Placeholder"].seconds == {CPU_0: 0.0}


def test_loops_are_work_that_ends(graph):
    total = tf.while_loop(lambda i: i < 10, lambda i: i + 1, [tf.constant(0)])
    tf.identity(total)
    ops = graph.get_operations()
    work = work_of(ops, Costs(), {op.name: [CPU_0] for op in ops})
    assert len(work) == len(ops)


def test_links_by_where_the_devices_are():
    link = default_links()
    one, other = "/job:a/replica:0/task:0", "/job:a/replica:0/task:1"
    assert link(one + CPU_0, one + "/device:CPU:1").bandwidth == float("inf")
    assert link(one + CPU_0, one + GPU_0).name == "PCI Express"
    assert link(one + GPU_0, other + CPU_0) is link(one + CPU_0, other + GPU_0)
    assert link(one + CPU_0, other + CPU_0) is not link(other + CPU_0, one + CPU_0)
    assert link(one + CPU_0, one + GPU_0) is not link(one + GPU_0, one + CPU_0)
