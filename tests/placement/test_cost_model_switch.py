"""The switch: what it writes into a configuration, and what a session reads from it."""

import numpy as np
import pytest

import tinytf as tf
from tests.placement.test_cost_model import TASK, cpus
from tinytf.framework import errors
from tinytf.placement.cost_model_switch import NAME, CostModelPlacer, use_cost_model
from tinytf.simulation.rates import Rates


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def trace(**micros):
    metadata = tf.RunMetadata()
    device = metadata.step_stats.dev_stats.add(device=f"{TASK}/device:CPU:0")
    for name, value in micros.items():
        node = device.node_stats.add(node_name=name, op_end_rel_micros=value)
        output = node.output.add(slot=1).tensor_description.allocation_description
        output.requested_bytes = 10 * value
    return metadata


def on_the_wire(config):
    return tf.ConfigProto.FromString(config.SerializeToString())


def test_without_the_switch_there_is_none():
    assert CostModelPlacer.of(tf.ConfigProto()) is None
    config = tf.ConfigProto()
    config.graph_options.rewrite_options.custom_optimizers.add(name="Another")
    assert CostModelPlacer.of(config) is None


def test_the_given_configuration_is_kept_and_not_changed():
    given = tf.ConfigProto(device_count={"CPU": 2}, allow_soft_placement=True)
    given.graph_options.rewrite_options.custom_optimizers.add(name="Another")
    before = given.SerializeToString()
    config = use_cost_model(use_cost_model(given, measured=3))
    assert given.SerializeToString() == before
    assert config.device_count["CPU"] == 2
    names = [o.name for o in config.graph_options.rewrite_options.custom_optimizers]
    assert names == ["Another", NAME]
    assert config.graph_options.build_cost_model == 0


def test_measurements_travel():
    config = use_cost_model(measured=[trace(x=100, y=7), trace(x=300)])
    measured = CostModelPlacer.of(on_the_wire(config)).costs.measured
    assert measured.seconds == pytest.approx({"x": 200e-6, "y": 7e-6})
    assert measured.device_type == {"x": "CPU", "y": "CPU"}
    assert measured.sizes == {("x", 1): 3000.0, ("y", 1): 70.0}


@pytest.mark.parametrize("rates", [Rates(1e12, 1e9, 1e11, 1e-5, "mine"), {"CPU": 3}])
def test_rates_go_by_the_type_of_device(rates):
    with pytest.raises(TypeError, match="rates= goes by the type of device"):
        use_cost_model(rates=rates)


def test_rates_travel():
    config = use_cost_model(rates={"GPU": Rates(1e12, 1e9, 1e11, 1e-5, "mine")})
    rates = CostModelPlacer.of(on_the_wire(config)).costs.rates_of("/device:GPU:1")
    assert rates.dense == pytest.approx(1e12)
    assert rates.start == pytest.approx(1e-5)


def test_a_number_of_steps_is_measured_first():
    config = use_cost_model(measured=2)
    assert config.graph_options.build_cost_model == 2  # TensorFlow's own field
    assert config.graph_options.build_cost_model_after == 1
    placer = CostModelPlacer.of(config)
    assert placer.is_measuring
    assert not placer.learn(trace(x=7000))  # the first step is not like others
    assert placer.is_measuring
    assert not placer.learn(trace(x=10))
    assert placer.is_measuring
    assert placer.learn(trace(x=30))
    assert not placer.is_measuring
    assert placer.costs.measured.seconds == pytest.approx({"x": 20e-6})
    assert not placer.learn(trace(x=1000))
    assert placer.costs.measured.seconds == pytest.approx({"x": 20e-6})


def test_what_was_measured_decides():
    x = tf.placeholder(tf.float32, [10])
    for name in ("a", "b", "never"):
        tf.tanh(x, name=name)
    ops, devices = tf.get_default_graph().get_operations(), cpus(2)
    static = CostModelPlacer.of(use_cost_model()).place(ops, devices, task=TASK)
    assert static.device_of("a") == static.device_of("b")  # too little to be worth the way
    placer = CostModelPlacer.of(use_cost_model(measured=trace(a=5000, b=5000)))
    assert [op.name for op in placer.step_of(ops)] == ["Placeholder", "a", "b"]
    found = placer.place(ops, devices, task=TASK)
    assert found.device_of("a") != found.device_of("b")
    assert found.decisions["never"].rule == "not in the step: beside its neighbours"


def test_measurements_of_another_graph_do_not_matter():
    tf.tanh(tf.zeros([10]), name="x")
    ops = tf.get_default_graph().get_operations()
    placer = CostModelPlacer.of(use_cost_model(measured=trace(somewhere_else=5)))
    assert placer.step_of(ops) is None
    assert placer.place(ops, cpus(2), task=TASK).placer == "cost model"


def test_misuse():
    with pytest.raises(ValueError, match="no trace in the RunMetadata"):
        use_cost_model(measured=tf.RunMetadata())
    with pytest.raises(ValueError, match="no trace in the RunMetadata"):
        use_cost_model(measured=[])
    with pytest.raises(ValueError, match="cannot be negative, got -1"):
        use_cost_model(measured=-1)
    for wrong in ("steps", 1.5, True, [1]):
        with pytest.raises(TypeError, match=r"measured= is a tf\.RunMetadata"):
            use_cost_model(measured=wrong)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda p: p["seconds"].list.f.append(1.0), "1 names, 2 seconds and 1 device types"),
        (lambda p: p["bytes"].list.f.pop(), "1 tensors and 0 sizes"),
        (lambda p: p["tensors"].list.s.__setitem__(0, b"x"), '"operation:output"'),
        (lambda p: p["seconds"].list.f.__setitem__(0, -1.0), "not negative"),
        (lambda p: p["seconds"].list.f.__setitem__(0, float("nan")), "not negative"),
        (lambda p: p["rates/CPU"].list.f.append(1.0), "rates/CPU needs four positive numbers"),
        (lambda p: p["names"].list.s.__setitem__(0, b"\xff"), "codec can't decode"),
    ],
)
def test_parameters_that_do_not_fit_are_refused(change, message):
    config = use_cost_model(measured=trace(x=100))
    change(config.graph_options.rewrite_options.custom_optimizers[0].parameter_map)
    with pytest.raises(errors.InvalidArgumentError, match=f"(?s){NAME} do not fit.*{message}"):
        CostModelPlacer.of(config)


# In a session -----------------------------------------------------------------------------------


def devices_used(session, fetch, feeds):
    metadata = tf.RunMetadata()
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    session.run(fetch, feeds, options=options, run_metadata=metadata)
    return {stats.device.rpartition(":")[2] for stats in metadata.step_stats.dev_stats}


def two_halves(size):
    """Two independent halves of work, and their sum; trains a variable on the way."""
    x = tf.placeholder(tf.float32, [size])
    weight = tf.Variable(2.0, name="weight")
    halves = [tf.reduce_sum(tf.tanh(tf.exp(x * weight))) for _ in range(2)]
    return x, weight, tf.add_n(halves)


def test_one_line_makes_a_session_use_both_devices():
    x, weight, total = two_halves(1_000_000)
    feeds = {x: np.zeros(1_000_000)}
    two = tf.ConfigProto(device_count={"CPU": 2})
    results = []
    for config, used in ((two, {"0"}), (use_cost_model(two), {"0", "1"})):
        with tf.Session(config=config) as session:
            session.run(weight.initializer)
            assert devices_used(session, total, feeds) == used
            results.append(session.run(total, feeds))
    assert results[0] == results[1] == pytest.approx(2e6 * np.tanh(1))


def test_a_session_measures_its_first_steps_and_keeps_its_variables():
    x, weight, total = two_halves(1_000)
    config = use_cost_model(tf.ConfigProto(device_count={"CPU": 2}), measured=2)
    more = tf.assign_add(weight, 1.0)
    with tf.Session(config=config) as session:
        session.run(weight.initializer)
        for number in range(5):
            found = session.run([total, more], {x: np.zeros(1_000)})
            assert found[0] == pytest.approx(2e3 * np.tanh(1))
            assert found[1] == number + 3.0
