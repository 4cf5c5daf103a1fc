"""The placer by a cost model, on graphs: near the optimum, within constraints, with reasons."""

import itertools
import random

import pytest

import tinytf as tf
from tinytf.devices.device import DeviceAttributes
from tinytf.framework import errors
from tinytf.placement import simple
from tinytf.placement.cost_model import Model, alternatives, place_by_cost, predict, step_costs
from tinytf.simulation.costs import Costs
from tinytf.simulation.machine import Link
from tinytf.simulation.measured import Measured
from tinytf.testing.placer_comparison import round_robin

TASK = "/job:localhost/replica:0/task:0"


def more(values):
    """Further values of a parameter, for the whole run."""
    return [pytest.param(value, marks=pytest.mark.slow) for value in values]


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def cpus(count):
    return [DeviceAttributes(f"{TASK}/device:CPU:{i}", "CPU", 256 << 20, 0) for i in range(count)]


def cpu_and_gpu(memory=1 << 30):
    return [*cpus(1), DeviceAttributes(f"{TASK}/device:GPU:0", "GPU", memory, 0)]


def place(devices, kept=None, soft=False, **how):
    return place_by_cost(
        tf.get_default_graph().get_operations(),
        devices,
        task=TASK,
        allow_soft_placement=soft,
        kept=kept or {},
        **how,
    )


def place_simply(devices):
    return simple.place(tf.get_default_graph().get_operations(), devices, task=TASK)


def short(placement, *names):
    found = [placement.device_of(name).rpartition(":")[2] for name in names]
    return found[0] if len(names) == 1 else found


def random_graph(rng, count):
    """Operations with made-up costs and sizes; some requests, some colocation. (costs, links)"""
    seconds, sizes, tensors = {}, {}, []
    transfer = 10 ** rng.uniform(-2, 1)
    for number in range(count):
        name = f"n{number}"
        with tf.device("/cpu:1" if rng.random() < 0.1 else None):
            if tensors and rng.random() < 0.8:
                inputs = rng.sample(tensors, min(len(tensors), rng.randint(1, 3)))
                tensor = tf.add_n(inputs, name=name)
            else:
                tensor = tf.random_uniform([4], name=name)  # its own name is n/RandomUniform
        if rng.random() < 0.15 and tensors:
            tensor.op._set_attr("_class", [b"loc:@" + rng.choice(tensors).op.name.encode()])
        tensors.append(tensor)
        seconds[tensor.op.name] = 1e-3 * 10 ** rng.uniform(-1, 1)
        sizes[tensor.op.name, 0] = 1e6 * 10 ** rng.uniform(-1, 1)
    # What the random numbers are made of costs nothing.
    for op in tf.get_default_graph().get_operations():
        seconds.setdefault(op.name, 0.0)
    costs = Costs(measured=Measured(seconds, dict.fromkeys(seconds, "CPU"), sizes))
    return costs, lambda *route: Link(1e-5, 1e9 / transfer)


@pytest.mark.parametrize("seed", range(40))
def test_within_ten_percent_of_the_best_placement(seed):
    rng = random.Random(seed)
    costs, links = random_graph(rng, rng.randint(3, 9))
    devices = cpus(rng.choice((2, 2, 3)))
    placement = place(devices, costs=costs, links=links)
    ops = tf.get_default_graph().get_operations()
    model = Model(ops, placement, costs, links)
    best = min(
        model.groups.makespan(list(choice))
        for choice in itertools.product(*_worth_trying(model.groups))
    )
    found = predict(ops, placement, costs, links)
    assert found.makespan <= 1.10 * best
    for op in ops:
        decision = placement.decisions[op.name]
        assert decision.device in decision.feasible
        assert {placement.device_of(member) for member in decision.group} == {decision.device}
        if op.device:
            assert decision.device == f"{TASK}/device:CPU:1"


def _worth_trying(groups):
    """All devices of all groups that do something; the first for those that cost nothing."""
    seconds = groups.simulator.seconds
    return [
        feasible if any(seconds[node][0] > 0 for node in members) else feasible[:1]
        for members, feasible in zip(groups.members, groups.feasible, strict=True)
    ]


@pytest.mark.parametrize("seed", [*range(2), *more(range(2, 8))])
def test_larger_graphs_beat_round_robin_and_the_simple_placer_in_simulation(seed):
    rng = random.Random(1_000 + seed)
    costs, links = random_graph(rng, rng.choice((40, 80, 120)))
    devices = cpus(rng.choice((2, 3)))
    ops = tf.get_default_graph().get_operations()
    by_rule = place_simply(devices)
    found = predict(ops, place(devices, costs=costs, links=links), costs, links).makespan
    assert found <= predict(ops, by_rule, costs, links).makespan
    assert found < predict(ops, round_robin(by_rule), costs, links).makespan


def test_independent_work_is_spread_and_chains_are_kept_together():
    x = tf.placeholder(tf.float32, [1_000_000])
    for name in "abcd":
        tf.tanh(tf.exp(x, name=f"{name}/exp"), name=f"{name}/tanh")
    placement = place(cpus(2))
    assert placement.placer == "cost model"
    assert sorted(short(placement, *(f"{n}/exp" for n in "abcd"))) == ["0", "0", "1", "1"]
    assert all(short(placement, f"{n}/exp") == short(placement, f"{n}/tanh") for n in "abcd")
    assert short(place_simply(cpus(2)), *(f"{n}/exp" for n in "abcd")) == ["0"] * 4


def test_little_work_is_not_worth_the_way_to_a_gpu():
    with tf.device("/cpu:0"):
        small, large = tf.random_uniform([10, 10]), tf.random_uniform([2000, 2000])
    tf.matmul(small, small, name="small")
    tf.matmul(large, large, name="large")
    placement = place(cpu_and_gpu())
    assert placement.device_of("small").endswith("CPU:0")
    assert placement.device_of("large").endswith("GPU:0")
    assert place_simply(cpu_and_gpu()).device_of("small").endswith("GPU:0")


def test_variables_do_not_exceed_the_memory_of_a_gpu():
    for name in "ab":
        variable = tf.get_variable(name, [1000, 1000])  # 4 MB
        tf.matmul(variable, variable, name=f"{name}/product")
    roomy, tight = place(cpu_and_gpu()), place(cpu_and_gpu(memory=14 << 20))
    assert [roomy.device_of(n)[-5:] for n in "ab"] == ["GPU:0", "GPU:0"]
    assert sorted(tight.device_of(n)[-5:] for n in "ab") == ["CPU:0", "GPU:0"]


def test_what_is_kept_stays_and_takes_its_group_with_it():
    variable = tf.Variable(tf.zeros([500, 500]), name="v")
    for number in range(3):
        tf.matmul(variable, variable, name=f"p{number}")
    tf.assign_add(variable, tf.ones([500, 500]), name="add")
    for device in (d.name for d in cpus(2)):
        placement = place(cpus(2), kept={"v": device})
        assert placement.device_of("v") == placement.device_of("add") == device


def test_requests_are_met_and_errors_are_the_simple_placers():
    zeros = tf.zeros([1000])
    with tf.device("/cpu:1"):
        tf.tanh(zeros, name="x")
    assert short(place(cpus(2)), "x") == "1"
    assert place(cpus(2)).decisions["x"].requested == "/device:CPU:1"
    with pytest.raises(errors.InvalidArgumentError, match="Cannot assign a device for operation x"):
        place(cpus(1))
    assert short(place(cpus(1), soft=True), "x") == "0"


def test_the_rule_says_what_the_alternatives_would_have_cost():
    x = tf.placeholder(tf.float32, [1_000_000])
    tf.tanh(x, name="x")
    tf.tanh(x, name="y")
    with tf.device("/cpu:0"):
        tf.tanh(x, name="pinned")
    placement = place(cpus(2))
    rule = placement.decisions["x"].rule
    here = int(short(placement, "x"))
    assert "ms here" in rule
    assert f"ms on CPU:{1 - here}" in rule
    assert "the step at" in rule
    assert placement.decisions["pinned"].rule == "the only device that is possible"


def test_large_graphs_say_what_the_walk_expected():
    x = tf.placeholder(tf.float32, [100_000])
    for number in range(30):
        tf.tanh(x, name=f"x{number}")
    rule = place(cpus(2), effort=40).decisions["x20"].rule
    assert rule.startswith("when it was reached: finishes at ")
    assert place(cpus(2), effort=0).decisions["x20"].rule.startswith("when it was reached")


def test_alternatives_of_any_placement():
    x = tf.placeholder(tf.float32, [1_000_000])
    y, z = tf.tanh(x, name="y"), tf.tanh(x, name="z")
    by_rule = place_simply(cpus(2))
    here, there = alternatives(y, by_rule)
    assert (here.device[-1], there.device[-1]) == ("0", "1")
    assert there.step < here.step
    assert (here.moved, there.moved) == (0.0, 4_000_000.0)  # x has to go there
    assert predict(tf.get_default_graph().get_operations(), by_rule).makespan == here.step
    better = place(cpus(2))
    here, there = alternatives(z.op, better)
    assert here.step <= there.step


def test_costs_for_the_explainer():
    x = tf.placeholder(tf.float32, [1_000_000])
    tf.tanh(x, name="y")
    ops = tf.get_default_graph().get_operations()
    placement = place(cpus(2))
    costs = step_costs(ops, placement)
    assert costs("y", f"{TASK}/device:CPU:0") > 0
    assert costs("y", f"{TASK}/device:CPU:7") is None
    assert costs("unknown", f"{TASK}/device:CPU:0") is None


def test_operations_outside_the_step_go_beside_their_neighbours():
    x = tf.placeholder(tf.float32, [1_000_000])
    a, b = tf.tanh(x, name="a"), tf.tanh(x, name="b")
    tf.negative(a, name="after_a")
    tf.negative(b, name="after_b")
    placement = place(cpus(2), step=[x.op, a.op, b.op])
    assert short(placement, "a") != short(placement, "b")
    assert short(placement, "after_a") == short(placement, "a")
    assert short(placement, "after_b") == short(placement, "b")
    assert placement.decisions["after_a"].rule == "not in the step: beside its neighbours"


def test_constants_go_with_what_takes_them():
    x = tf.placeholder(tf.float32, [1_000_000])
    for number in range(6):
        tf.multiply(tf.tanh(x), tf.constant(2.0, name=f"c{number}"), name=f"y{number}")
    placement = place(cpus(2))
    for number in range(6):
        assert short(placement, f"c{number}") == short(placement, f"y{number}")


def test_loops_and_conditionals_are_placed_and_run():
    x = tf.placeholder(tf.float32, [100])
    total = tf.while_loop(lambda i, s: i < 5, lambda i, s: (i + 1, s + tf.reduce_sum(x)), [0, 0.0])
    y = tf.cond(total[1] > 1.0, lambda: x * 2, lambda: x)
    placement = place(cpus(2))
    assert set(placement.decisions) == {o.name for o in tf.get_default_graph().get_operations()}
    for op in tf.get_default_graph().get_operations():
        op._set_device(placement.device_of(op.name))
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as session:
        assert session.run(y, {x: [1.0] * 100}).tolist() == [2.0] * 100


def test_the_same_graph_is_always_placed_the_same():
    random_graph(random.Random(5), 30)
    first, second = place(cpus(3)), place(cpus(3))
    assert first == second


def test_nothing_to_choose():
    tf.tanh(tf.zeros([10]), name="x")
    placement = place(cpus(1))
    assert placement.placer == "cost model"
    assert placement.device_of("x") == cpus(1)[0].name
